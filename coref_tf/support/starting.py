"""How large packages are loaded: quietly, and without the garbage collector's help."""

import contextlib
import gc
import os
from collections.abc import Iterator


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """A block that imports TensorFlow or spaCy, and loads a model.

    Nothing that is made meanwhile goes soon, so that looking for garbage finds none: that is a fifth of the time of
    `import tensorflow`. Later looks leave out what is there by then. And what TensorFlow says of the machine meanwhile
    is not what the user asked for.

    Example:
        with starting():
            from coref_tf.inference.predictor import Predictor
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.freeze()
            gc.enable()

"""End-to-end neural coreference resolution (Lee et al., EMNLP 2017) in TensorFlow 2 and Keras.

    import coref_tf

    resolver = coref_tf.load()
    print(resolver("Ana said she was late."))

Importing this package loads neither TensorFlow nor the op library.
"""

from __future__ import annotations

import os
import typing

from coref_tf.support.lanes import choose_keras
from coref_tf.support.startup import quiet_tensorflow

if typing.TYPE_CHECKING:
    from coref_tf.api.finetuning import finetune
    from coref_tf.api.loading import load

__all__ = ["finetune", "load"]
__version__ = "0.1.0"

# Silences TensorFlow's messages about the machine, whichever module of this package imports TensorFlow first.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
choose_keras()
quiet_tensorflow()


def __getattr__(name: str) -> typing.Any:
    """Imports `load` and `finetune` on first use, so that importing the package stays cheap."""
    if name == "finetune":
        from coref_tf.api.finetuning import finetune

        return finetune
    if name == "load":
        from coref_tf.api.loading import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""End-to-end neural coreference resolution (Lee et al., EMNLP 2017) in TensorFlow 2 and Keras.

    import coref_tf

    resolver = coref_tf.load()
    print(resolver("Ana said she was late."))

Importing this package loads nothing: neither TensorFlow nor the op library.
"""

from __future__ import annotations

import os
import typing

from coref_tf.support.lanes import choose_keras
from coref_tf.support.quiet_import import quiet_tensorflow

if typing.TYPE_CHECKING:
    from coref_tf.api.resolver import Resolver

__all__ = ["load"]
__version__ = "0.1.0"

# Whatever of this package loads TensorFlow: what that says of the machine is not what the user asked for.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
choose_keras()
quiet_tensorflow()


def load(
    *models: str | os.PathLike,
    conf: str | os.PathLike | None = None,
    max_memory: int | None = None,
    min_probability: float = 0.0,
    precision: float | None = None,
    cores: int | None = None,
) -> Resolver:
    """Loads a trained model.

    Args:
        models: unless it is to be "english", which comes with the package: another name of such a model, or of an
            experiment of the experiments file; the path of a checkpoint; or the folder of an export. Several are an
            ensemble, whose scores are averaged.
        conf: another experiments file than that of the working directory, or else the package's.
        max_memory: how many bytes the process may have; what may need more is refused.
        min_probability: links that give a less probable place are taken away before clusters are made; 0 leaves all.
        precision: instead, the least probability at which such a share of the links was right on the dev set.
        cores: how many cores may be kept busy; unless told, all that the process may use. TensorFlow takes that once,
            before it begins.

    Returns:
        A Resolver: call it with a text, or use its `pipe` for many.

    Example:
        resolver = coref_tf.load()
        for cluster in resolver("Ana said she was late."):
            print([mention.text for mention in cluster])       # ["Ana", "she"]
    """
    from coref_tf.api import loading

    return loading.load(models, conf, max_memory, min_probability, precision, cores)

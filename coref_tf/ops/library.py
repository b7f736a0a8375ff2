"""Loads the library of TensorFlow ops that `make` builds from kernels/, and registers their gradients."""

import functools
import threading
from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from coref_tf.ops import gradients
from coref_tf.support import libraries


class CustomOps(NamedTuple):
    """The ops of the library, under the names that `coref_tf.ops` uses."""

    extract_spans: Callable
    nearest_antecedents: Callable
    top_antecedents: Callable
    pair_scores: Callable
    sentence_lstm: Callable
    int8_dense: Callable
    self_attention: Callable


# Several threads may load the library at the same time, and TensorFlow accepts a gradient only once.
_loading = threading.Lock()


def custom_ops() -> CustomOps:
    """Loads the op library once; raises a CorefError with the reason if that fails."""
    with _loading:
        return _load()


@functools.cache
def _load() -> CustomOps:
    libraries.check_library(libraries.OPS_LIBRARY, tensorflow=tf.__version__, abi=tf.sysconfig.CXX11_ABI_FLAG)
    try:
        library = tf.load_op_library(str(libraries.OPS_LIBRARY))
    except tf.errors.OpError as error:
        raise libraries.unusable(libraries.OPS_LIBRARY, f"can't be loaded: {error.message}") from None
    for name in ("ExtractSpans", "NearestAntecedents", "TopAntecedents"):
        tf.no_gradient(f"Coref>{name}")
    tf.RegisterGradient("Coref>PairScores")(functools.partial(gradients.pair_scores, library))
    tf.RegisterGradient("Coref>SentenceLSTM")(functools.partial(gradients.sentence_lstm, library))
    tf.RegisterGradient("Coref>Int8Dense")(gradients.int8_dense)
    tf.RegisterGradient("Coref>SelfAttention")(gradients.self_attention)
    return CustomOps(*(getattr(library, f"coref_{name}") for name in CustomOps._fields))

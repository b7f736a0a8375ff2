"""Contextual vectors for training, computed only once if the encoder is frozen."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.documents.document import Document
from coref_tf.encoder.context_cache import ContextCache
from coref_tf.encoder.context_inputs import DocumentPieces, KeptContext
from coref_tf.encoder.context_words import ContextWords
from coref_tf.features.tensorize import Tensorizer
from coref_tf.model import CorefModel

# The number of documents used to fit the statistics of the vectors if the encoder is going to be fine-tuned.
_FITTED = 50


def prepare_context(
    experiment: Experiment,
    model: CorefModel,
    tensorizer: Tensorizer,
    train: Sequence[Document],
    dev: Sequence[Document],
    new: bool,
) -> None:
    """Lets the tensorizer read the vectors of a frozen encoder from a cache; fits their statistics in a new run.

    Args:
        experiment: The settings.
        model: The model.
        tensorizer: The tensorizer, which is changed to use the cached vectors.
        train: The documents to train on.
        dev: The documents to evaluate on.
        new: Whether this is a new run, as opposed to a resumed one.
    """
    if not model.context_words:
        return
    if not isinstance(tensorizer.context, DocumentPieces):
        raise ValueError(f"tensorizer must split words into pieces. Received: {tensorizer.context}")
    cache = context_cache(experiment, model.context_words, tensorizer.context)
    if model.context_words.is_frozen:
        cache.fill([*train, *dev])
        tensorizer.context = KeptContext(cache)
    if new:
        known = train if model.context_words.is_frozen else train[:_FITTED]
        model.context_words.fit(cache.vectors(document) for document in known)


def context_cache(experiment: Experiment, words: ContextWords, pieces: DocumentPieces) -> ContextCache:
    """Returns the cache of the encoder's vectors, which all experiments with the same log_root share."""
    config = experiment.context
    if config is None:
        raise ValueError(f"experiment {experiment.name} must have context")
    key = {
        "encoder": words.encoder.identity,
        "layers": list(config.layers),
        "mix": config.mix,
        "pieces": config.pieces,
        "products": words.encoder.products,
    }
    spec = pieces.spec, tf.TensorSpec([None], tf.int32)
    read = tf.function(words.read, input_signature=spec, autograph=False)

    def compute(document: Document) -> np.ndarray:
        lengths = np.array([len(sentence) for sentence in document.sentences], np.int32)
        return tf.cast(read(pieces.inputs(document, document, 0), lengths), tf.float16).numpy()

    return ContextCache(experiment.log_root / "context", key, words.num_kept * words.size, compute)

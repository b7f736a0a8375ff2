"""Contextual vectors for training: computed once where the encoder stays as it is."""

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

# Documents that tell what is usual for an encoder that is going to be trained.
_FITTED = 50


def prepare_context(
    experiment: Experiment,
    model: CorefModel,
    tensorizer: Tensorizer,
    train: Sequence[Document],
    dev: Sequence[Document],
    new: bool,
) -> None:
    """Has the tensorizer give the vectors of a frozen encoder from a cache; a new run learns what is usual for them.

    Args:
        experiment: the settings.
        model: the model.
        tensorizer: of its inputs; from then on it knows the documents' vectors.
        train: the documents to be trained on.
        dev: those that are evaluated on.
        new: whether the run begins, rather than goes on.
    """
    if not model.context_words:
        return
    if not isinstance(tensorizer.context, DocumentPieces):
        raise ValueError(f"tensorizer must cut words into pieces. Received: {tensorizer.context}")
    cache = context_cache(experiment, model.context_words, tensorizer.context)
    if model.context_words.is_frozen:
        cache.fill([*train, *dev])
        tensorizer.context = KeptContext(cache)
    if new:
        known = train if model.context_words.is_frozen else train[:_FITTED]
        model.context_words.fit(cache.vectors(document) for document in known)


def context_cache(experiment: Experiment, words: ContextWords, pieces: DocumentPieces) -> ContextCache:
    """Where the vectors of an experiment's encoder are kept, for all experiments with the same log_root."""
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

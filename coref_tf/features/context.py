"""What the contextual vectors of a document's words are made of."""

from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from coref_tf import ops
from coref_tf.config import ContextConfig
from coref_tf.documents.document import Document
from coref_tf.encoder.context_cache import ContextCache
from coref_tf.encoder.context_encoder import ContextEncoder
from coref_tf.encoder.context_words import ContextWords, Pieces
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.word_pieces import WordPieces
from coref_tf.support.errors import CorefError


class Context(Protocol):
    """Either of the two below."""

    @property
    def spec(self) -> Any:
        """The shapes and types of what `inputs` returns."""

    def inputs(self, document: Document, whole: Document, first_word: int) -> Any:
        """The contextual part of a document's inputs; see Tensorizer.tensorize."""


class DocumentPieces:
    """The word pieces of a document, which the model encodes.

    Args:
        word_pieces: cuts words into pieces.

    Example:
        DocumentPieces.from_encoder(EncoderFile("data/encoders/minilm.h5")).inputs(document, document, 0)   # Pieces
    """

    spec = Pieces(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32))

    def __init__(self, word_pieces: WordPieces):
        self.word_pieces = word_pieces

    @classmethod
    def from_encoder(cls, file: EncoderFile) -> "DocumentPieces":
        """Takes the vocabulary of an encoder."""
        return cls(WordPieces(file.vocabulary, file.config.lowercase))

    def inputs(self, document: Document, whole: Document, first_word: int) -> Pieces:
        """The pieces of the document's words."""
        pieces = [self.word_pieces.ids(word) for word in document.words]
        counts = np.array([len(ids) for ids in pieces], np.int32)
        return Pieces(np.array([i for ids in pieces for i in ids], np.int32), counts)


class KeptContext:
    """What an encoder said of a document's words when the whole document was read, from a cache.

    Args:
        cache: of contextual vectors.
    """

    def __init__(self, cache: ContextCache):
        self.cache = cache

    @property
    def spec(self) -> tf.TensorSpec:
        """The shape and type of what `inputs` returns."""
        return tf.TensorSpec([None, self.cache.size], tf.float16)

    def inputs(self, document: Document, whole: Document, first_word: int) -> np.ndarray:
        """The vectors of the document's words."""
        return self.cache.vectors(whole)[first_word : first_word + document.num_words]


def load_context_words(config: ContextConfig, file: EncoderFile, backend: str = "custom") -> ContextWords:
    """Builds the layer that gives words their contextual vectors, with the weights of an encoder's file.

    Args:
        config: the settings.
        file: the encoder.
        backend: of the ops, "custom" or "portable".
    """
    highest = max(config.layers)
    if highest > file.config.num_layers:
        raise CorefError(
            f"{file.path}: has {file.config.num_layers} layers; expected context.layers up to that."
            f" Received: {highest}"
        )
    encoder = ContextEncoder(
        file.config,
        highest,
        config.tuned_layers,
        kept_words=None if config.tuned_layers else file.dtype,
        products=choose_products(config, file, backend),
        name="context_encoder",
    )
    encoder.load(file)
    return ContextWords(encoder, config.layers, config.mix, config.pieces, name="context_words")


def choose_products(config: ContextConfig, file: EncoderFile, backend: str) -> str:
    """What the encoder's matrix products are computed in: "auto" is int8 where the weights are int8 anyway.

    Products in int8 need a frozen encoder and the C++ op, which is for the CPU; TensorFlow's own ops have none.
    """
    if backend == "portable" and config.products == "int8":
        return "float32"
    if config.products != "auto":
        return config.products
    can_be_int8 = not config.tuned_layers and file.dtype == "int8" and ops.is_fused(backend)
    return "int8" if can_be_int8 else "float32"

"""The contextual part of a document's inputs: word pieces for the encoder, or cached vectors."""

from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.encoder.context_cache import ContextCache
from coref_tf.encoder.context_words import Pieces
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.word_pieces import WordPieces


class Context(Protocol):
    """The interface of `DocumentPieces` and `KeptContext`."""

    @property
    def spec(self) -> Any:
        """The shapes and types of the result of `inputs`."""

    def inputs(self, document: Document, whole: Document, first_word: int) -> Any:
        """Returns the contextual part of a document's inputs; see Tensorizer.tensorize."""


class DocumentPieces:
    """Provides the word pieces of a document, which the model encodes.

    Args:
        word_pieces: Splits words into pieces.

    Example:
        DocumentPieces.from_encoder(EncoderFile("data/encoders/minilm.h5")).inputs(document, document, 0)   # Pieces
    """

    spec = Pieces(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32))

    def __init__(self, word_pieces: WordPieces):
        self.word_pieces = word_pieces

    @classmethod
    def from_encoder(cls, file: EncoderFile) -> "DocumentPieces":
        """Uses the vocabulary of an encoder."""
        return cls(WordPieces(file.vocabulary, file.config.lowercase))

    def inputs(self, document: Document, whole: Document, first_word: int) -> Pieces:
        """Returns the pieces of the document's words."""
        pieces = [self.word_pieces.ids(word) for word in document.words]
        counts = np.array([len(ids) for ids in pieces], np.int32)
        return Pieces(np.array([i for ids in pieces for i in ids], np.int32), counts)


class KeptContext:
    """Provides cached contextual vectors of a document's words, computed on the whole document.

    Args:
        cache: The cache of contextual vectors.
    """

    def __init__(self, cache: ContextCache):
        self.cache = cache

    @property
    def spec(self) -> tf.TensorSpec:
        """The shape and type of the result of `inputs`."""
        return tf.TensorSpec([None, self.cache.size], tf.float16)

    def inputs(self, document: Document, whole: Document, first_word: int) -> np.ndarray:
        """Returns the vectors of the document's words."""
        return self.cache.vectors(whole)[first_word : first_word + document.num_words]

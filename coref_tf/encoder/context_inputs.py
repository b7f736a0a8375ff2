"""The contextual part of a document's inputs: word pieces for the model to encode, or vectors from a cache."""

from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.encoder.context_cache import ContextCache
from coref_tf.encoder.context_words import Pieces
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.word_pieces import WordPieces


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

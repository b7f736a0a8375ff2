"""Turns words (strings) into CorefInputs, in the graph; equivalent to Tensorizer."""

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.documents.document import NO_SPEAKER
from coref_tf.documents.pronouns import CLASSES, MARKS, ME, NAMED, SHARED, YOU
from coref_tf.encoder.context_words import Pieces
from coref_tf.export.vectors import WordLookup
from coref_tf.export.word_pieces import PieceSplitter
from coref_tf.features.characters import UNKNOWN, CharacterVocabulary
from coref_tf.features.tensorize import CorefInputs
from coref_tf.ops import checks as check


class DocumentWords(NamedTuple):
    """The words of a document as strings; repeated words are stored once."""

    distinct: tf.Tensor  # string [distinct words], in the order of their first occurrences
    ids: tf.Tensor  # int32 [words], the distinct word at each position
    sentence_lengths: tf.Tensor  # int32 [sentences], in words
    speaker_ids: tf.Tensor  # int32 [words]
    has_speaker: tf.Tensor  # bool [words], whether the speaker is known
    speakers: tf.Tensor  # string [speakers], the distinct speakers, in order of appearance
    genre: tf.Tensor  # string []


def checked_words(
    words: tf.Tensor, sentence_lengths: tf.Tensor, speakers: tf.Tensor, genre: tf.Tensor
) -> DocumentWords:
    """Rejects words that are invalid in a Document.

    Args:
        words: string [words].
        sentence_lengths: int32 [sentences], which sum to the number of words.
        speakers: string [words].
        genre: string [].
    """
    distinct, ids = tf.unique(words)
    decoded = tf.strings.unicode_transcode(distinct, "UTF-8", "UTF-8", errors="replace")
    broken = (decoded != distinct) | tf.strings.regex_full_match(decoded, r"(?s).*\x00.*")
    message = "a word must be UTF-8 without NUL characters. Received: {}"
    distinct = check.require(~tf.reduce_any(broken), distinct, message, tf.boolean_mask(decoded, broken)[:1])
    distinct_speakers, speaker_ids = tf.unique(speakers)
    return DocumentWords(
        distinct,
        ids,
        sentence_lengths,
        speaker_ids,
        (speakers != "") & (speakers != NO_SPEAKER),
        distinct_speakers,
        genre,
    )


class GraphTensorizer(tf.Module):
    """Turns words into CorefInputs with the word vectors, characters and genres of one model.

    Args:
        lookups: The word vectors, which are concatenated.
        characters: The character vocabulary.
        genres: The genres that the model knows.
        default_genre: The genre that replaces unknown ones.
        pieces: Splits words into the pieces of the model's contextual encoder, if it has one.
        pronouns: Whether the model uses pronoun classes.
    """

    def __init__(
        self,
        lookups: Sequence[WordLookup],
        characters: CharacterVocabulary,
        genres: Sequence[str],
        default_genre: str,
        pieces: PieceSplitter | None = None,
        pronouns: bool = False,
    ):
        super().__init__(name="tensorizer")
        self.pieces = pieces
        self.lookups = list(lookups)
        codes = tf.constant([ord(character) for character in characters.characters], tf.int64)
        pairs = tf.lookup.KeyValueTensorInitializer(codes, tf.range(1, tf.size(codes) + 1))
        self.characters = tf.lookup.StaticHashTable(pairs, default_value=UNKNOWN)
        pairs = tf.lookup.KeyValueTensorInitializer(list(genres), tf.range(len(genres)))
        self.genres = tf.lookup.StaticHashTable(pairs, default_value=genres.index(default_genre))

        self.pronouns = None
        if pronouns:
            known = CLASSES | MARKS
            pairs = tf.lookup.KeyValueTensorInitializer(
                list(known), list(known.values()), value_dtype=tf.int32
            )
            self.pronouns = tf.lookup.StaticHashTable(pairs, default_value=0)

    def __call__(self, words: DocumentWords) -> CorefInputs:
        """Returns the model's inputs for a document."""
        # [distinct words, characters]
        codes = tf.strings.unicode_decode(words.distinct, "UTF-8")
        nothing = tf.zeros([tf.size(words.distinct), 0])
        no_mentions = tf.zeros([0], tf.int32)
        return CorefInputs(
            word_ids=words.ids,
            word_vectors=tf.concat([nothing] + [lookup(words.distinct) for lookup in self.lookups], axis=1),
            characters=self.characters.lookup(tf.cast(codes.flat_values, tf.int64)),
            word_lengths=tf.cast(codes.row_lengths(), tf.int32),
            sentence_lengths=words.sentence_lengths,
            speaker_ids=words.speaker_ids,
            genre=self.genres.lookup(words.genre),
            gold_starts=no_mentions,
            gold_ends=no_mentions,
            cluster_ids=no_mentions,
            given_starts=no_mentions,
            given_ends=no_mentions,
            seed=tf.zeros([2], tf.int32),
            context=self._pieces(words) if self.pieces else (),
            pronouns=self._reference_classes(words) if self.pronouns else (),
        )

    def _reference_classes(self, words: DocumentWords) -> tf.Tensor:
        """Computes coref_tf.documents.pronouns.reference_classes, int32 [words]."""
        classes = tf.gather(self._pronoun_classes(words.distinct), words.ids)
        speaks = (classes == ME) | (classes == YOU)
        classes = tf.where(speaks & ~words.has_speaker, 0, classes)
        return tf.where(classes == 0, tf.gather(self._name_classes(words), words.ids), classes)

    def _pronoun_classes(self, words: tf.Tensor) -> tf.Tensor:
        assert self.pronouns is not None
        return self.pronouns.lookup(tf.strings.lower(words, encoding="utf-8"))

    def _name_classes(self, words: DocumentWords) -> tf.Tensor:
        """Computes coref_tf.documents.pronouns.speaker_names for the distinct words, int32 [distinct words]."""
        parts = tf.strings.split(tf.strings.regex_replace(words.speakers, "[ \t_]+", "\t"), "\t")
        names, classes = parts.flat_values, NAMED + tf.cast(parts.value_rowids(), tf.int32)
        counts = tf.strings.regex_full_match(names, r"(?s)\p{Lu}.+") & (self._pronoun_classes(names) == 0)
        names, classes = tf.boolean_mask(names, counts), tf.boolean_mask(classes, counts)
        distinct, places = tf.unique(tf.concat([names, words.distinct], axis=0))
        places, places_of_words = tf.split(places, [tf.size(names), tf.size(words.distinct)])
        lowest = tf.math.unsorted_segment_min(classes, places, tf.size(distinct))
        highest = tf.math.unsorted_segment_max(classes, places, tf.size(distinct))
        # Where no name has the word, the lowest class is the largest integer, and the highest the smallest.
        several = tf.where(lowest < highest, SHARED, 0)
        return tf.gather(tf.where(lowest == highest, lowest, several), places_of_words)

    def _pieces(self, words: DocumentWords) -> Pieces:
        assert self.pieces is not None
        pieces = tf.gather(self.pieces(words.distinct), words.ids)
        return Pieces(pieces.flat_values, tf.cast(pieces.row_lengths(), tf.int32))

"""Words as strings -> CorefInputs, inside a graph: what Tensorizer does."""

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.documents.document import NO_SPEAKER
from coref_tf.documents.pronouns import CLASSES, ME, YOU
from coref_tf.encoder.context_words import Pieces
from coref_tf.export.vectors import WordLookup
from coref_tf.export.word_pieces import PieceSplitter
from coref_tf.features.characters import UNKNOWN, CharacterVocabulary
from coref_tf.features.tensorize import CorefInputs
from coref_tf.ops import checks as check


class DocumentWords(NamedTuple):
    """A document's words as strings; those that occur often stand once among the distinct ones."""

    distinct: tf.Tensor  # string [distinct words], in the order of their first places
    ids: tf.Tensor  # int32 [words], which distinct word each is
    sentence_lengths: tf.Tensor  # int32 [sentences], in words
    speaker_ids: tf.Tensor  # int32 [words]
    has_speaker: tf.Tensor  # bool [words], whether it is known who says it
    genre: tf.Tensor  # string []


def checked_words(
    words: tf.Tensor, sentence_lengths: tf.Tensor, speakers: tf.Tensor, genre: tf.Tensor
) -> DocumentWords:
    """Refuses words that no Document could hold.

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
    return DocumentWords(
        distinct,
        ids,
        sentence_lengths,
        tf.unique(speakers).idx,
        (speakers != "") & (speakers != NO_SPEAKER),
        genre,
    )


class GraphTensorizer(tf.Module):
    """Turns words into CorefInputs with the word vectors, characters and genres of one model.

    Args:
        lookups: word vectors, concatenated.
        characters: the character vocabulary.
        genres: the genres that the model knows.
        default_genre: what any other genre counts as.
        pieces: cuts words into the pieces of the model's contextual encoder, if it has one.
        pronouns: whether the model reads the classes of pronouns.
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
            pairs = tf.lookup.KeyValueTensorInitializer(
                list(CLASSES), list(CLASSES.values()), value_dtype=tf.int32
            )
            self.pronouns = tf.lookup.StaticHashTable(pairs, default_value=0)

    def __call__(self, words: DocumentWords) -> CorefInputs:
        """The model's inputs for a document."""
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
            pronouns=self._pronoun_classes(words) if self.pronouns else (),
        )

    def _pronoun_classes(self, words: DocumentWords) -> tf.Tensor:
        """What coref_tf.documents.pronouns.pronoun_classes says, int32 [words]."""
        assert self.pronouns is not None
        classes = self.pronouns.lookup(tf.strings.lower(words.distinct, encoding="utf-8"))
        classes = tf.gather(classes, words.ids)
        speaks = (classes == ME) | (classes == YOU)
        return tf.where(speaks & ~words.has_speaker, 0, classes)

    def _pieces(self, words: DocumentWords) -> Pieces:
        assert self.pieces is not None
        pieces = tf.gather(self.pieces(words.distinct), words.ids)
        return Pieces(pieces.flat_values, tf.cast(pieces.row_lengths(), tf.int32))

"""Converts documents to tensors."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.documents.document import Document
from coref_tf.documents.pronouns import reference_classes
from coref_tf.encoder.context_inputs import Context, DocumentPieces
from coref_tf.encoder.context_words import Pieces
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.given_mentions import given_mentions
from coref_tf.layers.addressees import WordReferences
from coref_tf.quotations.speakers import with_quotation_speakers
from coref_tf.support.remarks import remark


class CorefInputs(NamedTuple):
    """The model inputs of one document. Words that occur several times are stored once, as distinct words."""

    word_ids: tf.Tensor  # int32 [words], the index of the distinct word of each word
    word_vectors: tf.Tensor  # float32 [distinct words, vector size]
    characters: tf.Tensor  # int32 [characters], of all distinct words, concatenated
    word_lengths: tf.Tensor  # int32 [distinct words], in characters
    sentence_lengths: tf.Tensor  # int32 [sentences], in words
    speaker_ids: tf.Tensor  # int32 [words]
    genre: tf.Tensor  # int32 []
    gold_starts: tf.Tensor  # int32 [mentions]
    gold_ends: tf.Tensor  # int32 [mentions]
    cluster_ids: tf.Tensor  # int32 [mentions], from 1
    # int32 [given], the spans to keep, ordered by (start, end), if mentions are not learned
    given_starts: tf.Tensor
    given_ends: tf.Tensor  # int32 [given]
    seed: tf.Tensor  # int32 [2], the seed of dropout in training
    # The inputs of contextual vectors: Pieces, or the vectors that the encoder computed; () if there are none
    context: Pieces | tf.Tensor | tuple[()] = ()
    # int32 [words], what `reference_classes` returns; () if clusters need not be consistent
    pronouns: tf.Tensor | tuple[()] = ()

    @property
    def references(self) -> WordReferences:
        """What the words reveal about their referents, if clusters are to be consistent."""
        return WordReferences(self.pronouns, self.speaker_ids, self.sentence_lengths)


def input_specs(
    vector_size: int, context: Pieces | tf.TensorSpec | tuple[()] = (), pronouns: bool = False
) -> CorefInputs:
    """Returns the shapes and types of CorefInputs, which are the same for all documents, to avoid retracing."""
    ids = tf.TensorSpec([None], tf.int32)
    specs = dict.fromkeys(CorefInputs._fields, ids)
    specs["word_vectors"] = tf.TensorSpec([None, vector_size], tf.float32)
    specs["genre"] = tf.TensorSpec([], tf.int32)
    specs["seed"] = tf.TensorSpec([2], tf.int32)
    specs["context"] = context
    specs["pronouns"] = ids if pronouns else ()
    return CorefInputs(**specs)


class Tensorizer:
    """Converts documents to CorefInputs, with the word vectors, characters and genres of an experiment.

    Args:
        vector_sets: fixed word vectors, concatenated.
        characters: the character vocabulary.
        genres: the genres that the model knows.
        default_genre: the genre that replaces any other genre; each of these is reported once.
        mentions: which spans are given to the model, as in experiments.conf.
        context: computes the contextual inputs, if any: word pieces, or cached vectors.
        given: the mentions of a document, if a user provides them.
        pronouns: whether the model needs the classes of pronouns.
        quotation_speakers: whether words in a quotation get the speaker that names and turns indicate.
        report: called with a remark about each unknown genre.

    Example:
        inputs = Tensorizer.from_experiment(experiment, characters).tensorize(document)
    """

    def __init__(
        self,
        vector_sets: Sequence[VectorSet],
        characters: CharacterVocabulary,
        genres: Sequence[str],
        default_genre: str,
        mentions: str = "learned",
        context: Context | None = None,
        given: Callable[[Document], list[tuple[int, int]]] | None = None,
        pronouns: bool = False,
        quotation_speakers: bool = False,
        report: Callable[[str], None] = remark,
    ):
        self.vector_sets = list(vector_sets)
        self.characters = characters
        self.genres = {genre: number for number, genre in enumerate(genres)}
        self.default_genre = default_genre
        self.mentions = mentions
        self.context = context
        self.given = given
        self.pronouns = pronouns
        self.quotation_speakers = quotation_speakers
        self._report = report
        self._unknown_genres: set[str] = set()

    @classmethod
    def from_experiment(
        cls,
        experiment: Experiment,
        characters: CharacterVocabulary,
        given: Callable[[Document], list[tuple[int, int]]] | None = None,
        encoder: EncoderFile | None = None,
    ) -> "Tensorizer":
        """Opens the word vectors of the experiment and, unless `encoder` is given, its contextual encoder."""
        vector_sets = [
            VectorSet.open(v.path, v.size, v.lowercase, v.fallback_lowercase, v.plain_brackets)
            for v in experiment.embeddings
        ]
        remark(
            f"word vectors of {experiment.name}: {', '.join(str(v.path) for v in experiment.embeddings) or 'none'}"
        )
        context = None
        if experiment.context:
            context = DocumentPieces.from_encoder(encoder or EncoderFile(experiment.context.encoder))
        genres = experiment.genres, experiment.default_genre
        return cls(
            vector_sets,
            characters,
            *genres,
            experiment.mentions,
            context,
            given,
            experiment.consistent_clusters,
            experiment.quotation_speakers,
        )

    @property
    def vector_size(self) -> int:
        """The total size of the vectors of all sets."""
        return sum(vectors.size for vectors in self.vector_sets)

    @property
    def specs(self) -> CorefInputs:
        """Returns the shapes and types of the result of `tensorize`."""
        return input_specs(self.vector_size, self.context.spec if self.context else (), self.pronouns)

    def tensorize(
        self, document: Document, whole: Document | None = None, first_word: int = 0
    ) -> CorefInputs:
        """Returns the tensors (NumPy arrays) of one document.

        Args:
            document: the document.
            whole: the document that it was truncated from, if any.
            first_word: the index of its first word there.
        """
        if self.quotation_speakers:
            document = with_quotation_speakers(document, whole or document, first_word)
        ids: dict[str, int] = {}
        word_ids = [ids.setdefault(word, len(ids)) for word in document.words]
        encoded = [self.characters.encode(word) for word in ids]
        speakers: dict[str, int] = {}
        speaker_ids = [speakers.setdefault(s, len(speakers)) for row in document.speakers for s in row]
        mentions = sorted(
            (start, end, number)
            for number, cluster in enumerate(document.clusters, start=1)
            for start, end in cluster
        )
        gold = np.array(mentions, np.int32).reshape(-1, 3)
        given = self.given(document) if self.given else given_mentions(document, self.mentions)
        spans = np.array(given, np.int32).reshape(-1, 2)
        return CorefInputs(
            word_ids=np.array(word_ids, np.int32),
            word_vectors=self._vectors(list(ids)),
            characters=np.array([i for word in encoded for i in word], np.int32),
            word_lengths=np.array([len(word) for word in encoded], np.int32),
            sentence_lengths=np.array([len(sentence) for sentence in document.sentences], np.int32),
            speaker_ids=np.array(speaker_ids, np.int32),
            genre=np.array(self._genre(document.genre), np.int32),
            gold_starts=gold[:, 0],
            gold_ends=gold[:, 1],
            cluster_ids=gold[:, 2],
            given_starts=spans[:, 0],
            given_ends=spans[:, 1],
            seed=np.zeros([2], np.int32),
            context=self.context.inputs(document, whole or document, first_word) if self.context else (),
            pronouns=np.array(reference_classes(document), np.int32) if self.pronouns else (),
        )

    def known(self, words: Sequence[str]) -> np.ndarray:
        """Returns whether each word has a vector in one of the sets, bool [words]; all True if there are no sets."""
        found = [vectors.known(words) for vectors in self.vector_sets]
        return np.any(found, axis=0) if found else np.ones(len(words), bool)

    def unknown_shares(self, documents: Iterable[Document]) -> list[float]:
        """Returns, for each vector set, the share of the documents' words that have no vector in it."""
        counts = Counter(word for document in documents for word in document.words)
        words, times = list(counts), np.array(list(counts.values()))
        return [
            float(times[~vectors.known(words)].sum() / max(times.sum(), 1)) for vectors in self.vector_sets
        ]

    def _vectors(self, words: list[str]) -> np.ndarray:
        vectors = [np.zeros([len(words), 0], np.float32)]
        return np.concatenate(vectors + [s.lookup(words) for s in self.vector_sets], axis=1)

    def _genre(self, genre: str) -> int:
        if genre in self.genres:
            return self.genres[genre]
        if genre not in self._unknown_genres:
            self._unknown_genres.add(genre)
            what = f"unknown genre {genre!r}" if genre else "a document without a genre"
            self._report(f"{what} counts as {self.default_genre!r}")
        return self.genres[self.default_genre]

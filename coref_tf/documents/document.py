"""The document, the data structure that all other code works with."""

import dataclasses
import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NoReturn

from coref_tf.documents.rules import FileMention, mention_problems
from coref_tf.support.errors import CorefError

NO_SPEAKER = "-"
LAYERS = ("pos", "parse", "named_entities")  # optional annotations of each word, besides its speaker


@dataclasses.dataclass(frozen=True)
class Document:
    """A tokenised document with speakers and gold clusters. Immutable, and validated on creation.

    Lists are accepted and converted to tuples. A mention may be in two clusters, and mentions of different clusters may
    cross, because published corpora contain a few such mentions; `lint` reports them.

    Args:
        doc_key: the name of the document, without its part, e.g. "nw/harbour".
        sentences: the words of each sentence. A document without sentences is valid.
        speakers: one name per word, nested like `sentences`; by default, "-" for every word.
        clusters: the gold clusters, each with inclusive (start, end) spans of word indices.
        part: the number of the part, from 0; CoNLL-2012 splits long documents into parts.
        key: the name in jsonlines files; by default, doc_key_part, as in earlier systems.
        text: the text that the words come from, if known.
        offsets: the [begin, end) offsets of each word in `text`; required with `text`.
        pos: part-of-speech tags, nested like `sentences`, if known.
        parse: CoNLL-2012 parse bits, nested like `sentences`, if known.
        named_entities: CoNLL-2012 named-entity bits, nested like `sentences`, if known.
        extra: other fields of a jsonlines file, which are preserved.
        source: the source lines, from which the CoNLL writer reproduces the file that was read.

    Example:
        document = Document("nw/harbour", [["Ana", "said", "she", "left", "."]], clusters=[[(0, 0), (2, 2)]])
        document.genre                 # "nw"
        document.clusters              # (((0, 0), (2, 2)),)
    """

    doc_key: str
    sentences: Sequence[Sequence[str]]
    speakers: Sequence[Sequence[str]] = ()
    clusters: Sequence[Sequence[tuple[int, int]]] = ()
    part: int = 0
    key: str = ""
    text: str | None = None
    offsets: Sequence[tuple[int, int]] | None = None
    pos: Sequence[Sequence[str]] | None = None
    parse: Sequence[Sequence[str]] | None = None
    named_entities: Sequence[Sequence[str]] | None = None
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)
    source: Any = dataclasses.field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_name()
        sentences = self._nested("sentences", self.sentences)
        self._set("sentences", sentences)
        self._set("key", self.key or f"{self.doc_key}_{self.part}")
        speakers = self.speakers or [[NO_SPEAKER] * len(sentence) for sentence in sentences]
        self._set("speakers", self._nested("speakers", speakers))
        self._set("clusters", self._spans(self.clusters))
        for name in LAYERS:
            if getattr(self, name) is not None:
                self._set(name, self._nested(name, getattr(self, name)))
        if self.offsets is not None:
            self._set("offsets", tuple(self._pair("an offset", offset) for offset in self.offsets))
        self._set("extra", MappingProxyType(dict(self.extra)))
        self._check_words()
        for name in ("speakers", *LAYERS):
            if getattr(self, name) is not None:
                self._check_shape(name)
        self._check_clusters()
        self._check_offsets()

    @property
    def genre(self) -> str:
        """The part of the doc key before the first "/", or "" if there is none."""
        genre, slash, _ = self.doc_key.partition("/")
        return genre if slash else ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of all sentences, which spans index."""
        return tuple(itertools.chain.from_iterable(self.sentences))

    @property
    def num_words(self) -> int:
        """The number of words."""
        return len(self.words)

    def with_clusters(self, clusters: Iterable[Iterable[Sequence[int]]]) -> "Document":
        """Returns the document with other clusters, such as predicted ones."""
        return dataclasses.replace(self, clusters=self._spans(clusters))

    def __reduce__(self) -> tuple[type["Document"], tuple[Any, ...]]:
        # A mapping proxy cannot be pickled or copied, but the mapping inside can.
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return Document, tuple(
            dict(value) if isinstance(value, MappingProxyType) else value for value in values
        )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _fail(self, message: str) -> NoReturn:
        raise CorefError(f"document {self.key or self.doc_key}: {message}")

    def _nested(self, name: str, rows: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
        rows = [rows] if isinstance(rows, str) else list(rows)
        if any(isinstance(row, str) for row in rows):
            self._fail(
                f"{name} must be lists of strings, one list per sentence. Received: a string for a list"
            )
        return tuple(tuple(row) for row in rows)

    def _pair(self, name: str, pair: Sequence[int]) -> tuple[int, int]:
        try:
            first, second = (operator.index(value) for value in pair)
        except (TypeError, ValueError):
            self._fail(f"{name} must be two integers. Received: {pair!r}")
        return first, second

    def _spans(self, clusters: Iterable[Iterable[Sequence[int]]]) -> tuple[tuple[tuple[int, int], ...], ...]:
        return tuple(tuple(self._pair("a mention", span) for span in cluster) for cluster in clusters)

    def _check_name(self) -> None:
        if not isinstance(self.doc_key, str) or not self.doc_key or set(self.doc_key) & set("\0\n\r"):
            self._fail(f"doc_key must be a nonempty string of one line. Received: {self.doc_key!r}")
        if not isinstance(self.key, str) or set(self.key) & set("\0\n\r"):
            self._fail(f"key must be a string of one line. Received: {self.key!r}")
        if type(self.part) is not int or self.part < 0:
            self._fail(f"part must be a non-negative integer. Received: {self.part!r}")

    def _check_words(self) -> None:
        for number, sentence in enumerate(self.sentences):
            if not all(isinstance(word, str) and word and "\0" not in word for word in sentence):
                self._fail(f"sentence {number} must consist of nonempty strings without NUL characters")
        self._check_unicode("a word", self.words)
        self._check_unicode("the key or the text", [self.doc_key, self.key, self.text or ""])

    def _check_shape(self, name: str) -> None:
        rows = getattr(self, name)
        if len(rows) != len(self.sentences):
            self._fail(f"{name} for {len(rows)} sentences; expected {len(self.sentences)}, as in sentences")
        for number, (row, sentence) in enumerate(zip(rows, self.sentences, strict=True)):
            if len(row) != len(sentence):
                self._fail(f"{len(row)} {name} in sentence {number}; expected one per word, {len(sentence)}")
            if not all(isinstance(value, str) and "\0" not in value for value in row):
                self._fail(f"{name} of sentence {number} must be strings without NUL characters")
            self._check_unicode(f"one of {name}", row)

    def _check_unicode(self, what: str, values: Iterable[str]) -> None:
        try:
            "".join(values).encode()
        except UnicodeEncodeError as error:
            self._fail(
                f"{what} contains a lone surrogate, {error.object[error.start]!r}; expected Unicode text"
            )

    def _check_clusters(self) -> None:
        for number, cluster in enumerate(self.clusters):
            if not cluster:
                self._fail(f"cluster {number} is empty; expected at least one mention")
        mentions = [
            FileMention(*span, number) for number, cluster in enumerate(self.clusters) for span in cluster
        ]
        for problem in mention_problems(mentions, self.sentences):
            if problem.fatal:
                self._fail(problem.message)

    def _check_offsets(self) -> None:
        if (self.text is None) != (self.offsets is None):
            self._fail("text and offsets must be given together")
        if self.offsets is None or self.text is None:
            return
        if len(self.offsets) != self.num_words:
            self._fail(f"{len(self.offsets)} offsets; expected one per word, {self.num_words}")
        behind = 0
        for number, (begin, end) in enumerate(self.offsets):
            if not behind <= begin <= end <= len(self.text):
                self._fail(f"offset {number} is [{begin}, {end}); expected offsets in order, inside the text")
            behind = end

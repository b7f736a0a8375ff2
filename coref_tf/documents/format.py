"""A document format: its name, its endings, its reader and its writer."""

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import IO, Any, Protocol

from coref_tf.documents.dialogue import Dialogue
from coref_tf.documents.document import Document
from coref_tf.documents.sources import Report, refuse
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.support.errors import CorefError


@dataclasses.dataclass(frozen=True)
class Reading:
    """Options for reading documents.

    Args:
        report: Receives each problem. By default, reading stops at the first one.
        allow_empty: whether documents and sentences without words are read, instead of being a problem.
        dialogue: whether lines of a text may name a speaker.
        genre: of texts that don't say theirs.
        language: of texts, as spaCy names it.
        heard: Receives the turns of each text in which people speak.
    """

    report: Report = refuse
    allow_empty: bool = False
    dialogue: bool = False
    genre: str | None = None
    language: str = ENGLISH
    heard: Callable[[Dialogue], None] = lambda dialogue: None


@dataclasses.dataclass(frozen=True)
class Writing:
    """Options for writing documents.

    Args:
        after: the end of what the file holds already.
        details: whether everything that the model computed is to be written, too.
        title: of all documents together.
        experiments: the settings of the model that predicted.
        colour: whether the output is a terminal that shows colours.
        path: of the output, for formats of more than one file; "" where there is none.
        min_probability: Resolved text goes by predicted links that are at least so probable, and by no cluster that
            contradicts itself; with 0, by all clusters.
        keep: Phrases that resolved text leaves as they are.
        left: Counts the places that resolved text left as they stood, by reason.
    """

    after: bytes = b""
    details: bool = False
    title: str = ""
    experiments: Sequence[Any] = ()
    colour: bool = False
    path: str = ""
    min_probability: float = 0.0
    keep: Sequence[str] = ()
    left: Counter[str] = dataclasses.field(default_factory=Counter)


class ClusterPrediction(Protocol):
    """The part of `coref_tf.inference.prediction.Prediction` that writers use."""

    @property
    def document(self) -> Document:
        """The document."""
        ...

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """Its predicted clusters, inclusive token spans."""
        ...

    def sure_clusters(self, least: float) -> list[list[tuple[int, int]]]:
        """Returns what remains of them without links that are less probable."""
        ...

    def summary(self) -> dict[str, Any]:
        """Returns the clusters as JSON values."""
        ...

    def details(self) -> dict[str, Any]:
        """Returns everything that the model computed as JSON values."""
        ...


# Writes one document: with its own clusters, or with a prediction's.
Write = Callable[[Document, ClusterPrediction | None], None]


def with_predicted_clusters(write: Callable[[Document], None]) -> Write:
    """Makes a writer of documents write them with their predicted clusters, where there are any."""

    def write_prediction(document: Document, prediction: ClusterPrediction | None) -> None:
        write(document.with_clusters(prediction.clusters) if prediction else document)

    return write_prediction


@dataclasses.dataclass(frozen=True)
class Format:
    """A format of files with documents. A module that declares one as FORMAT is known once `formats` lists it.

    Args:
        name: what commands and messages call it.
        endings: of the files' names, in lower case.
        summary: what it is, in a few words.
        read: streams the documents of a file, given its path; None where it can only be written.
        open: opens a writer on a file in binary mode; None where it can only be read.
        check: reports every problem of a file, where that is more than reading it.
        appends: whether a writer can go on after what is there, given the end of it.
        predictions_only: whether only predictions, with all details, can be written.
        holds_details: whether it has a place for all details.
        beside: endings of files that belong to one of this format and have its name.
        written_to: endings that an output may have where no ending tells this format and it has to be named.
        extract: returns the text of a file's content, given its path for messages, if the file is one text without
            annotation.
        in_folders: whether a folder stands for its files of this format; False if other files have the same ending.
    """

    name: str
    endings: tuple[str, ...]
    summary: str
    read: Callable[[str, Reading], Iterator[Document]] | None = None
    open: Callable[[IO[bytes], Writing], AbstractContextManager[Write]] | None = None
    check: Callable[[str, Reading], None] | None = None
    appends: bool = False
    predictions_only: bool = False
    holds_details: bool = False
    beside: tuple[str, ...] = ()
    written_to: tuple[str, ...] = ()
    extract: Callable[[bytes, str], str] | None = None
    in_folders: bool = True

    def open_writer(self, file: IO[bytes], writing: Writing) -> AbstractContextManager[Write]:
        """Opens a writer on a file in binary mode; a CorefError if documents of this format can only be read."""
        if self.open is None:
            raise CorefError(f"{self.name} can only be read; expected a format to write")
        return self.open(file, writing)


def plain(
    writer: Callable[[IO[bytes], Writing], Write],
) -> Callable[[IO[bytes], Writing], AbstractContextManager[Write]]:
    """Returns the `open` of a format that writes nothing after its last document."""
    return lambda file, writing: contextlib.nullcontext(writer(file, writing))

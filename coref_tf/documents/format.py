"""A document format: its name, its extensions, its reader and its writer."""

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
        report: Called with each problem. By default, reading stops at the first one.
        allow_empty: Whether to read documents and sentences without words, instead of reporting them.
        dialogue: Whether lines of a text may name a speaker.
        genre: The genre of texts without one.
        language: The language of texts, as a spaCy code.
        heard: Called with the turns of each text with several speakers.
        on_text: Called with each document that is read from a text without annotations.
    """

    report: Report = refuse
    allow_empty: bool = False
    dialogue: bool = False
    genre: str | None = None
    language: str = ENGLISH
    heard: Callable[[Dialogue], None] = lambda dialogue: None
    on_text: Callable[[Document], None] = lambda document: None


@dataclasses.dataclass(frozen=True)
class Writing:
    """Options for writing documents.

    Args:
        after: The end of the existing content of the file.
        details: Whether to write everything that the model computed, too.
        title: The title of all documents together.
        experiments: The settings of the models that predicted.
        colour: Whether the output is a terminal that shows colours.
        path: The path of the output, for formats with more than one file; "" if there is none.
        min_probability: Resolved text uses only predicted links with at least this probability, and no inconsistent
            clusters; with 0, it uses all clusters.
        keep: Phrases that resolved text leaves unchanged.
        left: Counts the places that resolved text left unchanged, by reason.
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
        """Its predicted clusters, as inclusive spans of word indices."""
        ...

    def probable_clusters(self, threshold: float) -> list[list[tuple[int, int]]]:
        """Returns the clusters without links below the given probability."""
        ...

    def summary(self) -> dict[str, Any]:
        """Returns the clusters as JSON values."""
        ...

    def details(self) -> dict[str, Any]:
        """Returns everything that the model computed as JSON values."""
        ...


# Writes one document, with its own clusters or with those of a prediction.
Write = Callable[[Document, ClusterPrediction | None], None]


def with_predicted_clusters(write: Callable[[Document], None]) -> Write:
    """Wraps a writer of documents so that it writes their predicted clusters, if there are any."""

    def write_prediction(document: Document, prediction: ClusterPrediction | None) -> None:
        write(document.with_clusters(prediction.clusters) if prediction else document)

    return write_prediction


@dataclasses.dataclass(frozen=True)
class Format:
    """A file format for documents. To register a format, add the module that defines it to `formats`.

    Args:
        name: The name of the format in commands and messages.
        endings: The extensions of file names, in lower case.
        summary: A short description.
        read: Streams the documents of a file, given its path; None if the format can only be written.
        open: Opens a writer on a file in binary mode; None if the format can only be read.
        check: Reports all problems of a file, if that requires more than reading it.
        appends: Whether a writer can continue a file, given the end of its content.
        predictions_only: Whether only predictions, with all details, can be written.
        holds_details: Whether the format can store all details.
        beside: Extensions of companion files with the same name.
        written_to: Allowed extensions of outputs, for a format that no extension determines and that must be named.
        extract: Returns the text of a file, given its content and its path for messages, if the file is one text
            without annotations.
        in_folders: Whether a folder as input includes files of this format; False if other files have this extension.
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
        """Opens a writer on a file in binary mode; raises a CorefError if the format can only be read."""
        if self.open is None:
            raise CorefError(f"{self.name} can only be read; expected a writable format")
        return self.open(file, writing)


def plain(
    writer: Callable[[IO[bytes], Writing], Write],
) -> Callable[[IO[bytes], Writing], AbstractContextManager[Write]]:
    """Returns the `open` of a format that writes nothing after the last document."""
    return lambda file, writing: contextlib.nullcontext(writer(file, writing))


def output_format_by_name(
    name: str, summary: str, writer: Callable[[IO[bytes], Writing], Write], *endings: str
) -> Format:
    """Returns an output format that must be named, because other formats have its extensions; it can be appended to."""
    return Format(name, (), summary, open=plain(writer), appends=True, written_to=endings)

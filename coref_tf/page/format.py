"""The HTML page as an output format of `coref predict`."""

import contextlib
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, cast

from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Format, Write, Writing

if TYPE_CHECKING:  # NumPy is imported only when a page is written
    from coref_tf.page.data import DetailedPrediction


@contextlib.contextmanager
def write_pages(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes a page with all documents."""
    from coref_tf.page.data import PageSettings
    from coref_tf.page.writer import write_page

    with write_page(file, writing.title, PageSettings.from_experiments(writing.experiments)) as write:

        def write_prediction(document: Document, prediction: ClusterPrediction | None) -> None:
            write(cast("DetailedPrediction", prediction))  # it has details, because of holds_details

        yield write_prediction


FORMAT = Format(
    "page",
    (".html", ".htm"),
    "a page for a browser",
    open=write_pages,
    predictions_only=True,
    holds_details=True,
)

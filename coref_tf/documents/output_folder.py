"""An output folder with one file per document."""

import contextlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Format, Reading, Writing
from coref_tf.documents.inputs import read_inputs
from coref_tf.documents.sources import STANDARD_INPUT
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write, readable


def names_folder(output: str | None) -> bool:
    """Returns whether an output is a folder: its name ends with a slash, or it is an existing folder."""
    return output is not None and (output.endswith(os.sep) or os.path.isdir(output))


class OutputFolder:
    """Writes documents to files with their names, in the same subfolders as the inputs.

    Args:
        folder: The folder, which is created if necessary.
        form: The output format, which has `written_to`.
        writing: The options of its writer.
        inputs: The files that the documents come from. None of them may be overwritten.

    Example:
        folder = OutputFolder("resolved/", all_formats()["resolved"], Writing(), ["chapters/one.txt"])
        for document in folder.read(Reading()):
            folder.write(document, None)                  # resolved/one.txt
    """

    def __init__(self, folder: str, form: Format, writing: Writing, inputs: Sequence[str]):
        self.folder, self.form, self.writing, self.inputs = Path(folder), form, writing, inputs
        self._targets: deque[Path] = deque()  # the files of documents that have been read and not yet written
        self._taken: set[Path] = set()
        folders = [os.path.dirname(os.path.abspath(path)) for path in inputs if path != STANDARD_INPUT]
        self._read = {os.path.realpath(path) for path in inputs if path != STANDARD_INPUT}
        self._common = os.path.commonpath(folders) if folders else ""

    def read(self, reading: Reading, typed: Iterable[Document] = ()) -> Iterator[Document]:
        """Streams the documents of `typed`, then those of the inputs. They must be written in this order."""
        for document in typed:
            self._plan(document, Path())
            yield document
        for path in self.inputs:
            inside = os.path.relpath(os.path.dirname(os.path.abspath(path)), self._common or os.curdir)
            for document in read_inputs([path], reading):
                self._plan(document, Path(inside if path != STANDARD_INPUT else ""))
                yield document

    def skip(self) -> None:
        """Skips the next document, which an earlier run has written."""
        self._targets.popleft()

    def write(self, document: Document, prediction: ClusterPrediction | None) -> Path:
        """Writes the next document, and returns its file."""
        target = self._targets.popleft()
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(atomic_write(target, "wb"))
            stack.enter_context(self.form.open_writer(file, self.writing))(document, prediction)
        return target

    def _plan(self, document: Document, inside: Path) -> None:
        name = document.key.replace("/", "_").replace("\0", "_").lstrip(".") or "document"
        target = self.folder / inside / f"{name}{self.form.written_to[0]}"
        if target in self._taken:
            raise CorefError(f"{readable(target)}: is the output of two documents; expected different names")
        if os.path.realpath(target) in self._read:
            raise CorefError(f"{readable(target)}: is an input of this command; choose another output folder")
        self._taken.add(target)
        self._targets.append(target)

"""A folder of texts, with saved annotations and drafts of unsaved ones.

The annotation of `report.txt` is `report.txt.jsonlines`, one document with words, offsets and clusters. Its draft is
`.coref-drafts/report.txt.json`.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format
from coref_tf.documents.formats import input_format, open_writer, read_documents
from coref_tf.documents.inputs import ANNOTATION_ENDING
from coref_tf.documents.sources import open_source
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write, sha256

_DRAFTS = ".coref-drafts"

Clusters = list[list[tuple[int, int]]]


class Draft(NamedTuple):
    """Corrections that have not been saved yet."""

    clusters: Clusters
    tokens: str  # identifies the words that the clusters refer to
    version: str  # the version of the corrected annotation; "" if it was a prediction
    time: int  # the time of the last change, in milliseconds since 1970, by the browser's clock


class AnnotationFolder:
    """The texts in a folder and its subfolders, each identified by its relative path.

    Args:
        path: The folder. It must exist, be writable, and contain at least one text.

    Example:
        folder = AnnotationFolder("texts")
        folder.names()                     # ["minutes.docx", "news/ferry.txt"]
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        if not self.path.is_dir():
            raise CorefError(f"{path}: no such folder; expected one with texts to annotate")
        if not os.access(self.path, os.W_OK):
            raise CorefError(f"{path}: is not writable; expected a folder to save annotations in")
        if not self.names():
            raise CorefError(f"{path}: contains no texts; expected files such as .txt, .md, .docx or .pdf")

    def names(self) -> list[str]:
        """Returns the names of the current texts, in alphabetical order."""
        found = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in files:
                path = Path(folder, name)
                if not name.startswith(".") and _extracting_format(path):
                    found.append(path.relative_to(self.path).as_posix())
        return sorted(found)

    def require(self, name: str) -> str:
        """Returns the name of a text in this folder; raises a CorefError for any other name."""
        if name not in self.names():
            raise CorefError(f"there is no text {name!r:.100} in this folder")
        return name

    def read_text(self, name: str) -> str:
        """Returns the text of a file."""
        path = self.path / name
        form = _extracting_format(path)
        if form is None or form.extract is None:
            raise CorefError(f"{path}: is not a text file; expected a file with text, such as .txt or .docx")
        with open_source(path) as file:
            return form.extract(file.read(), os.fspath(path))

    def annotation_path(self, name: str) -> Path:
        """Returns the path of the annotation of a text, whether it exists or not."""
        return self.path / f"{name}{ANNOTATION_ENDING}"

    def read_annotation(self, name: str) -> Document | None:
        """Returns the annotation of a text, or None if there is none yet."""
        path = self.annotation_path(name)
        return next(iter(read_documents(path, allow_empty=True))) if path.exists() else None

    def version(self, name: str) -> str:
        """Returns an identifier of the current version of the saved annotation; "" if there is none."""
        path = self.annotation_path(name)
        return sha256(path) if path.exists() else ""

    def save(self, name: str, document: Document) -> None:
        """Writes the annotation of a text atomically, and removes its draft."""
        with open_writer(self.annotation_path(name)) as write:
            write(document)
        self._draft_path(name).unlink(missing_ok=True)

    def state(self, name: str) -> str:
        """Returns the state of a text: "draft", "annotated" or "new"."""
        if self._draft_path(name).exists():
            return "draft"
        return "annotated" if self.annotation_path(name).exists() else "new"

    def read_draft(self, name: str) -> Draft | None:
        """Returns the draft of a text, or None if there is no readable one."""
        try:
            content = json.loads(self._draft_path(name).read_text(encoding="utf-8"))
            clusters = [[(start, end) for start, end in cluster] for cluster in content["clusters"]]
            return Draft(clusters, str(content["tokens"]), str(content["version"]), int(content["time"]))
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def write_draft(self, name: str, draft: Draft) -> None:
        """Saves a draft. If the text has changed, the draft of its earlier words is kept next to it."""
        path = self._draft_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = self.read_draft(name)
        if before and before.tokens != draft.tokens:
            os.replace(path, path.with_name(f"{path.name}.{before.tokens}"))
        elif before and before.version == draft.version and before.time > draft.time:
            return  # a later request has overtaken this one
        content: dict[str, Any] = draft._asdict()
        with atomic_write(path) as file:
            json.dump(content, file)

    def _draft_path(self, name: str) -> Path:
        return self.path / _DRAFTS / f"{name}.json"


def _extracting_format(path: Path) -> Format | None:
    """Returns the format of a file that is one text without annotations, or None for any other file."""
    try:
        form = input_format(path)
    except CorefError:
        return None
    return form if form.extract else None

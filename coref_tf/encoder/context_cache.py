"""A disk cache of contextual vectors."""

import hashlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import h5py
import numpy as np

from coref_tf.documents.document import Document
from coref_tf.support.files import atomic_write, remove_leftovers
from coref_tf.support.progress import Progress

# The maximum size of the cache; the least recently used files are deleted first.
MOST_BYTES = 20 * 2**30


class ContextCache:
    """Stores an encoder's vectors of each word, in one HDF5 file per document.

    The name of a file is the SHA-256 of everything that it depends on: the encoder, the layers used, and the words and
    sentences of the document. So no file can be stale, and writes are atomic.

    Args:
        folder: The folder of the files.
        key: Everything else that the vectors depend on, as JSON values.
        size: The number of values per word.
        compute: A function document -> float16 [words, size].

    Example:
        cache = ContextCache("logs/context", {"encoder": "9f2c...", "layers": [3, 4, 5]}, 384, compute)
        cache.fill(documents)
        cache.vectors(document)    # float16 [words, 384]
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        key: dict,
        size: int,
        compute: Callable[[Document], np.ndarray],
        most_bytes: int = MOST_BYTES,
    ):
        self.folder = Path(folder)
        self.key = key
        self.size = size
        self.compute = compute
        self.most_bytes = most_bytes

    def path(self, document: Document) -> Path:
        """Returns the path of a document's vectors, whether or not it exists."""
        content = json.dumps([self.key, [list(sentence) for sentence in document.sentences]], sort_keys=True)
        return self.folder / f"{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()}.h5"

    def vectors(self, document: Document) -> np.ndarray:
        """Returns the vectors of a document's words; computes them if the file is missing or damaged."""
        path = self.path(document)
        vectors = self._read(path, document.num_words)
        if vectors is None:
            vectors = self.compute(document)
            self._write(path, vectors)
        return vectors

    def fill(self, documents: Iterable[Document]) -> None:
        """Computes the missing vectors of some documents, and shows progress."""
        missing = [document for document in documents if not self.path(document).is_file()]
        if not missing:
            return
        words = sum(document.num_words for document in missing)
        number = f"{len(missing):,} document{'' if len(missing) == 1 else 's'}"
        print(f"contextual vectors of {number}, {words:,} words:", file=sys.stderr)
        progress = Progress()
        for document in missing:
            self._write(self.path(document), self.compute(document))
            progress.add(document.num_words)
        progress.close(f", kept in {self.folder}")
        self._make_room()

    def _read(self, path: Path, num_words: int) -> np.ndarray | None:
        try:
            with h5py.File(path, "r") as file:
                vectors = file["vectors"][()]
        except (OSError, KeyError):
            return None
        if vectors.shape != (num_words, self.size) or vectors.dtype != np.float16:
            return None
        os.utime(path)
        return vectors

    def _write(self, path: Path, vectors: np.ndarray) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        with h5py.File(buffer, "w") as store:
            store.create_dataset("vectors", data=vectors)
        with atomic_write(path, "wb") as file:
            file.write(buffer.getbuffer())

    def _make_room(self) -> None:
        files = sorted(self.folder.glob("*.h5"), key=lambda path: path.stat().st_mtime, reverse=True)
        room = self.most_bytes
        for path in files:
            room -= path.stat().st_size
            if room < 0:
                remove_leftovers(path)
                path.unlink(missing_ok=True)

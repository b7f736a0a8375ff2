"""The documents of a fine-tuning run: those to learn from, and a dev set that is held out. Needs no TensorFlow."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.inputs import find_inputs, read_inputs
from coref_tf.documents.selection import Selection
from coref_tf.documents.stats import count
from coref_tf.support.errors import CorefError

Paths = str | os.PathLike
# A file, a folder or a pattern; a document; or several of them.
Sources = Paths | Document | Iterable[Paths | Document]

HELD_OUT = 0.2  # the share of the documents that becomes the dev set, unless there is one already
MOST_HELD_OUT = 50  # documents
FEWEST = 5  # documents that a dev set can be held out from


class FinetuneData(NamedTuple):
    """The documents of a fine-tuning run, and what the user should know about them."""

    train: list[Document]
    dev: list[Document]
    notes: list[str]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all documents: a run can be resumed only with the same ones."""
        content = [
            [[d.key, d.sentences, d.speakers, d.clusters] for d in part] for part in (self.train, self.dev)
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def gather_documents(
    sources: Sources, dev_sources: Sources | None, seed: int, language: str = "en"
) -> FinetuneData:
    """Reads the documents to learn from and the dev set; without one, some of the documents are held out.

    Documents without clusters can't be told from documents that nobody has annotated, and are left out. Clusters of one
    mention are left out, since the model never predicts them.

    Args:
        sources: the documents to learn from.
        dev_sources: the dev set, if there is one.
        seed: of the choice which documents are held out.
        language: of raw texts.
    """
    documents, notes = _read_annotated(sources, language, "the training data")
    if dev_sources is None:
        if len(documents) < FEWEST:
            raise CorefError(
                f"the training data has {len(documents)} documents with clusters; expected at least {FEWEST}, some of"
                " which are held out, or a dev set of your own (--dev FILE, dev=...)"
            )
        held_out = choose_held_out(len(documents), seed)
        dev = [document for number, document in enumerate(documents) if number in held_out]
        notes.append(f"dev set: {_describe(dev)}, held out with seed {seed}: {_list_keys(dev)}")
    else:
        dev, more = _read_annotated(dev_sources, language, "the dev set")
        notes += [*more, f"dev set: {_describe(dev)}"]
    known = {document.sentences for document in dev}
    train = [document for document in documents if document.sentences not in known]
    common = len(documents) - len(train) - (len(dev) if dev_sources is None else 0)
    if common > 0:
        notes.append(f"{common} documents of the training data are in the dev set, too, and are left out")
    if not train:
        raise CorefError(
            "every document of the training data is in the dev set; expected others to learn from"
        )
    notes.append(f"training: {_describe(train)}")
    return FinetuneData(train, dev, notes)


def choose_held_out(number: int, seed: int) -> set[int]:
    """Chooses which of so many documents are held out; the same seed chooses the same ones."""
    size = min(max(1, round(HELD_OUT * number)), MOST_HELD_OUT)
    return set(np.random.default_rng(seed).permutation(number)[:size].tolist())


def _read_annotated(sources: Sources, language: str, what: str) -> tuple[list[Document], list[str]]:
    """Reads the documents that have clusters; and a note on how many have none."""
    everything = [document for document in _read(sources, language) if document.num_words]
    annotated = [document for document in Selection(remove_singletons=True)(everything) if document.clusters]
    if not annotated:
        raise CorefError(
            f"{what} has no gold clusters in {_number(len(everything))}; expected annotated documents, with clusters of"
            " two or more mentions (docs/finetune.md)"
        )
    left_out = len(everything) - len(annotated)
    return annotated, [f"{_number(left_out)} of {what} without clusters left out"] if left_out else []


def _read(sources: Sources, language: str) -> list[Document]:
    listed = [sources] if isinstance(sources, str | os.PathLike | Document) else list(sources)
    found: list[Document] = []
    for source in listed:
        if isinstance(source, Document):
            found.append(source)
        elif isinstance(source, str | os.PathLike):
            found += read_inputs(find_inputs([os.fspath(source)]), Reading(language=language))
        else:
            raise CorefError(
                f"expected documents, or the paths of files with documents. Received: {source!r:.80}"
            )
    return found


def _describe(documents: Sequence[Document]) -> str:
    return count(documents).summary()


def _number(documents: int) -> str:
    return f"{documents:,} document{'' if documents == 1 else 's'}"


def _list_keys(documents: Sequence[Document], most: int = 5) -> str:
    more = f" and {len(documents) - most:,} more" if len(documents) > most else ""
    return ", ".join(document.key for document in documents[:most]) + more

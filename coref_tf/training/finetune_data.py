"""The documents of a fine-tuning run: training documents and a held-out dev set. Does not import TensorFlow."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.hints import TextHints
from coref_tf.documents.inputs import find_inputs, read_inputs
from coref_tf.documents.selection import Selection
from coref_tf.documents.stats import count
from coref_tf.support.errors import CorefError

Paths = str | os.PathLike
# A file, folder or pattern; a document; or several of them.
Sources = Paths | Document | Iterable[Paths | Document]

HELD_OUT = 0.2  # the fraction of the documents that becomes the dev set if none is given
MOST_HELD_OUT = 50  # the maximum size of that dev set, in documents
FEWEST = 5  # the minimum number of documents for holding out a dev set


class FinetuneData(NamedTuple):
    """The documents of a fine-tuning run, and notes about them for the user."""

    train: list[Document]
    dev: list[Document]
    notes: list[str]

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of all documents; a run can be resumed only with the same documents."""
        content = [
            [[d.key, d.sentences, d.speakers, d.clusters] for d in part] for part in (self.train, self.dev)
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def gather_documents(
    sources: Sources, dev_sources: Sources | None, seed: int, language: str = "en"
) -> FinetuneData:
    """Reads the training documents and the dev set; if there is no dev set, holds out some of the documents.

    Documents without clusters are skipped, because they cannot be distinguished from documents that have not been
    annotated. Clusters of one mention are removed, because the model never predicts them.

    Args:
        sources: The documents to train on.
        dev_sources: The dev set, if there is one.
        seed: The seed for choosing the held-out documents.
        language: The language of raw texts.
    """
    documents, notes = _read_annotated(sources, language, "the training data")
    if dev_sources is None:
        if len(documents) < FEWEST:
            raise CorefError(
                f"the training data has only {_number(len(documents))} with clusters; expected at least {FEWEST}, some"
                " of which are held out, or a separate dev set"
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
        are = "is" if common == 1 else "are"
        notes.append(f"{_number(common)} of the training data {are} also in the dev set and {are} left out")
    if not train:
        raise CorefError(
            "every document of the training data is also in the dev set; expected other documents to train on"
        )
    notes.append(f"training: {_describe(train)}")
    return FinetuneData(train, dev, notes)


def choose_held_out(number: int, seed: int) -> set[int]:
    """Chooses which of `number` documents to hold out; deterministic for a given seed."""
    size = min(max(1, round(HELD_OUT * number)), MOST_HELD_OUT)
    return set(np.random.default_rng(seed).permutation(number)[:size].tolist())


def _read_annotated(sources: Sources, language: str, what: str) -> tuple[list[Document], list[str]]:
    """Reads the documents that have clusters; also returns a note about those that have none."""
    everything = [document for document in _read(sources, language) if document.num_words]
    annotated = [document for document in Selection(remove_singletons=True)(everything) if document.clusters]
    if not annotated:
        raise CorefError(
            f"{what} has no gold clusters in {_number(len(everything))}; expected annotated documents, with clusters of"
            " two or more mentions"
        )
    left_out = len(everything) - len(annotated)
    return annotated, [f"{_number(left_out)} of {what} without clusters left out"] if left_out else []


def _read(sources: Sources, language: str) -> list[Document]:
    listed = [sources] if isinstance(sources, str | os.PathLike | Document) else list(sources)
    found: list[Document] = []
    hints = TextHints(conversations=False)
    for source in listed:
        if isinstance(source, Document):
            found.append(source)
        elif isinstance(source, str | os.PathLike):
            found += read_inputs(find_inputs([os.fspath(source)]), Reading(language=language, on_text=hints))
        else:
            raise CorefError(
                f"expected documents, or the paths of files with documents. Received: {source!r:.80}"
            )
    hints.close()
    return found


def _describe(documents: Sequence[Document]) -> str:
    return count(documents).summary()


def _number(documents: int) -> str:
    return f"{documents:,} document{'' if documents == 1 else 's'}"


def _list_keys(documents: Sequence[Document], most: int = 5) -> str:
    more = f" and {len(documents) - most:,} more" if len(documents) > most else ""
    return ", ".join(document.key for document in documents[:most]) + more

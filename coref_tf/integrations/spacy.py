"""A spaCy pipeline component: nlp.add_pipe("coref_tf").

The package registers it with an entry point, so that nothing needs to be imported.
"""

import json
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from coref_tf.api.loading import load
from coref_tf.api.resolver import Resolver
from coref_tf.integrations.spacy_docs import (
    character_clusters,
    document_from_doc,
    register_extensions,
    set_result,
)
from coref_tf.scoring import Scorer
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import DEFAULT_MODEL

_SETTINGS = "coref_tf.json"
_logger = logging.getLogger("coref_tf.spacy")
_WEIGHTS = {"coref_f": 1.0, "coref_muc": 0.0, "coref_b_cubed": 0.0, "coref_ceaf_e": 0.0}


class CorefComponent:
    """Sets the coreference clusters of Docs.

    Args:
        name: the name of the component in its pipeline.
        model: any model that `coref_tf.load` accepts: an experiment, a checkpoint or an export.
        genre: the genre of the texts; "" is the model's default.
        threshold: links with a lower place probability are removed; 0 keeps all.
        precision: sets `threshold` to the lowest value at which at least this share of the links is correct.
        batch_size: the number of Docs that are processed at a time in `nlp.pipe`.

    Example:
        nlp = spacy.blank("en")
        nlp.add_pipe("coref_tf", config={"model": "best"})
        nlp("Ana said she was late.")._.coref_clusters       # [[(0, 3), (9, 12)]]
    """

    def __init__(
        self,
        name: str,
        model: str,
        genre: str,
        threshold: float,
        batch_size: int,
        precision: float | None = None,
    ):
        for key, value in (("threshold", threshold), ("precision", 0 if precision is None else precision)):
            if not 0 <= value <= 1:
                raise CorefError(f"coref_tf: {key} must be from 0 to 1. Received: {value!r}")
        if threshold and precision is not None:
            raise CorefError(
                "coref_tf: threshold and precision both set the threshold; expected at most one of them"
            )
        if batch_size < 1:
            raise CorefError(f"coref_tf: batch_size must be 1 or more. Received: {batch_size!r}")
        self.name = name
        self.settings: dict[str, Any] = {
            "model": model,
            "genre": genre,
            "threshold": threshold,
            "batch_size": batch_size,
            "precision": precision,
        }
        self._resolver: Resolver | None = None
        self._process = 0
        self._sentencizer: Sentencizer | None = None
        register_extensions()

    def __call__(self, doc: Doc) -> Doc:
        """Sets the clusters of one Doc."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int | None = None, **_: Any) -> Iterator[Doc]:
        """Sets the clusters of a stream of Docs."""
        resolver = None
        # spaCy passes its own batch size, which is intended for other components.
        for docs in minibatch(stream, self.settings["batch_size"]):
            resolver = resolver or self._load()
            genre = self.settings["genre"] or resolver.default_genre
            made = [document_from_doc(self._with_sentences(doc), genre) for doc in docs]
            results = resolver.pipe(document for document, _places in made)
            for doc, (_document, places), result in zip(docs, made, results, strict=True):
                set_result(doc, places, result)
                yield doc

    def score(self, examples: Iterable[Example], **_: Any) -> dict[str, float]:
        """Returns the scores that `nlp.evaluate` shows: the CoNLL average of predicted and reference clusters."""
        scorer = Scorer()
        for example in examples:
            scorer.add(character_clusters(example.reference), character_clusters(example.predicted))
        scores = scorer.result()
        parts = {"coref_muc": scores.muc, "coref_b_cubed": scores.bcub, "coref_ceaf_e": scores.ceafe}
        figures = {"coref_f": scores.average_f1} | {name: part.f1 for name, part in parts.items() if part}
        return {name: value for name, value in figures.items() if value is not None}

    def to_disk(self, path: str | os.PathLike, *, exclude: Iterable[str] = ()) -> None:
        """Saves the settings, which contain the name of the model, but not the model itself."""
        Path(path).mkdir(parents=True, exist_ok=True)
        (Path(path) / _SETTINGS).write_text(json.dumps(self.settings), encoding="utf-8")

    def from_disk(self, path: str | os.PathLike, *, exclude: Iterable[str] = ()) -> "CorefComponent":
        """Loads the settings that `to_disk` saved."""
        return self.from_bytes((Path(path) / _SETTINGS).read_bytes())

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Returns the settings as bytes."""
        return json.dumps(self.settings).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "CorefComponent":
        """Loads the settings that `to_bytes` returned."""
        self.settings = json.loads(data)
        self._resolver = None
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Every process loads its own model.
        return self.__dict__ | {"_resolver": None, "_process": 0}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        register_extensions()

    def _load(self) -> Resolver:
        if self._resolver is not None and self._process != os.getpid():
            raise CorefError(
                "coref_tf: TensorFlow cannot be used in a forked process after it has run; call"
                ' multiprocessing.set_start_method("spawn"), or call nlp.pipe with n_process first'
            )
        if self._resolver is None:
            dial = {
                "min_probability": self.settings["threshold"],
                "precision": self.settings.get("precision"),
            }
            self._resolver, self._process = load(self.settings["model"], **dial), os.getpid()
        return self._resolver

    def _with_sentences(self, doc: Doc) -> Doc:
        if doc.has_annotation("SENT_START"):
            return doc
        if self._sentencizer is None:
            _logger.warning("no component before %s sets sentences; using spaCy's sentencizer", self.name)
            self._sentencizer = Sentencizer()
        return self._sentencizer(doc)


@Language.factory(
    "coref_tf",
    default_config={
        "model": DEFAULT_MODEL,
        "genre": "",
        "threshold": 0.0,
        "batch_size": 64,
        "precision": None,
    },
    assigns=["doc.spans", "doc._.coref_clusters", "doc._.resolved_text"],
    default_score_weights=_WEIGHTS,
)
def make_component(
    nlp: Language,
    name: str,
    model: str,
    genre: str,
    threshold: float,
    batch_size: int,
    precision: float | None,
) -> CorefComponent:
    """Creates the component that `nlp.add_pipe("coref_tf")` adds."""
    return CorefComponent(name, model, genre, threshold, batch_size, precision)

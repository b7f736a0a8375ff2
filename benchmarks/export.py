"""Compares an exported model with the Predictor that it was made from, on the documents of the sample."""

import dataclasses
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

from coref_tf.config import Experiment, load_experiment
from coref_tf.documents import Document, read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference.predictor import Predictor
from coref_tf.model import CorefModel
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.open_model import open_experiment

ROUNDS = 5


def run() -> list[dict]:
    """Times a fast and a portable export, from words and from text, against a Predictor that uses the same ops.

    The last row compares the two Predictors, and so shows the difference between the two kinds of export.
    """
    with tempfile.TemporaryDirectory() as folder:
        experiment = untrained(Path(folder))
        documents = list(read_documents(experiment.eval_path))
        requests = [request(document) for document in documents]
        predictors, rows = {}, []
        for flavour in ("fast", "portable"):
            options = ExportOptions(portable=flavour == "portable")
            version = export([open_experiment(experiment)], Path(folder) / flavour, options)
            signatures = tf.saved_model.load(str(version)).signatures
            trained = open_experiment(experiment)
            model, tensorizer = trained.build(options.backend), trained.tensorizer()
            predictor = predictors[flavour] = Predictor(model, tensorizer)
            rows.append(
                row(
                    f"exported model, {flavour}, from words",
                    [lambda d=d, p=predictor: p.predict(d) for d in documents],
                    [lambda r=r, s=signatures: s["serving_default"](**r) for r in requests],
                )
            )
            rows.append(
                row(
                    f"exported model, {flavour}, from text",
                    [lambda d=d, p=predictor: p.predict(document_from_text(d.text, "x")) for d in documents],
                    [lambda d=d, s=signatures: s["text"](text=tf.constant(d.text)) for d in documents],
                )
            )
        fast, portable = (
            [lambda d=d, p=predictor: p.predict(d) for d in documents] for predictor in predictors.values()
        )
        return [*rows, row("the portable Predictor against the fast one", fast, portable)]


def untrained(folder: Path) -> Experiment:
    """Creates the experiment `best` with an untrained checkpoint."""
    experiment = dataclasses.replace(load_experiment("best"), log_root=folder)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    tf.keras.utils.set_random_seed(0)
    model = CorefModel(experiment, len(characters))
    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in model.variables}
    checkpoint = Checkpoint(model_settings(experiment), list(characters.characters), variables)
    write_checkpoint(best_checkpoint_path(experiment), checkpoint)
    return experiment


def request(document: Document) -> dict[str, tf.Tensor]:
    """Returns the inputs of the signature for words."""
    tokens, speakers = (
        tf.ragged.constant(rows, dtype=tf.string).to_tensor("")
        for rows in (document.sentences, document.speakers)
    )
    return {"tokens": tokens, "speakers": speakers, "genre": tf.constant(document.genre)}


def row(name: str, ours: list[Callable], exported: list[Callable]) -> dict:
    """Times two ways of doing the same work, alternating between them by document; the shortest time of each counts."""
    times = [[float("inf")] * len(ours) for _ in range(2)]
    for _ in range(ROUNDS + 1):  # the first round is a warm-up
        for number, pair in enumerate(zip(ours, exported, strict=True)):
            for way, call in enumerate(pair):
                began = time.perf_counter()
                call()
                times[way][number] = min(times[way][number], time.perf_counter() - began)
    predictor, seconds = (sum(way) for way in times)
    row = {"benchmark": name, "documents": len(ours), "predictor_seconds": predictor, "seconds": seconds}
    return row | {"ratio": seconds / predictor}

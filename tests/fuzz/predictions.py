"""Fuzzes `coref predict` with damaged files and a small random model; `cases.py` explains how to run the fuzzer."""

import functools
import io
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import readers
from cases import Case, Fuzzer

# The kind of file, the name under which it is read, and whether its lines may name a speaker.
KINDS = [
    ("conll", "x.conll", False),
    ("few", "x_conll", False),
    ("conllu", "x.conllu", False),
    ("jsonl", "x.jsonl", False),
    ("texts", "x.jsonl", True),
    ("txt", "x.txt", False),
    ("txt", "x.txt", True),
]
OUTPUTS = ("jsonlines", "conll", "listing", "page")


@functools.cache
def predictor():
    """Returns a small model with random weights, which are the same in every process."""
    from random_documents import NUM_CHARACTERS, small_experiment, small_model

    from coref_tf.features.characters import CharacterVocabulary
    from coref_tf.features.tensorize import Tensorizer
    from coref_tf.inference.predictor import Predictor

    characters = CharacterVocabulary("abcdefghijklmnopqrstuvwxyz"[: NUM_CHARACTERS - 1])
    return Predictor(small_model(), Tensorizer.from_experiment(small_experiment(), characters))


def predict_file(path: Path, dialogue: bool) -> list[Any]:
    """Resolves the documents of a file as the command does."""
    from coref_tf.documents.format import Reading
    from coref_tf.documents.inputs import find_inputs, read_inputs

    reading = Reading(allow_empty=True, dialogue=dialogue, genre="nw")
    return list(predictor().predict_all(read_inputs(find_inputs([str(path)]), reading), details=True))


def check_predictions(predictions: list[Any], form: str) -> None:
    """Checks that the clusters are valid for their documents, and can be written."""
    from random_documents import small_experiment

    from coref_tf.documents.format import Writing
    from coref_tf.documents.formats import all_formats
    from coref_tf.support.errors import CorefError

    for prediction in predictions:
        document = prediction.document.with_clusters(
            prediction.clusters
        )  # refuses mentions that are out of range or repeated
        assert all(len(cluster) > 1 for cluster in document.clusters)
        assert sum(map(len, document.clusters)) <= document.num_words
        json.dumps(prediction.summary() | prediction.details(), allow_nan=False)
    file = io.BytesIO()
    try:
        with all_formats()[form].open(file, Writing(experiments=[small_experiment()])) as write:
            for prediction in predictions:
                write(prediction.document, prediction)
    except CorefError as error:
        assert "CoNLL column" in str(error)  # a word that contains a space
    file.getvalue().decode()


def damaged_file(number: int, seed: int) -> Case:
    """Returns a case with a damaged file to resolve."""
    source = random.Random(f"{seed}/predict/{number}")
    kind, name, dialogue = KINDS[number % len(KINDS)]
    content, form = readers.damaged(kind, source), source.choice(OUTPUTS)
    predictor()  # built before the time of the first case starts

    def run() -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, name).write_bytes(content)
            return readers.one_line(lambda: predict_file(Path(folder, name), dialogue))

    return Case(f"{name}: {content[:300]!r}", run, lambda predictions: check_predictions(predictions, form))


FUZZER = Fuzzer(__file__, damaged_file, refusals=("CorefError", "InputError"), per_process=750)

if __name__ == "__main__":
    FUZZER.main()

"""A small trained experiment, documents, and checks that compare an exported model with the Predictor."""

import dataclasses
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from build_once import build_once
from random_documents import small_experiment

from coref_tf.documents import Document
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.open_model import open_experiment

ROOT = Path(__file__).resolve().parent.parent
TEXT = "The harbour council met. It voted, and the council's treasurer said she agreed. Ana said it met."
WORDS = [
    "the",
    "The",
    "ANA",
    "Ana",
    "she",
    "harbour",
    "council",
    "-LRB-",
    "``",
    "and\\/or",
    "qzxv",
    "ÉTÉ",
    "漢字",
]

TEXTS = [
    "",
    " \n\t ",
    "Hello",
    "Dr. Roy isn't in. Call.",
    'He said "Stop." Then he left. (She did too.) "Why?" he asked.',
    "Plan B. It failed. So did I. Ana F. Roy and J. K. Rowling left. It was I. Nobody knew.",
    "I. The beginning\n\n1. First. 2. Second.\n- one\n* two\n10) three",
    "See No. 5, Figs. 3 and 4, p. 12 and vol. 3. No. That's all.",
    "It grew.[12] Then it shrank [3]. And [4] again.[5][6] It `` ended ''.",
    "e.g. this, i.e. that; the U.S. He went to the U.K. in May. The U.N. agreed. Smith vs. Jones.",
    "all in small letters. as people write. who cares? nobody... really!",
    "Wait... what?! No!!! Yes… And then…",
    "a-b-c x--y 3-4 rock’n’roll don’t can't 'em 'Cause $5m £3.50 10% 5km. 20°C. C++ +5 =)",
    "http://example.org/a?b=c. Write to ana@example.org, or see www.example.com.",
    "Ünïcödé «guillemets» „quotes“ 漢字。한국어! 😀 👩‍👩‍👧 ok.",
    "seat 31B. Next. vitamin C. Good.",
    "one\r\rtwo\fthree\u2029four\x1cfive\u00a0six\u3000seven",
    "((([[[{{{nested}}}]]]))) ,,, ;;; ''two'' (40):",
    "word,word word/word word:word 1990s-2000s end.Next x.y.z",
]


def train(folder, name="small", seed=0, state=(), **changes):
    """Returns an experiment whose best checkpoint has random weights and the given state."""
    glove, turian = small_experiment().embeddings
    embeddings = (
        dataclasses.replace(glove, fallback_lowercase=True, plain_brackets=True),
        dataclasses.replace(turian, lowercase=True),
    )
    changes = {"embeddings": embeddings, "log_root": folder} | changes
    experiment = dataclasses.replace(small_experiment(), name=name, **changes)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    generator = np.random.default_rng(seed)
    model = build_model(experiment, len(characters))
    variables = {
        variable.name.removesuffix(":0"): generator.normal(scale=0.5, size=variable.shape)
        for variable in model.own_variables
    }
    state = {"encoder": model.encoder_identity} | dict(state)
    checkpoint = Checkpoint(model_settings(experiment), list(characters.characters), variables, state)
    write_checkpoint(best_checkpoint_path(experiment), checkpoint)
    return experiment


def train_calibrated(folder):
    """Returns such an experiment with a calibration and a dial in its state."""
    state = {"calibration": {"temperature": 1.6, "offset": -0.4}}
    state["dial"] = {"thresholds": [0.0, 0.4, 0.99], "precision": [0.5, 0.8, 0.9], "recall": [0.6, 0.5, 0.2]}
    return train(folder, state=state)


def calibrated_exports(tmp_path_factory):
    """Returns the folders of two exports, fast and portable, of the calibrated experiment; all tests share them."""

    def make(folder):
        experiment = train_calibrated(folder / "trained")
        for name in ("fast", "portable"):
            export([open_experiment(experiment)], folder / name, ExportOptions(portable=name == "portable"))

    folder = build_once(tmp_path_factory, "calibrated_exports", make)
    return {name: folder / name / "1" for name in ("fast", "portable")}


def random_document(generator, genre="nw"):
    """Returns a document of a few sentences, any of which may be empty."""
    lengths = generator.integers(0, 12, size=int(generator.integers(1, 7)))
    sentences = [[str(generator.choice(WORDS)) for _ in range(length)] for length in lengths]
    speakers = [[str(generator.integers(2)) for _ in sentence] for sentence in sentences]
    return Document(f"{genre}/x", sentences, speakers)


def padded(rows):
    """Returns rows of strings as a padded tensor, string [rows, longest]."""
    longest = max(map(len, rows), default=0)
    rows = [[*row, *[""] * (longest - len(row))] for row in rows]
    return tf.constant(rows, tf.string, shape=[len(rows), longest])


def as_request(document):
    """Returns a document as the inputs of serving_default."""
    tokens, speakers = padded(document.sentences), padded(document.speakers)
    return {"tokens": tokens, "speakers": speakers, "genre": tf.constant(document.genre)}


def clusters(result):
    """Returns the clusters of a result in the form of Prediction.clusters."""
    found = {}
    names = ("mention_clusters", "mention_starts", "mention_ends")
    for number, start, end in zip(*(np.asarray(result[name]).tolist() for name in names), strict=True):
        found.setdefault(number, []).append((start, end))
    assert list(found) == list(range(len(found)))
    return list(found.values())


def best_probabilities(prediction):
    """Returns the probability of each span's best antecedent, which may be the dummy, computed without shortcuts."""
    scores = prediction.output.antecedents.scores
    return prediction.calibration.probabilities(scores)[np.arange(len(scores)), scores.argmax(axis=1)]


def check_result(result, prediction, tolerance=1e-5):
    """Checks that a result equals a prediction with details."""
    output = prediction.output
    assert clusters(result) == prediction.clusters
    tops = zip(result["top_span_starts"].numpy(), result["top_span_ends"].numpy(), strict=True)
    assert list(tops) == prediction.top_spans
    mentions = [
        prediction.top_spans.index(span)
        for span in zip(result["mention_starts"].numpy(), result["mention_ends"].numpy(), strict=True)
    ]
    np.testing.assert_allclose(
        result["mention_scores"], output.top_span_mention_scores[mentions], atol=tolerance, rtol=tolerance
    )
    for name in ("mention_scores", "antecedents", "antecedent_scores"):
        np.testing.assert_allclose(
            result[f"top_span_{name}"], getattr(prediction, name), atol=tolerance, rtol=tolerance
        )
    probabilities = best_probabilities(prediction)
    if not prediction.min_probability:
        np.testing.assert_allclose(result["antecedent_probability"], probabilities[mentions], atol=tolerance)
    np.testing.assert_allclose(
        result["mention_probability"], prediction.place_probabilities[mentions], atol=tolerance
    )
    np.testing.assert_allclose(result["top_span_probability"], prediction.place_probabilities, atol=tolerance)
    np.testing.assert_allclose(
        result["top_span_antecedent_probability"], prediction.link_probabilities, atol=tolerance
    )
    for row, mention in zip(result["head_attention"].numpy(), mentions, strict=True):
        start, end = prediction.top_spans[mention]
        expected = tf.nn.softmax(output.head_scores[start : end + 1])
        np.testing.assert_allclose(row[: end - start + 1], expected, atol=tolerance)
        assert not row[end - start + 1 :].any()


def run_c_program(model, files):
    """Runs the C program on files and returns the mentions of each, as lists of columns."""
    program = ROOT / "build" / "resolve"
    if not program.exists():
        pytest.fail(f"{program} has not been built; run `make build/resolve`")
    command = [program, model, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    mentions = {str(file): [] for file in files}
    for line in done.stdout.removesuffix("\n").split("\n") if done.stdout else []:
        file, *columns = line.split("\t")
        mentions[file].append(columns)
    return list(mentions.values())


def check_c_mentions(mentions, prediction):
    """Checks that the mentions of the C program equal those of the prediction, with scores within 1e-5."""
    columns = list(zip(*mentions, strict=True)) or [[]] * 8
    names = ["mention_clusters", "mention_starts", "mention_ends"]
    assert (
        clusters({name: [int(x) for x in columns[k]] for k, name in enumerate(names)}) == prediction.clusters
    )
    places = [prediction.top_spans.index((int(mention[1]), int(mention[2]))) for mention in mentions]
    scores = prediction.output.top_span_mention_scores[places]
    np.testing.assert_allclose([float(x) for x in columns[5]], scores, atol=1e-5, rtol=1e-5)
    probabilities = best_probabilities(prediction)[places]
    np.testing.assert_allclose([float(x) for x in columns[6]], probabilities, atol=1e-5)
    for mention in mentions:
        text = prediction.document.text[int(mention[3]) : int(mention[4])]
        assert re.sub("[\t-\r]", " ", text) == mention[7]


def readme_program(folder):
    """Returns the Python program of an export's README with a longer text; it runs without coref_tf."""
    code = re.search(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)[1]
    code = code.replace("Ana Roy runs a bakery. She opened it with her brother.", TEXT)
    return f"import sys\nsys.modules['coref_tf'] = None\n{code}"

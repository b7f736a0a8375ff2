"""The options `--min-probability` and `--precision`, and the probabilities in the output of predict."""

import dataclasses
import json

import pytest
from command import call, import_reference

import coref_tf
from coref_tf.models.checkpoint import read_checkpoint, write_checkpoint
from coref_tf.support.errors import CorefError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder into which the authors' small checkpoint is imported."""
    return import_reference(tmp_path_factory.mktemp("dial"))


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_links_below_the_minimum_are_removed(folder):
    conf, corpus = ("--conf", folder / "experiments.conf"), folder / "docs.jsonlines"
    first, second, scores = (folder / name for name in ("a.jsonlines", "b.jsonlines", "scores.json"))
    assert not call("predict", "--model", "small", corpus, "-o", first, *conf)
    values = []
    for record in records(first):
        clusters, probabilities = record["predicted_clusters"], record["predicted_probabilities"]
        assert list(map(len, clusters)) == list(map(len, probabilities))
        values += [value for cluster in probabilities for value in cluster]
    assert len(values) > 20 and all(0 < value <= 1 for value in values)
    dial = "--min-probability", max(values) - 1e-5
    assert not call("predict", "--model", "small", corpus, "-o", second, *conf, *dial)
    # Only the most probable link is left, with both of its mentions.
    left = [c for record in records(second) for c in record["predicted_probabilities"]]
    assert left and all(value == pytest.approx(max(values), abs=2e-5) for c in left for value in c)
    assert not call("evaluate", "small", "--data", corpus, "--json", scores, *conf, "--min-probability", 1)
    assert json.loads(scores.read_text())["average_f1"] == 0


def test_precision_selects_the_minimum_probability(folder, capsys):
    path = folder / "logs" / "small" / "best.h5"
    conf, corpus = ("--conf", folder / "experiments.conf"), folder / "docs.jsonlines"
    words = "predict", "--model", "small", corpus, *conf
    assert call(*words, "--precision", 0.9) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and "best.h5: the precision of its links has not been measured" in lines[0]
    with pytest.raises(CorefError, match="the precision of its links has not been measured"):
        coref_tf.load(path, precision=0.9)
    whole = read_checkpoint(path)
    dial = {"thresholds": [0.0, 0.33, 0.66], "precision": [0.5, 0.8, 0.9], "recall": [0.5, 0.4, 0.2]}
    write_checkpoint(path, dataclasses.replace(whole, state={**whole.state, "dial": dial}))
    outputs = [folder / name for name in ("c.jsonlines", "d.jsonlines", "e.jsonlines")]
    for output, option in zip(
        outputs, [("--precision", 0.81), ("--min-probability", 0.66), ("--precision", 0.5)], strict=True
    ):
        assert not call(*words, "-o", output, *option)
    err = capsys.readouterr().err
    assert "minimum probability 0.66: on the dev set, precision of links 90.0%, recall 20.0%" in err
    first, second, third = map(records, outputs)
    assert first == second != third
    clusters = coref_tf.load(path, precision=0.81)._model.min_probability
    assert clusters == 0.66
    with pytest.raises(CorefError, match="both set the minimum probability"):
        coref_tf.load(path, precision=0.81, min_probability=0.5)
    assert call(*words, "--precision", 0.9, "--min-probability", 0.5) == 2


@pytest.mark.parametrize("command", [("predict", "--text", "Ana left."), ("evaluate", "small")])
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--min-probability", "a probability from 0 to 1, such as 0.5"),
        ("--precision", "a share from 0 to 1, such as 0.9"),
    ],
)
@pytest.mark.parametrize("value", ["1.5", "nan", "half"])
def test_invalid_probabilities_are_refused(command, option, expected, value, capsys):
    assert call(*command, option, value) == 2
    error = capsys.readouterr().err
    assert error == f"error: argument {option}: expected {expected}. Received: {value!r}\n"

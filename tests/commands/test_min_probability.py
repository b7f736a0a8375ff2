"""`--min-probability`, and the probabilities that predict writes."""

import json
import shutil

import pytest
from command import call
from random_documents import REFERENCE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the authors' small checkpoint, imported."""
    folder = tmp_path_factory.mktemp("dial")
    shutil.copytree(REFERENCE, folder, dirs_exist_ok=True)
    assert not call("import", folder / "model.max.ckpt", "small", "--conf", folder / "experiments.conf")
    return folder


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_links_below_are_taken_away(folder):
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
    # The surest link of all is left, with both its mentions.
    left = [c for record in records(second) for c in record["predicted_probabilities"]]
    assert left and all(value == pytest.approx(max(values), abs=2e-5) for c in left for value in c)
    assert not call("evaluate", "small", "--data", corpus, "--json", scores, *conf, "--min-probability", 1)
    assert json.loads(scores.read_text())["average_f1"] == 0


@pytest.mark.parametrize("command", [("predict", "--text", "Ana left."), ("evaluate", "small")])
@pytest.mark.parametrize("value", ["1.5", "nan", "half"])
def test_what_is_no_probability_is_refused(command, value, capsys):
    assert call(*command, "--min-probability", value) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.endswith(f"expected a probability from 0 to 1, such as 0.5. Received: {value!r}")

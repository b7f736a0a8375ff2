"""The command's figures equal those of the official scorer, and those of bundled cases computed by hand."""

import json

import pytest
from bundled_cases import CASES

OFFICIAL = ("muc", "bcub", "ceafm", "ceafe")
FIGURES = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")


def figures(scores: dict) -> dict[str, list[float]]:
    return {metric: [scores[metric][name] for name in FIGURES] for metric in OFFICIAL}


@pytest.mark.parametrize("name", CASES)
def test_bundled_cases(name, write_conll, score_json):
    case = CASES[name]
    scores = score_json(write_conll("key", case.key), write_conll("response", case.response))
    for metric, actual in figures(scores).items():
        assert actual == pytest.approx(getattr(case, metric), abs=1e-6), metric


@pytest.mark.parametrize(("folder", "count"), [("official", 36), ("perturbed", 12)])
def test_cases_of_the_official_scorer(folder, count, shared, score_json):
    folder = shared / "scorer" / folder
    cases = json.loads((folder / "expected.json").read_text())
    assert len(cases) == count
    for name, expected in cases.items():
        key = folder / expected.get("key", f"{name}.key")
        response = folder / expected.get("response", f"{name}.response")
        for metric, actual in figures(score_json(key, response)).items():
            assert actual == pytest.approx(expected[metric], rel=0, abs=1e-6), (name, metric)

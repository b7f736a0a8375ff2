"""`coref analyse errors` as a user runs it."""

import json
import shutil

import pytest
from command import call, import_reference


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = import_reference(tmp_path_factory.mktemp("errors"))
    conf = path / "experiments.conf"
    conf.write_text(conf.read_text() + "\ntwin = ${small} { mention_ratio = 0.2 }\n")
    (trained,) = path.rglob("best.h5")
    shutil.copytree(trained.parent, trained.parent.with_name("twin"))
    return path


def errors(folder, *words):
    return call("analyse", "errors", "--conf", folder / "experiments.conf", *words)


def test_two_models_side_by_side(folder, capsys):
    corpus, figures, page = folder / "docs.jsonlines", folder / "errors.json", folder / "errors.html"
    assert not errors(folder, "small", "twin", corpus, "--json", figures, "--html", page, "--worst", "2")
    output = capsys.readouterr().out
    assert "small: errors" in output and "twin: gain" in output and "By genre: twin" in output
    models = json.loads(figures.read_text())
    assert list(models) == ["small", "twin"]
    for of_model in models.values():
        gains = sum(of_kind["gain"] for of_kind in of_model["errors"].values())
        assert of_model["average_f1"] + gains == pytest.approx(1)
        for kind, of_kind in of_model["errors"].items():
            assert of_kind["count"] == sum(of_kind[mention] for mention in ("pronoun", "name", "nominal"))
            genres = of_model["genres"].values()
            assert of_kind["count"] == sum(genre["errors"][kind]["count"] for genre in genres)
    text = page.read_text()
    assert text.count("<h3>") == 2 and "<script" not in text and "twin: gain" in text


def test_errors_name_the_mistake(folder, capsys):
    corpus = folder / "docs.jsonlines"
    assert errors(folder, corpus) == 2
    assert "required: DATA" in capsys.readouterr().err
    assert errors(folder, "small", "small", corpus) == 1
    assert "expected one model, or two different ones" in capsys.readouterr().err
    assert errors(folder, "small", corpus, "--worst", "-1") == 1
    assert "expected 0 or more" in capsys.readouterr().err
    (folder / "bare.jsonlines").write_text('{"doc_key": "nw/a", "sentences": [["A"]], "clusters": []}\n')
    assert errors(folder, "small", folder / "bare.jsonlines") == 1
    assert "has no clusters" in capsys.readouterr().err
    assert errors(folder, "small", "twin", corpus, "--checkpoint", "x.h5") == 1
    assert "expected only one model with --checkpoint" in capsys.readouterr().err

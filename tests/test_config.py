"""experiments.conf has the paper's values, and every mistake is a one-line error."""

import dataclasses
import os
import re
from pathlib import Path

import pytest

from coref_tf.config import Experiment, ExperimentsFile, load_experiment
from coref_tf.support.errors import CorefError
from paper.ontonotes.settings import write_settings
from paper.plan import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = Path(__file__).parent / "fixtures" / "reference" / "experiments.conf"


def test_best_is_the_paper():
    best = load_experiment("best", ROOT / "experiments.conf")
    paper = {
        "char_embedding_size": 8, "filter_widths": (3, 4, 5), "filter_size": 50, "lstm_size": 200, "ffnn_size": 150,
        "ffnn_depth": 2, "head_ffnn_depth": 2, "feature_size": 20, "model_heads": True, "use_features": True,
        "use_metadata": True, "pair_features": ("speaker", "genre", "distance"),
        "max_mention_width": 10, "mentions": "learned", "mention_ratio": 0.4, "min_spans": 0,
        "consistent_clusters": False,
        "quotation_speakers": False,
        "quotation_links": False,
        "max_antecedents": 250, "antecedents": "nearest", "coref_depth": 1, "max_training_sentences": 50,
        "optimizer": "adam", "learning_rate": 0.001, "decay_rate": 0.999, "decay_frequency": 100,
        "max_gradient_norm": 5.0, "lexical_dropout_rate": 0.5, "dropout_rate": 0.2,
    }  # fmt: skip
    assert {key: getattr(best, key) for key in paper} == paper
    assert sum(vectors.size for vectors in best.embeddings) == 350


def test_variants_change_their_settings():
    conf = ROOT / "experiments.conf"
    assert load_experiment("released", conf).head_ffnn_depth == 0
    assert not load_experiment("nofeatures", conf).use_features
    assert not load_experiment("nometa", conf).use_metadata
    assert not load_experiment("noheads", conf).model_heads
    assert load_experiment("nochar", conf).char_embedding_size == 0
    assert [vectors.size for vectors in load_experiment("nolarge", conf).embeddings] == [50]
    assert [vectors.size for vectors in load_experiment("nosmall", conf).embeddings] == [300]
    for name in ("rules", "oracle"):
        assert load_experiment(name, conf).mentions == name
    for name, key, factor in [
        ("k125", "max_antecedents", 0.5),
        ("k500", "max_antecedents", 2),
        ("lambda02", "mention_ratio", 0.5),
        ("lambda08", "mention_ratio", 2),
        ("width5", "max_mention_width", 0.5),
        ("width20", "max_mention_width", 2),
    ]:
        best, variant = load_experiment("best", conf), load_experiment(name, conf)
        assert getattr(variant, key) == factor * getattr(best, key), name
        assert dataclasses.replace(variant, **{key: getattr(best, key), "name": "best"}) == best


def test_ontogum_conf_changes_only_the_corpus_and_the_epochs():
    ontogum, originals = (
        ExperimentsFile(ROOT / "paper" / "ontogum.conf"),
        ExperimentsFile(ROOT / "experiments.conf"),
    )
    for name in EXPERIMENTS:
        own, original = ontogum.experiment(name), originals.experiment(name)
        paths = [*own.train_path, own.eval_path, own.conll_eval_path, own.test_path, own.char_vocab_path]
        assert {Path(os.path.normpath(path)).parent for path in paths} == {ROOT / "data" / "ontogum"}
        assert own.test_path == own.conll_eval_path and len(own.genres) == 15
        assert (own.max_epochs, own.patience) == (20, 20), "there is no early stopping"
        assert own.log_dir.resolve() == ROOT / "logs" / "ontogum" / name, "other corpora have other folders"
        rest = {
            field.name: getattr(original, field.name)
            for field in dataclasses.fields(Experiment)
            if field.name.endswith(("_path", "genres", "genre"))
            or field.name in ("max_epochs", "patience", "log_root")
        }
        vectors = [dataclasses.replace(each, path=each.path.resolve()) for each in own.embeddings]
        assert dataclasses.replace(own, **rest, embeddings=tuple(vectors)) == original


def test_every_key_is_commented():
    lines = (ROOT / "experiments.conf").read_text().splitlines()
    for field in dataclasses.fields(Experiment):
        if field.name != "name":
            assert any(re.match(rf"\s+{field.name} = .*#", line) for line in lines), field.name


def test_prepared_ontonotes_replaces_the_sample(tmp_path):
    (tmp_path / "experiments.conf").write_text((ROOT / "experiments.conf").read_text())
    assert (
        load_experiment("best", tmp_path / "experiments.conf")
        .train_path[0]
        .match("data/sample/train.jsonlines")
    )
    folder = tmp_path / "data" / "ontonotes"
    folder.mkdir(parents=True)
    write_settings(folder, "english", {"glove": 300})
    best = load_experiment("best", tmp_path / "experiments.conf")
    assert best.train_path == (folder / "train.english.v4_gold_conll",)
    assert best.test_path == folder / "test.english.v4_gold_conll"
    assert [vectors.path.name for vectors in best.embeddings] == ["glove.english.h5", "glove_6B_50d.h5"]
    assert [vectors.plain_brackets for vectors in best.embeddings] == [False, True]
    [other] = load_experiment("nosmall", tmp_path / "experiments.conf").embeddings
    assert other == best.embeddings[0]
    assert best.genres == ("bc", "bn", "mz", "nw", "pt", "tc", "wb")


def test_prepared_ontonotes_does_not_change_ontogum_conf(tmp_path):
    for name in ("experiments.conf", "paper/ontogum.conf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    conf = tmp_path / "paper" / "ontogum.conf"
    before = {name: ExperimentsFile(conf).experiment(name) for name in ("best0", "nolarge", "contextual")}
    folder = tmp_path / "data" / "ontonotes"
    folder.mkdir(parents=True)
    write_settings(folder, "english", {"glove": 300, "turian": 50})
    assert load_experiment("best", tmp_path / "experiments.conf") != before["best0"]
    for name, experiment in before.items():
        assert load_experiment(name, conf) == experiment


def test_changes_take_precedence(monkeypatch, tmp_path):
    changes = ["lstm_size=7", "train_path=[a.conll, b.conll]", "log_root=/somewhere/else"]
    monkeypatch.chdir(tmp_path)
    changed = load_experiment("small", REFERENCE, changes)
    assert changed.lstm_size == 7
    assert changed.train_path == (tmp_path / "a.conll", tmp_path / "b.conll"), (
        "paths in changes are relative to the working directory"
    )
    assert changed.eval_path == REFERENCE.parent / "docs.jsonlines"
    assert changed.log_root == Path("/somewhere/else")


def test_relative_paths_are_relative_to_the_file(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment("small", REFERENCE)
    assert experiment.char_vocab_path.read_text()
    assert experiment.log_dir == REFERENCE.parent / "logs" / "small"


MISTAKES = [
    ("lstm_size = 6", "lstm_sise = 6", "unknown key lstm_sise (did you mean lstm_size?)"),
    ("lstm_size = 6", "", "missing key lstm_size"),
    ("lstm_size = 6", "lstm_size = six", "lstm_size must be a whole number. Received: 'six'"),
    ("lstm_size = 6", "lstm_size = 6.5", "lstm_size must be a whole number. Received: 6.5"),
    ("lstm_size = 6", "lstm_size = true", "lstm_size must be a whole number. Received: True"),
    (
        "lstm_size = 6",
        "lstm_size = 0",
        "lstm_size must be more than 0 if there is no context. Received: 0",
    ),
    (
        "dropout_rate = 0.2",
        "dropout_rate = 1",
        "dropout_rate must be at least 0 and less than 1. Received: 1.0",
    ),
    ("model_heads = true", "model_heads = 1", "model_heads must be true or false. Received: 1"),
    (
        "antecedents = nearest",
        "antecedents = best",
        "antecedents must be one of nearest, coarse. Received: 'best'",
    ),
    (
        "mentions = learned",
        "mentions = gold",
        "mentions must be one of learned, rules, oracle. Received: 'gold'",
    ),
    ("small {", "lstm_size = 6\nsmall {", "lstm_size is set outside any experiment; move it into one"),
    ("lstm_size = 6", "lstm_size = 6\n  coref_depth = 0", "coref_depth must be 1 to 10. Received: 0"),
    ("log_root = logs", "log_root = 3", "log_root must be a path. Received: 3"),
    ("default_genre = nw", "default_genre = xx", "default_genre must be one of bc, bn"),
    ("size = 12", "sise = 12", "embeddings: unknown key sise (did you mean size?)"),
    ("[{ path", "[3, { path", "embeddings: expected { key = value ... }. Received: 3"),
    ("small {", "smal {", "no experiment small (did you mean smal?)"),
    ("small {", "small {{", "expected a key"),
]


@pytest.mark.parametrize(
    ("old", "new", "message"), MISTAKES, ids=[new or "missing" for _, new, _ in MISTAKES]
)
def test_a_mistake_is_a_one_line_error_that_names_the_key(tmp_path, old, new, message):
    text = REFERENCE.read_text()
    assert old in text
    conf = tmp_path / "experiments.conf"
    conf.write_text(text.replace(old, new, 1))
    with pytest.raises(CorefError, match=re.escape(message)) as error:
        load_experiment("small", conf)
    assert "\n" not in str(error.value)
    assert str(conf) in str(error.value) or "experiment small" in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CorefError, match="no such file"):
        load_experiment("best", tmp_path / "none.conf")


def test_only_experiments_are_listed(tmp_path):
    conf = tmp_path / "experiments.conf"
    conf.write_text((ROOT / "experiments.conf").read_text())
    with pytest.raises(CorefError, match="no experiment bets") as error:
        load_experiment("bets", conf)
    assert "(did you mean best?); available: best, released" in str(error.value)
    assert not {"data,", "large_vectors,"} & set(str(error.value).split())


def test_experiments_are_found_from_anywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert load_experiment("best") == load_experiment("best", ROOT / "experiments.conf")
    Path("experiments.conf").write_text(REFERENCE.read_text())
    assert load_experiment("small").train_path == (tmp_path / "docs.jsonlines",)

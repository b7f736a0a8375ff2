"""The plan of `make reproduce`: the steps of each part, and settings without absolute paths."""

import json
import os
import shutil

import pytest
from tiny_experiments import write_tiny_experiments

from coref_tf.config import ExperimentsFile
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from coref_tf.support.files import write_json
from paper.plan import EXPERIMENTS, PARTS, QUICK_EPOCHS, VARIANTS, make_plan
from paper.records import Records


def test_the_plan_has_what_each_part_needs(plan):
    assert {name for names in plan.parts.values() for name in names} <= set(plan.steps)
    assert [step.name for step in plan.steps_of(["table1"])] == [
        "train-best0", "test-best0", "train-best1", "train-best2", "train-best3", "train-best4", "test-ensemble",
    ]  # fmt: skip
    assert set(plan.steps) == {step.name for step in plan.steps_of(list(PARTS))}, (
        "every step belongs to a part"
    )
    assert {f"train-{name}" for name in EXPERIMENTS} <= {step.name for step in plan.steps_of(list(PARTS))}
    conf = json.loads((plan.folder / "experiments.conf").read_text())
    assert conf["nochar"]["char_embedding_size"] == 0 and conf["best3"]["seed"] == 3


def test_a_folder_with_figures_for_other_settings_is_refused(tmp_path):
    conf = write_tiny_experiments(tmp_path)
    make_plan(tmp_path / "out", conf, quick=False)
    make_plan(tmp_path / "out", conf, quick=False)
    with pytest.raises(CorefError, match="figures for different settings"):
        make_plan(tmp_path / "out", conf, quick=True)
    docs = tmp_path / "docs.jsonlines"
    docs.write_text("".join(docs.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(CorefError, match=r"corpus\.json differs"):
        make_plan(tmp_path / "out", conf, quick=False)


def test_quick_models_have_their_own_folder(tmp_path):
    plan = make_plan(tmp_path / "out", write_tiny_experiments(tmp_path, epochs=70), quick=True)
    assert plan.experiments["best0"].max_epochs == QUICK_EPOCHS
    assert plan.experiments["best0"].log_root == tmp_path / "out" / "logs"


def test_every_experiment_is_evaluated_on_the_dev_set(plan):
    for name in EXPERIMENTS:
        assert plan.steps[f"dev-{name}"].needs == (f"train-{name}",)
    variants = {step.name for step in plan.steps_of(["variants"])}
    assert variants == {f"{kind}-{name}" for kind in ("train", "dev") for name in ("best0", *VARIANTS)}
    assert {step.name for step in plan.steps_of(["seeds"]) if step.kind == "dev"} == {
        f"dev-best{seed}" for seed in range(5)
    }


def test_contextual_words_need_an_encoder(tmp_path):
    conf = write_tiny_experiments(tmp_path)
    for name in ("train-contextual", "dev-contextual"):
        step = make_plan(tmp_path / "out", conf, quick=False).steps[name]
        assert "encoders/small.h5 is missing, which `make encoder` downloads" in step.impossible
    (tmp_path / "encoders").mkdir()
    (tmp_path / "encoders" / "small.h5").touch()
    assert not make_plan(tmp_path / "out", conf, quick=False).steps["train-contextual"].impossible


def paths_of(value):
    """Returns the strings in a JSON value that look like paths, including keys."""
    if isinstance(value, dict):
        return [found for pair in value.items() for each in pair for found in paths_of(each)]
    if isinstance(value, list):
        return [found for each in value for found in paths_of(each)]
    return [value] if isinstance(value, str) and "/" in value else []


def test_settings_and_commands_have_no_absolute_paths(plan):
    for name in ("experiments.conf", "corpus.json"):
        found = paths_of(json.loads((plan.folder / name).read_text()))
        assert found and not any(map(os.path.isabs, found))
    records = Records(plan.folder / "steps")
    for step in plan.steps.values():
        assert not any(map(os.path.isabs, records.command_line(step).split()))
    assert records.command_line(plan.steps["dev-nochar"]) == (
        "python evaluate.py nochar --conf experiments.conf --json scores/dev-nochar.json"
    )
    assert (
        records.command_line(plan.steps["section7"])
        == "python -m paper section7 best0 . --conf experiments.conf"
    )


def test_the_settings_in_the_folder_equal_those_of_the_experiments_file(plan):
    file = ExperimentsFile(plan.folder / "experiments.conf")
    for name, experiment in plan.experiments.items():
        kept = file.experiment(name)
        assert os.path.normpath(kept.log_dir) == os.path.normpath(experiment.log_dir)
        assert kept.train_path[0].samefile(experiment.train_path[0])
        assert kept.embeddings[0].path.samefile(experiment.embeddings[0].path)
        assert kept.seed == experiment.seed and kept.mentions == experiment.mentions


def test_a_copy_of_the_folder_elsewhere_is_complete(tmp_path):
    """The copy is beside a copy of the corpus; its settings are accepted, and every step counts as done."""
    (tmp_path / "one").mkdir()
    plan = make_plan(tmp_path / "one" / "out", write_tiny_experiments(tmp_path / "one"), quick=False)
    records = Records(plan.folder / "steps")
    for step in plan.steps.values():
        for path in (step.result, *step.outputs):
            if path:
                path.write_text("{}")
        record = {"command": records.command_line(step), "needs": records.fingerprints(step), "done": True}
        write_json(records.folder / f"{step.name}.json", record)
    shutil.copytree(tmp_path / "one" / "out", tmp_path / "two" / "out")
    other = make_plan(tmp_path / "two" / "out", write_tiny_experiments(tmp_path / "two"), quick=False)
    assert all(map(Records(other.folder / "steps").is_done, other.steps.values()))


def test_a_missing_corpus_is_a_one_line_error(tmp_path):
    conf = write_tiny_experiments(tmp_path)
    (tmp_path / "test.jsonlines").unlink()
    with pytest.raises(CorefError, match=r"test\.jsonlines: no such file; .* docs/paper\.md"):
        make_plan(tmp_path / "out", conf, quick=False)


@pytest.mark.skipif(
    not (ROOT / "data" / "ontogum" / "char_vocab.txt").exists(), reason="OntoGUM is not in data/"
)
def test_ontogum_has_parses_and_no_test_set(tmp_path):
    plan = make_plan(tmp_path, ROOT / "paper" / "ontogum.conf", quick=False)
    assert (
        plan.test == "dev"
        and not plan.steps["figure4"].impossible
        and not plan.steps["train-rules"].impossible
    )
    assert plan.steps["train-best0"].product == ROOT / "logs" / "ontogum" / "best0" / "best.h5"

"""Plans the tables and figures of the paper: which models are trained, and on what they are measured."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from coref_tf.config import Experiment, load_experiment, settings_of
from coref_tf.documents import read_documents
from coref_tf.support.errors import CorefError
from coref_tf.support.files import sha256, write_json
from paper.section7 import corpora
from paper.steps import Step

ENSEMBLE = ("best0", "best1", "best2", "best3", "best4")
SINGLE = ENSEMBLE[0]  # the single model of the paper
ABLATIONS = ("nofeatures", "nolarge", "nometa", "noheads", "nochar", "nosmall")
PRUNING = ("rules", "oracle")
VARIANTS = ("k125", "k500", "lambda02", "lambda08", "width5", "width20", "contextual")
EXPERIMENTS = (*ENSEMBLE, *ABLATIONS, *PRUNING, *VARIANTS)

# The steps that each part of the report needs.
PARTS = {
    "section7": ("section7",),
    "table1": (f"test-{SINGLE}", "test-ensemble"),
    "table2": (f"dev-{SINGLE}", "dev-ensemble", *(f"dev-{name}" for name in ABLATIONS)),
    "table3": (f"dev-{SINGLE}", *(f"dev-{name}" for name in PRUNING)),
    "table4": ("table4",),
    "figure3": ("figure3",),
    "figure4": ("figure4",),
}

QUICK_EPOCHS = 4  # about twenty seconds each on the bundled corpus with two cores


@dataclasses.dataclass(frozen=True)
class Plan:
    """The settings of all experiments, and every step.

    Args:
        folder: The output folder.
        experiments: The settings by name.
        steps: The steps by name, each after those that it needs.
    """

    folder: Path
    experiments: dict[str, Experiment]
    steps: dict[str, Step]

    def steps_of(self, parts: list[str]) -> list[Step]:
        """Returns the steps of some parts, and those that they need, in order."""
        wanted = {name for part in parts for name in PARTS[part]}
        for name in reversed(self.steps):
            if name in wanted:
                wanted.update(self.steps[name].needs)
        return [step for name, step in self.steps.items() if name in wanted]


def make_plan(folder: Path, conf: str | None, quick: bool) -> Plan:
    """Writes the settings to `folder`, where every step finds them, and plans the steps.

    A folder that was started with other settings is rejected, because it would mix the figures of both.
    """
    folder = folder.resolve()
    (folder / "scores").mkdir(parents=True, exist_ok=True)
    experiments = {name: load_experiment(name, conf) for name in EXPERIMENTS}
    if quick:
        changes = {"max_epochs": QUICK_EPOCHS, "log_root": folder / "logs"}
        experiments = {name: dataclasses.replace(each, **changes) for name, each in experiments.items()}
    single = experiments[SINGLE]
    files = {path for paths in corpora(single).values() for path in paths}
    settings = {name: settings_of(experiment) for name, experiment in experiments.items()}
    for values in settings.values():
        del values["name"]
    keep_settings(folder, settings, {str(path): sha256(path) for path in sorted(files)})
    parses = {name: has_parses(paths[0]) for name, paths in corpora(single).items()}
    return Plan(folder, experiments, make_steps(folder, single, parses))


def keep_settings(folder: Path, settings: dict[str, Any], corpus: dict[str, str]) -> None:
    """Writes experiments.conf and corpus.json to the folder; existing files must be identical."""
    for name, value in {"experiments.conf": settings, "corpus.json": corpus}.items():
        path = folder / name
        if path.exists() and json.loads(path.read_text(encoding="utf-8")) != value:
            raise CorefError(
                f"{folder}: has figures for different settings or another corpus ({path} differs);"
                " remove it, or choose another folder with --out"
            )
        write_json(path, value)


def has_parses(path: Path) -> bool:
    """Returns whether the documents of a file have parses, judging by the first."""
    return next(iter(read_documents(path))).parse is not None


def make_steps(folder: Path, single: Experiment, parses: dict[str, bool]) -> dict[str, Step]:
    """Creates every step; `parses` gives which sets have parses."""
    conf = ("--conf", str(folder / "experiments.conf"))
    steps: list[Step] = [
        Step(
            "section7",
            ("-m", "paper", "section7", SINGLE, str(folder), *conf),
            result=folder / "section7.json",
        )
    ]

    def impossible(name: str) -> str:
        lacks = name == "rules" and not (parses["train"] and parses["dev"])
        return "the corpus has no parses, which the rule-based detector requires" if lacks else ""

    def evaluation(name: str, experiments: tuple[str, ...], *options: str) -> Step:
        result = folder / "scores" / f"{name}.json"
        needs = tuple(f"train-{experiment}" for experiment in experiments)
        command = ("evaluate.py", *experiments, *options, *conf, "--json", str(result))
        return Step(name, command, needs, result, impossible(experiments[0]))

    def analysis(name: str, result: Path | None = None, reason: str = "") -> Step:
        command = ("-m", "paper", name, SINGLE, str(folder), *conf)
        return Step(name, command, (f"train-{SINGLE}",), result, reason)

    for name in EXPERIMENTS:
        steps.append(Step(f"train-{name}", ("train.py", name, *conf), impossible=impossible(name)))
        if name == SINGLE or name not in ENSEMBLE:
            steps.append(evaluation(f"dev-{name}", (name,)))
        if name == SINGLE:
            steps.append(evaluation(f"test-{name}", (name,), "--data", str(single.test_path)))
            steps.append(analysis("table4", folder / "table4.json"))
            steps.append(analysis("figure3"))
            no_parses = "" if parses["dev"] else "the dev set has no parses to compare with"
            steps.append(analysis("figure4", reason=no_parses))
        if name == ENSEMBLE[-1]:
            steps.append(evaluation("dev-ensemble", ENSEMBLE, "--ensemble"))
            data = ("--data", str(single.test_path))
            steps.append(evaluation("test-ensemble", ENSEMBLE, "--ensemble", *data))
    return {step.name: step for step in steps}

"""Plans the tables and figures of the paper: which models to train, and what to evaluate them on."""

import dataclasses
import functools
import json
import os
from pathlib import Path
from typing import Any

from coref_tf.config import Experiment, ExperimentsFile
from coref_tf.documents import read_documents
from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from coref_tf.support.files import sha256, shortened, write_json
from coref_tf.support.typed_settings import plain
from paper.records import Step
from paper.section7 import corpora
from paper.training import training_figures

ENSEMBLE = ("best0", "best1", "best2", "best3", "best4")
SINGLE = ENSEMBLE[0]  # the single model of the paper
ABLATIONS = ("nofeatures", "nolarge", "nometa", "noheads", "nochar", "nosmall")
PRUNING = ("rules", "oracle")
VARIANTS = ("k125", "k500", "lambda02", "lambda08", "width5", "width20", "contextual")
EXPERIMENTS = (*ENSEMBLE, *ABLATIONS, *PRUNING, *VARIANTS)

QUICK_EPOCHS = 4  # about twenty seconds each on the bundled corpus with two cores


def steps_by_part(test: str) -> dict[str, tuple[str, ...]]:
    """Returns the steps that each part of the report needs; `test` is the set of table 1, "test" or "dev"."""
    return {
        "section7": ("section7",),
        "table1": (f"{test}-{SINGLE}", f"{test}-ensemble"),
        "table2": (f"dev-{SINGLE}", "dev-ensemble", *(f"dev-{name}" for name in ABLATIONS)),
        "table3": (f"dev-{SINGLE}", *(f"dev-{name}" for name in PRUNING)),
        "table4": ("table4",),
        "figure3": ("figure3",),
        "figure4": ("figure4",),
        "seeds": tuple(f"dev-{name}" for name in ENSEMBLE),
        "variants": (f"dev-{SINGLE}", *(f"dev-{name}" for name in VARIANTS)),
    }


PARTS = tuple(steps_by_part("test"))


@dataclasses.dataclass(frozen=True)
class Plan:
    """The settings of all experiments, and every step.

    Args:
        folder: The output folder.
        experiments: The settings by name.
        steps: The steps by name, each after those that it needs.
        test: The set of table 1: "test", or "dev" if the corpus has no test set of its own.
    """

    folder: Path
    experiments: dict[str, Experiment]
    steps: dict[str, Step]
    test: str = "test"

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The names of the steps that each part of the report needs."""
        return steps_by_part(self.test)

    def steps_of(self, parts: list[str]) -> list[Step]:
        """Returns the steps of some parts, and those that they need, in order."""
        wanted = {name for part in parts for name in self.parts[part]}
        for name in reversed(self.steps):
            if name in wanted:
                wanted.update(self.steps[name].needs)
        return [step for name, step in self.steps.items() if name in wanted]


def make_plan(folder: Path, conf: str | os.PathLike | None, quick: bool) -> Plan:
    """Writes the settings to `folder`, where every step finds them, and plans the steps.

    A folder that was started with other settings is rejected, because it would mix the figures of both.
    """
    folder = folder.resolve()
    (folder / "scores").mkdir(parents=True, exist_ok=True)
    file = ExperimentsFile(conf)
    experiments = {name: file.experiment(name) for name in EXPERIMENTS}
    if quick:
        changes = {"max_epochs": QUICK_EPOCHS, "log_root": folder / "logs"}
        experiments = {name: dataclasses.replace(each, **changes) for name, each in experiments.items()}
    single = experiments[SINGLE]
    # Relative to the folder, so that it can be continued in a checkout at another place.
    relative = functools.partial(os.path.relpath, start=folder)
    settings = {name: plain(experiment, relative) for name, experiment in experiments.items()}
    for values in settings.values():
        del values["name"]
    files = [path for paths in corpora(single).values() for path in paths] + [single.char_vocab_path]
    checksums = {relative(path): checksum(path) for path in sorted(files)}
    keep_settings(folder, settings, checksums)
    same = checksums[relative(single.test_path)] == checksums[relative(single.conll_eval_path)]
    parses = {name: has_parses(paths[0]) for name, paths in corpora(single).items()}
    return Plan(
        folder, experiments, StepMaker(folder, experiments, parses, same).make(), "dev" if same else "test"
    )


def checksum(path: Path) -> str:
    """Returns the checksum of a file of the corpus."""
    if not path.is_file():
        raise CorefError(
            f"{shortened(path, ROOT)}: no such file; the experiments need it, and docs/paper.md explains how to get it"
        )
    return sha256(path)


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


class StepMaker:
    """Makes every step.

    Args:
        folder: The output folder.
        experiments: The settings by name.
        parses: Which sets have parses.
        dev_only: Whether the test set is the dev set, so that it need not be measured as well.
    """

    def __init__(
        self, folder: Path, experiments: dict[str, Experiment], parses: dict[str, bool], dev_only: bool
    ):
        self.folder, self.experiments, self.parses, self.dev_only = folder, experiments, parses, dev_only
        self.conf = ("--conf", str(folder / "experiments.conf"))

    def make(self) -> dict[str, Step]:
        """Returns the steps by name, each after those that it needs."""
        steps = [self.analysis("section7", self.folder / "section7.json", needs=())]
        for name in EXPERIMENTS:
            steps += [self.training(name), self.evaluation("dev", name, (name,))]
            if name == SINGLE:
                steps += self.tests(name, (name,))
                steps += [self.analysis("table4", self.folder / "table4.json"), *self.figures()]
            if name == ENSEMBLE[-1]:
                steps.append(self.evaluation("dev", "ensemble", ENSEMBLE))
                steps += self.tests("ensemble", ENSEMBLE)
        return {step.name: step for step in steps}

    def training(self, name: str) -> Step:
        """Returns the training of an experiment."""
        experiment = self.experiments[name]
        return Step(
            f"train-{name}",
            ("train.py", name, *self.conf),
            product=Path(os.path.normpath(best_checkpoint_path(experiment))),
            measure=functools.partial(training_figures, experiment),
            impossible=self.impossible(name),
        )

    def evaluation(self, of_set: str, name: str, experiments: tuple[str, ...]) -> Step:
        """Returns the evaluation of a model, or of several as an ensemble, on the dev or test set."""
        result = self.folder / "scores" / f"{of_set}-{name}.json"
        options = ["--ensemble"] if len(experiments) > 1 else []
        if of_set == "test":
            options += ["--data", os.path.abspath(self.experiments[SINGLE].test_path)]
        return Step(
            f"{of_set}-{name}",
            ("evaluate.py", *experiments, *options, *self.conf, "--json", str(result)),
            tuple(f"train-{experiment}" for experiment in experiments),
            result,
            impossible=self.impossible(experiments[0]),
        )

    def tests(self, name: str, experiments: tuple[str, ...]) -> list[Step]:
        """Returns the evaluation on the test set, if there is one."""
        return [] if self.dev_only else [self.evaluation("test", name, experiments)]

    def analysis(self, name: str, result: Path | None = None, needs: tuple[str, ...] = (SINGLE,)) -> Step:
        """Returns a step of `python -m paper`."""
        command = ("-m", "paper", name, SINGLE, str(self.folder), *self.conf)
        return Step(name, command, tuple(f"train-{need}" for need in needs), result)

    def figures(self) -> list[Step]:
        """Returns the steps of figures 3 and 4."""
        steps = []
        for name in ("figure3", "figure4"):
            outputs = (self.folder / f"{name}.csv", self.folder / f"{name}.png")
            lacks = name == "figure4" and not self.parses["dev"]
            reason = "the dev set has no parses to compare with" if lacks else ""
            steps.append(dataclasses.replace(self.analysis(name), outputs=outputs, impossible=reason))
        return steps

    def impossible(self, name: str) -> str:
        """Returns the reason why a model cannot be trained here; empty if it can."""
        if name == "rules" and not (self.parses["train"] and self.parses["dev"]):
            return "the corpus has no parses, which the rule-based detector requires"
        context = self.experiments[name].context
        if context and not context.encoder.is_file():
            return f"{os.path.relpath(context.encoder, ROOT)} is missing, which `make encoder` downloads"
        return ""

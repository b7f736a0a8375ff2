"""Writes REPORT.md: every table and figure, with the obtained figures next to the published ones."""

import csv
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from coref_tf.support.environment import ROOT
from coref_tf.support.files import atomic_write
from paper import published
from paper.markdown import (
    NOTHING,
    change,
    mention_text,
    number,
    section,
    short_number,
    table,
)
from paper.plan import ABLATIONS, ENSEMBLE, PARTS, SINGLE, Plan
from paper.section7 import FACTS
from paper.steps import Steps, duration

ROWS = {
    "ensemble": "ensemble of five",
    "single": "single model",
    "nofeatures": "− distance and width features",
    "nolarge": "− large word vectors (GloVe in the paper)",
    "nometa": "− speaker and genre metadata",
    "noheads": "− head-finding attention",
    "nochar": "− character CNN",
    "nosmall": "− small word vectors (Turian in the paper)",
    "rules": "rule-based mentions",
    "oracle": "oracle mentions",
}


def write_report(plan: Plan, steps: Steps, quick: bool) -> None:
    """Writes the report; it states which parts are missing."""
    report = Report(plan, steps, quick)
    with atomic_write(plan.folder / "REPORT.md") as file:
        file.write(report.text())


class Report:
    """The parts of the report, from the results of the steps."""

    def __init__(self, plan: Plan, steps: Steps, quick: bool):
        self.plan, self.steps, self.quick = plan, steps, quick
        self.facts = steps.figures("section7")
        counts = {name: of_set["documents"] for name, of_set in (self.facts or {}).items()}
        self.comparable = counts == published.ONTONOTES_DOCUMENTS and not quick
        self.published = "published" if self.comparable else "published (OntoNotes English)"

    def text(self) -> str:
        """Returns the whole report."""
        parts = [
            "# The paper's tables and figures",
            self.introduction(),
            self.table1(),
            self.dev_table("Table 2: ablations", ("ensemble", "single", *ABLATIONS)),
            self.dev_table("Table 3: span pruning strategies", ("single", "rules", "oracle")),
            self.table4(),
            self.figure("figure3", "Figure 3: gold mentions covered, by spans kept per word (dev)"),
            self.figure("figure4", "Figure 4: agreement of the spans kept with gold syntax (dev)"),
            self.section7(),
            self.runs(),
        ]
        return "\n\n".join(parts) + "\n"

    def introduction(self) -> str:
        """States what was measured, on which corpus and machine, and whether it is comparable with the paper."""
        single = self.plan.experiments[SINGLE]
        corpus = ", ".join(
            str(shortened(path)) for path in (*single.train_path, single.eval_path, single.test_path)
        )
        epochs = (
            f"at most {single.max_epochs} epochs, with early stopping after"
            f" {single.patience} without a better dev F1"
        )
        seeds = ", ".join(f"{self.plan.experiments[name].seed} for {name}" for name in ENSEMBLE)
        sets = ", ".join(str(shortened(vectors.path)) for vectors in single.embeddings)
        lines = [
            "This report shows the tables and figures of End-to-end Neural Coreference Resolution (Lee, He, Lewis and"
            " Zettlemoyer, EMNLP 2017) as coref_tf reproduces them.",
            "",
            f"- Corpus: {corpus}{self._sizes()}.{self._origin()}",
            f"- Comparable with the paper: {self._comparability()}",
            f"- Word vectors: {sets}.",
            f"- Training: {epochs}{' (--quick)' if self.quick else ''}.",
            f"- Seeds: {seeds}; {self.plan.experiments[ABLATIONS[0]].seed} for every other experiment."
            f" The single model is {SINGLE}.",
            f"- Machine: {describe_machine()}.",
            f"- Time: {duration(self._sum('seconds'))} for all steps, which took"
            f" {duration(self._sum('processor_seconds'))} of processor time.",
        ]
        return "\n".join(lines)

    def _sizes(self) -> str:
        if not self.facts:
            return ""
        train, dev, test = (f"{self.facts[name]['documents']:,}" for name in ("train", "dev", "test"))
        words = f"{self.facts['train']['words']:,}"
        return (
            f" ({train} training documents with {words} words, {dev} dev documents and {test} test documents)"
        )

    def _origin(self) -> str:
        """Describes the corpus, if it is known."""
        if not self.plan.experiments[SINGLE].train_path[0].is_relative_to(ROOT / "data" / "sample"):
            return ""
        return (
            " This is the bundled sample corpus: short English texts, written for the project and annotated in the"
            " style of OntoNotes."
        )

    def _comparability(self) -> str:
        if self.comparable:
            return "yes, the corpus is OntoNotes English as in the CoNLL-2012 shared task."
        reason = (
            "the corpus is not OntoNotes English"
            if self.facts
            else "the corpus is unknown until section7 is done"
        )
        if self.quick:
            reason += ", and the models were trained for only a few epochs"
        return f"**no**, {reason}. The published figures are shown for reference."

    def _sum(self, key: str) -> float:
        records = (self.steps.record(name) for name in self.plan.steps)
        return sum(record[key] for record in records if record)

    def table1(self) -> str:
        """Formats precision, recall and F1 on the test set."""
        metrics = ("MUC", "B³", "CEAF-φ4")
        header = ["", *(f"{metric} {figure}" for metric in metrics for figure in ("P", "R", "F1")), "Avg. F1"]
        rows = []
        for name, step in (("ensemble", "test-ensemble"), ("single", f"test-{SINGLE}")):
            rows.append([f"{ROWS[name]}, obtained", *self._test_row(step)])
            rows.append([f"{ROWS[name]}, {self.published}", *map(number, published.MAIN_RESULTS[name])])
        return section("Table 1: results on the test set", table(header, rows), self._missing("table1"))

    def _test_row(self, step: str) -> list[str]:
        figures = self.steps.figures(step)
        if not figures:
            return [NOTHING] * 10
        scores = [
            100 * figures[metric][figure]
            for metric in ("muc", "bcub", "ceafe")
            for figure in ("precision", "recall", "f1")
        ]
        return [number(score) for score in (*scores, 100 * figures["average_f1"])]

    def dev_table(self, title: str, names: Sequence[str]) -> str:
        """Formats the average F1 on the dev set, and the difference from the single model."""
        header = ["dev set", "Avg. F1", "Δ", f"{self.published} Avg. F1", "Δ"]
        baseline = self._dev_f1("single")
        rows = []
        for name in names:
            own, theirs = self._dev_f1(name), published.DEV_RESULTS[name]
            theirs_single = published.DEV_RESULTS["single"]
            rows.append(
                [
                    ROWS[name],
                    number(own),
                    change(own, baseline),
                    number(theirs),
                    change(theirs, theirs_single),
                ]
            )
        return section(
            title, table(header, rows), self._missing(title.split(":")[0].lower().replace(" ", ""))
        )

    def _dev_f1(self, name: str) -> float | None:
        figures = self.steps.figures(f"dev-{SINGLE if name == 'single' else name}")
        return 100 * figures["average_f1"] if figures else None

    def table4(self) -> str:
        """Formats a few clusters as text."""
        examples = self.steps.figures("table4")
        body = []
        if examples:
            body.append(
                "The command also writes `table4.html`, which shows a document of each genre with scores and"
                " antecedents."
            )
            body.append(
                "In this table, the word of each mention with the highest head attention is bold. Mentions of several"
                " words also show its attention weight."
            )
            rows = [[item["document"], " · ".join(map(mention_text, item["mentions"]))] for item in examples]
            body.append(table(["document", "a predicted cluster"], rows))
        return section("Table 4: qualitative analysis (dev)", *body, self._missing("table4"))

    def figure(self, name: str, title: str) -> str:
        """Formats a plot, and its figures as a table."""
        path = self.plan.folder / f"{name}.csv"
        if not (self.steps.record(name) or {}).get("done") or not path.exists():
            return section(title, self._missing(name))
        header, *rows = read_csv(path)
        header = [column.replace("published", self.published) for column in header]
        picture = f"![{title}]({name}.png)"
        note = ""
        if name == "figure3" and self.plan.steps["dev-rules"].impossible:
            note = f"The rule-based detector has no point: {self.plan.steps['dev-rules'].impossible}."
        return section(title, picture, table(header, [map(short_number, row) for row in rows]), note)

    def section7(self) -> str:
        """Formats the numbers of documents and words, and mention widths."""
        title = "Section 7: the corpus"
        if not self.facts:
            return section(title, self._missing("section7"))
        rows = []
        for key, (label, form) in FACTS.items():
            own = [form.format(self.facts[name][key]) for name in ("train", "dev", "test")]
            rows.append([label, *own, self._published_fact(key)])
        header = ["", "train", "dev", "test", self.published]
        return section(title, table(header, rows))

    @staticmethod
    def _published_fact(key: str) -> str:
        if key == "documents":
            return " / ".join(f"{count:,}" for count in published.ONTONOTES_DOCUMENTS.values())
        fact = published.TRAINING_FACTS.get(key, NOTHING)
        return f"{fact:,} (train)" if isinstance(fact, int) else fact

    def _missing(self, part: str) -> str:
        """Explains why a part is incomplete; empty if it is complete."""
        lines = []
        for name in PARTS[part]:
            step, record = self.plan.steps[name], self.steps.record(name)
            if step.impossible:
                lines.append(f"- {name}: {step.impossible}.")
            elif name in self.steps.failures:
                lines.append(f"- {name}: failed, {self.steps.failures[name]}.")
            elif not record or not record["done"]:
                lines.append(f"- {name}: not run yet.")
        return "\n".join(lines)

    def runs(self) -> str:
        """Lists every step with its command and time."""
        rows = []
        for name, step in self.plan.steps.items():
            record = self.steps.record(name)
            state = (
                "skipped" if step.impossible
                else "failed" if name in self.steps.failures
                else "done" if record and record["done"]
                else "stopped" if record
                else "not run"
            )  # fmt: skip
            rows.append([name, state, duration(record["seconds"]) if record else NOTHING])
        return section("Steps", table(["step", "state", "time"], rows))


def read_csv(path: Path) -> list[list[str]]:
    """Returns the rows of a CSV file, including its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def shortened(path: Path) -> Path:
    """Returns a path relative to the checkout, if it is inside."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def describe_machine() -> str:
    """Describes processor, cores, memory, GPUs and versions in one line.

    Example:
        describe_machine()      # "AMD EPYC 7B13, 2 cores, 24 GiB; no GPU; Python 3.11.7, TensorFlow 2.15.1"
    """
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    versions = f"Python {platform.python_version()}, TensorFlow {importlib.metadata.version('tensorflow')}"
    return f"{_processor()}, {cores} cores, {gib:.0f} GiB; {_gpus()}; {versions}"


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


def _gpus() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return "no GPU"
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    names = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")
    return ", ".join(name for name in names if name) or "no GPU"

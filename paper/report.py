"""Writes REPORT.md: every table and figure, with our results next to the published ones."""

import os
from collections import Counter

from coref_tf.support.environment import ROOT
from coref_tf.support.files import atomic_write
from paper.analyses import Analyses
from paper.bootstrap import SAMPLES, SEED
from paper.findings import Findings
from paper.machine import describe_machine
from paper.markdown import NOTHING, section, table
from paper.plan import ABLATIONS, ENSEMBLE, SINGLE, Plan
from paper.score_tables import ScoreTables
from paper.steps import Steps, duration

HOW_TO_READ = (
    f"Δ is the difference from the single model, {SINGLE}. Intervals are 95% bootstrap confidence intervals over"
    " documents, and p is the two-sided p-value of a paired bootstrap test over documents"
    f" ({SAMPLES:,} samples, seed {SEED}). They say how much a result depends on which documents were evaluated, not"
    " how much it depends on the seed of training: every row except the ensemble is one training run, and the standard"
    " deviation of the five seeds shows what another seed may change. Among so many rows, about one p-value below 0.05"
    " is to be expected by chance. The last column says whether Δ has the sign that the paper reports."
)


def write_report(plan: Plan, steps: Steps, quick: bool) -> None:
    """Writes the report; it states which parts are missing."""
    report = Report(plan, steps, quick)
    with atomic_write(plan.folder / "REPORT.md") as file:
        file.write(report.text())


class Report:
    """The parts of the report, from the results of the steps."""

    def __init__(self, plan: Plan, steps: Steps, quick: bool):
        self.plan, self.steps, self.quick = plan, steps, quick
        self.findings = Findings(plan, steps, quick)

    def text(self) -> str:
        """Returns the whole report."""
        scores, analyses = ScoreTables(self.findings), Analyses(self.findings)
        parts = [
            "# The paper's tables and figures",
            self.introduction(),
            HOW_TO_READ,
            scores.table1(),
            scores.table2(),
            scores.table3(),
            scores.seeds(),
            scores.variants(),
            analyses.table4(),
            analyses.figure("figure3"),
            analyses.figure("figure4"),
            analyses.statements(),
            analyses.section7(),
            scores.trainings(),
            self.runs(),
        ]
        return "\n\n".join(parts) + "\n"

    def introduction(self) -> str:
        """States what was measured, on which corpus and machine, and whether it is comparable with the paper."""
        single = self.plan.experiments[SINGLE]
        files = dict.fromkeys(map(shown, (*single.train_path, single.eval_path, single.test_path)))
        seeds = ", ".join(f"{self.plan.experiments[name].seed} for {name}" for name in ENSEMBLE)
        sets = ", ".join(shown(vectors.path) for vectors in single.embeddings)
        lines = [
            "This report shows the tables and figures of End-to-end Neural Coreference Resolution (Lee, He, Lewis and"
            " Zettlemoyer, EMNLP 2017) as coref_tf reproduces them.",
            "",
            f"- Corpus: {', '.join(files)}{self._sizes()}.{self._origin()}",
            *self._test_set(),
            f"- Comparable with the paper: {self._comparability()}",
            *self._quickness(),
            f"- Word vectors: {sets}.",
            f"- Training: {self._epochs()}.",
            f"- Seeds: {seeds}; {self.plan.experiments[ABLATIONS[0]].seed} for every other experiment."
            f" The single model is {SINGLE}.",
            *self._machines(),
            f"- Time: {duration(self._sum('seconds'))} for all steps{self._jobs()}, which took"
            f" {duration(self._sum('processor_seconds'))} of processor time.",
        ]
        return "\n".join(lines)

    def _sizes(self) -> str:
        facts = self.findings.facts
        if not facts:
            return ""
        train, dev, test = (f"{facts[name]['documents']:,}" for name in ("train", "dev", "test"))
        training = f"{train} training documents with {facts['train']['words']:,} words"
        if self.plan.test == "dev":
            return f" ({training} and {dev} dev documents)"
        return f" ({training}, {dev} dev documents and {test} test documents)"

    def _origin(self) -> str:
        """Describes the corpus, if it is known."""
        if not shown(self.plan.experiments[SINGLE].train_path[0]).startswith("data/sample/"):
            return ""
        return (
            " This is the bundled sample corpus: short English texts, written for the project and annotated in the"
            " style of OntoNotes."
        )

    def _test_set(self) -> list[str]:
        if self.plan.test == "test":
            return []
        return [
            "- Test set: **none**. The dev set takes its place, so table 1 is on the dev set, which also determined the"
            " best epoch of each model, and is therefore a little optimistic."
        ]

    def _comparability(self) -> str:
        if self.findings.comparable:
            return "yes, the corpus is OntoNotes English as in the CoNLL-2012 shared task."
        reason = (
            "the corpus is not OntoNotes English"
            if self.findings.facts
            else "the corpus is unknown until section7 is done"
        )
        if self.quick:
            reason += ", and the models were trained for only a few epochs"
        return f"**no**, {reason}. The published figures are shown for reference."

    def _quickness(self) -> list[str]:
        if not self.quick:
            return []
        return [
            "- Quick: **these figures mean little**. Models that were trained so briefly differ by chance; the report"
            " only shows that every step works."
        ]

    def _epochs(self) -> str:
        single = self.plan.experiments[SINGLE]
        if single.patience >= single.max_epochs:
            epochs = f"{single.max_epochs} epochs each, of which the one with the highest dev F1 is kept"
        else:
            epochs = (
                f"at most {single.max_epochs} epochs, with early stopping after {single.patience} without a better"
                " dev F1"
            )
        return f"{epochs} (--quick)" if self.quick else epochs

    def _machines(self) -> list[str]:
        """Lists the machines that the steps ran on, with the number of steps."""
        machines = Counter(record["machine"] for record in self._records())
        if len(machines) < 2:
            return [f"- Machine: {next(iter(machines), describe_machine())}."]
        return [
            f"- Machine of {count} step{'s' if count > 1 else ''}: {machine}."
            for machine, count in machines.most_common()
        ]

    def _jobs(self) -> str:
        most = max((record["jobs"] for record in self._records()), default=1)
        return f" (up to {most} ran at a time)" if most > 1 else ""

    def _sum(self, key: str) -> float:
        return sum(record[key] for record in self._records())

    def _records(self) -> list[dict]:
        return [record for name in self.plan.steps if (record := self.steps.record(name))]

    def runs(self) -> str:
        """Lists every step with its state and time."""
        rows = []
        for name in self.plan.steps:
            record = self.steps.record(name)
            rows.append([name, self.findings.state(name), duration(record["seconds"]) if record else NOTHING])
        return section("Steps", table(["step", "state", "time"], rows))


def shown(path: str | os.PathLike) -> str:
    """Returns a path relative to the checkout, as the report shows it, so that it is the same on every machine."""
    return os.path.relpath(path, ROOT)

"""The tables of scores in the report: tables 1 to 3 of the paper, the five seeds, the variants, the training runs."""

import statistics
from collections.abc import Mapping, Sequence

from paper import published
from paper.bootstrap import Bootstrap
from paper.findings import Findings
from paper.markdown import NOTHING, number, p_value, section, signed, signed_interval, table
from paper.plan import ABLATIONS, ENSEMBLE, EXPERIMENTS, PRUNING, SINGLE, VARIANTS
from paper.steps import duration

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
    "k125": "K = 125 antecedents instead of 250",
    "k500": "K = 500 antecedents",
    "lambda02": "λ = 0.2 spans per word instead of 0.4",
    "lambda08": "λ = 0.8 spans per word",
    "width5": "L = 5 words in a span instead of 10",
    "width20": "L = 20 words in a span",
    "contextual": "+ contextual words (MiniLM)",
}
COMPARISON = ("Avg. F1", "95% interval", "Δ", "95% interval of Δ", "p")


class ScoreTables:
    """The tables, from the scores that have been measured so far."""

    def __init__(self, findings: Findings):
        self.findings, self.plan = findings, findings.plan
        self.bootstrap = Bootstrap(findings.steps)

    def table1(self) -> str:
        """Formats precision, recall and F1 on the test set, and compares the ensemble with the single model."""
        metrics = ("MUC", "B³", "CEAF-φ4")
        header = ["", *(f"{metric} {figure}" for metric in metrics for figure in ("P", "R", "F1")), "Avg. F1"]
        rows = []
        for name, published_row in published.MAIN_RESULTS.items():
            rows.append([f"{ROWS[name]}, obtained", *self._metrics(self._step(name, self.plan.test))])
            rows.append([f"{ROWS[name]}, {self.findings.published}", *map(number, published_row)])
        test = self.plan.test
        note = "" if test == "test" else "The corpus has no test set, so these are figures for the dev set."
        published_f1 = {name: row[-1] for name, row in published.MAIN_RESULTS.items()}
        return section(
            f"Table 1: results on the {test} set",
            note,
            table(header, rows),
            self._compare(list(published.MAIN_RESULTS), test, published_f1),
            self.findings.missing("table1"),
        )

    def table2(self) -> str:
        """Formats the ablations."""
        rows = self._compare(["ensemble", "single", *ABLATIONS], "dev", published.DEV_RESULTS)
        return section("Table 2: ablations", rows, self.findings.missing("table2"))

    def table3(self) -> str:
        """Formats the span pruning strategies."""
        rows = self._compare(["single", *PRUNING], "dev", published.DEV_RESULTS)
        return section("Table 3: span pruning strategies", rows, self.findings.missing("table3"))

    def variants(self) -> str:
        """Formats the variants that are not in the paper, with the recall of their spans."""
        header = ["dev set", *COMPARISON, "mention recall", "spans per word"]
        rows = []
        for name in ("single", *VARIANTS):
            figures = self.findings.figures(self._step(name, "dev"))
            recall, spans = NOTHING, NOTHING
            if figures:
                recall, spans = f"{100 * figures['mention_recall']:.1f}%", f"{figures['spans_per_word']:.2f}"
            rows.append([ROWS[name], *self._comparison(name, "dev"), recall, spans])
        return section(
            "Variants that the paper does not have", table(header, rows), self.findings.missing("variants")
        )

    def seeds(self) -> str:
        """Formats the dev F1 of the five seeds of the ensemble, their mean and their standard deviation."""
        rows = []
        for name in ENSEMBLE:
            f1, interval = self._f1_cells(f"dev-{name}")
            rows.append([f"{name}, seed {self.plan.experiments[name].seed}", f1, interval])
        known = [f1 for name in ENSEMBLE if (f1 := self.bootstrap.f1(f"dev-{name}")) is not None]
        enough = len(known) > 1
        mean, deviation = (statistics.mean(known), statistics.stdev(known)) if enough else (None, None)
        rows.append([f"mean of {len(known)}", number(mean, 100), ""])
        rows.append([f"standard deviation of {len(known)}", number(deviation, 100, 2), ""])
        header = ["dev set", *COMPARISON[:2]]
        return section("Five seeds", table(header, rows), self.findings.missing("seeds"))

    def trainings(self) -> str:
        """Formats how long each model was trained, and when it reached its best dev F1."""
        header = ["experiment", "seed", "epochs", "steps", "step of the best dev F1", "dev F1", "time"]
        rows = []
        for name in EXPERIMENTS:
            figures, record = (
                self.findings.figures(f"train-{name}"),
                self.findings.steps.record(f"train-{name}"),
            )
            cells = [NOTHING] * 5
            if figures and record:
                epochs = NOTHING if figures["epochs"] is None else str(figures["epochs"])
                counts = [epochs, f"{figures['steps']:,}", f"{figures['best_step']:,}"]
                cells = [*counts, number(figures["best_f1"], 100), duration(record["seconds"])]
            rows.append([name, str(self.plan.experiments[name].seed), *cells])
        return section("Trainings", table(header, rows))

    def _compare(self, names: Sequence[str], of_set: str, published_f1: Mapping[str, float]) -> str:
        """Compares models with the single model, and the differences with the published ones."""
        label = self.findings.published
        header = [f"{of_set} set", *COMPARISON, f"{label} Avg. F1", "published Δ", "sign of Δ"]
        rows = []
        for name in names:
            theirs = published_f1[name] - published_f1["single"]
            cells = [number(published_f1[name]), "", ""]
            if name != "single":
                cells[1:] = signed(theirs), self._agreement(name, of_set, theirs)
            rows.append([ROWS[name], *self._comparison(name, of_set), *cells])
        return table(header, rows)

    def _comparison(self, name: str, of_set: str) -> list[str]:
        """Returns the cells of COMPARISON; the single model is not compared with itself."""
        step = self._step(name, of_set)
        if name == "single":
            return [*self._f1_cells(step), "", "", ""]
        difference = self.bootstrap.difference(step, self._step("single", of_set))
        if difference is None:
            return [*self._f1_cells(step), NOTHING, NOTHING, NOTHING]
        interval = signed_interval(difference.interval)
        return [
            *self._f1_cells(step),
            signed(100 * difference.difference),
            interval,
            p_value(difference.p_value),
        ]

    def _f1_cells(self, step: str) -> list[str]:
        interval = self.bootstrap.interval(step)
        return [number(self.bootstrap.f1(step), 100), interval.as_text() if interval else NOTHING]

    def _agreement(self, name: str, of_set: str, theirs: float) -> str:
        """Returns whether our difference from the single model has the sign of the published one."""
        ours = self.bootstrap.difference(self._step(name, of_set), self._step("single", of_set))
        if ours is None:
            return NOTHING
        return "agrees" if ours.difference * theirs > 0 else "differs"

    def _metrics(self, step: str) -> list[str]:
        figures = self.findings.figures(step)
        if not figures:
            return [NOTHING] * 10
        scores = [
            figures[metric][figure]
            for metric in ("muc", "bcub", "ceafe")
            for figure in ("precision", "recall", "f1")
        ]
        return [number(score, 100) for score in (*scores, figures["average_f1"])]

    @staticmethod
    def _step(name: str, of_set: str) -> str:
        return f"{of_set}-{SINGLE if name == 'single' else name}"

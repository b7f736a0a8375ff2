"""The analyses in the report: table 4, figures 3 and 4, the corpus, and what the paper states about subsets."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from paper import published
from paper.findings import Findings
from paper.markdown import NOTHING, mention_text, section, short_number, table
from paper.plan import SINGLE
from paper.section7 import FACTS, fact_text

FIGURES = {
    "figure3": "Figure 3: gold mentions covered, by spans kept per word (dev)",
    "figure4": "Figure 4: agreement of the spans kept with gold syntax (dev)",
}
ABOUT_AS_MANY = "0.2500"  # the lambda in figure 3 at which the model keeps about as many spans as the rules
Row = tuple[str, str, str]  # a statement, the published figure, ours


class Analyses:
    """The analyses, from the files of the steps that are done."""

    def __init__(self, findings: Findings):
        self.findings, self.plan = findings, findings.plan

    def table4(self) -> str:
        """Formats a few clusters as text."""
        examples = self.findings.figures("table4")
        body = []
        if examples:
            body.append(
                "The command also writes `table4.html`, which shows one document of each genre, up to eight, with"
                " scores and antecedents."
            )
            body.append(
                "In this table, the word of each mention with the highest head attention is bold. Mentions of several"
                " words also show its attention weight."
            )
            rows = [[item["document"], " · ".join(map(mention_text, item["mentions"]))] for item in examples]
            body.append(table(["document", "a predicted cluster"], rows))
        return section("Table 4: qualitative analysis (dev)", *body, self.findings.missing("table4"))

    def figure(self, name: str) -> str:
        """Formats a plot, and its figures as a table."""
        rows = self._rows(name)
        if not rows:
            return section(FIGURES[name], self.findings.missing(name))
        header = [column.replace("published", self.findings.published) for column in rows[0]]
        picture = f"![{FIGURES[name]}]({name}.png)"
        reason = self.plan.steps["dev-rules"].impossible if name == "figure3" else ""
        note = f"The rule-based detector has no point: {reason}." if reason else ""
        cells = [map(short_number, row.values()) for row in rows]
        return section(FIGURES[name], picture, table(header, cells), note)

    def section7(self) -> str:
        """Formats the numbers of documents and words, and the widths of mentions."""
        title, facts = "Section 7: the corpus", self.findings.facts
        if not facts:
            return section(title, self.findings.missing("section7"))
        rows = []
        for key, (label, _) in FACTS.items():
            own = [fact_text(key, facts[name][key]) for name in ("train", "dev", "test")]
            rows.append([label, *own, published_fact(key)])
        return section(title, table(["", "train", "dev", "test", self.findings.published], rows))

    def statements(self) -> str:
        """Compares what sections 8.1 and 9.1 to 9.3 state about subsets of the mentions with our results."""
        rows = [*self._about_corpus(), *self._about_recall(), *self._about_precision()]
        header = ["statement", self.findings.published, "obtained"]
        return section("Sections 8 and 9: statements about subsets of the mentions", table(header, rows))

    def _about_corpus(self) -> Iterator[Row]:
        train = (self.findings.facts or {}).get("train", {})
        for key, label in {
            "wide_share": "gold mentions wider than 10 words, of the training documents",
            "missed_share": "gold mentions that a pipeline's detector misses, of the training documents",
        }.items():
            yield label, published.TRAINING_FACTS[key], fact_text(key, train.get(key))

    def _about_recall(self) -> Iterator[Row]:
        rows = self._rows("figure3")
        ratio = self.plan.experiments[SINGLE].mention_ratio
        by_ratio = {row["lambda"]: row for row in rows if row["spans"] == "model"}
        for wanted, recall in ((f"{ratio:.4f}", "92.7%"), (ABOUT_AS_MANY, "88.0%")):
            found = by_ratio.get(wanted)
            label = f"gold mentions among the spans kept, λ = {float(wanted):g}"
            yield label, recall, f"{float(found['recall %']):.1f}%" if found else NOTHING
        rules = next((row for row in rows if row["spans"] == "rules"), None)
        own = f"{float(rules['recall %']):.1f}% at {float(rules['spans per word']):.2f}" if rules else NOTHING
        yield "gold mentions that the rules find, at their spans per word", "89.2% at 0.26", own

    def _about_precision(self) -> Iterator[Row]:
        rows = {int(row["width"]): row for row in self._rows("figure4")}

        def values(column: str, widths: Iterable[int]) -> str:
            found = [float(rows[width][column]) for width in widths if width in rows and rows[width][column]]
            if not found:
                return NOTHING
            low, high = f"{min(found):.0f}", f"{max(found):.0f}"
            return f"{low}%" if low == high else f"{low} to {high}%"

        constituents, heads = "constituents %", "heads attended %"
        yield (
            "spans kept of 2 to 5 words that are constituents",
            "75 to 90%",
            values(constituents, range(2, 6)),
        )
        yield "spans kept of 10 words that are constituents", "46%", values(constituents, [10])
        label = "constituents of 2 to 10 words whose most attended word is their syntactic head"
        yield label, "68 to 93%", values(heads, range(2, 11))

    def _rows(self, name: str) -> list[dict[str, str]]:
        """Returns the rows of a figure's CSV file; none if the figure is not done."""
        path = self.plan.folder / f"{name}.csv"
        return read_csv(path) if self.findings.state(name) == "done" and path.exists() else []


def published_fact(key: str) -> str:
    """Formats a statistic of the paper's corpus."""
    if key == "documents":
        return " / ".join(f"{count:,}" for count in published.ONTONOTES_DOCUMENTS.values())
    fact = published.TRAINING_FACTS.get(key, NOTHING)
    return f"{fact:,} (train)" if isinstance(fact, int) else fact


def read_csv(path: Path) -> list[dict[str, str]]:
    """Returns the rows of a CSV file, by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))

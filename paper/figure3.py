"""Figure 3: the fraction of gold mentions covered, by the number of spans kept per word."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents import Document
from coref_tf.evaluation import figures
from coref_tf.syntax.mention_detector import detect_mentions
from paper.readings import Reading, Setup, gold_mentions, keep_spans, percent, read_all

RATIOS = tuple(step / 20 for step in range(2, 11))  # 0.1, 0.15 ... 0.5
PUBLISHED_RECALL = {0.1: 54.81, 0.15: 73.72, 0.2: 83.39, 0.25: 87.99, 0.3: 90.20, 0.4: 92.67, 0.5: 93.78}
PUBLISHED_RULES = (0.2648, 89.24)  # spans per word, recall
HEADER = ("spans", "lambda", "spans per word", "recall %", "published spans per word", "published recall %")


class Coverage(NamedTuple):
    """The number of spans per word, and the recall of gold mentions."""

    spans_per_word: float
    recall: float | None  # in percent

    @classmethod
    def count(cls, found: Iterable[tuple[Document, Iterable[tuple[int, int]]]]) -> "Coverage":
        """Computes the coverage over documents, given the spans found in each."""
        words = spans = gold = covered = 0
        for document, of_document in found:
            own, known = set(of_document), gold_mentions(document)
            words += document.num_words
            spans += len(own)
            gold += len(known)
            covered += len(own & known)
        return cls(spans / max(words, 1), percent(covered, gold))


def measure_model(readings: Sequence[Reading], ratios: Iterable[float] = RATIOS) -> dict[float, Coverage]:
    """Prunes the same scores with every lambda.

    Example:
        measure_model(list(read_all(predictor, documents)))[0.4].recall     # 92.67 in the paper
    """
    return {
        ratio: Coverage.count((reading.document, keep_spans(reading, ratio)) for reading in readings)
        for ratio in ratios
    }


def measure_rules(documents: Sequence[Document]) -> Coverage | None:
    """Measures the rule-based detector; returns None if there are no parses."""
    if any(document.parse is None for document in documents):
        return None
    return Coverage.count((document, detect_mentions(document)) for document in documents)


def table(model: dict[float, Coverage], rules: Coverage | None) -> list[tuple]:
    """Returns the rows of the CSV file, under HEADER."""
    rows = [
        ("model", ratio, *coverage, ratio if ratio in PUBLISHED_RECALL else None, PUBLISHED_RECALL.get(ratio))
        for ratio, coverage in model.items()
    ]
    return rows + ([("rules", None, *rules, *PUBLISHED_RULES)] if rules else [])


def draw(path: Path, title: str, model: dict[float, Coverage], rules: Coverage | None, actual: float) -> None:
    """Plots recall by spans per word, with the published curve behind it.

    Args:
        path: The path of the PNG file.
        title: The model and the corpus.
        model: The coverage for each lambda.
        rules: The coverage of the rule-based detector.
        actual: The lambda that the model was trained with.
    """
    figure, axes = figures.new_plot(f"Mention recall, {title}")
    axes.plot(
        *zip(*PUBLISHED_RECALL.items(), strict=True),
        color=figures.GREY, linestyle="--", linewidth=1.2, label="published model (OntoNotes)",
    )  # fmt: skip
    axes.plot(
        *PUBLISHED_RULES, linestyle="none", marker="s", markersize=8,
        markerfacecolor="white", markeredgecolor=figures.GREY, label="published rules (OntoNotes)",
    )  # fmt: skip
    recalls = [coverage.recall or 0.0 for coverage in model.values()]
    axes.plot(list(model), recalls, color=figures.BLUE, linewidth=2, label="this model, various λ")
    if actual in model:
        axes.plot(
            actual, model[actual].recall or 0.0, linestyle="none", marker="o", markersize=9,
            color=figures.BLUE, label=f"this model, λ = {actual:g}",
        )  # fmt: skip
    if rules:
        axes.plot(
            rules.spans_per_word, rules.recall or 0.0, linestyle="none", marker="s", markersize=9,
            color=figures.RED, label="rule-based detector",
        )  # fmt: skip
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    lowest = min([50.0, *recalls])
    axes.set(
        xlim=(0.05, 0.55), ylim=(10 * (lowest // 10), 100), xlabel="Spans per word λ", ylabel="Recall (%)",
    )  # fmt: skip
    axes.legend(loc="lower right", frameon=False)
    figures.save_plot(path, figure)


def write_figure3(setup: Setup, folder: Path) -> None:
    """Measures the coverage, plots it and writes it to files; prints the results."""
    rules = measure_rules(setup.documents)
    ratios = sorted({*RATIOS, setup.experiment.mention_ratio})
    model = measure_model(list(read_all(setup.predictor, setup.documents)), ratios)
    rows = table(model, rules)
    folder.mkdir(parents=True, exist_ok=True)
    figures.write_table(folder / "figure3.csv", HEADER, rows)
    draw(folder / "figure3.png", setup.title, model, rules, setup.experiment.mention_ratio)
    figures.print_table(HEADER, rows)
    if rules is None:
        print(f"{setup.corpus} has no parses, so the figure does not include the rule-based detector")
    print(f"wrote {folder / 'figure3.csv'} and .png; published figures are for OntoNotes English")

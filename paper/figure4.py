"""Figure 4: the agreement of kept spans, and of their most attended words, with gold syntax, by width."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents import Document
from coref_tf.evaluation import figures
from coref_tf.syntax.heads import head_word
from coref_tf.syntax.tree import document_trees
from paper.readings import Reading, Setup, gold_mentions, keep_spans, percent, read_all

# For spans of 1 to 10 words, in percent.
PUBLISHED_CONSTITUENTS = (100.0, 89.8, 86.4, 76.0, 69.6, 62.0, 57.4, 52.1, 46.3, 45.6)
PUBLISHED_HEADS = (100.0, 92.9, 86.1, 78.0, 78.6, 78.0, 69.9, 72.0, 68.2, 68.1)
PUBLISHED_GOLD = (59.955, 20.589, 8.079, 4.053, 2.619, 1.391, 1.218, 0.905, 0.722, 0.469)
HEADER = (
    "width", "spans kept", "constituents %", "heads attended %", "gold mentions %",
    "published constituents %", "published heads attended %", "published gold mentions %",
)  # fmt: skip


class Agreement(NamedTuple):
    """The agreement of spans of one width with syntax, in percent; None if there is nothing to count."""

    kept: int
    constituents: float | None  # the kept spans that are constituents
    heads: float | None  # the constituents among them whose head is the most attended word
    gold: (
        float | None
    )  # the gold mentions of this width, among those up to the largest width, as in the paper


def measure(readings: Iterable[Reading], ratio: float, max_width: int) -> dict[int, Agreement]:
    """Measures the agreement for every width, over the documents that have parses.

    Example:
        measure(read_all(predictor, documents), 0.4, 10)[5].constituents     # 69.6 in the paper
    """
    kept, constituents, agreeing, gold = Counter(), Counter(), Counter(), Counter()
    for reading in readings:
        heads = constituent_heads(reading.document)
        gold.update(end - start + 1 for start, end in gold_mentions(reading.document))
        for start, end in keep_spans(reading, ratio):
            width = end - start + 1
            kept[width] += 1
            if (start, end) in heads:
                constituents[width] += 1
                attended = start + int(reading.head_scores[start : end + 1].argmax())
                agreeing[width] += attended == heads[start, end]
    widths = range(1, max_width + 1)
    all_gold = sum(gold[width] for width in widths)
    return {
        width: Agreement(
            kept[width],
            percent(constituents[width], kept[width]),
            percent(agreeing[width], constituents[width]),
            percent(gold[width], all_gold),
        )
        for width in widths
    }


def constituent_heads(document: Document) -> dict[tuple[int, int], int]:
    """Returns the span of every constituent, including words, and the position of its head."""
    return {tree.span: head_word(tree).start for root in document_trees(document) for tree in root.subtrees()}


def table(agreements: dict[int, Agreement]) -> list[tuple]:
    """Returns the rows of the CSV file, under HEADER."""
    published = zip(PUBLISHED_CONSTITUENTS, PUBLISHED_HEADS, PUBLISHED_GOLD, strict=True)
    published = dict(enumerate(published, start=1))
    return [(width, *own, *published.get(width, (None,) * 3)) for width, own in agreements.items()]


def draw(path: Path, title: str, agreements: dict[int, Agreement]) -> None:
    """Plots three bars for each width, with the published values as marks.

    Args:
        path: The path of the PNG file.
        title: The model and the corpus.
        agreements: The agreement by width.
    """
    figure, axes = figures.new_plot(f"Mention precision, {title}")
    series = [
        ("constituents", "spans that are constituents", figures.BLUE, PUBLISHED_CONSTITUENTS),
        ("heads", "constituents with their head attended most", figures.LIGHT_BLUE, PUBLISHED_HEADS),
        ("gold", "gold mentions of this width", figures.BLACK, PUBLISHED_GOLD),
    ]
    shown = []
    for number, (name, label, colour, published) in enumerate(series):
        places = [width + 0.27 * (number - 1) for width in agreements]
        values = [getattr(own, name) or 0.0 for own in agreements.values()]
        shown.append(axes.bar(places, values, width=0.25, color=colour, label=label))
        marks = zip(*zip(places, published, strict=False), strict=True)
        [line] = axes.plot(
            *marks, linestyle="none", marker="_", markersize=9, markeredgewidth=1.8, color=figures.RED,
            label="published (OntoNotes)",
        )  # fmt: skip
    axes.set(
        xticks=list(agreements), ylim=(0, 125), yticks=range(0, 101, 10), xlabel="Span width", ylabel="%"
    )
    axes.legend(handles=[*shown, line], loc="upper right", frameon=False, ncols=2, fontsize="small")
    figures.save_plot(path, figure)


def write_figure4(setup: Setup, folder: Path) -> None:
    """Measures the agreement, plots it and writes it to files; prints the results."""
    experiment = setup.experiment
    readings = read_all(setup.predictor, setup.documents)
    agreements = measure(readings, experiment.mention_ratio, experiment.max_mention_width)
    rows = table(agreements)
    folder.mkdir(parents=True, exist_ok=True)
    figures.write_table(folder / "figure4.csv", HEADER, rows)
    draw(folder / "figure4.png", setup.title, agreements)
    figures.print_table(HEADER, rows)
    print(f"wrote {folder / 'figure4.csv'} and .png; published figures are for OntoNotes English")

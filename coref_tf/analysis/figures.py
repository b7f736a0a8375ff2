"""What the figures have in common: the model's reading of documents, tables and plots."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coref_tf.config import Experiment, describe
from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import require_extra
from coref_tf.support.files import atomic_write
from coref_tf.syntax.tree import document_trees

if TYPE_CHECKING:
    from coref_tf.inference.predictor import Predictor

# Colours that everybody can tell apart (Okabe and Ito).
BLUE, LIGHT_BLUE, RED, BLACK, GREY = "#0072B2", "#56B4E9", "#D55E00", "#000000", "#666666"


class Reading(NamedTuple):
    """What the model makes of a document before it prunes."""

    document: Document
    starts: np.ndarray  # int32 [candidates]
    ends: np.ndarray  # int32 [candidates]
    mention_scores: np.ndarray  # float32 [candidates], s_m
    head_scores: np.ndarray  # float32 [words], alpha


class Setup(NamedTuple):
    """What a figure is about."""

    experiment: Experiment
    corpus: Path
    documents: list[Document]
    predictor: "Predictor"

    @property
    def title(self) -> str:
        """Which model reads what."""
        return f"{self.experiment.name} on {self.corpus.name}"


def set_up(
    experiment: Experiment,
    data: str | None = None,
    checkpoint: str | None = None,
    needs_parses: bool = False,
) -> Setup:
    """The trained model and the documents, by default the dev set's, which may have to have parses."""
    if experiment.mentions != "learned":
        raise CorefError(
            f"experiment {experiment.name}: its mentions are given ({experiment.mentions}), so that nothing is"
            " pruned; expected an experiment with mentions = learned"
        )
    corpus = Path(data) if data else experiment.conll_eval_path
    documents = [document for document in read_documents(corpus) if document.num_words]
    for document in documents if needs_parses else ():
        document_trees(document)
    # TensorFlow takes seconds to import: only now that everything else is known to be right.
    from coref_tf.inference.predictor import Predictor

    print(describe([experiment], corpus), flush=True)
    return Setup(experiment, corpus, documents, Predictor.load([experiment], checkpoint))


def read_all(predictor: "Predictor", documents: Iterable[Document]) -> Iterator[Reading]:
    """Every span's mention score and every word's head score, document after document."""
    import tensorflow as tf

    @tf.function(input_signature=[predictor.tensorizer.specs], autograph=False)
    def read(inputs):
        words, candidates, mention_scores = predictor.model.read(inputs)
        return *candidates, mention_scores, words.head_scores

    for document in documents:
        tensors = read(predictor.tensorizer.tensorize(document))
        yield Reading(document, *(tensor.numpy() for tensor in tensors))


def keep(reading: Reading, ratio: float) -> list[tuple[int, int]]:
    """The spans that pruning keeps with this lambda."""
    from coref_tf.layers.span_pruner import SpanPruner

    scored = reading.mention_scores, reading.starts, reading.ends
    kept = SpanPruner(ratio)(*scored, reading.document.num_words).numpy()
    return list(zip(reading.starts[kept].tolist(), reading.ends[kept].tolist(), strict=True))


def gold_mentions(document: Document) -> set[tuple[int, int]]:
    """The spans of the gold clusters."""
    return {span for cluster in document.clusters for span in cluster}


def percent(part: float, whole: float) -> float | None:
    """100 * part / whole; None, which tables leave blank, of nothing."""
    return 100 * part / whole if whole else None


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a CSV; numbers to four digits, None as nothing."""

    def text(value: Any) -> Any:
        return f"{value:.4f}" if isinstance(value, float) else value

    with atomic_write(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([text(value) for value in row] for row in rows)


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Prints a table; numbers to two digits, None as nothing."""

    def text(value: Any) -> str:
        return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)

    lines = [list(header)] + [[text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def new_plot(title: str) -> tuple[Any, Any]:
    """A figure and its axes, drawn without a screen."""
    require_extra("plots", "a figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize="medium")
    return figure, axes


def save_plot(path: Path, figure: Any) -> None:
    """Writes a PNG; the same figures give the same file."""
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format="png", metadata={"Software": None})

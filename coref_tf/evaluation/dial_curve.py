"""`coref analyse dial`: precision and recall of links, and F1 of clusters, by minimum probability."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coref_tf.decoding import clusters_of, remove_improbable_links
from coref_tf.documents import Document, read_documents
from coref_tf.evaluation import figures
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.link_curve import count_gold_links, link_curve
from coref_tf.models.dial import THRESHOLDS, Dial
from coref_tf.models.trained_model import TrainedModel, describe_models
from coref_tf.scoring import Scorer
from coref_tf.support.errors import CorefError
from coref_tf.support.progress import counted

if TYPE_CHECKING:
    from coref_tf.inference.prediction import Prediction

HEADER = ("minimum probability", "links", "link precision %", "at least %", "link recall %", "CoNLL F1 %")
PRINTED = 10  # prints every tenth threshold


class Linked(NamedTuple):
    """The data needed to remove links from one document's prediction at any threshold."""

    document: Document
    starts: np.ndarray  # int [spans]
    ends: np.ndarray  # int [spans]
    antecedents: np.ndarray  # int [spans], the best antecedent of each, -1 for none
    places: np.ndarray  # float32 [spans], the probability of each span's place

    @classmethod
    def from_prediction(cls, prediction: "Prediction") -> "Linked":
        """Extracts the links of a prediction from which none has been removed."""
        starts, ends = np.array(prediction.top_spans, int).reshape(-1, 2).T
        places = prediction.place_probabilities
        if places is None:
            raise ValueError(
                "the prediction has no probabilities; expected a prediction from a model that computes them"
            )
        return cls(prediction.document, starts, ends, prediction.antecedents, places)

    def left(self, threshold: float) -> np.ndarray:
        """Returns the antecedents, int [spans], without links whose place probability is below `threshold`."""
        return remove_improbable_links(self.antecedents, self.places, threshold)


def average_f1(predicted: Sequence[Linked], threshold: float, remove_singletons: bool = False) -> float:
    """Returns the CoNLL average F1, in percent, of the remaining clusters."""
    scorer = Scorer(remove_singletons=remove_singletons)
    scorer.add_all(
        (None, one.document.clusters, clusters_of(one.starts, one.ends, one.left(threshold)))
        for one in predicted
    )
    return 100 * scorer.result().conll_f1


def table(predicted: Sequence[Linked], curve: Dial, remove_singletons: bool = False) -> list[tuple]:
    """Returns the rows under HEADER, one for each threshold."""
    rows = []
    for threshold, precision, recall, lower in zip(*curve, strict=True):
        links = sum(int((one.left(threshold) >= 0).sum()) for one in predicted)
        shares = (*(None if share is None else 100 * share for share in (precision, lower)), 100 * recall)
        rows.append((threshold, links, *shares, average_f1(predicted, threshold, remove_singletons)))
    return rows


def draw(path: Path, title: str, rows: Sequence[tuple]) -> None:
    """Draws the three curves."""
    figure, axes = figures.new_plot(title)
    thresholds, _, precision, _, recall, f1 = zip(*rows, strict=True)
    for values, colour, style, name in (
        (precision, figures.BLUE, "-", "precision of links"),
        (recall, figures.RED, "-", "recall of links"),
        (f1, figures.GREY, "--", "CoNLL F1"),
    ):
        drawn = [np.nan if value is None else value for value in values]
        axes.plot(thresholds, drawn, color=colour, linestyle=style, linewidth=1.8, label=name)
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 100), xlabel="Minimum probability of a mention's place", ylabel="%")
    axes.legend(loc="lower left", frameon=False)
    figures.save_plot(path, figure)


def write_dial(
    model: TrainedModel,
    data: Sequence[str],
    folder: Path,
    remove_singletons: bool = False,
) -> None:
    """Predicts once, removes links at each threshold, plots and writes the curve, and prints some rows."""
    documents = [document for path in data for document in read_documents(path)]
    gold_links = count_gold_links(documents)
    if not gold_links:
        raise CorefError(f"{' '.join(data)}: no cluster has two mentions; expected documents with clusters")
    # Imported only after everything else has been checked, because TensorFlow takes seconds to import.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.from_models([model])
    print(describe_models([model], " ".join(data)), flush=True)
    predicted, decisions = [], []
    for prediction in counted(predictor.predict_all(documents, details=True)):
        predicted.append(Linked.from_prediction(prediction))
        decisions.append(Decisions.from_prediction(prediction))
    curve = link_curve(Decisions.joined(decisions), predictor.calibration, gold_links, THRESHOLDS)
    rows = table(predicted, curve, remove_singletons)
    folder.mkdir(parents=True, exist_ok=True)
    figures.write_table(folder / "dial.csv", HEADER, rows)
    names = ", ".join(Path(path).name for path in data)
    draw(folder / "dial.png", f"The dial: {model.name} on {names}", rows)
    figures.print_table(HEADER, rows[::PRINTED])
    print(f"wrote {folder / 'dial.csv'} and .png")

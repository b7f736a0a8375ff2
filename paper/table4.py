"""Table 4: clusters and head attention of a few documents, as a page and as text."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coref_tf.documents import Document
from coref_tf.page.data import PageSettings
from coref_tf.page.writer import open_page
from coref_tf.support.files import write_json
from paper.readings import Setup

if TYPE_CHECKING:
    from coref_tf.inference.prediction import Prediction

DOCUMENTS = 8  # the maximum number, one of each genre


def choose(documents: Iterable[Document], most: int = DOCUMENTS) -> list[Document]:
    """Returns the first document of each genre."""
    firsts: dict[str, Document] = {}
    for document in documents:
        firsts.setdefault(document.genre, document)
    return list(firsts.values())[:most]


def example(prediction: "Prediction") -> dict[str, Any] | None:
    """Returns the cluster with the longest mentions: the words of each mention, with their head attention.

    Example:
        example(prediction)   # {"document": ..., "mentions": [{"words": ["the", "blaze"], "weights": [0.0, 1.0]}, ...]}
    """
    if not prediction.clusters:
        return None
    words, head_scores = prediction.document.words, prediction.output.head_scores
    longest = max(prediction.clusters, key=lambda cluster: np.mean([end - start for start, end in cluster]))
    return {
        "document": prediction.document.key,
        "mentions": [
            {"words": list(words[start : end + 1]), "weights": attention(head_scores[start : end + 1])}
            for start, end in longest
        ],
    }


def attention(head_scores: Sequence[float]) -> list[float]:
    """Computes a_{i,t}: the softmax of a span's head scores."""
    weights = np.exp(np.asarray(head_scores, np.float64) - np.max(head_scores))
    return (weights / weights.sum()).round(4).tolist()


def write_table4(setup: Setup, folder: Path) -> None:
    """Predicts the clusters of the chosen documents, and writes and prints the table."""
    folder.mkdir(parents=True, exist_ok=True)
    examples = []
    title = f"{setup.experiment.name}, {setup.corpus.name}"
    with open_page(folder / "table4.html", title, PageSettings.from_experiments([setup.experiment])) as write:
        for prediction in setup.predictor.predict_all(choose(setup.documents), details=True):
            write(prediction)
            examples.append(example(prediction))
    write_json(folder / "table4.json", [found for found in examples if found])
    print(f"wrote {folder / 'table4.html'} and .json")

"""Scores a model on documents with gold clusters."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.stats import count
from coref_tf.inference.prediction import Prediction
from coref_tf.scoring import CorefScores, Scorer
from coref_tf.support.libraries import algorithms

if TYPE_CHECKING:  # imports TensorFlow, which takes seconds
    from coref_tf.inference.predictor import Predictor


class Evaluation(NamedTuple):
    """The scores of a model on a corpus."""

    scorer: Scorer
    gold_mentions: int
    kept_gold_mentions: int  # the gold mentions that pruning kept
    words: int
    kept_spans: int

    @property
    def scores(self) -> CorefScores:
        """The scores over all documents."""
        return self.scorer.result()

    @property
    def mention_recall(self) -> float:
        """The fraction of gold mentions among the kept spans (figure 3 of the paper)."""
        return self.kept_gold_mentions / max(self.gold_mentions, 1)

    @property
    def spans_per_word(self) -> float:
        """The number of spans that were kept per word."""
        return self.kept_spans / max(self.words, 1)


def evaluate(
    predictor: "Predictor",
    documents: Iterable[Document],
    seen: Callable[[Prediction], None] = lambda prediction: None,
    remove_singletons: bool = False,
) -> Evaluation:
    """Predicts every document and scores the clusters; calls `seen` with each prediction.

    With `remove_singletons`, gold clusters of one mention are ignored.

    Example:
        evaluate(predictor, read_documents("dev.conll")).scores.average_f1
    """
    algorithms()  # fails early if the scorer's library is missing or stale
    scored, gold_mentions, kept_gold, words, kept = [], 0, 0, 0, 0
    for prediction in predictor.predict_all(documents):
        document = prediction.document
        seen(prediction)
        scored.append((document.key, document.clusters, prediction.clusters))
        spans = set(prediction.top_spans)
        clusters = [c for c in document.clusters if len(c) > 1 or not remove_singletons]
        gold = {mention for cluster in clusters for mention in cluster}
        gold_mentions += len(gold)
        kept_gold += len(gold & spans)
        words += document.num_words
        kept += len(spans)
    scorer = Scorer(remove_singletons=remove_singletons)
    scorer.add_all(scored)
    return Evaluation(scorer, gold_mentions, kept_gold, words, kept)


def mostly_singletons(documents: Iterable[Document]) -> str | None:
    """Returns a warning if most of the gold clusters are singletons, otherwise None."""
    stats = count(documents)
    if 2 * stats.singletons <= stats.clusters:
        return None
    share = 100 * stats.singletons / stats.clusters
    return (
        f"{share:.0f}% of the gold clusters are singletons, which the model never predicts; the scores are not"
        " comparable with those on corpora without singletons"
    )

"""How good a model's clusters are, on documents whose clusters are known."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.stats import count
from coref_tf.inference.prediction import Prediction
from coref_tf.scoring import CorefScores, Scorer
from coref_tf.support.libraries import algorithms

if TYPE_CHECKING:  # whose TensorFlow takes seconds to import
    from coref_tf.inference.predictor import Predictor


class Evaluation(NamedTuple):
    """The scores of a model on a corpus."""

    scorer: Scorer
    gold_mentions: int
    kept_gold_mentions: int  # those among them that pruning kept
    words: int
    kept_spans: int

    @property
    def scores(self) -> CorefScores:
        """The scores over all documents."""
        return self.scorer.result()

    @property
    def mention_recall(self) -> float:
        """The share of gold mentions among the kept spans (the paper's figure 3)."""
        return self.kept_gold_mentions / max(self.gold_mentions, 1)

    @property
    def spans_per_word(self) -> float:
        """How many spans were really kept for a word."""
        return self.kept_spans / max(self.words, 1)


def evaluate(
    predictor: "Predictor",
    documents: Iterable[Document],
    seen: Callable[[Prediction], None] = lambda prediction: None,
    remove_singletons: bool = False,
) -> Evaluation:
    """Predicts every document and scores the clusters; `seen` is shown each prediction.

    With `remove_singletons`, gold clusters of one mention count nowhere.

    Example:
        evaluate(predictor, read_documents("dev.conll")).scores.average_f1
    """
    algorithms()  # says at once when the scorer's library is missing or stale
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
    """The warning for gold clusters most of which are singletons; None otherwise."""
    stats = count(documents)
    if 2 * stats.singletons <= stats.clusters:
        return None
    share = 100 * stats.singletons / stats.clusters
    return (
        f"{share:.0f} % of the gold clusters are singletons, which the model never predicts: the scores can't be"
        " compared with those of corpora without"
    )

"""Coreference scores equal to those of the official CoNLL-2012 scorer v8.01.

MUC, B-cubed, CEAF-m, CEAF-e, BLANC, LEA, mention detection and the CoNLL average, computed in C++.

Example:
    scores = score(key=[[(0, 0), (3, 4)], [(6, 6), (8, 9)]], response=[[(0, 0), (3, 4), (6, 6)]])
    scores.muc.recall, scores.average_f1          # 0.5, 0.44...

    scorer = Scorer()                             # over many documents
    for document in documents:
        scorer.add(document.clusters, predict(document), document=document.key)
    print(scorer.result().average_f1)
"""

from coref_tf.scoring.coref_scores import CorefScores
from coref_tf.scoring.metrics import BlancScore, MetricScore
from coref_tf.scoring.scorer import Scorer, score

__all__ = ["METRICS", "BlancScore", "CorefScores", "MetricScore", "Scorer", "score"]


def __getattr__(name: str) -> tuple[str, ...]:
    """Returns METRICS, the names of all metrics, from the built library, which is loaded on first use."""
    if name != "METRICS":
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from coref_tf.scoring.metrics import metric_table

    return tuple(metric_table())

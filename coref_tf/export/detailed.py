"""What the signature `details` found, as the Predictor of a checkpoint says it."""

from collections.abc import Mapping

import numpy as np

from coref_tf.decoding import best_antecedents, places_of
from coref_tf.documents.document import Document
from coref_tf.inference.prediction import Prediction, SpanDecisions
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.model import CorefOutput
from coref_tf.models.calibration import AS_THEY_ARE, Calibration

SIGNATURE = "details"


def detailed_prediction(
    document: Document,
    found: Mapping[str, np.ndarray],
    calibration: Calibration = AS_THEY_ARE,
    min_probability: float = 0.0,
) -> Prediction:
    """The prediction, with details.

    Args:
        document: that was resolved.
        found: what the signature gave.
        calibration: what makes probabilities of scores.
        min_probability: links of mentions whose place is less probable are taken away before clusters are made.
    """
    output = _output(found)
    indices, scores = output.antecedents.indices, output.antecedents.scores
    best = best_antecedents(indices, scores)
    # [spans, 1 + antecedents]
    shares = calibration.probabilities(scores)
    columns = scores.argmax(axis=1)[:, np.newaxis]
    # [spans]
    decisions = SpanDecisions(
        starts=output.top_span_starts,
        ends=output.top_span_ends,
        mention_scores=output.top_span_mention_scores,
        antecedents=best,
        antecedent_scores=np.take_along_axis(scores, columns, axis=1)[:, 0],
        link_probabilities=np.take_along_axis(shares, columns, axis=1)[:, 0],
        place_probabilities=places_of(best, indices, shares),
    )
    return Prediction.from_decisions(
        document, decisions, output=output, calibration=calibration, min_probability=min_probability
    )


def _output(found: Mapping[str, np.ndarray]) -> CorefOutput:
    antecedents = Antecedents(*(found[f"antecedent_{name}"] for name in Antecedents._fields))
    names = [name for name in CorefOutput._fields if name != "antecedents"]
    return CorefOutput(*(found[name] for name in names), antecedents)

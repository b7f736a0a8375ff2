"""What the signature `details` found, as the Predictor of a checkpoint says it."""

from collections.abc import Mapping

import numpy as np

from coref_tf.decoding import best_antecedents, clusters_of, confident, place_probabilities, places_of
from coref_tf.documents.document import Document
from coref_tf.inference.calibration import AS_THEY_ARE, Calibration
from coref_tf.inference.prediction import Prediction
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.model import CorefOutput

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
    # [spans]
    places = places_of(best, indices, shares)
    antecedents = confident(best, places, min_probability)
    linked = antecedents >= 0
    columns = scores.argmax(axis=1)[:, np.newaxis]
    return Prediction(
        document,
        clusters_of(output.top_span_starts, output.top_span_ends, antecedents),
        list(zip(output.top_span_starts.tolist(), output.top_span_ends.tolist(), strict=True)),
        output.top_span_mention_scores,
        antecedents,
        np.where(linked, np.take_along_axis(scores, columns, axis=1)[:, 0], 0),
        output,
        np.where(linked, np.take_along_axis(shares, columns, axis=1)[:, 0], 0),
        place_probabilities(antecedents, places),
        calibration,
        min_probability,
    )


def _output(found: Mapping[str, np.ndarray]) -> CorefOutput:
    antecedents = Antecedents(*(found[f"antecedent_{name}"] for name in Antecedents._fields))
    names = [name for name in CorefOutput._fields if name != "antecedents"]
    return CorefOutput(*(found[name] for name in names), antecedents)

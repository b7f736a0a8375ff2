"""Joint decoding of the speakers of all quotations with a second-order Viterbi search."""

from collections.abc import Mapping, Sequence

from coref_tf.quotations.cues import Candidates
from coref_tf.quotations.evidence import UNKNOWN, Features

Weights = Mapping[str, float]


def emission_score(weights: Weights, features: Features) -> float:
    """Returns the weighted sum of features."""
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


def transition_score(weights: Weights, gap: Sequence[str], earlier: int, previous: int, entity: int) -> float:
    """Returns the score of an entity, given the speakers of the two previous quotations.

    It is the weight of the same speaker again, or of a return to the speaker before that; 0 for any other entity, and
    if one of the two quotations has an UNKNOWN speaker.
    """
    if UNKNOWN in (entity, previous):
        return 0.0
    if entity not in (previous, earlier):
        return 0.0
    relation = "same" if entity == previous else "back"
    return sum(weights.get(f"{relation}_{name}", 0.0) for name in gap)


def best_speakers(
    weights: Weights, gaps: Sequence[Sequence[str]], candidates: Sequence[Candidates]
) -> list[int]:
    """Returns the index of the best candidate of each quotation.

    The time is linear in the number of quotations, because each has few candidates.

    Args:
        weights: the weights by feature name.
        gaps: how each quotation follows the previous one.
        candidates: the candidates of each quotation.
    """
    if not candidates:
        return []
    # scores[j][k] is the score of the best path that ends with candidates j and k; the first quotation follows none.
    scores = [[emission_score(weights, features) for features in candidates[0].features]]
    earlier, backs = [UNKNOWN], []
    for number in range(1, len(candidates)):
        previous, current = candidates[number - 1].entities, candidates[number].entities
        emissions = [emission_score(weights, features) for features in candidates[number].features]
        arrows, following = [], []
        for j, one in enumerate(previous):
            # The two best predecessors: at least one of them is not the candidate that a return would score.
            ranked = sorted(((row[j], -i) for i, row in enumerate(scores)), reverse=True)[:2]
            row, arrow = [], []
            for k, entity in enumerate(current):
                options = ranked if entity not in earlier else [*ranked, _entry(scores, earlier, entity, j)]
                score, i = max(
                    (value + transition_score(weights, gaps[number], earlier[-i], one, entity), i)
                    for value, i in options
                )
                row.append(score + emissions[k])
                arrow.append(-i)
            following.append(row)
            arrows.append(arrow)
        scores, earlier = following, previous
        backs.append(arrows)
    return _trace(scores, backs)


def _entry(
    scores: Sequence[Sequence[float]], earlier: Sequence[int], entity: int, j: int
) -> tuple[float, int]:
    i = earlier.index(entity)
    return scores[i][j], -i


def _trace(scores: Sequence[Sequence[float]], backs: Sequence[Sequence[Sequence[int]]]) -> list[int]:
    """Returns the index of the candidate of each quotation on the path with the highest final score.

    Args:
        scores: the scores of the best paths that end with candidates j and k of the last two quotations.
        backs: for each quotation but the first, the predecessor of j on the best path that ends with j and k.
    """
    _, j, k = max((score, -j, -k) for j, row in enumerate(scores) for k, score in enumerate(row))
    j, k = -j, -k
    path = [k]
    for arrows in reversed(backs):
        path.append(j)
        j, k = arrows[j][k], j
    return path[::-1]

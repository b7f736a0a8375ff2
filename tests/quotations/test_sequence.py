"""The search for the best sequence of speakers equals an exhaustive search."""

import itertools
import random

from coref_tf.quotations.cues import Candidates
from coref_tf.quotations.evidence import UNKNOWN
from coref_tf.quotations.sequence import best_speakers, emission_score, transition_score

GAPS = (("near",), ("far", "near"), ())


def score_of(weights, gaps, candidates, path):
    entities = [UNKNOWN, *(those.entities[k] for those, k in zip(candidates, path, strict=True))]
    total = sum(emission_score(weights, those.features[k]) for those, k in zip(candidates, path, strict=True))
    for number in range(1, len(path)):
        earlier, previous, entity = entities[number - 1], entities[number], entities[number + 1]
        total += transition_score(weights, gaps[number], earlier, previous, entity)
    return total


def test_no_other_path_scores_higher():
    generator = random.Random(0)
    for _ in range(300):
        weights = {
            f"{kind}_{gap}": generator.uniform(-3, 3) for kind in ("same", "back") for gap in ("near", "far")
        }
        weights["cue"] = 1.0
        candidates = []
        for _ in range(generator.randint(1, 5)):
            entities = [*generator.sample(range(4), generator.randint(0, 3)), UNKNOWN]
            features = [{"cue": generator.uniform(-2, 2)} for _ in entities]
            candidates.append(Candidates(entities, features, [None] * len(entities)))
        gaps = generator.choices(GAPS, k=len(candidates))
        found = score_of(weights, gaps, candidates, best_speakers(weights, gaps, candidates))
        paths = itertools.product(*(range(len(those.entities)) for those in candidates))
        best = max(score_of(weights, gaps, candidates, path) for path in paths)
        assert abs(found - best) < 1e-9


def test_no_quotations():
    assert best_speakers({}, [], []) == []

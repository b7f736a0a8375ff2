"""The dial: the precision and recall of links at each probability threshold, and how a checkpoint stores them."""

import dataclasses
import json

import numpy as np
import pytest
from random_documents import small_experiment

from coref_tf.documents import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.link_curve import count_gold_links, link_curve, lower_bound
from coref_tf.export.about import ABOUT, export_cautious_probability
from coref_tf.models.calibration import Calibration
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.dial import CAUTIOUS_PROBABILITY, STATE, THRESHOLDS, Dial, cautious_threshold
from coref_tf.models.open_model import open_experiment
from coref_tf.models.trained_model import precision_threshold
from coref_tf.support.errors import CorefError

DIAL = Dial((0.0, 0.4, 0.8, 1.0), (0.65, 0.8, 0.97, None), (0.7, 0.6, 0.3, 0.0), (0.6, 0.75, 0.95, None))


def random_decisions(seed, spans=300, most=6):
    generator = np.random.default_rng(seed)
    scores = generator.normal(scale=3, size=[spans, 1 + most])
    scores[:, 0] = 0
    chosen = scores.argmax(axis=1)
    place = np.arange(1 + most) == chosen[:, None]
    place[:, 1:] |= (generator.random([spans, most]) < 0.3) & (chosen[:, None] > 0)
    right = generator.random(spans) < 0.6
    return Decisions(scores, place, place, chosen > 0, right, np.arange(spans) // 30)


def test_precision_and_recall_count_the_remaining_links():
    decisions, calibration = random_decisions(0), Calibration(1.3, 0.2)
    found = link_curve(decisions, calibration, gold_links=170)
    assert found.thresholds == THRESHOLDS and THRESHOLDS[0] == 0 and THRESHOLDS[-1] == 1
    probabilities = calibration.probabilities(decisions.scores)
    for least, precision, recall, lower in zip(*found, strict=True):
        right = wrong = 0
        for span in range(len(probabilities)):
            place = sum(
                share
                for share, inside in zip(probabilities[span], decisions.place[span], strict=True)
                if inside
            )
            if decisions.links[span] and np.float32(place) >= np.float32(least):
                right, wrong = right + decisions.right[span], wrong + (not decisions.right[span])
        assert precision == (pytest.approx(right / (right + wrong)) if right + wrong else None)
        assert recall == pytest.approx(right / 170)
        assert (lower is None) == (precision is None) and (lower is None or lower < precision)
    assert found.recall == tuple(sorted(found.recall, reverse=True))


def test_a_curve_without_decisions():
    found = link_curve(Decisions.joined([]), Calibration(), gold_links=0)
    assert set(found.precision) == {None} and set(found.recall) == {0.0}
    assert found.threshold(0.0) is None


def test_the_lower_bound_holds_on_other_documents():
    # Each document has 40 links, and its own share of correct links, between 80 and 100%.
    generator = np.random.default_rng(0)

    def draw_links(documents):
        rights = [generator.random(40) < generator.uniform(0.8, 1.0) for _ in range(documents)]
        return np.concatenate(rights), np.repeat(np.arange(documents), 40)

    bounds = [lower_bound(*draw_links(30)) for _ in range(200)]
    # About 90% of the bounds are below the true share, 0.9, but not far below it.
    assert 0.85 <= np.mean(np.array(bounds) <= 0.9) <= 0.96
    assert np.median(bounds) > 0.87
    # With a single document, links count as independent; ten correct ones out of ten don't make certainty.
    assert lower_bound(np.ones(10, bool), np.zeros(10, int)) == pytest.approx(0.859, abs=0.001)


def test_a_dial_of_an_earlier_version_without_bounds_is_read():
    state = DIAL.as_state()
    del state["lower_precision"]
    assert Dial.from_state({STATE: state}, "x.h5").threshold(0.8) == 0.4


def test_gold_links_include_those_of_pruned_spans():
    first = Document("a", [["w"] * 9], clusters=[[(0, 0), (1, 1), (3, 4)], [(5, 5)], [(6, 6), (8, 8)]])
    assert count_gold_links([first, Document("b", [])]) == 3


@pytest.mark.parametrize(
    ("precision", "least"), [(0.0, 0.0), (0.6, 0.0), (0.61, 0.4), (0.75, 0.4), (0.9, 0.8), (0.96, None)]
)
def test_threshold_is_the_lowest_that_reaches_the_precision(precision, least):
    assert DIAL.threshold(precision) == least


def checkpoint(folder, **state):
    experiment = small_experiment(log_root=folder)
    path = best_checkpoint_path(experiment)
    write_checkpoint(path, Checkpoint(model_settings(experiment), ["a"], {}, state))
    return experiment, path


def test_the_cautious_threshold_aims_at_a_precision_of_95_percent():
    assert cautious_threshold({STATE: DIAL.as_state()}, "x.h5") == 0.8
    never = Dial((0.0, 0.5), (0.6, 0.94), (0.7, 0.6), (0.5, 0.9))
    assert cautious_threshold({STATE: never.as_state()}, "x.h5") == CAUTIOUS_PROBABILITY
    assert cautious_threshold({}, "x.h5") == CAUTIOUS_PROBABILITY
    with pytest.raises(CorefError, match="its dial is 'high'; expected thresholds"):
        cautious_threshold({STATE: "high"}, "x.h5")


def test_an_export_uses_its_dial(tmp_path):
    assert export_cautious_probability(tmp_path) == CAUTIOUS_PROBABILITY
    (tmp_path / ABOUT).parent.mkdir()
    (tmp_path / ABOUT).write_text(json.dumps({STATE: DIAL.as_state()}))
    assert export_cautious_probability(tmp_path) == 0.8


def test_a_checkpoint_stores_the_dial(tmp_path):
    experiment, path = checkpoint(tmp_path, dial=DIAL.as_state())
    model = open_experiment(experiment)
    assert precision_threshold(0.9, [model]) == 0.8 and model.dial == DIAL
    elsewhere = dataclasses.replace(experiment, log_root=tmp_path / "nowhere")
    assert precision_threshold(0.9, [open_experiment(elsewhere, path)]) == 0.8
    with pytest.raises(
        CorefError,
        match=rf"^{experiment.name}: its links do not reach a precision of 0.99 .*; the highest is 0.950$",
    ):
        precision_threshold(0.99, [model])
    with pytest.raises(CorefError, match=r"^the precision of an ensemble's links has not been measured"):
        precision_threshold(0.9, [model, model])


def test_a_checkpoint_without_a_dial_is_a_one_line_error(tmp_path):
    experiment, _ = checkpoint(tmp_path)
    with pytest.raises(
        CorefError, match=r"best.h5: the precision of its links has not been measured; .*`coref train`"
    ):
        precision_threshold(0.9, [open_experiment(experiment)])
    nothing = Dial((0.0,), (None,), (0.0,), (None,))
    experiment, _ = checkpoint(tmp_path, dial=nothing.as_state())
    with pytest.raises(CorefError, match="the model has no links there"):
        precision_threshold(0.0, [open_experiment(experiment)])


@pytest.mark.parametrize(
    "change",
    [
        {"thresholds": [0.0]},
        {"thresholds": [0.0, 0.8, 0.4, 1.0]},
        {"thresholds": [], "precision": [], "recall": []},
        {"precision": [0.6, 0.7, 1.5, None]},
        {"recall": [0.6, "0.7", 0.5, 0.1]},
        {"recall": [True, 0.7, 0.5, 0.1]},
        {"recall": 0.5},
        {"more": []},
    ],
)
def test_an_invalid_dial_is_refused(tmp_path, change):
    experiment, _ = checkpoint(tmp_path, dial=DIAL.as_state() | change)
    with pytest.raises(
        CorefError, match=r"best.h5: its dial is .*; expected thresholds with their precision"
    ):
        precision_threshold(0.9, [open_experiment(experiment)])

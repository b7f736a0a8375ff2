"""Dropout seeds: one for each use, by name, which never changes between versions."""

import numpy as np
import tensorflow as tf

from coref_tf.layers.dropout import DropoutSeeds, fold


def test_every_use_has_its_own_fixed_seed():
    seed = tf.constant([3, 5])
    seeds = DropoutSeeds.split(seed)
    uses = ["embeddings", "encoder", "heads", "widths", "mentions", "pairs"]
    assert set(uses) == set(seeds._fields)
    for number, use in enumerate(uses):
        np.testing.assert_array_equal(getattr(seeds, use), fold(seed, number))
    assert len({tuple(value.numpy()) for value in seeds}) == len(uses)


def test_prediction_has_no_seeds():
    assert set(DropoutSeeds.split(None)) == {None}

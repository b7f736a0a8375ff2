"""The seeds of dropout: one per use, by name, the same ones as ever."""

import numpy as np
import tensorflow as tf

from coref_tf.layers.dropout import DropoutSeeds, fold


def test_every_use_has_a_seed_of_its_own_and_keeps_it():
    seed = tf.constant([3, 5])
    seeds = DropoutSeeds.split(seed)
    uses = ["embeddings", "encoder", "heads", "widths", "mentions", "pairs"]
    assert set(uses) == set(seeds._fields)
    for number, use in enumerate(uses):
        np.testing.assert_array_equal(getattr(seeds, use), fold(seed, number))
    assert len({tuple(value.numpy()) for value in seeds}) == len(uses)


def test_there_are_none_in_prediction():
    assert set(DropoutSeeds.split(None)) == {None}

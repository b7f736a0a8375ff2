"""Which segment each element of a concatenation belongs to."""

import numpy as np
import pytest

from coref_tf.layers.blocks import owners


@pytest.mark.parametrize("lengths", [[], [0], [3], [2, 0, 3], [0, 0, 1, 0], [5, 1, 4, 0]])
def test_owners_repeat_each_index_by_its_length(lengths):
    repeated = np.repeat(np.arange(len(lengths)), lengths)
    np.testing.assert_array_equal(owners(np.array(lengths, np.int32)), repeated)

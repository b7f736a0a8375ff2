"""The time of reading a file is proportional to its size, whatever the file contains."""

import pytest
from growing_files import FILES, MOST_GROWTH, growth


@pytest.mark.slow  # comparisons of times are unreliable on a busy machine
@pytest.mark.parametrize("kind", FILES)
def test_twice_the_file_takes_about_twice_as_long(kind):
    assert growth(FILES[kind]) <= MOST_GROWTH

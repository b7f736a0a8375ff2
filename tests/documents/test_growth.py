"""Reading takes time proportional to the file, whatever kind of part there are many of."""

import pytest
from growing_files import FILES, MOST_GROWTH, growth


@pytest.mark.slow  # it compares times, which other work on the machine disturbs
@pytest.mark.parametrize("kind", FILES)
def test_twice_the_file_takes_about_twice_as_long(kind):
    assert growth(FILES[kind]) <= MOST_GROWTH

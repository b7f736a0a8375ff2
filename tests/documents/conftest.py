"""What the tests of documents share."""

from pathlib import Path

import pytest

from coref_tf.documents import sources


@pytest.fixture
def ferry() -> Path:
    """A small CoNLL file with two parts, speakers, nested mentions and several brackets on a word."""
    return Path(__file__).parent.parent / "fixtures" / "ferry.v4_gold_conll"


@pytest.fixture(autouse=True)
def _show_warnings_anew():
    sources._warned_paths.clear()

"""What the tests of documents share."""

from pathlib import Path

import pytest

from coref_tf.documents import sources


@pytest.fixture
def ferry() -> Path:
    """A small CoNLL file with two parts, speakers, nested mentions and several brackets on a word."""
    return Path(__file__).parent.parent / "fixtures" / "ferry.v4_gold_conll"


@pytest.fixture
def corefud() -> Path:
    """A small CoNLL-U file of CorefUD with an empty node, parts of a mention, types and a bridge."""
    return Path(__file__).parent.parent / "fixtures" / "corefud.conllu"


@pytest.fixture(autouse=True)
def _show_warnings_anew():
    sources._warned_paths.clear()

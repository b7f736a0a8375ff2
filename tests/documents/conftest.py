"""Fixtures for the tests of documents."""

from pathlib import Path

import pytest

from coref_tf.documents import sources


@pytest.fixture
def ferry() -> Path:
    """A small CoNLL-2012 file with two parts, speakers, nested mentions and several brackets on a word."""
    return Path(__file__).parent.parent / "fixtures" / "ferry.v4_gold_conll"


@pytest.fixture
def corefud() -> Path:
    """A small CoNLL-U file of CorefUD with an empty node, a mention in parts, entity types and a bridge."""
    return Path(__file__).parent.parent / "fixtures" / "corefud.conllu"


@pytest.fixture(autouse=True)
def _reset_warnings():
    sources._warned_paths.clear()

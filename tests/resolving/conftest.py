"""A fixture that makes documents from inline annotation."""

import pytest

from coref_tf.documents.inline import read_inline


@pytest.fixture
def inline(tmp_path):
    """A function that makes a document from a text with mentions in brackets."""

    def make(text):
        path = tmp_path / "made.txt"
        path.write_text(text + "\n", encoding="utf-8")
        return read_inline(path, "x/made")

    return make

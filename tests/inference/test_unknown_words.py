"""Warnings about documents most of whose words the model doesn't know."""

import numpy as np

from coref_tf.documents import Document
from coref_tf.inference.unknown_words import UnknownWords, mostly_unknown, unknown_share


def known(words):
    return np.array([word in ("the", "sea", ".") for word in words], bool)


def document(text, key="a"):
    return Document(key, [text.split()] if text else [], key=key)


def test_a_warning_needs_unknown_words_to_be_the_majority_of_words_with_letters():
    assert mostly_unknown(document("the sea море ."), known) is None
    assert mostly_unknown(document("the море"), known) is None  # half is not a majority
    assert "document a: 67%" in mostly_unknown(document("the море моря . . . 12"), known)
    assert mostly_unknown(document("12 — 13 ; !"), known) is None  # no words with letters
    assert mostly_unknown(document(""), known) is None


def test_the_unknown_share_counts_every_token():
    assert unknown_share([document("the море . 12"), document("the sea")], known) == 2 / 6
    assert unknown_share([], known) == 0


def test_the_first_documents_are_named_and_the_rest_counted(capsys):
    warnings = UnknownWords(known)
    for number in range(5):
        warnings.see(document("море моря", f"d{number}"))
        warnings.see(document("the sea"))
    warnings.close()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in lines[:3]] == [" document d0", " document d1", " document d2"]
    assert "2 more documents" in lines[3] and len(lines) == 4

"""Who is told that a model doesn't know a text's words."""

import numpy as np

from coref_tf.documents import Document
from coref_tf.inference.unknown_words import UnknownWords, mostly_unknown, unknown_share


def known(words):
    return np.array([word in ("the", "sea", ".") for word in words], bool)


def document(text, key="a"):
    return Document(key, [text.split()] if text else [], key=key)


def test_most_words_that_have_a_letter():
    assert mostly_unknown(document("the sea море ."), known) is None
    assert mostly_unknown(document("the море"), known) is None  # half of them isn't most
    assert "document a: 67 %" in mostly_unknown(document("the море моря . . . 12"), known)
    assert mostly_unknown(document("12 — 13 ; !"), known) is None  # no word at all
    assert mostly_unknown(document(""), known) is None


def test_the_share_counts_every_word():
    assert unknown_share([document("the море . 12"), document("the sea")], known) == 2 / 6
    assert unknown_share([], known) == 0


def test_a_few_documents_are_named_and_the_others_counted(capsys):
    warnings = UnknownWords(known)
    for number in range(5):
        warnings.see(document("море моря", f"d{number}"))
        warnings.see(document("the sea"))
    warnings.close()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in lines[:3]] == [" document d0", " document d1", " document d2"]
    assert "2 more documents" in lines[3] and len(lines) == 4

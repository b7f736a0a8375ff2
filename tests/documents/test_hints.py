"""Hints about texts that are probably meant to be read in another way."""

import pytest

from coref_tf.documents.hints import describe_conversation, looks_annotated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ana|Ana] said [ana|she] was late.", True),
        ("[Ana|Ana] said\n[Ana|[town|the town]'s mayor] was late.", True),
        ("[ana|Ana] was late.", False),
        ("[[Ana|her]] and [[Ben|him]], see [1] or [a | b] or [c|].", False),
    ],
)
def test_annotated_text_is_recognised(text, expected):
    assert looks_annotated(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana: I left.\nBen: Did you?\nAna: I did.\n", "3 turns of 2 speakers"),
        ("10:02 <ana> hi\n10:03 <ben> hi\n", "2 turns of 2 speakers (IRC log)"),
        ("Ana: I left.\nThen she ran.\n", ""),
        ("Note: the ferry is late. Here is why: fog.\n", ""),
    ],
)
def test_conversations_are_recognised(text, expected):
    assert describe_conversation(text) == expected

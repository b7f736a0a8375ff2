"""Sentence and token splitting of raw text."""

import itertools

import pytest

from coref_tf.documents import tokenizer
from coref_tf.documents.tokenizer import split_sentences, tokenize_sentence


def sentences(text: str) -> list[str]:
    return [" ".join(text[begin:end] for begin, end in sentence) for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Dr. Roy met Mr. J. K. Lee, Jr., on St. Kilda.", "Dr. Roy met Mr. J. K. Lee , Jr. , on St. Kilda ."),
        ("The U.S. Senate met at 5 p.m. Tuesday.", "The U.S. Senate met at 5 p.m. Tuesday ."),
        ("Acme Inc. Chairman Li got 3.5%, or $1,000.", "Acme Inc. Chairman Li got 3.5 % , or $ 1,000 ."),
        ("Capt. Lee and Lt. Col. Roy saw Gen. Kane.", "Capt. Lee and Lt. Col. Roy saw Gen. Kane ."),
        ('"Why?" she asked, "Where?!" too.', '" Why ? " she asked , " Where ? ! " too .'),
        ("He waited... and waited… in vain.", "He waited ... and waited … in vain ."),
        ("Wait . . . what?", "Wait . . . what ?"),
        ("See No. 5, Fig. 3 and pp. 4-9, etc., now.", "See No. 5 , Fig. 3 and pp. 4 - 9 , etc. , now ."),
        ("Some, e.g. five or approx. six.", "Some , e.g. five or approx. six ."),
        ("Read https://a.org/b.c?d=e or a.b@c.org.", "Read https://a.org/b.c?d=e or a.b@c.org ."),
        ("A well-known version 2.0 is out.", "A well - known version 2.0 is out ."),
        ("I can't, won't, cannot; it's Ana's.", "I ca n't , wo n't , can not ; it 's Ana 's ."),
        ('He asked "Who?", not I: "Why?"; so be it.', 'He asked " Who ? " , not I : " Why ? " ; so be it .'),
        ("It’s theirs, they’ve said.", "It ’s theirs , they ’ve said ."),
        ("I. M. Pei built it.", "I. M. Pei built it ."),
        ("(It rained.)", "( It rained . )"),
        ("I sat in seat 31B.", "I sat in seat 31B ."),
        ("It was I.", "It was I ."),
        ("1. Stir the soup.", "1 . Stir the soup ."),
        ("2.2. Results", "2.2 . Results"),
        ("``Yes'', he said.", "`` Yes '' , he said ."),
        ("It rained (a lot).[1][12]", "It rained ( a lot ) . [ 1 ] [ 12 ]"),
    ],
)
def test_tokens_of_one_sentence(text, tokens):
    assert sentences(text) == [tokens]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left. She stayed.", ["He left .", "She stayed ."]),
        ('"Stop." Then it stopped!', ['" Stop . "', "Then it stopped !"]),
        ("“Is it?” ‘No.’ She nodded.", ["“ Is it ? ”", "‘ No . ’", "She nodded ."]),
        ('"Why?!" he asked. "I don\'t know."', ['" Why ? ! " he asked .', '" I do n\'t know . "']),
        ("(She left.) [He stayed.] All.", ["( She left . )", "[ He stayed . ]", "All ."]),
        (
            "In the U.S. He left at 6 p.m. The rest stayed.",
            ["In the U.S.", "He left at 6 p.m.", "The rest stayed ."],
        ),
        ("It was I. Plan B. We chose it.", ["It was I .", "Plan B .", "We chose it ."]),
        ("I met Elizabeth I. She waved.", ["I met Elizabeth I .", "She waved ."]),
        ("Well... I see.", ["Well ...", "I see ."]),
        ("It fell.[1] Then [2] it rose.", ["It fell . [ 1 ]", "Then [ 2 ] it rose ."]),
        ("He left. — Who? — Ivo.", ["He left .", "— Who ?", "— Ivo ."]),
        ("Yes. 1990 was wet. 2 died.", ["Yes .", "1990 was wet .", "2 died ."]),
        ("ok. so it is. isn't it? yes!", ["ok .", "so it is .", "is n't it ?", "yes !"]),
        ("One line\nand its rest.\n\nA title\n\nMore.", ["One line and its rest .", "A title", "More ."]),
        ("A title\r\n \r\nMore\fYet more", ["A title", "More", "Yet more"]),
        ("Take:\n- flour\n- milk\n* salt", ["Take :", "- flour", "- milk", "* salt"]),
        ("1. Stir\n2. Boil it.\n3) Eat", ["1 . Stir", "2 . Boil it .", "3 ) Eat"]),
        ("Go to seat 31B. Sit.", ["Go to seat 31B .", "Sit ."]),
        ("", []),
        (" \n\n\t ", []),
        ("...", ["..."]),
        (".", ["."]),
        ('"', ['"']),
    ],
)
def test_sentence_ends(text, expected):
    assert sentences(text) == expected


def test_offsets_are_exact_for_all_characters():
    text = "\u00a0 Zoë’s 😀 e\u0301tude\u2028cost €3.50…\n\n\u3000“Ça va?” 他来了。 \u200b\x07 İstanbul."
    found = [token for sentence in split_sentences(text) for token in sentence]
    assert all(text[begin:end].strip() for begin, end in found)
    assert all(first.end <= second.begin for first, second in itertools.pairwise(found))
    kept = "".join(text[begin:end] for begin, end in found)
    assert kept == "".join(text.split())
    assert {"Zoë", "’s", "😀", "3.50", "İstanbul"} <= {text[begin:end] for begin, end in found}


def test_a_known_sentence_is_never_split():
    text = "Go. Now. It was I."
    words = [text[begin:end] for begin, end in tokenize_sentence(text, 0, len(text))]
    assert words == ["Go", ".", "Now", ".", "It", "was", "I", "."]
    assert tokenize_sentence("  ", 0, 2) == []


def test_long_words_are_tokenized_completely():
    for text in ["a" * 5000, "a-" * 2500, "." * 5000, "a." * 2500]:
        assert "".join(text[b:e] for sentence in split_sentences(text) for b, e in sentence) == text


@pytest.mark.parametrize("piece", ["!", '"', "(", "?!", "'s", "$", "😀", "…", "_", "،", "a.", "word)"])
def test_long_runs_are_split_before_spacy(monkeypatch, piece):
    """The time that spaCy takes for a run without blanks grows with the square of its length."""
    real, given = tokenizer.spacy_tokenizer(), []

    def recording(language):
        return lambda text: given.append(text) or real(text)

    monkeypatch.setattr(tokenizer, "spacy_tokenizer", recording)
    text = piece * 5000
    found = [text[slice(*token)] for sentence in split_sentences(text) for token in sentence]
    assert "".join(found) == text == "".join(given)
    assert max(map(len, given)) <= (2000 if any(map(str.isalnum, piece)) else 100)


@pytest.mark.parametrize(
    "text", ["-" * 80, "." * 60, "https://example.org/" + "a/b-c.d?e=f;" * 40 + "g", "x" * 1500]
)
def test_common_long_tokens_are_not_split(text):
    assert sentences(text) == [text]

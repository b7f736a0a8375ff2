"""Quotations and their speakers in short texts, long texts, and hostile or random input."""

import random
import time

import pytest
from quotations_cases import CASES, WITH_CLUSTERS, find_spans

from coref_tf.documents.document import Document
from coref_tf.documents.text import document_from_text
from coref_tf.quotations import find_all_quotations


def found_in(text, clusters=None):
    document = document_from_text(text, "x")
    return [(each.text, each.speaker) for each in find_all_quotations(document, clusters)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_quotations_and_speakers(case):
    assert found_in(case.text) == case.expected


@pytest.mark.parametrize(("text", "clusters", "expected"), WITH_CLUSTERS)
def test_speakers_through_coreference(text, clusters, expected):
    document = document_from_text(text, "x")
    found = find_all_quotations(document, find_spans(document, clusters))
    assert [(each.text, each.speaker) for each in found] == expected


def test_attributes_of_a_quotation():
    text = 'Yesterday. "I am late," said Anna.'
    document = document_from_text(text, "x")
    (quotation,) = find_all_quotations(document, [[(3, 3), (9, 9)]])
    assert text[quotation.begin_char : quotation.end_char] == quotation.text == '"I am late,"'
    assert document.words[quotation.start] == '"' == document.words[quotation.end]
    assert quotation.mention == (9, 9)
    assert document.words[quotation.tag[0] : quotation.tag[1] + 1] == ("said", "Anna")
    assert quotation.cluster == 0
    assert quotation.to_dict()["speaker"] == "Anna"


def test_words_without_a_text():
    sentences = [["“", "Yes", ",", "”", "said", "Anna", "."], ["“", "No", ".", "”"]]
    found = find_all_quotations(Document("x", sentences))
    assert [(each.start, each.end, each.speaker, each.begin_char) for each in found] == [
        (0, 3, "Anna", None),
        (7, 10, "Anna", None),
    ]


def test_an_empty_document():
    assert find_all_quotations(Document("x", [])) == ()


HOSTILE = {
    "straight marks": '"' * 200_000,
    "single marks": "'" * 200_000,
    "opening marks": "“" * 200_000,
    "marks and blanks": '" ' * 100_000,
    "single marks and blanks": "' " * 100_000,
    "alternating": "“‘" * 100_000,
    "quotations": '"a." ' * 50_000,
    "paragraphs that open": '"a\n\n' * 50_000,
    "dashes": "—a\n\n" * 50_000,
    "names": "Anna " * 100_000,
    "tags": '"a," said Anna, ' * 30_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_linear_time(name):
    words = HOSTILE[name].replace("“", " “ ").replace("‘", " ‘ ").replace('"', ' " ').replace("'", " ' ")
    document = Document("x", [line.split() for line in words.split("\n") if line.split()])
    begin = time.process_time()
    find_all_quotations(document)
    assert time.process_time() - begin < 60  # a quadratic search would take hours


def test_quotations_of_random_marks_never_cross():
    pieces = [
        '"',
        "“",
        "”",
        "‘",
        "’",
        "'",
        "Anna",
        "said",
        "he",
        ".",
        ",",
        "?",
        "\n\n",
        "—",
        "``",
        "''",
        "it",
    ]
    generator = random.Random(0)
    for _ in range(300):
        text = " ".join(generator.choices(pieces, k=generator.randint(0, 60)))
        if generator.random() < 0.5:
            text = text.replace('" ', '"').replace(" .", ".").replace(" ,", ",")
        document = document_from_text(text, "x")
        found = find_all_quotations(document)
        for one in found:
            assert 0 <= one.start <= one.end < document.num_words
            assert document.text[one.begin_char : one.end_char] == one.text
        for one in found:
            for other in found:
                apart = one.end < other.start or other.end < one.start
                inside = other.start <= one.start and one.end <= other.end
                around = one.start <= other.start and other.end <= one.end
                assert apart or inside or around


@pytest.mark.slow
def test_time_grows_linearly_with_the_text():
    chapter = (
        "\n\n".join(case.text for case in CASES if '"' in case.text and case.name != "unclosed") + "\n\n"
    )
    times = []
    for copies in (40, 160):
        document = document_from_text(chapter * copies, "x")
        begin = time.process_time()
        find_all_quotations(document)
        times.append(time.process_time() - begin)
    assert times[1] < 8 * times[0]

"""The texts of a result: resolved, annotated, as edits, and as HTML in a notebook."""

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from coref_tf.api.result import Cluster, Mention, Result
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError

TEXT = "Ana <Roy> & Ivo left.\nShe lost her dog."


def result_of_spans(document, clusters, language="en"):
    made = [
        [
            Mention("", *span, None, None, 0.0, place - 1 if place else None, None)
            for place, span in enumerate(c)
        ]
        for c in clusters
    ]
    return Result(document, tuple(Cluster(tuple(mentions)) for mentions in made), language)


@pytest.fixture
def result():
    document = document_from_text(TEXT, "x")
    she, her = document.words.index("She"), document.words.index("her")
    return result_of_spans(document, [[(0, 0), (she, she), (her, her)], [(her, her + 1)]])


def test_texts_of_a_result(result):
    assert result.resolved() == "Ana <Roy> & Ivo left.\nAna lost Ana's dog."
    assert result.annotated() == "[1 Ana] <Roy> & Ivo left.\n[1 She] lost [2 [1 her] dog]."
    assert result.edits() == [(22, 25, "Ana"), (31, 34, "Ana's")]


def test_another_language_is_annotated_but_not_resolved(result):
    german = dataclasses.replace(result, language="de")
    assert german.annotated() == result.annotated()
    for call in (german.resolved, german.edits):
        with pytest.raises(
            CorefError, match="the model's language is de, but resolving text is supported only in English"
        ):
            call()


def test_the_notebook_html_shows_only_the_text_with_cluster_numbers(result):
    """The HTML has no ids or style sheets, which could clash with those of other cells."""
    opened, shown = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            opened.append(tag)
            assert tag in ("div", "span", "sub") and {name for name, _ in attributes} <= {"style", "title"}

        def handle_endtag(self, tag):
            assert opened.pop() == tag

        def handle_data(self, data):
            shown.append(data)

    cell = result._repr_html_()
    reader = Reader()
    reader.feed(cell)
    assert not opened and "<Roy>" not in cell
    assert "".join(shown) == "1 Ana <Roy> & Ivo left.\n1 She lost 2 1 her dog."
    assert len(re.findall("hsla", cell)) == 4 and len(cell) < 2500

"""Cautious resolution leaves improbable, contradictory and protected mentions unchanged."""

import pytest

from coref_tf.api.result import Cluster, Mention, Result
from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.resolving import describe_left, find_edits, replace_pronouns, resolve_text
from coref_tf.resolving.cautious import find_contradictions
from coref_tf.resolving.scene import Scene
from coref_tf.support.errors import CorefError

TEXT = "Ana met Ivo. She left. He ran to her car."
ANA, SHE, HER, IVO, HE = (0, 0), (4, 4), (10, 10), (2, 2), (7, 7)


@pytest.fixture
def document():
    return document_from_text(TEXT, "x")


def test_all_clusters_are_resolved_by_default(document):
    resolved = resolve_text(document, [[ANA, SHE, HER], [IVO, HE]])
    assert resolved.text == "Ana met Ivo. Ana left. Ivo ran to Ana's car."
    assert [edit.replacement for edit in resolved.edits] == ["Ana", "Ivo", "Ana's"]
    assert not resolved.left and describe_left(resolved.left, 0) == ""


def test_improbable_mentions_are_left_unchanged_and_counted(document):
    resolved = resolve_text(document, [[ANA, SHE, HER], [IVO, HE]], sure=[[ANA, SHE]])
    assert resolved.text == "Ana met Ivo. Ana left. He ran to her car."
    assert resolved.left == {"improbable": 2}
    reason = "because they are less probable than 0.89"
    assert describe_left(resolved.left, 0.89) == f"2 mentions left unchanged {reason}"
    both = describe_left({"improbable": 2, "kept": 1}, 0.89)
    assert both == "3 mentions left unchanged: 2 less probable than 0.89, 1 excluded with --keep"


def test_contradictory_clusters_are_left_unchanged(document):
    mixed = [[ANA, SHE, HE]]
    resolved = resolve_text(document, mixed, sure=mixed)
    assert resolved.text == TEXT and resolved.left == {"contradictory": 2}
    assert "because they are in clusters that contradict themselves" in describe_left(resolved.left, 0.89)
    assert resolve_text(document, mixed).text == "Ana met Ivo. Ana left. Ana ran to her car."


@pytest.mark.parametrize(
    ("words", "speakers", "contradicts"),
    [
        (["He", "saw", "himself"], "---", False),
        (["He", "saw", "herself"], "---", True),
        (["I", "saw", "me"], "AAA", False),
        (["I", "saw", "me"], "AAB", True),
        (["I", "saw", "you"], "AAA", True),
        (["I", "saw", "you"], "AAB", False),
        (["I", "saw", "you"], "---", False),
    ],
)
def test_find_contradictions(words, speakers, contradicts):
    document = Document("x", [words], [list(speakers)])
    assert bool(find_contradictions(Scene(document), [[(0, 0), (2, 2)]])) == contradicts


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('[a|Ana] waved. "[a|I] saw [a|her]," [a|she] said.', None),
        (
            '[a|Ana] waved. "[a|I] left," [a|she] said. "[a|She] left," Ivo said.',
            'Ana waved. "I left," Ana said. "Ana left," Ivo said.',
        ),
        (
            '"[a|I] saw Ivo," said [a|Ana]. [a|She] ran to [a|her] car.',
            '"I saw Ivo," said Ana. Ana ran to Ana\'s car.',
        ),
    ],
)
def test_the_speaker_of_a_quotation_is_not_he_or_she_in_it(inline, marked, expected):
    document = inline(marked)
    resolved = resolve_text(document, document.clusters, sure=document.clusters)
    assert resolved.text.strip() == (expected or document.text.strip())
    assert resolved.left == ({} if expected else {"contradictory": 2})


def test_phrases_to_keep_are_left_unchanged():
    text = "Acme Ltd rents the shop. The tenant pays for it. Now the   tenant's dog barks."
    document = document_from_text(text, "x")
    words = document.words
    first, second = (place for place, word in enumerate(words) if word == "tenant")
    clusters = [[(0, 1), (first - 1, first), (second - 1, second + 1)]]
    replaced = "Acme Ltd rents the shop. Acme Ltd pays for it. Now Acme Ltd's dog barks."
    assert replace_pronouns(document, clusters) == replaced
    for keep in (["the Tenant"], ["tenant"], ["nothing", "THE  tenant"]):
        assert replace_pronouns(document, clusters, keep) == text and not find_edits(document, clusters, keep)
        assert resolve_text(document, clusters, keep=keep).left == {"kept": 2}
    # A phrase matches whole words only.
    assert replace_pronouns(document, clusters, ["ten", "the Ten"]) == replaced


def test_invalid_phrases_to_keep_are_refused(document):
    with pytest.raises(CorefError, match="a phrase to keep is empty"):
        replace_pronouns(document, [], [" "])
    with pytest.raises(CorefError, match=r"expected a list of phrases to keep, such as \['she'\]"):
        replace_pronouns(document, [], "she")


def result_with(document, *clusters):
    """A result whose mentions are (span, antecedent, probability)."""
    made = (
        Cluster(tuple(Mention("", *span, None, None, 0.0, of, 0.0, 0.0, p) for span, of, p in cluster))
        for cluster in clusters
    )
    return Result(document, tuple(made), cautious_probability=0.8)


def test_a_result_is_resolved_cautiously_by_default(document):
    ana = [(ANA, None, 0.9), (SHE, 0, 0.9), (HER, 1, 0.6)]
    result = result_with(document, ana, [(IVO, None, 0.7), (HE, 0, 0.7)])
    assert result.resolved() == "Ana met Ivo. Ana left. He ran to her car."
    assert result.resolved(min_probability=0.65) == "Ana met Ivo. Ana left. Ivo ran to her car."
    assert result.resolved(min_probability=0) == "Ana met Ivo. Ana left. Ivo ran to Ana's car."
    assert result.resolved(0, keep=["her car"]) == "Ana met Ivo. Ana left. Ivo ran to her car."
    assert len(result.edits()) == 1 and len(result.edits(0)) == 3
    assert result.resolve_text().left == {"improbable": 2}
    with pytest.raises(CorefError, match="expected a probability from 0 to 1"):
        result.resolved(min_probability=2)


def test_removing_a_link_also_affects_mentions_linked_through_it(document):
    """`her` is linked to Ana only through `she`, so it is left unchanged, too, if that link is improbable."""
    result = result_with(document, [(ANA, None, 0.7), (SHE, 0, 0.7), (HER, 1, 0.9)])
    assert result.resolved() == TEXT and result.resolve_text().left == {"improbable": 2}


def test_without_probabilities_only_contradictions_are_left_unchanged(document):
    result = result_with(document, [(ANA, None, None), (SHE, 0, None)], [(IVO, None, None), (HE, 0, None)])
    assert result.resolved() == "Ana met Ivo. Ana left. Ivo ran to her car."

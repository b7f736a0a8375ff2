"""Resolved text: one short text for each rule."""

import itertools

import pytest

from coref_tf.documents import Document
from coref_tf.resolving import RunningText, annotate, apply_edits, find_edits, replace_pronouns

RULES = {
    "pronouns become the first name": (
        "[m|Marta Oduya] left. [m|She] ran, and Ivo saw [m|her].",
        "Marta Oduya left. Marta Oduya ran, and Ivo saw Marta Oduya.",
    ),
    "the first name, not the first mention": (
        "When [m|she] left, [m|Marta] ran, and [m|Miss Oduya] fell.",
        "When Marta left, Marta ran, and Miss Oduya fell.",
    ),
    "without a name, the most informative nominal": (
        "[b|The shop] closed. [b|The old corner shop] was cold, but Ivo liked [b|it].",
        "The shop closed. The old corner shop was cold, but Ivo liked the old corner shop.",
    ),
    "a pronoun never replaces other mentions": ("[x|They] said that [x|they] left.", None),
    "an indefinite pronoun never replaces other mentions": ("[x|Everyone] said that [x|they] left.", None),
    "an indefinite phrase becomes definite after its first mention": (
        "[m|A man] came in. [m|He] sat down.",
        "A man came in. The man sat down.",
    ),
    "an indefinite phrase replaces no earlier mention": ("When [m|he] came in, [m|a man] sat down.", None),
    "possessives become possessive": (
        "[m|Marta] lost [m|her] keys, and the keys were [m|hers]. [b|The bakers] lost [b|their] oven.",
        "Marta lost Marta's keys, and the keys were Marta's. The bakers lost the bakers' oven.",
    ),
    "a name that ends in s": ("[j|James] lost [j|his] keys.", "James lost James's keys."),
    "her, as an object": (
        "[m|Marta] waved. Ivo saw [m|her] again and told [m|her] that [m|her] dog barked at [m|her].",
        "Marta waved. Ivo saw Marta again and told Marta that Marta's dog barked at Marta.",
    ),
    "an 's inside the mention stays": (
        "[m|Marta Oduya] left. [m|The baker's] dog stayed.",
        "Marta Oduya left. Marta Oduya's dog stayed.",
    ),
    "nested mentions are replaced once, from the outside in": (
        "[m|Marta] has a brother, [t|Tomas]. [t|[m|Her] brother] sang.",
        "Marta has a brother, Tomas. Tomas sang.",
    ),
    "a replacement is itself resolved": (
        "[m|Marta] called [b|[m|her] brother]. [b|He] slept.",
        "Marta called Marta's brother. Marta's brother slept.",
    ),
    "short definite nominals become the name, longer ones stay": (
        "[m|Marta] sat. [m|The baker] sang. [m|The baker with the new red coat] left.",
        "Marta sat. Marta sang. The baker with the new red coat left.",
    ),
    "a short form of a name becomes the whole name": (
        "[m|Marta Oduya] sat.\nThen [m|Oduya] sang with Miss [m|Oduya].",
        "Marta Oduya sat.\nThen Marta Oduya sang with Miss Oduya.",
    ),
    "an apposition stays": (
        "[m|Marta Oduya], [m|the baker], sat near [m|the baker Marta Oduya]. Ivo saw [t|[t|Tomas], the singer].",
        None,
    ),
    "an apposition provides the name": (
        "Ivo met [t|my brother, Tomas]. [t|He] sang.",
        "Ivo met my brother, Tomas. Tomas sang.",
    ),
    "a predicate stays": (
        "[m|Marta] is [m|the baker]. [m|She] was not always [m|the boss].",
        None,
    ),
    "the subject of an introduction stays": ("[m|Marta] waved. [m|She] is Marta.", None),
    "a capital at the start of a sentence": (
        'Ivo likes [b|the shop]. [b|It] is old. "[b|It] is cold," he said.',
        'Ivo likes the shop. The shop is old. "The shop is cold," he said.',
    ),
    "no capital within a sentence": (
        "[b|The shop] is old. Ivo likes [b|it].",
        "The shop is old. Ivo likes the shop.",
    ),
    "first and second person stay": ("[m|Marta] said [m|I] and [m|you], and [m|my] dog barked.", None),
    "first person with a speaker": (
        "@Ana: [a|I]'m late. [a|I] think [a|my] clock stopped.\n@Ivo: Do [a|you] need a clock?",
        "Ana is late. Ana thinks Ana's clock stopped.\nDoes Ana need a clock?",
    ),
    "a speaker's name is preferred to a title": (
        "@Ana Roy: [a|I] left.\n@Ivo: Wait, [a|Counsel], did [a|you] leave?",
        "Ana Roy left.\nWait, Counsel, did Ana Roy leave?",
    ),
    "a numbered speaker has no name": ("@speaker1: [a|I] think [a|my] clock stopped.", None),
    "first person in a quotation stays": (
        '@Ana: [i|Ivo] said "[i|I] like [i|my] dog," but [a|I] left [a|my] cat with [i|him].',
        '@Ivo said "I like my dog," but Ana left Ana\'s cat with Ivo.'.removeprefix("@"),
    ),
    "third person in a quotation is resolved": (
        '[m|Marta] left. "[m|She] ran," said Ivo.',
        'Marta left. "Marta ran," said Ivo.',
    ),
    "a phrase with my replaces no other mention": ("[b|My brother] sang, and [b|he] danced.", None),
    "reflexive, relative and other pronouns stay": (
        "[m|Marta], [m|who] hurt [m|herself], left.",
        None,
    ),
    "singular they": (
        "[a|Alex] said [a|they] are late, and [a|they] have a cold.",
        "Alex said Alex is late, and Alex has a cold.",
    ),
    "contracted verbs are written out": (
        "[b|The bakers] said [b|they]'re late.",
        "The bakers said the bakers are late.",
    ),
    "a contracted would is written out, had is not": (
        "[m|Marta] slept. [m|She]'d rather sing. [m|She]'d sung all day.",
        "Marta slept. Marta would rather sing. Marta'd sung all day.",
    ),
    "a relative clause is not part of a name": (
        "[m|Marta, who bakes], sat. Ivo saw [m|her].",
        "Marta, who bakes, sat. Ivo saw Marta.",
    ),
    "a coordination stays whole": (
        "[x|Ana, Ivo and Tomas] left. [x|They] ran.",
        "Ana, Ivo and Tomas left. Ana, Ivo and Tomas ran.",
    ),
    "apostrophes are those of the text": (
        "[m|Marta] isn’t here. [m|Her] dog is.",
        "Marta isn’t here. Marta’s dog is.",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_rule(inline, rule):
    marked, expected = RULES[rule]
    document = inline(marked)
    assert replace_pronouns(document).strip() == (expected or document.text.strip())


def test_tags_distinguish_the_object_from_the_possessive_her():
    words = ["Marta", "left", ".", "Ivo", "gave", "her", "bread", "."]
    for tag, shown in [("PRP", "Marta"), ("PRP$", "Marta's")]:
        tags = ["NNP", "VBD", ".", "NNP", "VBD", tag, "NN", "."]
        document = Document(
            "x/y", [words[:3], words[3:]], pos=[tags[:3], tags[3:]], clusters=[[(0, 0), (5, 5)]]
        )
        assert replace_pronouns(document) == f"Marta left.\nIvo gave {shown} bread."


def test_edits_refer_to_the_text(inline):
    document = inline("[m|Marta] left.\n[m|She] ran.")
    [edit] = find_edits(document)
    assert edit == (12, 15, "Marta") and document.text[edit.begin : edit.end] == "She"
    assert apply_edits(document.text, [edit]) == replace_pronouns(document) == "Marta left.\nMarta ran.\n"


def test_given_clusters_replace_those_of_the_document(inline):
    document = inline("[m|Marta] left. [m|She] ran.")
    assert find_edits(document, []) == [] and annotate(document, []) == document.text


def test_annotated_text(inline):
    document = inline("[m|Marta] called [b|[m|her] brother]. [b|He] slept.")
    assert annotate(document) == "[1 Marta] called [2 [1 her] brother]. [2 He] slept.\n"


def test_words_without_a_text_are_joined_as_prose():
    document = Document("x/y", [["Ana", "did", "n't", "go", "."], ["She", "slept", "."]])
    assert RunningText.from_document(document).text == "Ana didn't go.\nShe slept."
    assert [RunningText.from_document(document).span_text(n, n) for n in (2, 5)] == ["n't", "She"]


@pytest.mark.parametrize("sentences", [[], [[]], [["."]], [["she"]]])
def test_nearly_empty_documents(sentences):
    clusters = [[(0, 0)]] if any(sentences) else []
    document = Document("x/y", sentences, clusters=clusters)
    assert replace_pronouns(document) == " ".join(word for sentence in sentences for word in sentence)
    assert annotate(document, []) == replace_pronouns(document)


def test_edits_of_real_documents_are_in_order_and_never_overlap(shared):
    from coref_tf.documents import read_documents

    for document in read_documents(shared / "data" / "ontogum" / "dev.english.v4_gold_conll"):
        edits = find_edits(document)
        assert edits
        assert all(before.end <= after.begin for before, after in itertools.pairwise(edits))

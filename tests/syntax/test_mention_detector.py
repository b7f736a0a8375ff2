"""The rule-based mention detector, with one test for each rule."""

import pytest
from trees import document_of, tree_of

from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError
from coref_tf.syntax.mention_detector import detect_in_sentence, detect_mentions, span_head
from coref_tf.syntax.named_entities import NamedEntity, named_entities


def detected(brackets: str, *entities: tuple) -> list[str]:
    """The words of the mentions found in a sentence."""
    tree = tree_of(brackets)
    words = [leaf.word for leaf in tree.leaves()]
    spans = sorted(detect_in_sentence(tree, [NamedEntity(*entity) for entity in entities]))
    return [" ".join(words[start : end + 1]) for start, end in spans]


def sentence_with(*objects: str) -> str:
    """A sentence with these objects."""
    return f"(TOP (S (NP-SBJ (NNP Ana)) (VP (VBD saw) {' '.join(objects)})))"


def test_noun_phrases_are_mentions():
    assert detected(sentence_with("(NP (DT the) (NN town))")) == ["Ana", "the town"]


def test_pronouns_are_mentions():
    possessive = "(NP (PRP$ her) (NN town))"
    assert detected(sentence_with(possessive)) == ["Ana", "her", "her town"]
    assert detected("(TOP (S (PRP She) (VP (VBD left))))") == ["She"]


def test_named_entities_are_mentions():
    law = sentence_with("(NP (DT the) (NNP New) (NNP Mexico) (NN law))")
    assert detected(law) == ["Ana", "the New Mexico law"]
    assert detected(law, (3, 4, "GPE")) == ["Ana", "the New Mexico law", "New Mexico"]


def test_the_larger_mention_with_the_same_head_wins():
    dog = "(NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NNP Bo))))"
    assert detected(sentence_with(dog)) == ["Ana", "the dog of Bo", "Bo"]
    mayor = sentence_with("(NP (NN mayor) (NNP Bo) (NNP Ruiz))")
    assert detected(mayor, (3, 4, "PERSON")) == ["Ana", "mayor Bo Ruiz"]


def test_a_conjunct_is_kept_beside_the_coordination_that_it_heads():
    pair = "(NP (NP (DT the) (NN dog)) (CC and) (NP (DT the) (NN cat)))"
    assert detected(sentence_with(pair)) == ["Ana", "the dog", "the dog and the cat", "the cat"]
    # A coordination within the smaller phrase makes no difference.
    bread = "(NP (NP (NN bread) (CC and) (NN wine)) (PP (IN of) (NP (NNP Bo))))"
    assert detected(sentence_with(bread)) == ["Ana", "bread and wine of Bo", "Bo"]


@pytest.mark.parametrize(
    "phrase",
    [
        "(NP (CD 9) (NN %))",
        "(NP ($ $) (CD 10,000))",
        "(NP (CD 100) (NNS miles))",
        "(NP (CD seven))",
        "(NP (DT a) (CD hundred))",
    ],
)
def test_numeric_entities_are_not_mentions(phrase):
    assert detected(sentence_with(phrase)) == ["Ana"]


def test_named_entities_identify_more_numbers_and_dates():
    euros = sentence_with("(NP (CD 9) (NNS crowns))")
    assert detected(euros) == ["Ana", "9 crowns"]
    assert detected(euros, (2, 3, "MONEY")) == ["Ana"]
    year = sentence_with("(NP (CD 1999))")
    assert detected(year) == ["Ana"]
    assert detected(year, (2, 2, "DATE")) == ["Ana", "1999"]
    assert detected(sentence_with("(NP (DT the) (CD two))"), (3, 3, "CARDINAL")) == ["Ana", "the two"]
    assert detected(sentence_with("(NP (CD three) (NNS dogs))"), (2, 2, "CARDINAL")) == ["Ana", "three dogs"]


def of_the_ships(*words: str) -> str:
    """The phrase followed by "of the ships"."""
    return f"(NP (NP {' '.join(words)}) (PP (IN of) (NP (DT the) (NNS ships))))"


@pytest.mark.parametrize(
    "words",
    [["(DT a)", "(NN total)"], ["(NNS millions)"], ["(DT some)"], ["(CD three)"], ["(DT the)", "(NN rest)"]],
)
def test_partitives_are_not_mentions(words):
    assert detected(sentence_with(of_the_ships(*words))) == ["Ana", "the ships"]


def test_of_alone_does_not_make_a_partitive():
    assert detected(sentence_with(of_the_ships("(DT the)", "(NN captain)"))) == [
        "Ana",
        "the captain of the ships",
        "the ships",
    ]


@pytest.mark.parametrize(
    "phrase",
    ["(NP (NN nobody))", "(NP (DT any) (NN ship))", "(NP (DT every) (NN child))", "(NP (DT no) (NN ship))"],
)
def test_quantifiers_are_not_mentions(phrase):
    assert detected(sentence_with(phrase)) == ["Ana"]


@pytest.mark.parametrize("word", ["American", "french", "U.S.", "UK"])
def test_nations_as_adjectives_or_acronyms_are_not_mentions(word):
    assert detected(sentence_with(f"(NP (NNP {word}))")) == ["Ana"]
    assert detected(sentence_with(f"(NP (DT the) (NNP {word}))")) == ["Ana", f"the {word}"]


def test_us_is_a_pronoun():
    assert detected(sentence_with("(NP (PRP us))")) == ["Ana", "us"]


@pytest.mark.parametrize("word", ["there", "Ltd.", "hmm", "ahem", "um"])
def test_stop_words_are_not_mentions(word):
    assert detected(sentence_with(f"(NP (NN {word}))")) == ["Ana"]


def test_pleonastic_it_is_not_a_mention():
    that = "(SBAR (IN that) (S (NP (NNP Ana)) (VP (VBD left))))"
    assert detected(f"(TOP (S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ clear)) {that})))") == ["Ana"]


def test_heads_of_spans_that_are_not_phrases():
    tree = tree_of(sentence_with("(NP (DT the) (NN fire) (NN station))", "(PP (IN of) (NP (NNP Rome)))"))
    assert span_head(tree, 2, 4).word == "station"
    assert span_head(tree, 3, 4).word == "station"
    assert span_head(tree, 2, 3).word == "fire"
    assert span_head(tree, 3, 5).word == "of"  # the last word, because the span crosses brackets


def test_mentions_are_in_order_with_word_indices_of_the_document():
    document = document_of(
        sentence_with("(NP (PRP$ her) (NN town))"),
        "(TOP (NP (DT the) (NNP Rome) (NN road)))",
        named_entities=[["(PERSON)", "*", "*", "*"], ["*", "(GPE)", "*"]],
    )
    assert detect_mentions(document) == [(0, 0), (2, 2), (2, 3), (4, 6), (5, 5)]
    assert detect_mentions(Document("nw/empty", [])) == []


@pytest.mark.parametrize("label", ["NP", "VP"])
def test_deep_trees(label):
    depth = 2000
    parse = [["(TOP(NP*)", f"({label}" * depth + "*" + ")" * depth + ")"]]
    document = Document("nw/deep", [["It", "is"]], pos=[["PRP", "VBZ"]], parse=parse)
    assert detect_mentions(document) == [(0, 0)] + [(1, 1)] * (label == "NP")


def test_a_document_without_parses_is_named():
    with pytest.raises(CorefError, match="document nw/bare_0 has no parses"):
        detect_mentions(Document("nw/bare", [["Rome"]]))


def entity_document(bits: list[str]) -> Document:
    words = ["a"] * len(bits)
    return Document("nw/made", [words], named_entities=[bits])


def test_named_entity_bits():
    document = entity_document(["(ORG(GPE)", "*", "*)", "-", "(DATE*", "*)"])
    assert named_entities(document) == [(0, 0, "GPE"), (0, 2, "ORG"), (4, 5, "DATE")]
    assert named_entities(Document("nw/bare", [["Rome"]])) == []


@pytest.mark.parametrize("bits", [["*)", "*"], ["(ORG*", "*"], ["ORG", "*"], ["(*", "*)"]])
def test_invalid_named_entity_bits_are_named(bits):
    with pytest.raises(CorefError, match=r"document nw/made_0: named.entity"):
        named_entities(entity_document(bits))


def test_recall_on_a_real_corpus_is_near_the_published_one(shared):
    gold = found = spans = words = 0
    for document in read_documents(shared / "data" / "ontogum" / "dev.english.v4_gold_conll"):
        mentions = detect_mentions(document)
        assert mentions == sorted(set(mentions))
        known = {span for cluster in document.clusters for span in cluster}
        gold, found = gold + len(known), found + len(known & set(mentions))
        spans, words = spans + len(mentions), words + document.num_words
    # The paper reports 89.2% with 0.26 spans per word for OntoNotes.
    assert found / gold == pytest.approx(0.885, abs=0.005)
    assert spans / words == pytest.approx(0.268, abs=0.005)

"""Collins' head rules, with one case for each."""

import pytest
from trees import tree_of

from coref_tf.syntax.heads import head_word, is_coordinated

# Phrases and their heads, among words that the rules must skip.
LISTED = [
    ("(ADJP (RB very) (JJ old))", "old"),
    ("(ADJP (NNS years) (JJ old))", "years"),
    ("(ADVP (RB much) (RBR later))", "much"),  # RB has priority over RBR
    ("(ADVP (RB not) (RB yet))", "yet"),  # from the right
    ("(CONJP (RB as) (RB well) (IN as))", "well"),
    ("(FRAG (NP (NNP Rome)) (ADVP (RB again)))", "again"),
    ("(INTJ (UH oh) (UH yes))", "oh"),
    ("(LST (LS 1) (CD 2))", "1"),
    ("(NAC (NNP Secretary) (PP (IN of) (NP (NNP State))))", "Secretary"),
    ("(PP (RB just) (IN before) (NP (NN dawn)))", "before"),
    ("(PRN (NP (DT the) (NN mayor)) (ADVP (RB now)))", "mayor"),
    ("(PRT (RB right) (RP up))", "up"),
    ("(QP (IN about) ($ $) (CD 5))", "$"),
    ("(QP (CD five) (CD million))", "five"),
    ("(RRC (ADVP (RB now)) (VP (VBN closed)) (NP (NN dawn)))", "closed"),
    ("(S (NP (PRP she)) (VP (VBD left)))", "left"),
    ("(S (NP (PRP she)) (ADJP (JJ glad)))", "glad"),
    ("(SBAR (IN that) (S (NP (PRP she)) (VP (VBD left))))", "that"),
    ("(SBAR (WHNP (WP who)) (S (VP (VBD left))))", "who"),
    ("(SBARQ (WHNP (WP who)) (SQ (VP (VBD left))))", "left"),
    ("(SINV (ADVP (RB here)) (VBZ comes) (NP (NNP Ana)))", "comes"),
    ("(SQ (VBD did) (NP (PRP she)) (VP (VB leave)))", "did"),
    ("(UCP (ADJP (JJ old)) (NP (NN stone)))", "stone"),
    ("(VP (MD will) (VP (VB leave)))", "will"),
    ("(VP (TO to) (VP (VB leave)))", "to"),
    ("(VP (ADVP (RB soon)) (VBD left) (NP (NNP Rome)))", "left"),
    ("(WHADJP (WRB how) (JJ old))", "how"),
    ("(WHADVP (RB exactly) (WRB when))", "when"),
    ("(WHNP (WP$ whose) (NN house))", "whose"),
    ("(WHPP (IN of) (WHNP (WDT which)))", "of"),
    ("(X (NN one) (NN other))", "one"),
]

NOUN_PHRASES = [
    ("(NP (DT the) (NN company) (POS 's))", "'s"),  # the last word is a possessive
    ("(NP (DT the) (JJ old) (NN fire) (NN station))", "station"),  # nouns, from the right
    ("(NP (DT the) (NX (NN bus)) (JJ late))", "bus"),
    ("(NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NNP Ana))))", "dog"),  # the first noun phrase
    ("(NP (NP (NNP Ana)) (, ,) (NP (DT the) (NN mayor)))", "Ana"),
    ("(NP ($ $) (CD 5))", "$"),
    ("(NP (DT the) (ADJP (RB very) (JJ old)))", "old"),
    ("(NP (DT the) (CD two) (JJ old))", "two"),  # numbers before adjectives
    ("(NP (DT the) (JJ poor))", "poor"),
    ("(NP (QP (IN about) (CD five)) (DT those))", "about"),
    ("(NP (PRP she))", "she"),  # otherwise, the last word
    ("(NP (DT all) (DT this))", "this"),
    ("(NML (NNP New) (NNP York))", "York"),
]

COORDINATED = [
    ("(NP (NP (NNP Ana)) (CC and) (NP (NNP Bo)))", "Ana"),
    ("(NP (NN bread) (CC and) (NN wine))", "bread"),
    ("(NP (NN bread) (, ,) (NN oil) (, ,) (CC and) (NN wine))", "oil"),  # punctuation doesn't count
    ("(NP (NN bread) (CONJP (RB as) (RB well) (IN as)) (NN wine))", "bread"),
    ("(VP (VP (VBD came)) (CC and) (VP (VBD left)))", "came"),
    ("(NP (CC both) (NN bread))", "bread"),  # no conjunct before the conjunction
]


@pytest.mark.parametrize(("brackets", "head"), LISTED + NOUN_PHRASES + COORDINATED)
def test_head(brackets, head):
    assert head_word(tree_of(brackets)).word == head


def test_punctuation_is_a_head_only_if_there_is_nothing_else():
    assert head_word(tree_of("(FRAG (NN dawn) (. .))")).word == "dawn"
    assert head_word(tree_of("(NP (: :) (. .))")).word == "."


def test_coordination():
    assert is_coordinated(tree_of("(NP (NN bread) (CC and) (NN wine))"))
    assert not is_coordinated(tree_of("(NP (CC both) (NN bread))"))
    assert not is_coordinated(tree_of("(NP (NN bread))"))

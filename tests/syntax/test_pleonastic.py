"""Pleonastic "it", which refers to nothing, with one case for each construction."""

import pytest
from trees import tree_of

from coref_tf.syntax.pleonastic import is_pleonastic

LEFT = "(S (NP (NNP Ana)) (VP (VBD left)))"
THAT = f"(SBAR (IN that) {LEFT})"
TO = "(S (VP (TO to) (VP (VB leave))))"


def sentence_with_it(*predicate: str, it: str = "(NP (PRP It))") -> str:
    return f"(TOP (S {it} (VP {' '.join(predicate)})))"


REFERS_TO_NOTHING = [
    sentence_with_it("(VBZ is)", "(ADJP (JJ clear))", THAT),
    sentence_with_it("(VBZ is)", f"(ADJP (JJ clear) (SBAR {LEFT}))"),
    sentence_with_it("(VBZ is)", "(ADJP (RB very) (JJ hard))", TO),
    sentence_with_it("(MD would)", f"(VP (VB be) (ADJP (JJ hard) {TO}))"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ unclear))", f"(SBAR (WHNP (WP who)) {LEFT})"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ best))", f"(SBAR (IN for) {LEFT})"),
    sentence_with_it("(VBZ is)", f"(VP (VBN said) {THAT})"),
    sentence_with_it("(VBZ has)", f"(VP (VBN been) (VP (VBN decided) {THAT}))"),
    sentence_with_it("(VBZ is)", f"(NP (NN time) {TO})"),
    sentence_with_it("(VBZ is)", "(NP (DT a) (NN pity))", THAT),
    sentence_with_it("(VBZ seems)", THAT),
    sentence_with_it("(VBZ appears)", f"(SBAR (IN as) (IN if) {LEFT})"),
    sentence_with_it("(VBZ follows)", f"(SBAR {LEFT})"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ clear))", THAT, it="(NP (NP (PRP It)))"),
    f"(TOP (S (NP (NNP Bo)) (VP (VBD made) (S (NP (PRP it)) (ADJP (JJ clear)) {THAT}))))",
    f"(TOP (S (NP (NNP Bo)) (VP (VBZ finds) (S (NP (PRP it)) (ADJP (JJ hard))) {TO})))",
]

REFERS = [
    sentence_with_it("(VBD left)"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ old))"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ old))", f"(SBAR (IN because) {LEFT})"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ large) (RB enough))", TO),
    sentence_with_it("(VBZ is)", "(ADJP (RB too) (JJ large))", TO),
    sentence_with_it("(VBZ is)", "(VP (VBN made) (S (VP (TO to) (VP (VB float)))))"),
    sentence_with_it("(VBD was)", f"(NP (DT the) (JJ first) (NN time) {TO})"),
    sentence_with_it("(VBZ seems)", "(ADJP (JJ old))"),
    sentence_with_it("(VBZ is)", "(ADJP (JJ clear))", THAT).replace("It", "That"),
    "(TOP (S (NP (NNP Bo)) (VP (VBD painted) (S (NP (PRP it)) (ADJP (JJ red))))))",
]


def pronoun(brackets: str):
    return next(leaf for leaf in tree_of(brackets).leaves() if leaf.label == "PRP")


@pytest.mark.parametrize("brackets", REFERS_TO_NOTHING)
def test_pleonastic(brackets):
    assert is_pleonastic(pronoun(brackets))


@pytest.mark.parametrize("brackets", REFERS)
def test_not_pleonastic(brackets):
    assert not is_pleonastic(pronoun(brackets))

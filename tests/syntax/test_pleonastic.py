"""The "it" that refers to nothing, one case for each construction."""

import pytest
from trees import tree_of

from coref_tf.syntax.pleonastic import is_pleonastic

LEFT = "(S (NP (NNP Ana)) (VP (VBD left)))"
THAT = f"(SBAR (IN that) {LEFT})"
TO = "(S (VP (TO to) (VP (VB leave))))"


def about(*predicate: str, it: str = "(NP (PRP It))") -> str:
    return f"(TOP (S {it} (VP {' '.join(predicate)})))"


REFERS_TO_NOTHING = [
    about("(VBZ is)", "(ADJP (JJ clear))", THAT),
    about("(VBZ is)", f"(ADJP (JJ clear) (SBAR {LEFT}))"),
    about("(VBZ is)", "(ADJP (RB very) (JJ hard))", TO),
    about("(MD would)", f"(VP (VB be) (ADJP (JJ hard) {TO}))"),
    about("(VBZ is)", "(ADJP (JJ unclear))", f"(SBAR (WHNP (WP who)) {LEFT})"),
    about("(VBZ is)", "(ADJP (JJ best))", f"(SBAR (IN for) {LEFT})"),
    about("(VBZ is)", f"(VP (VBN said) {THAT})"),
    about("(VBZ has)", f"(VP (VBN been) (VP (VBN decided) {THAT}))"),
    about("(VBZ is)", f"(NP (NN time) {TO})"),
    about("(VBZ is)", "(NP (DT a) (NN pity))", THAT),
    about("(VBZ seems)", THAT),
    about("(VBZ appears)", f"(SBAR (IN as) (IN if) {LEFT})"),
    about("(VBZ follows)", f"(SBAR {LEFT})"),
    about("(VBZ is)", "(ADJP (JJ clear))", THAT, it="(NP (NP (PRP It)))"),
    f"(TOP (S (NP (NNP Bo)) (VP (VBD made) (S (NP (PRP it)) (ADJP (JJ clear)) {THAT}))))",
    f"(TOP (S (NP (NNP Bo)) (VP (VBZ finds) (S (NP (PRP it)) (ADJP (JJ hard))) {TO})))",
]

REFERS = [
    about("(VBD left)"),
    about("(VBZ is)", "(ADJP (JJ old))"),
    about("(VBZ is)", "(ADJP (JJ old))", f"(SBAR (IN because) {LEFT})"),
    about("(VBZ is)", "(ADJP (JJ large) (RB enough))", TO),
    about("(VBZ is)", "(ADJP (RB too) (JJ large))", TO),
    about("(VBZ is)", "(VP (VBN made) (S (VP (TO to) (VP (VB float)))))"),
    about("(VBD was)", f"(NP (DT the) (JJ first) (NN time) {TO})"),
    about("(VBZ seems)", "(ADJP (JJ old))"),
    about("(VBZ is)", "(ADJP (JJ clear))", THAT).replace("It", "That"),
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

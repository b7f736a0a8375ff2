"""Trees that are read from the parse column."""

import pytest
from trees import columns, document_of, tree_of

from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.selection import window
from coref_tf.support.errors import CorefError
from coref_tf.syntax.tree import bare_label, document_trees, read_tree

SHE_LEFT = "(TOP (S (NP-SBJ (PRP She)) (VP (VBD left) (NP (DT the) (NN town))) (. .)))"


def test_columns_become_a_tree():
    tree = tree_of(SHE_LEFT)
    assert repr(tree) == SHE_LEFT.replace("-SBJ", "")
    assert [(phrase.label, *phrase.span) for phrase in tree.phrases()] == [
        ("TOP", 0, 4), ("S", 0, 4), ("NP", 0, 0), ("VP", 1, 3), ("NP", 2, 3),
    ]  # fmt: skip
    town = tree.leaves()[3]
    assert [above.label for above in town.ancestors()] == ["NP", "VP", "S", "TOP"]
    assert [after.label for after in tree.children[0].children[0].siblings_after()] == ["VP", "."]
    assert tree.siblings_after() == []


@pytest.mark.parametrize(
    ("label", "bare"),
    [("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("-LRB-", "-LRB-"), ("ADVP|PRT", "ADVP"), ("S", "S")],
)
def test_labels_lose_their_function_tags(label, bare):
    assert bare_label(label) == bare


def test_trees_have_word_indices_of_the_document():
    first, second = document_trees(document_of(SHE_LEFT, "(TOP (NP (NNP Rome)))"))
    assert first.span == (0, 4) and second.span == (5, 5)
    assert document_trees(Document("nw/empty", [])) == []


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        (["(S*", "*"], "bracket of 'S' at 'She' is never closed"),
        (["(S*)", "*)"], "a closing bracket without an opening one at 'left'"),
        (["(S*)", "*"], "not a single tree"),
        (["*", "*"], "not a single tree"),
        (["-", "*"], "'-' at 'She' is not a parse bit"),
        (["(S*", "(VP)*)"], "a phrase without words at 'left'"),
        (["(S**", "*)"], "is not a parse bit"),
    ],
)
def test_invalid_brackets_are_named(bits, message):
    with pytest.raises(CorefError, match=message.replace("(", r"\(")):
        read_tree(["She", "left"], ["PRP", "VBD"], bits)
    document = Document("nw/bad", [["She", "left"]], pos=[["PRP", "VBD"]], parse=[bits])
    with pytest.raises(CorefError, match="document nw/bad_0, parse of sentence 0: "):
        document_trees(document)


def test_the_error_without_parses_says_what_is_expected():
    words, tags, bits = columns(SHE_LEFT)
    with pytest.raises(CorefError, match="document nw/bare_0 has no parses; expected CoNLL-2012 files whose"):
        document_trees(Document("nw/bare", [words], pos=[tags]))
    with pytest.raises(CorefError, match="document nw/bare_0 has no part-of-speech tags; expected"):
        document_trees(Document("nw/bare", [words], parse=[bits]))


@pytest.mark.parametrize("name", ["made.conll", "made.jsonlines"])
def test_all_columns_survive_files_and_windows(tmp_path, name):
    entities = [["(PERSON*", "*)", "*", "*", "*"], ["(GPE)"]]
    document = document_of(SHE_LEFT, "(TOP (NP (NNP Rome)))", named_entities=entities)
    with open_writer(tmp_path / name) as write:
        write(document)
    [back] = read_documents(tmp_path / name)
    assert (back.pos, back.parse, back.named_entities) == (
        document.pos,
        document.parse,
        document.named_entities,
    )
    [tree] = document_trees(window(back, 1, 1))
    assert repr(tree) == "(TOP (NP (NNP Rome)))"
    assert window(back, 1, 1).named_entities == (("(GPE)",),)
    assert window(Document("nw/bare", [["Rome"], ["Oslo"]]), 1, 1).parse is None

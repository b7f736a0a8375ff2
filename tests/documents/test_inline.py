"""The inline format of the sample corpus."""

import pytest

from coref_tf.documents.inline import read_inline, read_inline_file
from coref_tf.support.errors import InputError

GOOD = """\
[ana|Ana Roy, [council|the council's] treasurer], won't pay.

@Nora Lund: "[ana|She] asked [council|it]," said [me|I].
And so did [me|I].
@Ivo: Fine.
"""


def read(tmp_path, content: str):
    path = tmp_path / "x.txt"
    path.write_text(content)
    return read_inline(path, "nw/x")


def test_sentences_mentions_and_turns(tmp_path):
    document = read(tmp_path, GOOD)
    assert [" ".join(sentence) for sentence in document.sentences] == [
        "Ana Roy , the council 's treasurer , wo n't pay .",
        '" She asked it , " said I .',
        "And so did I .",
        "Fine .",
    ]
    named = [
        [" ".join(document.words[start : end + 1]) for start, end in cluster] for cluster in document.clusters
    ]
    assert named == [["Ana Roy , the council 's treasurer", "She"], ["the council 's", "it"], ["I", "I"]]
    assert [row[0] for row in document.speakers] == ["-", "Nora Lund", "Nora Lund", "Ivo"]
    assert (document.doc_key, document.key, document.genre) == ("nw/x", "nw/x_0", "nw")
    assert [document.text[begin:end] for begin, end in document.offsets] == list(document.words)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("\n", 1, "the document is empty"),
        ("Fine.\n[a|He left.\n", 2, "'[a|' is never closed; expected ']' on the same line"),
        ("Fine.\nHe left].\n", 2, "']' closes nothing"),
        ("[Ana|She] left [Ana|her].\n", 1, "a bare '['; expected mentions as '[entity|words]'"),
        ("[a|She] | left.\n", 1, "a bare '|'"),
        ("[a|Mar]ta left [a|her].\n", 1, "mention 'Mar' of 'a' cuts through a word"),
        ("[a| she] left [a|her].\n", 1, "expected it to consist of whole words from 'she'"),
        ("[a|] left [a|her].\n", 1, "mention '' of 'a' cuts through a word"),
        ("[a|She] left.\n", 1, "'a' is mentioned once; expected at least two mentions, or no brackets"),
        ("[a|[b|She]] left [b|her] [a|one].\n", 1, "is in clusters"),
        ("[a|[a|She]] left.\n", 1, "occurs twice in cluster a"),
        ("Fine.\n@Ana left.\n", 2, "expected '@Name: words'"),
    ],
)  # fmt: skip
def test_errors_have_line_numbers(tmp_path, content, line, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'x.txt'}:{line}: ")
    assert message in str(caught.value)


def test_a_file_may_hold_several_documents(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("[a|Ana] said [a|she] left.\n---\n@Bo: [b|I] lost [b|my] key.\n---\nNobody came.\n")
    documents = list(read_inline_file(path, "open/x"))
    assert [document.doc_key for document in documents] == ["open/x_1", "open/x_2", "open/x_3"]
    assert [len(document.clusters) for document in documents] == [1, 1, 0]
    assert [document.speakers[0][0] for document in documents] == ["-", "Bo", "-"]
    with pytest.raises(InputError, match=r"x\.txt:1: 3 documents; expected one"):
        read_inline(path, "open/x")
    path.write_text("[a|Ana] said [a|she] left.\n---\n\n---\nDone.\n")
    with pytest.raises(InputError, match=r"x\.txt:3: the document is empty"):
        list(read_inline_file(path, "open/x"))

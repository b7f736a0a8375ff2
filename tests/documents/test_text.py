"""Raw text files as documents."""

import subprocess
import sys

import pytest

from coref_tf.documents import read_documents
from coref_tf.documents.dialogue import DialogueCount, find_turns
from coref_tf.documents.dialogue_forms import read_dialogue
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError, InputError

TALK = """\
A call in May.

Ana: I'm here. Are you?
Nora Lund-Berg: Yes, at 10:30.
Still waiting.
ANA: Why: traffic?
"""


def test_offsets_locate_the_tokens(tmp_path):
    path = tmp_path / "my notes.txt"
    text = "\ufeffDr. Roy isn't in.\r\nShe'll call.\r\n\r\n“Ok,” said Zoë.\r\n"
    path.write_bytes(text.encode())
    (document,) = read_documents(path)
    assert (document.doc_key, document.key, document.genre) == ("my notes", "my notes", "")
    assert document.text == text[1:]
    assert [document.text[begin:end] for begin, end in document.offsets] == list(document.words)
    assert [len(sentence) for sentence in document.sentences] == [6, 4, 7]
    assert set(sum(document.speakers, ())) == {"-"}


def test_dialogue_sets_speakers_when_asked_for(tmp_path):
    path = tmp_path / "call.txt"
    path.write_text(TALK)
    (plain,) = read_documents(path)
    assert set(sum(plain.speakers, ())) == {"-"} and "Ana" in plain.words
    (document,) = read_documents(path, dialogue=True)
    spoken = [
        (row[0], " ".join(words)) for row, words in zip(document.speakers, document.sentences, strict=True)
    ]
    assert spoken == [
        ("-", "A call in May ."),
        ("Ana", "I 'm here ."),
        ("Ana", "Are you ?"),
        ("Nora Lund-Berg", "Yes , at 10:30 ."),
        ("Nora Lund-Berg", "Still waiting ."),
        ("ANA", "Why : traffic ?"),
    ]
    assert [document.text[begin:end] for begin, end in document.offsets] == list(document.words)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the document is empty; expected at least one word"),
        (b" \n\n", 1, "the document is empty"),
        (
            b"One.\nTw\xe9.\n",
            2,
            "byte 3, b'\\xe9', is not UTF-8; expected UTF-8 text; `iconv -f latin1 -t utf-8`",
        ),
        (b"One.\nTw\0.\n", 2, "a NUL byte"),
    ],
)
def test_errors_have_line_numbers(tmp_path, content, line, message):
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_documents(path))
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def test_an_empty_text_is_an_empty_document_when_allowed(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("\n")
    (document,) = read_documents(path, allow_empty=True)
    assert document.sentences == () and document.text == "\n"


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(CorefError, match="a lone surrogate"):
        document_from_text("a \ud800", "x")


def test_spacy_and_tensorflow_are_not_loaded_for_other_formats(ferry):
    code = f"import sys; from coref_tf.documents import read_documents; list(read_documents({str(ferry)!r}))"
    code += "; sys.exit(bool({'spacy', 'tensorflow', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ferry.parents[2], check=False).returncode == 0


CHAT = """[10:02] ana: hi
[10:03] <ben> hello <ana>
<ben> Note: bring water.
Note: this is nobody.
Here is the thing: nor is this.
12/05/2023, 10:04 - Ana: yes
10:30 we left: no turn
<p> nor this </p>
Dr. Mary Lee-Roy: come in.
"""


def test_forms_of_turns():
    spoken = [(turn.speaker, CHAT[turn.begin : turn.end]) for turn in find_turns(CHAT)]
    assert spoken == [
        ("-", ""),
        ("ana", "hi\n"),
        ("ben", "hello <ana>\n"),
        ("ben", "Note: bring water.\nNote: this is nobody.\nHere is the thing: nor is this.\n"),
        ("Ana", "yes\n10:30 we left: no turn\n<p> nor this </p>\n"),
        ("Dr. Mary Lee-Roy", "come in.\n"),
    ]


def test_a_repeated_name_is_a_speaker():
    text = "Note: I think.\nBen: Why?\nNote: Because.\n"
    assert [turn.speaker for turn in find_turns(text)] == ["-", "Note", "Ben", "Note"]


def test_turns_and_speakers_are_counted():
    count = DialogueCount()
    assert str(count).startswith("no turns found; expected lines such as")
    count(read_dialogue(CHAT))
    assert str(count) == "5 turns of 4 speakers"

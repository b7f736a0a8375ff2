"""Text vectors are read in every common format, and errors have line numbers."""

import gzip
import io
import zipfile

import pytest

from coref_tf.features.text_vectors import read_text_vectors
from coref_tf.support.errors import InputError

ENTRIES = [
    ("the", [0.5, -1.0]),
    (". . .", [2.0, 3.0]),
    ("at name@domain.com", [1e-3, 4.0]),
    ("\u2028é", [0.0, 0.25]),
]
GLOVE = "the 0.5 -1\n. . . 2 3\nat name@domain.com 1e-3 4\n\u2028é 0 .25\n"


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return buffer.getvalue()


def read(tmp_path, data: bytes, size: int | None = None):
    (tmp_path / "vectors").write_bytes(data)
    return list(read_text_vectors(tmp_path / "vectors", size))


@pytest.mark.parametrize("size", [None, 2])
@pytest.mark.parametrize(
    "data",
    [
        GLOVE.encode(),
        GLOVE.rstrip("\n").encode(),
        f"4 2\n{GLOVE}".encode(),
        GLOVE.replace("\n", " \n").encode(),
        GLOVE.replace("\n", "\r\n").encode(),
        GLOVE.replace(" 3", "\t3").encode(),
        b"\xef\xbb\xbf" + GLOVE.encode(),
        gzip.compress(GLOVE.encode()),
        zipped(vectors_txt=GLOVE),
    ],
    ids=["glove", "no last newline", "word2vec", "trailing space", "crlf", "tab", "bom", "gzip", "zip"],
)
def test_every_format_is_read(tmp_path, data, size):
    assert read(tmp_path, data, size) == ENTRIES


def test_size_selects_the_file_in_an_archive(tmp_path):
    data = zipped(glove_6B_50d_txt="a 1\n", glove_6B_2d_txt=GLOVE, glove_6B_300d_txt="b 2\n")
    assert read(tmp_path, data, 2) == ENTRIES
    with pytest.raises(InputError, match=r"contains glove\.6B\.2d\.txt, .*; expected one file, or a size"):
        read(tmp_path, data)
    with pytest.raises(InputError, match="expected one file of 5d vectors"):
        read(tmp_path, data, 5)


def test_numbers_may_be_words(tmp_path):
    assert read(tmp_path, b"5 3\n1911 2\n", 1) == [("5", [3.0]), ("1911", [2.0])]
    assert read(tmp_path, b"2 1\n5 3\n1911 2\n", 1) == [("5", [3.0]), ("1911", [2.0])]
    assert read(tmp_path, b"5 0.5 2\n1911 1 2\n") == [("5", [0.5, 2.0]), ("1911", [1.0, 2.0])]


def test_words_may_end_in_a_number(tmp_path):
    text = "the 1 2\nWorld War 2 3 4\nWindows 8.1 5 6\n"
    assert [word for word, _ in read(tmp_path, text.encode(), 2)] == ["the", "World War 2", "Windows 8.1"]


INVALID_FILES = [
    (b"", None, 1, "no vectors; expected a word"),
    (b"\n", 2, 1, "no vectors"),
    (b"the\n", None, 1, "no numbers at the end of 'the'"),
    (b"the 1 2\n", 3, 1, "a word and 2 numbers; expected 3"),
    (b"the 1 2 3 4\n", 3, 1, "a word and 4 numbers; expected 3"),
    (b"2 50\nthe 1 2\n", 3, 1, "header specifies vector size 50; expected 3"),
    (b"2 0\nthe\n", None, 1, "header specifies vector size 0"),
    (b"the 1 2\ncat 1\n", 2, 2, "'cat 1' has 1 numbers; expected a word and 2"),
    (b"the 1 2\n\ncat 1 2\n", 2, 2, "'' has 0 numbers"),
    (b"the 1 2\n1 2\n", 2, 2, "'1 2' has 2 numbers; expected a word and 2"),
    (b"the 1 2\ncat 1 x\n", 2, 2, "'x' is not a finite number"),
    (b"the 1 2\ncat nan 1\n", 2, 2, "'nan' is not a finite number"),
    (b"the 1 2\ncat 1 -inf\n", 2, 2, "'-inf' is not a finite number"),
    (b"the 1 2\ncat 1 1e39\n", 2, 2, "'1e39' is not a finite number"),
    (b"the 1 2\ncat 1_0 2\n", 2, 2, "'1_0' is not a finite number"),
    (b"the 1 2\ncat 0.125 1 2\n", 2, 2, "more than 2 numbers after 'cat 0.125'"),
    (b"the 1 2\n\xff 1 2\n", 2, 2, r"the word '\\\\xff' is not UTF-8"),
    (b"3 2\nthe 1 2\ncat 1 2\n", 2, 3, "ends after 2 words; expected 3, as"),
    (b"x" * (1 << 20), 2, 1, "line of 1048576 bytes"),
    (gzip.compress(GLOVE.encode())[:-12], 2, 1, "cannot be read any further"),
    (zipped(vectors_txt=GLOVE)[:-5], 2, 1, "cannot be read any further"),
    (zipped(), 2, 1, "the archive contains nothing"),
]


# The ids are the messages, since an archive contains the time of its creation and ids must not change between runs.
@pytest.mark.parametrize(
    "data, size, line, message", INVALID_FILES, ids=[message for *_, message in INVALID_FILES]
)
def test_errors_have_line_numbers(tmp_path, data, size, line, message):
    with pytest.raises(InputError, match=rf"vectors:{line}: .*{message}") as caught:
        read(tmp_path, data, size)
    assert "\n" not in str(caught.value)
    assert "expected" in str(caught.value)

"""The character vocabulary: ids, files, and characters that break lines or are invisible."""

import pytest

from coref_tf.documents.document import Document
from coref_tf.features.characters import CharacterVocabulary, build_character_vocabulary
from coref_tf.support.errors import CorefError, InputError

AWKWARD = [
    "\n",
    "\r",
    "\t",
    " ",
    "\x0b",
    "\x85",
    "\xa0",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ud800",
    "\U0001f600",
    "U",
]


def test_vocabulary_has_the_characters_of_the_documents_by_code_point():
    documents = [Document("a", [["be", "é"], ["Ab"]]), Document("b", [["a"]])]
    assert build_character_vocabulary(documents) == ["A", "a", "b", "e", "é"]
    assert build_character_vocabulary([]) == []


def test_ids_start_at_one_and_zero_is_unknown():
    vocabulary = CharacterVocabulary(["a", "b"])
    assert vocabulary.encode("abxa") == [1, 2, 0, 1]
    assert vocabulary.encode("") == []
    assert len(vocabulary) == 3


def test_awkward_characters_round_trip(tmp_path):
    CharacterVocabulary(AWKWARD).write(tmp_path / "vocabulary.txt")
    assert CharacterVocabulary.read(tmp_path / "vocabulary.txt").characters == tuple(AWKWARD)
    assert len((tmp_path / "vocabulary.txt").read_bytes().split(b"\n")) == len(AWKWARD) + 1


@pytest.mark.parametrize(
    "text, expected",
    [("a\nb\n", "ab"), ("a\r\nb", "ab"), ("\u2028\n\xa0\n \n", "\u2028\xa0 "), ("U+2028\n", "\u2028")],
)
def test_files_from_other_tools_are_read(tmp_path, text, expected):
    (tmp_path / "vocabulary.txt").write_bytes(text.encode())
    assert "".join(CharacterVocabulary.read(tmp_path / "vocabulary.txt").characters) == expected


@pytest.mark.parametrize(
    "data, line",
    [(b"a\nbc\n", 2), (b"a\n\nb\n", 2), (b"a\nb\na\n", 3), (b"\xff\n", 1), (b"", 1), (b"U+110000\n", 1)],
)
def test_errors_have_line_numbers(tmp_path, data, line):
    path = tmp_path / "vocabulary.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"vocabulary\.txt:{line}: .*expected"):
        CharacterVocabulary.read(path)


@pytest.mark.parametrize("characters", [["a", "a"], ["ab"], [""]])
def test_vocabulary_needs_distinct_characters(characters):
    with pytest.raises(CorefError, match="distinct single characters"):
        CharacterVocabulary(characters)


def test_reference_vocabulary_fits_the_reference_checkpoint(shared):
    vocabulary = CharacterVocabulary.read(shared / "reference/small/char_vocab.txt")
    assert len(vocabulary) == 43  # the number of rows of char_embeddings
    assert vocabulary.encode("!y~") == [1, 42, 0]


def test_a_missing_vocabulary_names_the_command_that_makes_it(tmp_path):
    path = tmp_path / "char_vocab.txt"
    with pytest.raises(
        CorefError,
        match=f"create it from the training documents with `coref features characters {path} FILE",
    ):
        CharacterVocabulary.read(path)

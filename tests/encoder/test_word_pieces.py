"""Words into pieces: the same as the tokenizers library has them."""

import pytest
from piece_cases import FIXED, ROOT, all_words, bundled_words, fuzzed_words, small_vocabulary

from coref_tf.documents.running_text import plain_word
from coref_tf.encoder.bert_characters import spaced
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.word_pieces import MOST_PIECES, WordPieces

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers: pip install -r requirements-dev.txt")


def as_the_library(vocabulary, lowercase):
    """A function that cuts a word as the tokenizers library does."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    cut = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    cut.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    cut.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()

    def ids(word):
        return tuple(cut.encode(plain_word(word), add_special_tokens=False).ids[:MOST_PIECES]) or (
            numbers["[UNK]"],
        )

    return ids


def different(vocabulary, lowercase, words):
    """The words that are cut otherwise."""
    ids, expected = WordPieces(vocabulary, lowercase).ids, as_the_library(vocabulary, lowercase)
    return [word for word in words if ids(word) != expected(word)]


@pytest.mark.parametrize("lowercase", [True, False])
def test_as_the_library_on_the_sample_and_on_fuzzed_words(lowercase):
    words = bundled_words()
    vocabulary = small_vocabulary(words, lowercase)
    assert different(vocabulary, lowercase, [*words, *FIXED, *fuzzed_words(2000)]) == []


def test_every_character_by_itself_and_between_letters():
    vocabulary = small_vocabulary(["ab"], True)
    characters = [chr(code) for code in range(1, 0x3400)] + [chr(code) for code in range(0xA000, 0x1FB00, 7)]
    words = [word for c in characters if not "\ud800" <= c <= "\udfff" for word in (c, f"a{c}b")]
    assert different(vocabulary, True, words) == []


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_becomes_what_the_library_makes_of_it(lowercase):
    """Whatever version of Unicode the running Python has; lower case, too, which a small vocabulary has few of."""
    normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    cut = tokenizers.pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    # Between and after these there is nothing, or what is set aside for private use.
    for character in map(chr, [*range(1, 0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xF0100)]):
        expected = [part for part, _ in cut(normalizer.normalize_str(f"a{character}b"))]
        found = [part for part in f"a{spaced(character, lowercase)}b".split(" ") if part]
        assert found == expected, f"U+{ord(character):04X}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["minilm", "mpnet", "distilbert"])
def test_as_the_library_on_every_corpus_with_real_vocabularies(name, shared):
    path = ROOT / "data" / "encoders" / f"{name}.h5"
    if not path.exists():
        pytest.skip(f"needs {path}: make encoder ENCODER={name}")
    file = EncoderFile(path)
    assert different(file.vocabulary, file.config.lowercase, all_words(shared)) == []


def test_longest_first_unknown_and_too_long():
    pieces = WordPieces(["[UNK]", "un", "u", "##a", "##aff", "##able", "!", "漢"], lowercase=True)
    assert pieces.ids("UNaffable") == (1, 4, 5)
    assert pieces.ids("unx") == (0,)
    assert pieces.ids("un!") == (1, 6)
    assert pieces.ids("ü漢u!") == (2, 7, 2, 6)
    assert pieces.ids("\u0301\u200b") == (0,)
    assert pieces.ids("u" + "a" * 99) == (2, *[3] * 99)
    assert pieces.ids("u" + "a" * 100) == (0,)
    assert pieces.ids("!" * 5000) == (6,) * MOST_PIECES


def test_a_vocabulary_without_the_unknown_piece():
    with pytest.raises(ValueError, match=r"vocabulary must have \[UNK\]"):
        WordPieces(["a", "b"], lowercase=True)

"""The word pieces equal those of the tokenizers library."""

import pytest
from piece_cases import FIXED, all_words, bundled_words, fuzzed_words, known_encoder, small_vocabulary

from coref_tf.documents.running_text import plain_word
from coref_tf.encoder.bert_characters import spaced
from coref_tf.encoder.word_pieces import MOST_PIECES, WordPieces

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers: pip install -r requirements-dev.txt")


def library_tokenizer(vocabulary, lowercase):
    """Returns a function that splits a word into pieces with the tokenizers library."""
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


def differing_words(vocabulary, lowercase, words):
    """Returns the words that the library splits differently."""
    ids, expected = WordPieces(vocabulary, lowercase).ids, library_tokenizer(vocabulary, lowercase)
    return [word for word in words if ids(word) != expected(word)]


@pytest.mark.parametrize("lowercase", [True, False])
def test_equal_to_the_library_on_the_sample_and_on_fuzzed_words(lowercase):
    words = bundled_words()
    vocabulary = small_vocabulary(words, lowercase)
    assert differing_words(vocabulary, lowercase, [*words, *FIXED, *fuzzed_words(2000)]) == []


def test_every_character_alone_and_between_letters():
    vocabulary = small_vocabulary(["ab"], True)
    characters = [chr(code) for code in range(1, 0x3400)] + [chr(code) for code in range(0xA000, 0x1FB00, 7)]
    words = [word for c in characters if not "\ud800" <= c <= "\udfff" for word in (c, f"a{c}b")]
    assert differing_words(vocabulary, True, words) == []


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_is_normalised_as_in_the_library(lowercase):
    """Few characters are in a small vocabulary, so this compares all of them, whatever Python's version of Unicode."""
    normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    cut = tokenizers.pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    # All other code points are unassigned or for private use.
    for character in map(chr, [*range(1, 0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xF0100)]):
        expected = [part for part, _ in cut(normalizer.normalize_str(f"a{character}b"))]
        found = [part for part in f"a{spaced(character, lowercase)}b".split(" ") if part]
        assert found == expected, f"U+{ord(character):04X}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["minilm", "mpnet", "distilbert"])
def test_equal_to_the_library_on_every_corpus_with_real_vocabularies(name, shared):
    file = known_encoder(name)
    assert differing_words(file.vocabulary, file.config.lowercase, all_words(shared)) == []


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

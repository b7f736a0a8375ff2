"""Words and vocabularies for the tests of word pieces."""

import collections
import functools
import random
import re
import unicodedata
from pathlib import Path

import pytest

from coref_tf.documents import read_documents
from coref_tf.encoder.encoder_file import EncoderFile

ROOT = Path(__file__).resolve().parents[1]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
FIXED = [
    "",
    "a",
    "-LRB-",
    "``",
    "''",
    r"and\/or",
    r"\*",
    "[CLS]",
    "##s",
    "don't",
    "Ångström",
    "e\u0301tude",
    "\u0301",
    "\u0301\u0327\u0300",
    "ΣΑΣ",
    "İstanbul",
    "straße",
    "東京tower",
    "豈\uf900",
    "각하",
    "👩\u200d👩\u200d👧",
    "\t",
    "a\u00a0b",
    "\ufffd",
    "x" * 100,
    "x" * 101,
    "the" * 34,
    "e" * 5000,
    "!" * 5000,
    "漢" * 5000,
    "\u0301" * 5000,
    "\u166d\u1734\U000111c9\u08e2\U0001e95e",
]
_MARKS = [chr(code) for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M")]
_KINDS = [
    lambda r: chr(r.randrange(33, 127)),
    lambda r: chr(r.randrange(0xA0, 0x600)),
    lambda r: chr(r.randrange(0x4E00, 0xA000)),
    lambda r: chr(r.randrange(0x1F300, 0x1FB00)),
    lambda r: r.choice("0123456789.,%$"),
    lambda r: r.choice(_MARKS),
    lambda r: chr(r.choice([r.randrange(1, 0xD800), r.randrange(0xE000, 0x110000)])),
    lambda r: r.choice("etaoinshrdlu"),
    lambda r: r.choice("éÉñÇÅåßİıΣςσÄガ가각ﬁ\u0301\u0327"),
    lambda r: r.choice(["the", "ing", "Sch", "un", "##", "[UNK]", "-", "'", " ", "\t", "\u200b", "\ufffd"]),
]


def fuzzed_words(number, seed=1):
    """Random words of accents, ideographs, emoji, digits, marks and any other characters, of all relevant lengths."""
    generator = random.Random(seed)
    words = []
    for _ in range(number):
        kinds = generator.sample(_KINDS, generator.choice([1, 1, 2, 3]))
        length = generator.choice([1, 2, 3, 5, 8, 13, 30, 100, 101])
        words.append("".join(generator.choice(kinds)(generator) for _ in range(length)))
    return words


def words_of(paths):
    """The distinct words of documents, most frequent first."""
    counts = collections.Counter(
        word for path in paths for document in read_documents(path) for word in document.words
    )
    return [word for word, _ in counts.most_common()]


@functools.cache
def bundled_words():
    """The distinct words of the sample corpus, most frequent first."""
    return words_of(sorted((ROOT / "data" / "sample").glob("*.jsonlines")))


def all_words(shared):
    """The distinct words of all bundled and shared corpora, of the texts in data/open, and of the cases above."""
    files = [*shared.glob("data/*/*conll"), *shared.glob("data/*/*.jsonlines*")]
    annotated = {
        word for path in (ROOT / "data" / "open").rglob("*.txt") for word in path.read_text("utf-8").split()
    }
    return sorted({*words_of(files), *bundled_words(), *annotated, *FIXED, *fuzzed_words(10000)})


def small_vocabulary(words, lowercase):
    """A vocabulary of about 3,000 pieces: frequent words and endings, letters, and a few of other scripts."""
    words = [word.lower() if lowercase else word for word in words]
    others = "漢字東京ʻeéиς각👩ᄀ" + "".join(map(chr, range(33, 127)))
    letters = sorted({letter for word in (*words, others) for letter in word})
    letters = [letter for letter in letters if letter == letter.lower()] if lowercase else letters
    parts = collections.Counter(
        f"##{word[place : place + size]}"
        for word in words
        for size in (2, 3, 4)
        for place in range(1, len(word))
    )
    endings = [part for part, _ in parts.most_common(1000) if re.fullmatch(r"##\w{2,4}", part)]
    pieces = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *words[:1500], *endings]
    return list(dict.fromkeys(pieces))


def known_encoder(name):
    """Returns the file of a known encoder; the test is skipped if it is missing."""
    path = ROOT / "data" / "encoders" / f"{name}.h5"
    if not path.exists():
        pytest.skip(f"needs {path}: make encoder ENCODER={name}")
    return EncoderFile(path)

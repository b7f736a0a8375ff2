"""Splits a text into tokens with offsets, in the graph; equivalent to coref_tf.documents.tokenizer.

Separators are inserted around whitespace, citation marks and ends of paragraphs; the text between two separators is a
chunk. Nothing else is added or removed, so offsets follow from the lengths of the preceding chunks.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import tensorflow as tf

from coref_tf.documents.tokenizer import NUMBERED
from coref_tf.export import rules
from coref_tf.export.chunks import ChunkSplitter, replace_all
from coref_tf.ops import checks as check


class Tokens(NamedTuple):
    """The tokens of a text; text[begin:end], in characters, is one token."""

    words: tf.Tensor  # string [tokens]
    begins: tf.Tensor  # int32 [tokens]
    ends: tf.Tensor  # int32 [tokens]
    paragraphs: tf.Tensor  # int32 [tokens], the number of each token's paragraph


class TextSplitter(tf.Module):
    """Splits a text into tokens.

    Example:
        TextSplitter()(tf.constant("Ana isn't in.")).words    # ["Ana", "is", "n't", "in", "."]
    """

    def __init__(self) -> None:
        super().__init__(name="text_splitter")
        self.chunks = ChunkSplitter()

    def __call__(self, text: tf.Tensor) -> Tokens:
        """Returns the tokens of a text, string []."""
        pieces = tf.strings.split(replace_all(checked_text(text), rules.MARKED_TEXT), rules.CHUNK)
        pieces = tf.boolean_mask(pieces, pieces != "")
        is_break = pieces == rules.BREAK
        lengths = tf.where(is_break, 0, tf.strings.length(pieces, unit="UTF8_CHAR"))
        is_chunk = ~is_break & ~tf.strings.regex_full_match(pieces, f"[{rules.SPACE}]+")
        begins, paragraphs = tf.cumsum(lengths, exclusive=True), tf.cumsum(tf.cast(is_break, tf.int32))
        # [chunks]; each distinct chunk is split only once
        chunks, begins, paragraphs = (tf.boolean_mask(x, is_chunk) for x in (pieces, begins, paragraphs))
        distinct, ids = tf.unique(chunks)
        # [chunks, tokens]
        tokens = tf.gather(self.chunks(distinct), ids)
        # [tokens]: the chunk that each belongs to, and its index there
        of_chunk, words = tokens.value_rowids(), tokens.values
        lengths = tf.strings.length(words, unit="UTF8_CHAR")
        places = tf.cumsum(lengths, exclusive=True)
        places -= tf.gather(tf.concat([places, [0]], axis=0), tf.gather(tokens.row_starts(), of_chunk))
        begins = tf.gather(begins, of_chunk) + places
        return _join_numbered(Tokens(words, begins, begins + lengths, tf.gather(paragraphs, of_chunk)))


def checked_text(text: tf.Tensor) -> tf.Tensor:
    """Rejects invalid text."""
    decoded = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", errors="replace")
    broken = (decoded != text) | tf.strings.regex_full_match(decoded, r"(?s).*\x00.*")
    return check.require(~broken, decoded, "text must be UTF-8 without NUL characters")


def _join_numbered(tokens: Tokens) -> Tokens:
    """Joins `No` and `.` if a number follows."""
    touches = shifted(tokens.ends, 1, -1) == tokens.begins
    numbered = shifted(is_one_of(tokens.words, NUMBERED), 1, False)
    number = tf.strings.regex_full_match(tokens.words, r"\p{Nd}.*") & ~first_of_paragraph(tokens)
    joins = touches & (tokens.words == ".") & numbered & shifted(number, -1, False)
    joined = shifted(joins, -1, False)
    words = tf.where(joined, tokens.words + ".", tokens.words)
    ends = tokens.ends + tf.cast(joined, tf.int32)
    tokens = tokens._replace(words=words, ends=ends)
    return Tokens(*(tf.boolean_mask(values, ~joins) for values in tokens))


def first_of_paragraph(tokens: Tokens) -> tf.Tensor:
    """Returns whether each token is the first of its paragraph, bool [tokens]."""
    return tokens.paragraphs != shifted(tokens.paragraphs, 1, -1)


def shifted(values: tf.Tensor, by: int, fill: int | bool | str) -> tf.Tensor:
    """Shifts a vector by `by` positions, to the left if negative, and fills up with `fill`.

    Example:
        shifted(tf.constant([1, 2, 3]), 1, 0)    # [0, 1, 2]
    """
    size = tf.size(values)
    filling = tf.fill([abs(by)], tf.constant(fill, values.dtype))
    if by > 0:
        return tf.concat([filling, values], axis=0)[:size]
    return tf.concat([values, filling], axis=0)[-by:]


def is_one_of(words: tf.Tensor, known: Iterable[str]) -> tf.Tensor:
    """Returns whether each word is one of the known words, bool [words]."""
    return tf.strings.regex_full_match(words, "|".join(map(re.escape, sorted(known))))

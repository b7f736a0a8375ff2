"""Splits tokens into sentences, in the graph; applies the rules of coref_tf.documents.tokenizer to all at once."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.documents.tokenizer import CLOSING, OPENING, STARTERS, TITLES
from coref_tf.export.text import Tokens, first_of_paragraph, is_one_of, shifted

_TERMINAL = "[.!?…。！？]"
_INITIAL = r"[A-Z]\."


class Sentences(NamedTuple):
    """The sentences of a text."""

    tokens: Tokens
    lengths: tf.Tensor  # int32 [sentences], in tokens


class _Ends(NamedTuple):
    """Which tokens end a sentence, depending on where it begins."""

    following: tf.Tensor  # int32 [tokens], the token with which the next sentence would begin
    always: tf.Tensor  # bool [tokens], wherever the sentence begins
    unless_number: tf.Tensor  # bool [tokens], unless only the number of a list item precedes the token
    if_first: tf.Tensor  # bool [tokens], if the sentence begins with the token
    if_later: tf.Tensor  # bool [tokens], if the sentence begins before the token


def split_sentences(tokens: Tokens) -> Sentences:
    """Finds the boundaries of sentences."""
    possible = _possible_ends(tokens)
    paragraph_begins = first_of_paragraph(tokens)
    number = _match(tokens.words, r"[0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Za-z]|[ivx]+")

    def ends_given(begins: tf.Tensor) -> tf.Tensor:
        number_only = shifted(begins & number, 1, False) & ~begins & (tokens.words == ".")
        ends = possible.always | (possible.unless_number & ~number_only)
        return ends | tf.where(begins, possible.if_first, possible.if_later)

    def find_begins(begins: tf.Tensor, _: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        # A sentence boundary depends only on those before it, so each round fixes at least one more.
        places = tf.boolean_mask(possible.following, ends_given(begins))
        found = tf.math.unsorted_segment_sum(tf.ones_like(places), places, tf.size(begins) + 1)[:-1] > 0
        found |= paragraph_begins
        return found, tf.reduce_any(found != begins)

    begins, _ = tf.while_loop(
        lambda begins, changed: changed, find_begins, (paragraph_begins, tf.constant(True))
    )
    initials = ends_given(begins) & ~begins & _match(tokens.words, _INITIAL)
    return _part_initials(tokens, begins, initials)


def _possible_ends(tokens: Tokens) -> _Ends:
    words, begins_paragraph = tokens.words, first_of_paragraph(tokens)
    next_token = tf.range(1, tf.size(words) + 1)
    # Closing quotes, brackets and citation marks belong to the sentence that they follow.
    stopped = _match(words, f"[^{_TERMINAL[1:]}*{_TERMINAL}+")
    following = tf.where(stopped, _next_without(_is_closing(tokens), next_token), next_token)
    last = tf.gather(tf.concat([begins_paragraph, [True]], axis=0), following)
    # [tokens]: the next word that does not open a quote or bracket; irrelevant for the last
    opening = is_one_of(words, OPENING) & ~shifted(begins_paragraph, -1, True)
    behind = tf.gather(tf.concat([words, ["-"]], axis=0), _next_without(opening, following))

    goes_on = _match(behind, rf"[,;:/%&=+)\]}}].*|{_TERMINAL}+")
    goes_on |= _match(behind, r"\p{Ll}.*") & _has_capitals(tokens)
    terminal = _match(words, f"{_TERMINAL}+")
    before_starter = _match(words, r".*\.") & ~is_one_of(words, TITLES) & is_one_of(behind, STARTERS)
    before_capital = _match(behind, r"\p{Lu}.*") & ~_match(behind, _INITIAL)
    is_i = words == "I."
    return _Ends(
        following,
        last | (before_starter & ~terminal & ~is_i),
        terminal & ~goes_on,
        is_i & before_starter,
        is_i & before_capital,
    )


def _is_closing(tokens: Tokens) -> tf.Tensor:
    """Returns which tokens are closing quotes or brackets that touch the token before, or part of a citation mark."""
    words, inside = tokens.words, ~first_of_paragraph(tokens)
    closes = is_one_of(words, CLOSING) & (shifted(tokens.ends, 1, -1) == tokens.begins)
    number = shifted(_match(words, "[0-9]{1,3}") & inside, -1, False)
    bracket = shifted((words == "]") & inside, -2, False)
    citation = (words == "[") & number & bracket
    citation |= shifted(citation, 1, False) | shifted(citation, 2, False)
    return (closes | citation) & inside


def _has_capitals(tokens: Tokens) -> tf.Tensor:
    """Returns whether there is a capital in each token's paragraph."""
    capitals = tf.cast(_match(tokens.words, r".*[\p{Lu}\p{Lt}].*"), tf.int32)
    count = tf.reduce_max(tf.concat([tokens.paragraphs, [0]], axis=0)) + 1
    return tf.gather(tf.math.unsorted_segment_sum(capitals, tokens.paragraphs, count) > 0, tokens.paragraphs)


def _part_initials(tokens: Tokens, begins: tf.Tensor, initials: tf.Tensor) -> Sentences:
    """Splits initials that end a sentence from their full stop."""
    # [tokens]: the number of new tokens of each, one or two
    parts = 1 + tf.cast(initials, tf.int32)
    sentence = tf.cumsum(tf.cast(begins, tf.int32)) - 1
    lengths = tf.math.unsorted_segment_sum(parts, sentence, tf.reduce_sum(tf.cast(begins, tf.int32)))
    # [new tokens]: the old token of each, and whether it is its first or second part
    old = tf.repeat(tf.range(tf.size(parts)), parts)
    initial, repeated = tf.gather(initials, old), shifted(old, 1, -1) == old
    words, begins, ends, paragraphs = (tf.gather(values, old) for values in tokens)
    words = tf.where(repeated, ".", tf.where(initial, tf.strings.substr(words, 0, 1), words))
    begins = tf.where(repeated, ends - 1, begins)
    ends = tf.where(initial & ~repeated, ends - 1, ends)
    return Sentences(Tokens(words, begins, ends, paragraphs), lengths)


def _match(words: tf.Tensor, pattern: str) -> tf.Tensor:
    return tf.strings.regex_full_match(words, pattern)


def _next_without(mask: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """Returns the first position at or after each of `places` where the mask is false, as it is after its end."""
    free = tf.cast(tf.where(~tf.concat([mask, [False]], axis=0))[:, 0], tf.int32)
    return tf.gather(free, tf.searchsorted(free, places))

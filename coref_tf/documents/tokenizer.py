"""Splits raw text into sentences of tokens with exact offsets.

Tokens come from spaCy's tokenizer for the language of the text, which needs no model. The English tokenizer, like
OntoNotes, splits hyphens and contractions as in the Penn Treebank. A few more rules, made for English, are added.

Tokens
1. A citation mark such as `[12]` is three tokens, even if it touches a word or full stop; `` is one token.
2. In English, the abbreviations in the lists below are one token, like `Mr.` in spaCy; so are `No.`, `Fig.`, `pp.` and
   the like before a number.
3. A full stop is split from a longer word that ends in a capital (`seat 31B.`), and from a single capital
   (`I.`, `Plan B.`) if it ends the sentence.
4. Runs of more than 100 punctuation marks, or of more than 1,000 characters without a blank, are split first, because
   spaCy's time is quadratic in their length.

Sentences
1. A blank line ends a sentence, and so does a line break before a list item (`- `, `* `, `• `, `1. `, `1) `).
2. A token that consists of `.`, `!`, `?` and `…` ends a sentence, together with the closing quotes and brackets that
   touch it and the citation marks after them. It does not if another such token, a lower-case letter or `,;:/%&=+`
   follows (ignoring opening quotes, brackets and dashes), or if the sentence so far is only the number of a list item.
   In a paragraph without capitals, lower-case letters begin sentences, too.
3. An abbreviation or initial (a longer token that ends in `.`) ends a sentence only before a word that is rarely part
   of a name (`He`, `The`, `In`, ...); a title such as `Dr.` never does. `I.` does before any capital except an
   initial.
"""

import functools
import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from coref_tf.support.errors import CorefError
from coref_tf.support.startup import starting

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

ENGLISH = "en"

_BREAK = re.compile(r"\n\s*\n|\r\s*\r|[\f\u2029]|\n(?=[^\S\n]*(?:[-*•‣]|[0-9]{1,2}[.)])[^\S\n])")
_CITATION = re.compile(r"(\[)([0-9]{1,3})(\])")
_PARTED = re.compile(_CITATION.pattern + "|(``)")
# Punctuation that spaCy splits off one by one, as character ranges that other regular expression engines also support.
SIGNS = (
    "!-/:-@\\[-`{-~\u00a1-\u00bf\u060c\u061b\u061f\u066a\u06d4\u0964\u2010-\u2027\u2030-\u205e\u20a0-\u20cf"
    "\u2100-\u2bff\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff"
)
# Where runs are split: after this many punctuation marks in a row; before the first punctuation mark after this many
# characters, and in any case after twice as many.
MOST_SIGNS, MOST_CHARACTERS = 100, 1000
_CUTS = (
    re.compile(rf"[{SIGNS}]{{{MOST_SIGNS}}}"),
    re.compile(rf"\S{{{MOST_CHARACTERS}}}[^\s{SIGNS}]{{0,{MOST_CHARACTERS}}}"),
)
_BLANKS = re.compile(rf"\s{{{MOST_SIGNS},}}")
_TERMINAL = re.compile(r"[.!?…。！？]+")
_INITIAL = re.compile(r"[A-Z]\.")
_CAPITAL_AND_STOP = re.compile(r"[^.]+[A-Z]\.")
_LIST_NUMBER = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Za-z]|[ivx]+")
CLOSING = {"''", *"\"'”’»)]}"}
OPENING = {"``", "--", *"\"'“‘«([{-–—"}
_GOES_ON = frozenset(",;:/%&=+)]}")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERED = _words("No Nos no nos Fig Figs fig figs p pp Vol vol Ch ch Sec sec Art art Eq")
TITLES = _words(
    """Mr. Mrs. Ms. Messrs. Mme. Mlle. Dr. Drs. Prof. Rev. Fr. Hon. St. Gov. Sen. Rep. Pres. Supt. Gen. Adm.
    Maj. Col. Capt. Cmdr. Lt. Sgt. Cpl. Pvt. Mt. Ft. vs. v.s. e.g. E.g. E.G. i.e. I.e. I.E. cf. ca. approx."""
)
_ABBREVIATIONS = _words("etc. al. Sr. Esq. Ave. Blvd. Rd. Assn. Assoc. Dept. Univ. Intl. Mfg. Inst.")
STARTERS = _words(
    """The A An This That These Those He She It They We I You His Her Its Their Our My Your In On At By For
    With From To Of After Before When While If As But And Or So Yet Then There Here What Who Where Why How
    Which Not No Some Many Most All Each Both Another Other Others However Although Though Because Since
    Still Also Meanwhile Now Later Instead Once Until During Under Over Between Among Despite Even Only
    Just Perhaps"""
)


class Token(NamedTuple):
    """A token, text[begin:end]."""

    begin: int
    end: int


def split_sentences(
    text: str, begin: int = 0, end: int | None = None, language: str = ENGLISH
) -> list[list[Token]]:
    """Returns the sentences of text[begin:end].

    Example:
        [[text[b:e] for b, e in sentence] for sentence in split_sentences("Dr. Roy isn't in. Call.")]
        # [["Dr.", "Roy", "is", "n't", "in", "."], ["Call", "."]]
    """
    end = len(text) if end is None else end
    sentences = []
    for match in [*_BREAK.finditer(text, begin, end), None]:
        paragraph = tokenize(text, begin, match.start() if match else end, language)
        sentences += _Paragraph(text, paragraph).sentences()
        begin = match.end() if match else end
    return sentences


def tokenize_sentence(text: str, begin: int, end: int, language: str = ENGLISH) -> list[Token]:
    """Returns the tokens of text[begin:end], which must be one sentence."""
    return _Paragraph(text, tokenize(text, begin, end, language)).as_one()


def tokenize(text: str, begin: int, end: int, language: str = ENGLISH) -> list[Token]:
    """Returns the tokens of text[begin:end]."""
    tokenizer, tokens = spacy_tokenizer(language), []
    for match in [*_PARTED.finditer(text, begin, end), None]:
        for piece in _pieces(text, begin, match.start() if match else end):
            characters = text[slice(*piece)]
            if characters.isspace():
                continue
            for word in tokenizer(characters):
                token = Token(piece.begin + word.idx, piece.begin + word.idx + len(word))
                if _CAPITAL_AND_STOP.fullmatch(word.text):
                    tokens += _part_stop(token)
                elif not word.is_space:
                    tokens.append(token)
        if match:
            tokens += [Token(*match.span(group)) for group in (1, 2, 3, 4) if match[group]]
            begin = match.end()
    return _join_numbered(text, tokens)


def _pieces(text: str, begin: int, end: int) -> list[Token]:
    """Splits text[begin:end] at long runs with or without blanks, which would take spaCy too long."""
    places = [begin, end]
    for cut in _CUTS:
        found = (cut.finditer(text, *piece) for piece in itertools.pairwise(places))
        places = sorted({*places, *(match.end() for match in itertools.chain(*found))})
    blanks = (match.span() for match in _BLANKS.finditer(text, begin, end))
    places = sorted({*places, *itertools.chain.from_iterable(blanks)})
    return [Token(*piece) for piece in itertools.pairwise(places)]


@functools.cache
def spacy_tokenizer(language: str = ENGLISH) -> "Tokenizer":
    """Returns spaCy's tokenizer for a language; the English one is extended with the abbreviations above."""
    try:
        with starting():
            # Imported here because it takes a while and only raw text needs it.
            import spacy

            tokenizer = spacy.blank(language).tokenizer
    except Exception as error:  # ImportError for missing packages, and others in what they import
        reason = " ".join(str(error).split())[:120]
        raise CorefError(
            f"language {language}: spaCy has no tokenizer for it ({reason}); expected a code such as en or de, and the"
            " packages that spaCy requires"
        ) from None
    if language == ENGLISH:
        for word in sorted(TITLES | _ABBREVIATIONS):
            tokenizer.add_special_case(word, [{"ORTH": word}])
    return tokenizer


def _part_stop(token: Token) -> list[Token]:
    return [Token(token.begin, token.end - 1), Token(token.end - 1, token.end)]


def _join_numbered(text: str, tokens: list[Token]) -> list[Token]:
    """Joins `No` and `.` if a number follows."""
    joined = tokens[:1]
    for token, following in zip(tokens[1:], [*tokens[2:], None], strict=False):
        before = joined[-1]
        touches = before.end == token.begin and text[slice(*token)] == "."
        if touches and text[slice(*before)] in NUMBERED and following and text[following.begin].isdigit():
            joined[-1] = Token(before.begin, token.end)
        else:
            joined.append(token)
    return joined


class _Paragraph:
    """A sequence of tokens without a blank line between them."""

    def __init__(self, text: str, tokens: list[Token]):
        self.tokens = tokens
        self.words = [text[begin:end] for begin, end in tokens]
        self.has_capitals = not "".join(self.words).islower()
        # For each token, the first one from there on that does not open a quote or bracket.
        self._first_words = self.words[-1:]
        for word in self.words[-2::-1]:
            self._first_words.append(self._first_words[-1] if word in OPENING else word)
        self._first_words.reverse()

    def sentences(self) -> list[list[Token]]:
        sentences, start, index = [], 0, 0
        while index < len(self.tokens):
            following = self._behind_closing(index)
            if following == len(self.tokens) or self._ends(start, index, following):
                sentences.append(self._sentence(start, index, following))
                start = index = following
            else:
                index += 1
        return sentences

    def as_one(self) -> list[Token]:
        count = len(self.tokens)
        last = next((index for index in range(count) if self._behind_closing(index) == count), 0)
        return self._sentence(0, last, count)

    def _behind_closing(self, index: int) -> int:
        """Returns the index of the token after token `index` and its closing quotes, brackets and citation marks."""
        stop = _TERMINAL.search(self.words[index])
        index += 1
        if not stop or stop.end() != len(self.words[index - 1]):
            return index
        while index < len(self.tokens):
            touches = self.tokens[index - 1].end == self.tokens[index].begin
            if touches and self.words[index] in CLOSING:
                index += 1
            elif _CITATION.fullmatch("".join(self.words[index : index + 3])):
                index += 3
            else:
                break
        return index

    def _ends(self, start: int, index: int, following: int) -> bool:
        """Returns whether token `index` ends the sentence that begins at `start`; `following` is the next token."""
        word, behind = self.words[index], self._first_words[following]
        if _TERMINAL.fullmatch(word):
            number_only = index == start + 1 and word == "." and _LIST_NUMBER.fullmatch(self.words[start])
            goes_on = behind[0] in _GOES_ON or (behind[0].islower() and self.has_capitals)
            return not (number_only or goes_on or _TERMINAL.fullmatch(behind))
        if word == "I." and index > start:
            return behind[0].isupper() and not _INITIAL.fullmatch(behind)
        return word.endswith(".") and word not in TITLES and behind in STARTERS

    def _sentence(self, start: int, index: int, following: int) -> list[Token]:
        """Returns the tokens from `start` up to `following`, exclusive; an initial at `index` loses its full stop."""
        sentence = self.tokens[start:following]
        if index > start and _INITIAL.fullmatch(self.words[index]):
            sentence[index - start : index - start + 1] = _part_stop(self.tokens[index])
        return sentence

"""Display names of people: the name or phrase that identifies them best."""

from collections import Counter
from collections.abc import Sequence

from coref_tf.documents.listing import mention_text
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised
from coref_tf.quotations.speech_words import NARRATOR_PRONOUNS
from coref_tf.resolving.scene import readable_speaker
from coref_tf.resolving.words import DETERMINERS, PRONOUNS

_CUTS = frozenset([",", "(", "--", "—", "–", ";", ":", "who", "whom", "whose", "which", "that"])
_POSSESSIVE = ("'s", "’s", "'", "’")
_LONGEST = 7  # words


def forms(layout: Layout, spans: Sequence[tuple[int, int]]) -> tuple[Counter, Counter, Counter]:
    """Counts the names, other phrases and pronouns that refer to a person, in text order."""
    names: Counter = Counter()
    phrases: Counter = Counter()
    pronouns: Counter = Counter()
    for start, end in sorted(spans):
        if start == end and layout.lower[start] in PRONOUNS:
            pronouns["I" if layout.lower[start] == "i" else layout.lower[start]] += 1
            continue
        end = _short_end(layout, start, end)
        text = " ".join(mention_text(layout.document, start, end).split())
        if _is_name(layout, start, end):
            names[text] += 1
        elif end - start < _LONGEST:
            phrases[text[0].lower() + text[1:] if layout.lower[start] in DETERMINERS else text] += 1
    return names, phrases, pronouns


def best_name(layout: Layout, spans: Sequence[tuple[int, int]]) -> str:
    """Returns the most frequent name, or else the speaker who says "I", the most frequent phrase or the first pronoun.

    Example:
        best_name(layout, [(0, 0), (4, 4)])         # "Ana", of "Ana" and "she"
    """
    names, *others = forms(layout, spans)
    if not names and (speaker := _speaker(layout, spans)):
        return speaker
    for counts in (names, *others):
        if counts:
            return max(counts, key=lambda form: (counts[form], len(form.split())))
    start, end = min(spans)
    return " ".join(mention_text(layout.document, start, min(end, start + _LONGEST)).split())


def _speaker(layout: Layout, spans: Sequence[tuple[int, int]]) -> str:
    """Returns the name of the one speaker of the document who says "I", or "" if there is none or more than one."""
    said = {
        layout.speakers[start]
        for start, end in spans
        if start == end and layout.lower[start] in NARRATOR_PRONOUNS
    }
    return readable_speaker(said.pop()) if len(said) == 1 else ""


def _short_end(layout: Layout, start: int, end: int) -> int:
    """Returns the end of a phrase without its 's, and without what follows a comma or begins a relative clause."""
    stop = next((place for place in range(start + 1, end + 1) if layout.lower[place] in _CUTS), end + 1) - 1
    return stop - 1 if stop > start and layout.lower[stop] in _POSSESSIVE else stop


def _is_name(layout: Layout, start: int, end: int) -> bool:
    words = layout.words[start : end + 1]
    if layout.lower[start] in DETERMINERS | PRONOUNS or not is_capitalised(words[0]):
        return False
    return all(is_capitalised(word) or len(word) < 4 for word in words)

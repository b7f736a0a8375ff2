"""Cues that an entity is the speaker of a quotation, as named features with values."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.cast import Cast, Mention
from coref_tf.quotations.finding import QuotedSpan
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import PUNCTUATION
from coref_tf.quotations.tags import SURE_KINDS, Tag, tag_after, tag_before

MOST_CANDIDATES = 9
_WINDOW = 90  # words of narration on either side in which the speaker may be named
_MOST_MENTIONS = 6  # the maximum number of mentions considered in the narration after a quotation
_CARRIED = 3  # the number of likely speakers of other quotations to consider on either side
_MAY_ANSWER = frozenset({"tagged", "beat"})
_ANSWERS = frozenset(["yes", "no", "yea", "nay", "aye", "not", "indeed", "certainly"])
UNKNOWN = -1  # the entity of a speaker who is not named nearby

Features = dict[str, float]


class Turn(NamedTuple):
    """A quotation, the narration around it, its tag, and its relation to the previous quotation."""

    span: QuotedSpan
    before: tuple[int, int]  # the first and last word of the narration between it and the previous quotation
    after: tuple[int, int]
    tag: Tag | None
    gap: str  # the kind of narration between it and the previous quotation


class Candidates(NamedTuple):
    """The potential speakers of a quotation, with the features of each and a mention that names them."""

    entities: list[int]
    features: list[Features]
    mentions: list[Mention | None]


def find_turns(layout: Layout, cast: Cast, spans: Sequence[QuotedSpan]) -> list[Turn]:
    """Returns the quotations with their tags; `spans` must be in order and disjoint."""
    turns: list[Turn] = []
    for number, span in enumerate(spans):
        first = spans[number - 1].end + 1 if number else 0
        last = spans[number + 1].start - 1 if number + 1 < len(spans) else len(layout) - 1
        before = max(first, span.start - _WINDOW), span.start - 1
        after = span.end + 1, min(last, span.end + _WINDOW)
        tag = _find_tag(layout, cast, span, before, after)
        gap = _gap_kind(layout, turns[-1] if turns else None, span)
        turns.append(Turn(span, before, after, tag, gap))
    return turns


def _find_tag(
    layout: Layout, cast: Cast, span: QuotedSpan, before: tuple[int, int], after: tuple[int, int]
) -> Tag | None:
    first, last = after
    paragraphs = layout.paragraph_of
    if paragraphs is not None:
        while last >= first and paragraphs[last] != paragraphs[span.end]:
            last -= 1
    comma = "," in layout.words[max(span.start, span.end - 1) : span.end + 1]
    following = tag_after(layout, cast, first, last, comma)
    preceding = None
    if before[1] >= before[0]:
        start = max(before[0], layout.sentence_starts[layout.sentence_of[before[1]]])
        preceding = tag_before(layout, cast, start, before[1])
    if following is None or (preceding is not None and following.kind not in SURE_KINDS):
        return preceding or following
    announced = preceding is not None and layout.words[before[1]] in {":", ":--"} and not comma
    return preceding if announced else following


def _gap_kind(layout: Layout, previous: Turn | None, span: QuotedSpan) -> str:
    """Returns how a quotation follows the previous one; "first" for the first one."""
    if previous is None:
        return "first"
    first, last = previous.span.end + 1, span.start - 1
    paragraphs = layout.paragraph_of
    kind = _narration_kind(layout, previous.tag, first, last)
    if kind in _MAY_ANSWER and _answers(layout, previous.span, span):
        kind += "_asked"
    if paragraphs is None:
        return kind
    if paragraphs[span.start] == paragraphs[previous.span.end]:
        return "paragraph"
    return f"new_{kind}" if kind != "split" else "new_beat"


def _answers(layout: Layout, previous: QuotedSpan, span: QuotedSpan) -> bool:
    """Returns whether a quotation looks like an answer: the previous one is a question, or it begins with "yes"."""
    asks = "?" in layout.words[max(previous.start, previous.end - 1) : previous.end + 1]
    return asks or layout.lower[min(span.start + 1, span.end)] in _ANSWERS


def _narration_kind(layout: Layout, tag: Tag | None, first: int, last: int) -> str:
    if first > last:
        return "adjacent"
    words = layout.words[first : min(last, first + _WINDOW) + 1]
    stops = sum(word in ".!?" for word in words)
    if last - first < _WINDOW and not stops and words[-1] in PUNCTUATION | {"and", ")"}:
        return "split"
    tagged = tag is not None and first <= tag.start <= last and tag.kind in SURE_KINDS
    if stops <= 1 and last - first < _WINDOW:
        return "tagged" if tagged else "beat"
    if last - first >= _WINDOW:
        return "far"
    return "tagged_more" if tagged else "more"


class _Evidence:
    """The features of the potential speakers of one quotation, and a mention that names each."""

    def __init__(self) -> None:
        self.features: dict[int, Features] = {}
        self.mentions: dict[int, Mention] = {}

    def add(self, mention: Mention, feature: str, value: float = 1.0) -> None:
        """Adds a feature to the entity of a mention."""
        features = self.features.setdefault(mention.entity, {})
        features[feature] = max(value, features.get(feature, 0.0))
        self.mentions.setdefault(mention.entity, mention)

    def likeliest(self) -> Mention | None:
        """Returns a mention of the entity with the most evidence, if there is any."""
        if not self.features:
            return None
        best = max(self.features, key=lambda entity: (_rough_score(self.features[entity]), -entity))
        return self.mentions[best] if _rough_score(self.features[best]) >= 1 else None


def find_candidates(layout: Layout, cast: Cast, turns: Sequence[Turn]) -> list[Candidates]:
    """Returns the potential speakers of each quotation, with their features."""
    evidence = []
    for number, turn in enumerate(turns):
        found = _Evidence()
        if turn.tag is not None:
            found.add(turn.tag.mention, f"tag_{turn.tag.kind}")
        _add_narration_after(layout, cast, turn, found)
        _add_narration_before(layout, cast, turn, turns[number - 1].tag if number else None, found)
        _add_addressed(layout, cast, turns, number, found)
        for entity, features in found.features.items():
            _add_facts(cast, entity, features)
        evidence.append(found)
    _carry(cast, turns, evidence)
    return [_rank(found) for found in evidence]


def _carry(cast: Cast, turns: Sequence[Turn], evidence: Sequence[_Evidence]) -> None:
    """Adds the likely speakers of previous and following quotations, because turns alternate."""
    likely = [found.likeliest() for found in evidence]
    for step, feature in ((1, "carried_before"), (-1, "carried_after")):
        recent: list[Mention] = []
        numbers = range(len(turns))[::step]
        for number in numbers:
            for age, mention in enumerate(recent):
                evidence[number].add(mention, f"{feature}_{min(age, 2)}")
                _add_facts(cast, mention.entity, evidence[number].features[mention.entity])
            latest = likely[number]
            if latest is not None:
                recent = [latest, *(other for other in recent if other.entity != latest.entity)][:_CARRIED]


def _rank(found: _Evidence) -> Candidates:
    features = found.features
    ranked = sorted(features, key=lambda entity: (-_rough_score(features[entity]), entity))[:MOST_CANDIDATES]
    return Candidates(
        [*ranked, UNKNOWN],
        [*(features[entity] for entity in ranked), {"unknown": 1.0}],
        [*(found.mentions[entity] for entity in ranked), None],
    )


def _add_narration_after(layout: Layout, cast: Cast, turn: Turn, found: _Evidence) -> None:
    """Adds the entities that are mentioned in the narration after a quotation."""
    paragraphs = layout.paragraph_of
    first, last = turn.after
    for seen, mention in enumerate(cast.between(first, last)[:_MOST_MENTIONS]):
        where = "any"
        if paragraphs is not None:
            where = "same" if paragraphs[mention.start] == paragraphs[turn.span.end] else "other"
        if seen == 0 and layout.sentence_of[mention.start] - layout.sentence_of[first] <= 1:
            found.add(mention, f"after_{'first' if mention.start - first <= 1 else 'later'}_{where}")
        else:
            found.add(mention, "after_mentioned", 1 / (2 + seen))


def _add_narration_before(
    layout: Layout, cast: Cast, turn: Turn, previous: Tag | None, found: _Evidence
) -> None:
    """Adds the entities that are mentioned in the narration before a quotation."""
    first, last = turn.before
    if last < first:
        return
    paragraphs = layout.paragraph_of
    subjects: dict[int, Mention] = {}  # the first mention of each sentence
    mentions = cast.between(first, last)
    for mention in mentions:
        subjects.setdefault(layout.sentence_of[mention.start], mention)
    latest = layout.sentence_of[last]
    for mention in mentions:
        sentence = layout.sentence_of[mention.start]
        if (
            previous is not None
            and previous.start >= first
            and sentence == layout.sentence_of[previous.start]
        ):
            continue  # already named as the speaker of the previous quotation
        same = paragraphs is not None and paragraphs[mention.start] == paragraphs[turn.span.start]
        if subjects[sentence] == mention:
            if sentence == latest:
                ending = "_colon" if layout.words[last] in {":", ","} else ""
                found.add(mention, f"before_subject{ending}{'_same' if same else ''}")
            else:
                found.add(mention, "before_earlier_subject", 1 / (latest - sentence))
        elif sentence == latest:
            found.add(mention, "before_mentioned_same" if same else "before_mentioned")
        else:
            found.add(mention, "before_earlier_mentioned", 1 / (latest - sentence))
    if mentions:
        found.add(mentions[-1], "before_nearest")


def _add_addressed(layout: Layout, cast: Cast, turns: Sequence[Turn], number: int, found: _Evidence) -> None:
    """Adds entities addressed by name in this quotation or adjacent ones: not its speaker, but likely the next one."""
    for other, feature in (
        (number, "addressed"),
        (number - 1, "addressed_before"),
        (number + 1, "addressed_after"),
    ):
        if not 0 <= other < len(turns):
            continue
        span = turns[other].span
        for mention in cast.between(span.start + 1, min(span.end, span.start + 2 * _WINDOW)):
            vocative = _is_vocative(layout, mention, span)
            if vocative:
                found.add(mention, feature)
            elif other == number and layout.lower[mention.start] not in lists.PERSONAL_PRONOUNS:
                found.add(mention, "named_inside")


def _is_vocative(layout: Layout, mention: Mention, span: QuotedSpan) -> bool:
    """Returns whether punctuation sets off a name or noun on both sides, as when somebody is addressed."""
    if layout.lower[mention.start] in lists.PERSONAL_PRONOUNS or layout.lower[mention.start] in (
        "the",
        "a",
        "an",
    ):
        return False
    before, after = layout.words[mention.start - 1], layout.words[min(mention.end + 1, len(layout) - 1)]
    opens = (
        mention.start - 1 == span.start
        or before in PUNCTUATION
        or before.lower() in ("dear", "my", "o", "oh")
    )
    return opens and (after in PUNCTUATION or mention.end + 1 == span.end)


def _add_facts(cast: Cast, entity: int, features: Features) -> None:
    facts = cast.entities[entity]
    count = len(facts.spans)
    features["frequent"] = math.log1p(min(count, 100)) / math.log(101)
    if not facts.is_person:
        features["no_person"] = 1.0
    if count == 1:
        features["mentioned_once"] = 1.0


def _rough_score(features: Features) -> float:
    """Returns a preliminary score, which selects the candidates that the weights then decide between."""
    return sum(
        value * (10 if name.startswith("tag_") else 3 if name.startswith(("carried", "addressed_")) else 1)
        for name, value in features.items()
        if name not in ("no_person", "addressed", "named_inside", "mentioned_once")
    ) - 2 * features.get("no_person", 0.0)

"""Cues that an entity is the speaker of a quotation, as named features with values."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.address_cues import add_addressed, add_forms_of_address, add_talked_about
from coref_tf.quotations.cast import Cast, Mention
from coref_tf.quotations.evidence import UNKNOWN, Evidence, Features, rough_score
from coref_tf.quotations.finding import QuotedSpan
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.tags import SURE_KINDS, Tag
from coref_tf.quotations.turns import Turn

MOST_CANDIDATES = 9
_MOST_MENTIONS = 6  # the maximum number of mentions considered in the narration after a quotation
_LONG_TEXT = 1000  # words
_CARRIED = 3  # the number of likely speakers of other quotations to consider on either side
_NOMINATIVE = frozenset(["i", "he", "she", "they", "we"])


class Candidates(NamedTuple):
    """The potential speakers of a quotation, with the features of each and a mention that names them."""

    entities: list[int]
    features: list[Features]
    mentions: list[Mention | None]


def find_candidates(layout: Layout, cast: Cast, turns: Sequence[Turn]) -> list[Candidates]:
    """Returns the potential speakers of each quotation, with their features."""
    evidence = []
    spoken = Counter(
        turn.tag.mention.entity for turn in turns if turn.tag is not None and turn.tag.kind in SURE_KINDS
    )
    for number, turn in enumerate(turns):
        found = Evidence()
        if turn.tag is not None:
            found.add(turn.tag.mention, f"tag_{turn.tag.kind}")
            near = cast.nearest_agreeing(turn.tag.mention) if tag_gender(layout, turn.tag) else None
            if near is not None:
                found.add(near, "tag_near")
        _add_narration_after(layout, cast, turn, found)
        _add_narration_before(layout, cast, turn, turns[number - 1].tag if number else None, found)
        add_addressed(layout, cast, turns, number, found)
        _add_pronouns(layout, cast, turn.span, found)
        for entity, features in found.features.items():
            _add_facts(layout, cast, entity, features)
        evidence.append(found)
    _carry(layout, cast, turns, evidence)
    for turn, found in zip(turns, evidence, strict=True):
        own = turn.tag.mention.entity if turn.tag is not None and turn.tag.kind in SURE_KINDS else UNKNOWN
        for entity, features in found.features.items():
            count = spoken[entity] - (entity == own)
            if count:
                features["speaks"] = math.log1p(min(count, 10)) / math.log(11)
                features.pop("no_person", None)
    add_forms_of_address(layout, cast, turns, evidence)
    add_talked_about(layout, cast, turns, evidence)
    for turn, found in zip(turns, evidence, strict=True):
        _add_agreement(layout, cast, turn.tag, found)
    return [_rank(found) for found in evidence]


def _add_agreement(layout: Layout, cast: Cast, tag: Tag | None, found: Evidence) -> None:
    """Adds whether "he" or "she" in a tag refers to an entity, or at least agrees with its gender."""
    gender = "" if tag is None else tag_gender(layout, tag)
    if tag is None or not gender:
        return
    for entity, features in found.features.items():
        if entity == tag.mention.entity:
            features["tag_pronoun"] = 1.0
        elif cast.entities[entity].gender:
            agrees = cast.entities[entity].gender == gender
            features["tag_agrees" if agrees else "tag_conflicts"] = 1.0


def tag_gender(layout: Layout, tag: Tag) -> str:
    """Returns "m" or "f" if a tag names the speaker as "he" or "she", else ""."""
    one = tag.mention.start == tag.mention.end
    word = layout.lower[tag.mention.start]
    return {"he": "m", "she": "f"}.get(word, "") if one else ""


def _carry(layout: Layout, cast: Cast, turns: Sequence[Turn], evidence: Sequence[Evidence]) -> None:
    """Adds the likely speakers of previous and following quotations, because turns alternate."""
    likely = [found.likeliest() for found in evidence]
    for step, feature in ((1, "carried_before"), (-1, "carried_after")):
        recent: list[Mention] = []
        numbers = range(len(turns))[::step]
        for number in numbers:
            for age, mention in enumerate(recent):
                evidence[number].add(mention, f"{feature}_{min(age, 2)}")
                _add_facts(layout, cast, mention.entity, evidence[number].features[mention.entity])
            latest = likely[number]
            if latest is not None:
                recent = [latest, *(other for other in recent if other.entity != latest.entity)][:_CARRIED]


def _rank(found: Evidence) -> Candidates:
    features = found.features
    ranked = sorted(features, key=lambda entity: (-rough_score(features[entity]), entity))[:MOST_CANDIDATES]
    return Candidates(
        [*ranked, UNKNOWN],
        [*(features[entity] for entity in ranked), {"unknown": 1.0}],
        [*(found.mentions[entity] for entity in ranked), None],
    )


def _add_narration_after(layout: Layout, cast: Cast, turn: Turn, found: Evidence) -> None:
    """Adds the entities that are mentioned after a quotation, in its paragraph if paragraphs are known."""
    paragraphs = layout.paragraph_of
    first, last = turn.after
    where = "any" if paragraphs is None else "same"
    for seen, mention in enumerate(cast.between(first, last)[:_MOST_MENTIONS]):
        if paragraphs is not None and paragraphs[mention.start] != paragraphs[turn.span.end]:
            break
        if seen == 0 and layout.sentence_of[mention.start] - layout.sentence_of[first] <= 1:
            found.add(mention, f"after_{'first' if mention.start - first <= 1 else 'later'}_{where}")
        else:
            found.add(mention, "after_mentioned", 1 / (2 + seen))


def _add_narration_before(
    layout: Layout, cast: Cast, turn: Turn, previous: Tag | None, found: Evidence
) -> None:
    """Adds the entities that are mentioned in the narration before a quotation."""
    first, last = turn.before
    if last < first:
        return
    paragraphs = layout.paragraph_of
    subjects: dict[int, Mention] = {}  # the first mention of each sentence
    mentions = cast.between(first, last)
    for mention in [*(mention for mention in mentions if _is_subject(layout, mention)), *mentions]:
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
                if (
                    previous is not None
                    and previous.start >= first
                    and previous.mention.entity != mention.entity
                ):
                    found.add(mention, "before_new_subject")  # somebody other than the previous speaker
            else:
                found.add(mention, "before_earlier_subject", 1 / (latest - sentence))
        elif sentence == latest:
            found.add(mention, "before_mentioned_same" if same else "before_mentioned")
        else:
            found.add(mention, "before_earlier_mentioned", 1 / (latest - sentence))
    if mentions:
        found.add(mentions[-1], "before_nearest")


def _is_subject(layout: Layout, mention: Mention) -> bool:
    """Returns whether a mention is "he", or a name or phrase that a verb follows."""
    if mention.start == mention.end and layout.lower[mention.start] in _NOMINATIVE:
        return True
    following = layout.lower[min(mention.end + 1, len(layout) - 1)]
    return following in lists.DEEDS or following in lists.SPEECH_VERBS or following.endswith("ed")


def _add_pronouns(layout: Layout, cast: Cast, span: QuotedSpan, found: Evidence) -> None:
    """Adds the entities that clusters put together with "I", "you", "he" or "she" in a quotation."""
    for pronoun in cast.speech_pronouns(span.start, span.end):
        mention = found.mentions.get(pronoun.entity) or cast.nearest(pronoun.entity, span.start)
        says = pronoun.start == pronoun.end and layout.lower[pronoun.start] in lists.NARRATOR_PRONOUNS
        narrator = "_narrator" if cast.entities[pronoun.entity].is_narrator else ""
        found.add(mention, f"{'says_i' if says else 'told_you'}{narrator}")
    for mention in cast.between(span.start, span.end):
        word = layout.lower[mention.start] if mention.start == mention.end else ""
        if word in lists.MASCULINE_PRONOUNS | lists.FEMININE_PRONOUNS and mention.entity in found.features:
            found.add(mention, "spoken_of")


def _add_facts(layout: Layout, cast: Cast, entity: int, features: Features) -> None:
    facts = cast.entities[entity]
    count = len(facts.spans)
    features["frequent"] = math.log1p(min(count, 100)) / math.log(101)
    for feature, known in (
        ("no_person", not facts.is_person),
        ("narrator", facts.is_narrator),
        ("group", facts.is_group),
    ):
        if known:
            features[feature] = 1.0
    if count == 1:
        features["mentioned_once"] = min(1.0, len(layout) / _LONG_TEXT)  # in a short text, most people are

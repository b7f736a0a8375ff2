"""Attributes each quotation of a document to a speaker."""

from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.listing import mention_text
from coref_tf.quotations.cast import Cast, Clusters, Mention
from coref_tf.quotations.cues import find_candidates, tag_gender
from coref_tf.quotations.distinguishing import distinct_heads
from coref_tf.quotations.evidence import UNKNOWN
from coref_tf.quotations.finding import QuotedSpan, find_quotations
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.names import best_name
from coref_tf.quotations.narrator import find_narrators_name
from coref_tf.quotations.quotation import Quotation
from coref_tf.quotations.sequence import best_speakers
from coref_tf.quotations.speech_words import (
    FEMININE_PRONOUNS,
    LISTENER_PRONOUNS,
    MASCULINE_PRONOUNS,
    NARRATOR_PRONOUNS,
)
from coref_tf.quotations.tags import SURE_KINDS, Tag, tag_after, tag_before
from coref_tf.quotations.turns import Turn, find_turns
from coref_tf.quotations.weights import WEIGHTS


class Attributed(NamedTuple):
    """A quotation, the entity that speaks it (or UNKNOWN), and the words that indicate the speaker."""

    span: QuotedSpan
    entity: int
    mention: Mention | None
    tag: Tag | None


class Attribution(NamedTuple):
    """The quotations of a document in order, and the entities that speak them."""

    layout: Layout
    cast: Cast
    quotations: list[Attributed]

    def speaker_name(self, entity: int) -> str | None:
        """Returns the name of a speaker, or None for UNKNOWN.

        If a cluster consists only of pronouns, this is the name that the words alone indicate for those pronouns.
        """
        if entity == UNKNOWN:
            return None
        name = best_name(self.layout, self.cast.entities[entity].spans)
        if name.lower() not in MASCULINE_PRONOUNS | FEMININE_PRONOUNS:
            return name
        person = self.cast.named_person(entity)
        return name if person is None else best_name(self.layout, person.spans)


def find_speakers(document: Document, clusters: Clusters | None) -> Attribution:
    """Finds the quotations of a document and the speaker of each.

    Args:
        document: the words, and the text, if available, which determines paragraphs.
        clusters: coreference clusters; None if they are unknown, so that only names and pronouns are used.
    """
    layout = Layout(document)
    spans = find_quotations(layout)
    spoken = [span for span in spans if span.depth == 0 and span.is_speech]
    quoted = quoted_words(layout, spoken)
    cast, turns = _find_cast(layout, clusters, spoken, quoted)
    candidates = find_candidates(layout, cast, turns)
    path = best_speakers(WEIGHTS, [turn.gap for turn in turns], candidates)
    outer = {
        turn.span.start: _attributed(layout, cast, turn, those.entities[best], those.mentions[best])
        for turn, those, best in zip(turns, candidates, path, strict=True)
    }
    for turn in turns:
        tag, entity = turn.tag, outer[turn.span.start].entity
        if tag is not None and outer[turn.span.start].tag is not None and entity != tag.mention.entity:
            cast.move(tag.mention, entity)
    attribution = Attribution(layout, cast, list(_with_nested(layout, cast, spans, outer)))
    for entity, pronouns in first_person(attribution).items():
        cast.add_spans(entity, pronouns)
    for quotation in attribution.quotations:
        for pronoun in cast.speech_pronouns(quotation.span.start, quotation.span.end):
            if layout.lower[pronoun.start] in LISTENER_PRONOUNS and pronoun.entity != quotation.entity:
                cast.add_spans(pronoun.entity, [(pronoun.start, pronoun.end)])
    return attribution


def _find_cast(
    layout: Layout, clusters: Clusters | None, spoken: Sequence[QuotedSpan], quoted: Sequence[bool]
) -> tuple[Cast, list[Turn]]:
    """Returns the entities, and the quotations with their tags, which show who is who."""
    cast = (
        Cast.from_words(layout, quoted) if clusters is None else Cast.from_clusters(layout, clusters, quoted)
    )
    turns = find_turns(layout, cast, spoken)
    heads = distinct_heads(layout, cast, turns)
    if clusters is not None and heads:
        cast = Cast.from_clusters(layout, clusters, quoted, heads)
        turns = find_turns(layout, cast, spoken)
    pair = find_narrators_name(layout, cast, turns, quoted)
    if pair is not None:
        cast.join(*pair)
        turns = find_turns(layout, cast, spoken)
    return cast, turns


def first_person(attribution: Attribution) -> dict[int, list[tuple[int, int]]]:
    """Returns each "I" of the quotations, by the entity that says it; the innermost quotation counts."""
    entities: dict[int, int] = {}
    for quotation in attribution.quotations:
        for place in range(quotation.span.start, quotation.span.end + 1):
            if attribution.layout.lower[place] in NARRATOR_PRONOUNS:
                entities[place] = quotation.entity
    said: dict[int, list[tuple[int, int]]] = {}
    for place, entity in entities.items():
        if entity != UNKNOWN:
            said.setdefault(entity, []).append((place, place))
    return said


def find_all_quotations(document: Document, clusters: Clusters | None = None) -> tuple[Quotation, ...]:
    """Returns the quotations of a document with their speakers, in text order.

    Args:
        document: the words, and the text, if available, which determines paragraphs.
        clusters: coreference clusters; None if they are unknown, so that only names and pronouns are used.

    Example:
        find_all_quotations(document_from_text('"Yes," said Ana.', "x"))[0].speaker      # "Ana"
    """
    attribution = find_speakers(document, clusters)
    names: dict[int, str | None] = {}
    for quotation in attribution.quotations:
        if quotation.entity not in names:
            names[quotation.entity] = attribution.speaker_name(quotation.entity)
    return tuple(make_quotation(attribution, each, names[each.entity]) for each in attribution.quotations)


def quoted_words(layout: Layout, spans: Sequence[QuotedSpan]) -> list[bool]:
    """Returns, for each word, whether it is part of a quotation."""
    quoted = [False] * len(layout)
    for span in spans:
        quoted[span.start : span.end + 1] = [True] * (span.end - span.start + 1)
    return quoted


def _attributed(layout: Layout, cast: Cast, turn: Turn, entity: int, mention: Mention | None) -> Attributed:
    tag = turn.tag
    if tag is None or entity == UNKNOWN:
        return Attributed(turn.span, entity, mention, None)
    if tag.mention.entity == entity:
        return Attributed(turn.span, entity, mention, tag)
    gender = tag_gender(layout, tag)
    if gender and cast.entities[entity].gender == gender and tag.kind in SURE_KINDS:
        return Attributed(turn.span, entity, tag.mention._replace(entity=entity), tag)  # another "he"
    return Attributed(turn.span, entity, mention, None)


def _with_nested(
    layout: Layout, cast: Cast, spans: Sequence[QuotedSpan], outer: dict[int, Attributed]
) -> list[Attributed]:
    """Returns all quotations; nested ones have a speaker only if an adjacent tag names one."""
    by_number: dict[int, Attributed] = {}
    for number, span in enumerate(spans):
        if span.depth == 0:
            if span.is_speech:
                by_number[number] = outer[span.start]
        elif span.is_speech and span.parent in by_number:
            by_number[number] = _nested(layout, cast, span, by_number[span.parent])
    return list(by_number.values())


def _nested(layout: Layout, cast: Cast, span: QuotedSpan, outside: Attributed) -> Attributed:
    comma = layout.words[max(span.start, span.end - 1)] == ","
    tag = tag_after(layout, cast, span.end + 1, outside.span.end - 1, comma)
    if tag is None or tag.kind == "clause":
        first = max(outside.span.start + 1, layout.sentence_starts[layout.sentence_of[span.start]])
        tag = tag_before(layout, cast, first, span.start - 1) if span.start > first else None
    if tag is None:
        return Attributed(span, UNKNOWN, None, None)
    says_i = layout.lower[tag.mention.start] in NARRATOR_PRONOUNS
    return Attributed(span, outside.entity if says_i else tag.mention.entity, tag.mention, tag)


def make_quotation(attribution: Attribution, each: Attributed, speaker: str | None) -> Quotation:
    """Returns a quotation as a public object; `speaker` is the name of its speaker."""
    document, span = attribution.layout.document, each.span
    offsets = document.offsets
    known = each.entity != UNKNOWN
    return Quotation(
        text=mention_text(document, span.start, span.end),
        start=span.start,
        end=span.end,
        begin_char=None if offsets is None else offsets[span.start][0],
        end_char=None if offsets is None else offsets[span.end][1],
        depth=span.depth,
        speaker=speaker,
        mention=(each.mention.start, each.mention.end) if each.mention else None,
        tag=(each.tag.start, max(each.tag.end, each.tag.mention.end)) if each.tag else None,
        cluster=attribution.cast.entities[each.entity].cluster if known else None,
    )

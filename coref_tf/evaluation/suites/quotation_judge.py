"""Counts quotations with the right speaker, given gold quotations such as those of LitBank."""

import collections
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.quotations.attribution import Attributed, Attribution
from coref_tf.quotations.evidence import UNKNOWN
from coref_tf.quotations.finding import QuotedSpan

Span = tuple[int, int]


class GoldQuotation(NamedTuple):
    """A quotation and all mentions of its speaker."""

    start: int
    end: int
    speaker_mentions: frozenset[Span]


class Judgement(NamedTuple):
    """Counts over gold quotations."""

    quotations: int  # gold quotations
    found: int  # those that match a predicted quotation
    right: int  # those with the right speaker: most mentions of the predicted entity are gold mentions of the speaker
    named: int  # those for which the words that name the speaker are a mention of the gold speaker
    nearest: int  # those for which the nearest name is right

    def plus(self, other: "Judgement") -> "Judgement":
        """Returns the sums of the counts."""
        return Judgement(*(one + two for one, two in zip(self, other, strict=True)))

    def shares(self) -> tuple[float, float, float]:
        """Returns the fractions of the quotations that are found, have the right speaker, and have the right name."""
        count = max(self.quotations, 1)
        return self.found / count, self.right / count, self.named / count


def judge(document: Document, gold: Sequence[GoldQuotation], attribution: Attribution) -> Judgement:
    """Counts the right speakers in one document, which has gold clusters."""
    entity_of = {span: number for number, cluster in enumerate(document.clusters) for span in cluster}
    outer = [each for each in attribution.quotations if each.span.depth == 0]
    found = right = named = nearest = 0
    for quotation in gold:
        votes = collections.Counter(entity_of.get(span) for span in quotation.speaker_mentions)
        speaker = votes.most_common(1)[0][0] if votes else None
        match = _overlapping(outer, quotation)
        nearest += _nearest_name(document, quotation, entity_of) == speaker
        if match is None:
            continue
        found += 1
        right += speaker is not None and _gold_entity(attribution, match, entity_of) == speaker
        mention = match.mention
        named += mention is not None and entity_of.get((mention.start, mention.end)) == speaker
    return Judgement(len(gold), found, right, named, nearest)


def _overlapping(outer: Sequence[Attributed], quotation: GoldQuotation) -> Attributed | None:
    """Returns the quotation that shares the most words with a gold one, or None if none shares any."""

    def shared(span: QuotedSpan) -> int:
        return min(span.end, quotation.end) - max(span.start, quotation.start) + 1

    best = max(outer, key=lambda each: shared(each.span), default=None)
    return best if best is not None and shared(best.span) > 0 else None


def _gold_entity(attribution: Attribution, match: Attributed, entity_of: Mapping[Span, int]) -> int | None:
    """Returns the gold entity that most mentions of a speaker belong to."""
    if match.entity == UNKNOWN:
        return None
    spans = attribution.cast.entities[match.entity].spans
    votes = collections.Counter(entity_of[span] for span in spans if span in entity_of)
    return votes.most_common(1)[0][0] if votes else None


def _nearest_name(document: Document, quotation: GoldQuotation, entity_of: Mapping[Span, int]) -> int | None:
    """Returns the gold entity of the name nearest to a quotation, before or after it: the baseline."""
    names = [
        (min(abs(start - quotation.end), abs(quotation.start - end)), entity)
        for (start, end), entity in entity_of.items()
        if document.words[start][0].isupper()
        and document.words[start].lower() != "i"
        and not (quotation.start <= start <= quotation.end)
        and end - start < 5
    ]
    return min(names)[1] if names else None

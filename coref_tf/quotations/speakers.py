"""Adds speakers to the words inside quotations, as in a conversation."""

import dataclasses
import itertools

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.quotations.attribution import Attribution, find_speakers
from coref_tf.quotations.evidence import UNKNOWN
from coref_tf.quotations.speech_words import NARRATOR_PRONOUNS


def with_quotation_speakers(
    document: Document, whole: Document | None = None, first_word: int = 0
) -> Document:
    """Returns the document with a speaker for each word in a quotation that has none.

    The speaker is the name that the words alone indicate; a turn without any indication gets its own speaker. What the
    narrator says has no speaker, like the narration. Coreference need not be known, so that training documents can be
    processed in the same way.

    Args:
        document: the document.
        whole: the document that it was truncated from, if any, so that truncated quotations have their speakers, too.
        first_word: the index of its first word there.

    Example:
        document = with_quotation_speakers(document_from_text('"I am late," said Ana. I nodded.', "x"))
        document.speakers[0][1]         # "Ana", for "I" in the quotation; "-" for "I" after it
    """
    speakers = iter(_word_speakers(whole or document)[first_word:])
    rows = [[next(speakers) for _ in sentence] for sentence in document.sentences]
    return dataclasses.replace(document, speakers=rows)


def _word_speakers(document: Document) -> list[str]:
    """Returns the speaker of each word of a complete document."""
    speakers = list(itertools.chain.from_iterable(document.speakers))
    attribution = find_speakers(document, None)
    names: dict[int, str] = {}
    for number, quotation in enumerate(attribution.quotations):
        span = quotation.span
        if quotation.entity == UNKNOWN:
            name = f"unknown speaker {number + 1}"
        else:
            if quotation.entity not in names:
                names[quotation.entity] = _speaker_name(attribution, quotation.entity)
            name = names[quotation.entity]
        if span.depth and quotation.entity == UNKNOWN:
            continue  # there is no more evidence than for the enclosing quotation
        for place in range(span.start, span.end + 1):
            if span.depth or speakers[place] == NO_SPEAKER:
                speakers[place] = name
    return speakers


def _speaker_name(attribution: Attribution, entity: int) -> str:
    """Returns the name of a known speaker; the narrator has none, like the narration."""
    if attribution.cast.entities[entity].is_narrator:
        return NO_SPEAKER
    name = attribution.speaker_name(entity)
    return NO_SPEAKER if name is None or name.lower() in NARRATOR_PRONOUNS else name

"""Conversion between spaCy's Docs and Documents: words, sentences, speakers, and clusters as span groups.

All coreference annotations of a Doc are in its span groups `coref_clusters_1`, `coref_clusters_2`, ..., which spaCy
saves and sends to other processes; the extension attributes read them from there.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Doc, Span, SpanGroup, Token

from coref_tf.api.result import Result
from coref_tf.decoding import probable_clusters
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.resolving import resolve_text

PREFIX = "coref_clusters_"
QUOTATIONS = "coref_quotations"
_GROUP = re.compile(re.escape(PREFIX) + r"([0-9]+)")
_PROBABILITIES = "probabilities"
_ANTECEDENTS = "antecedents"
_CAUTIOUS = "cautious_probability"
_SPEAKER = "speaker"


def document_from_doc(doc: Doc, genre: str) -> tuple[Document, list[int]]:
    """Returns the document of a Doc, and the index of the token of each word; whitespace tokens are not words."""
    sentences: list[tuple[str, ...]] = []
    speakers: list[tuple[str, ...]] = []
    places: list[int] = []
    for sentence in doc.sents:
        tokens = [token for token in sentence if not token.is_space]
        if tokens:
            sentences.append(tuple(token.text for token in tokens))
            speakers.append(tuple(_speaker(token) for token in tokens))
            places += [token.i for token in tokens]
    offsets = tuple((doc[place].idx, doc[place].idx + len(doc[place])) for place in places)
    key = f"{genre}/doc" if genre else "doc"
    document = Document(key, tuple(sentences), tuple(speakers), key=key, text=doc.text, offsets=offsets)
    return document, places


def _speaker(token: Token) -> str:
    return (getattr(token._, _SPEAKER, None) if token.has_extension(_SPEAKER) else None) or NO_SPEAKER


def groups_of(doc: Doc) -> list[SpanGroup]:
    """Returns the clusters of a Doc, ordered by number."""
    numbers = sorted(int(match[1]) for match in map(_GROUP.fullmatch, doc.spans) if match)
    return [doc.spans[f"{PREFIX}{number}"] for number in numbers]


def set_clusters(
    doc: Doc, clusters: Sequence[Sequence[tuple[int, int]]], probabilities: Sequence[Sequence[float | None]]
) -> None:
    """Replaces the clusters of a Doc with the given ones, as inclusive spans of tokens."""
    for key in [key for key in doc.spans if _GROUP.fullmatch(key)]:
        del doc.spans[key]
    for number, (cluster, values) in enumerate(zip(clusters, probabilities, strict=True), start=1):
        spans = [Span(doc, start, end + 1) for start, end in cluster]
        name = f"{PREFIX}{number}"
        doc.spans[name] = SpanGroup(doc, name=name, spans=spans, attrs={_PROBABILITIES: list(values)})


def set_result(doc: Doc, places: Sequence[int], result: Result) -> None:
    """Stores the clusters and quotations of a result in a Doc, and everything else that its resolved text depends on.

    Args:
        doc: the Doc.
        places: the index of the token of each word of the result.
        result: the result of the model.
    """
    spans = [[(places[mention.start], places[mention.end]) for mention in cluster] for cluster in result]
    set_clusters(doc, spans, [[mention.probability for mention in cluster] for cluster in result])
    for group, cluster in zip(groups_of(doc), result, strict=True):
        group.attrs[_ANTECEDENTS] = [mention.antecedent for mention in cluster]
        group.attrs[_CAUTIOUS] = result.cautious_probability
    if result.language == ENGLISH:
        set_quotations(doc, [(places[q.start], places[q.end], q.speaker) for q in result.quotations])


def set_quotations(doc: Doc, quotations: Sequence[tuple[int, int, str | None]]) -> None:
    """Stores quotations, as inclusive spans of tokens, in a span group; the labels are the speakers."""
    spans = [Span(doc, start, end + 1, label=speaker or "") for start, end, speaker in quotations]
    doc.spans[QUOTATIONS] = SpanGroup(doc, name=QUOTATIONS, spans=spans)


def character_clusters(doc: Doc) -> list[list[tuple[int, int]]]:
    """Returns `doc._.coref_clusters`: (begin, end) character offsets."""
    return [[(span.start_char, span.end_char) for span in group] for group in groups_of(doc)]


def _resolved_text(doc: Doc) -> str:
    """Returns `doc._.resolved_text`, which is cautious if a model predicted the clusters, like `Result.resolved`."""
    document, places = document_from_doc(doc, "")
    words = {place: word for word, place in enumerate(places)}
    groups = groups_of(doc)
    clusters = [[(words[span.start], words[span.end - 1]) for span in group] for group in groups]
    if not all(_ANTECEDENTS in group.attrs for group in groups):
        return resolve_text(document, clusters).text
    sure = [
        cluster
        for spans, group in zip(clusters, groups, strict=True)
        for cluster in probable_clusters(
            [spans],
            [group.attrs[_ANTECEDENTS]],
            [group.attrs[_PROBABILITIES]],
            group.attrs[_CAUTIOUS],
        )
    ]
    return resolve_text(document, clusters, sure).text


def _cluster_of(token: Token) -> int | None:
    """Returns `token._.coref_cluster`: the number of the cluster of the shortest mention that contains the token."""
    found = [
        (len(span), number)
        for number, group in enumerate(groups_of(token.doc), start=1)
        for span in group
        if span.start <= token.i < span.end
    ]
    return min(found)[1] if found else None


def _probability(span: Span) -> float | None:
    """Returns `span._.coref_probability`, the place probability; None if it is unknown or the span is no mention."""
    for mention, value in _mentions(span.doc):
        if (mention.start, mention.end) == (span.start, span.end):
            return value
    return None


def _mentions(doc: Doc) -> Iterator[tuple[Span, float | None]]:
    for group in groups_of(doc):
        yield from itertools.zip_longest(group, group.attrs.get(_PROBABILITIES, []))


def register_extensions() -> None:
    """Registers the extension attributes of Docs, Tokens and Spans; users may set `token._.speaker`."""
    Doc.set_extension("coref_clusters", getter=character_clusters, force=True)
    Doc.set_extension("resolved_text", getter=_resolved_text, force=True)
    Token.set_extension("coref_cluster", getter=_cluster_of, force=True)
    Span.set_extension("coref_probability", getter=_probability, force=True)
    if not Token.has_extension(_SPEAKER):
        Token.set_extension(_SPEAKER, default=None)

"""spaCy's Docs and our Documents: words, sentences, speakers, and clusters as span groups.

Everything about coreference that a Doc has is in its span groups `coref_clusters_1`, `coref_clusters_2`, ..., which
spaCy saves and sends to other processes; the extensions read it there.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Doc, Span, SpanGroup, Token

from coref_tf.api.result import Result
from coref_tf.decoding import sure_clusters
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
    """The document of a Doc, and which of its tokens each word is; tokens of white space are none."""
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
    """The clusters of a Doc, in the order of their numbers."""
    numbers = sorted(int(match[1]) for match in map(_GROUP.fullmatch, doc.spans) if match)
    return [doc.spans[f"{PREFIX}{number}"] for number in numbers]


def set_clusters(
    doc: Doc, clusters: Sequence[Sequence[tuple[int, int]]], probabilities: Sequence[Sequence[float | None]]
) -> None:
    """Gives a Doc these clusters of inclusive spans of tokens, and takes those that it has."""
    for key in [key for key in doc.spans if _GROUP.fullmatch(key)]:
        del doc.spans[key]
    for number, (cluster, values) in enumerate(zip(clusters, probabilities, strict=True), start=1):
        spans = [Span(doc, start, end + 1) for start, end in cluster]
        name = f"{PREFIX}{number}"
        doc.spans[name] = SpanGroup(doc, name=name, spans=spans, attrs={_PROBABILITIES: list(values)})


def set_result(doc: Doc, places: Sequence[int], result: Result) -> None:
    """Gives a Doc the clusters and quotations of a result, and what its resolved text depends on.

    Args:
        doc: the Doc.
        places: which of its tokens each word of the result is.
        result: what the model found.
    """
    spans = [[(places[mention.start], places[mention.end]) for mention in cluster] for cluster in result]
    set_clusters(doc, spans, [[mention.probability for mention in cluster] for cluster in result])
    for group, cluster in zip(groups_of(doc), result, strict=True):
        group.attrs[_ANTECEDENTS] = [mention.antecedent for mention in cluster]
        group.attrs[_CAUTIOUS] = result.cautious_probability
    if result.language == ENGLISH:
        set_quotations(doc, [(places[q.start], places[q.end], q.speaker) for q in result.quotations])


def set_quotations(doc: Doc, quotations: Sequence[tuple[int, int, str | None]]) -> None:
    """Gives a Doc these quotations, inclusive spans of tokens, as a span group; labels are the speakers."""
    spans = [Span(doc, start, end + 1, label=speaker or "") for start, end, speaker in quotations]
    doc.spans[QUOTATIONS] = SpanGroup(doc, name=QUOTATIONS, spans=spans)


def character_clusters(doc: Doc) -> list[list[tuple[int, int]]]:
    """`doc._.coref_clusters`: (begin, end) of characters."""
    return [[(span.start_char, span.end_char) for span in group] for group in groups_of(doc)]


def _resolved_text(doc: Doc) -> str:
    """`doc._.resolved_text`: cautious where a model has found the clusters, as `Result.resolved` is."""
    document, places = document_from_doc(doc, "")
    words = {place: word for word, place in enumerate(places)}
    groups = groups_of(doc)
    clusters = [[(words[span.start], words[span.end - 1]) for span in group] for group in groups]
    if not all(_ANTECEDENTS in group.attrs for group in groups):
        return resolve_text(document, clusters).text
    sure = [
        cluster
        for spans, group in zip(clusters, groups, strict=True)
        for cluster in sure_clusters(
            [spans],
            [group.attrs[_ANTECEDENTS]],
            [group.attrs[_PROBABILITIES]],
            group.attrs[_CAUTIOUS],
        )
    ]
    return resolve_text(document, clusters, sure).text


def _cluster_of(token: Token) -> int | None:
    """`token._.coref_cluster`: the number of the cluster of the shortest mention that it is in."""
    found = [
        (len(span), number)
        for number, group in enumerate(groups_of(token.doc), start=1)
        for span in group
        if span.start <= token.i < span.end
    ]
    return min(found)[1] if found else None


def _probability(span: Span) -> float | None:
    """`span._.coref_probability`: of its place in its cluster; None without one, or where the model doesn't say."""
    for mention, value in _mentions(span.doc):
        if (mention.start, mention.end) == (span.start, span.end):
            return value
    return None


def _mentions(doc: Doc) -> Iterator[tuple[Span, float | None]]:
    for group in groups_of(doc):
        yield from itertools.zip_longest(group, group.attrs.get(_PROBABILITIES, []))


def register_extensions() -> None:
    """Declares what Docs, Tokens and Spans have under `._`; `token._.speaker` is for users to set."""
    Doc.set_extension("coref_clusters", getter=character_clusters, force=True)
    Doc.set_extension("resolved_text", getter=_resolved_text, force=True)
    Token.set_extension("coref_cluster", getter=_cluster_of, force=True)
    Span.set_extension("coref_probability", getter=_probability, force=True)
    if not Token.has_extension(_SPEAKER):
        Token.set_extension(_SPEAKER, default=None)

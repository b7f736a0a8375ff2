"""Links "I" in a quotation to the speaker of the quotation, after clusters have been decoded."""

from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.quotations.attribution import find_speakers, first_person

Span = tuple[int, int]


def link_first_person(
    document: Document, clusters: Sequence[Iterable[Span]], kept: Iterable[Span]
) -> list[list[Span]]:
    """Returns the clusters with each "I", "me" or "my" of a quotation added to the cluster of its speaker.

    Args:
        document: the words.
        clusters: inclusive spans of words.
        kept: the spans that may become mentions, such as those that pruning kept.
    """
    attribution = find_speakers(document, clusters)
    allowed = set(kept)
    cluster_of = {span: number for number, cluster in enumerate(clusters) for span in cluster}
    alone = {span for cluster in map(list, clusters) if len(cluster) == 1 for span in cluster}
    for entity, pronouns in first_person(attribution).items():
        said = allowed.intersection(pronouns)
        if not said:
            continue
        speaker = attribution.cast.entities[entity]
        number = len(clusters) + entity if speaker.cluster is None else speaker.cluster
        cluster_of |= dict.fromkeys(said, number)
        if speaker.cluster is None:
            cluster_of |= {span: number for span in speaker.spans if span in allowed}
    linked: dict[int, list[Span]] = {}
    for span, number in sorted(cluster_of.items()):
        linked.setdefault(number, []).append(span)
    return sorted(spans for spans in linked.values() if len(spans) > 1 or spans[0] in alone)

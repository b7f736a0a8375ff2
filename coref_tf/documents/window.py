"""A part of a document."""

from coref_tf.documents.document import LAYERS, Document


def window(document: Document, first: int, count: int) -> Document:
    """The `count` sentences of `document` from sentence `first` on; mentions outside of them are dropped."""
    sentences = document.sentences[first : first + count]
    begin = sum(map(len, document.sentences[:first]))
    end = begin + sum(map(len, sentences))
    clusters = [
        [(start - begin, last - begin) for start, last in cluster if begin <= start and last < end]
        for cluster in document.clusters
    ]
    part = slice(first, first + count)
    layers = {name: getattr(document, name) for name in LAYERS}
    return Document(
        document.doc_key,
        sentences,
        document.speakers[part],
        [cluster for cluster in clusters if cluster],
        document.part,
        document.key,
        **{name: layer and layer[part] for name, layer in layers.items()},
    )

"""Creates documents of any length from the bundled corpus."""

import itertools
from collections.abc import Sequence

from coref_tf.documents import Document, read_documents
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

CORPUS = tuple(ROOT / "data" / "sample" / f"{split}.jsonlines" for split in ("train", "dev", "test"))


def document_of(num_words: int) -> Document:
    """Returns the first words of the bundled corpus as one document; repeats the corpus if it is too short."""
    for path in CORPUS:
        if not path.exists():
            raise CorefError(f"{path} is missing; run `make` in a checkout to create it")
    return join([document for path in CORPUS for document in read_documents(path)], num_words)


def join(documents: Sequence[Document], num_words: int) -> Document:
    """Joins documents into one of `num_words` words, repeating them as needed; drops mentions that are cut off."""
    sentences, speakers, clusters = [], [], []
    left = num_words
    for document in itertools.cycle(documents):
        first = num_words - left
        moved = ([(first + start, first + end) for start, end in c] for c in document.clusters)
        clusters += ([span for span in cluster if span[1] < num_words] for cluster in moved)
        for words, names in zip(document.sentences, document.speakers, strict=True):
            sentences.append(words[:left])
            speakers.append(names[:left])
            left -= len(words[:left])
            if not left:
                return Document("nw/joined", sentences, speakers, [c for c in clusters if c])
    raise ValueError("documents must not be empty. Received: no documents")

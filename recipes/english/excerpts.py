"""Creates short excerpts of documents, so that a model learns to process texts of a few sentences, too."""

import dataclasses
import random
import zlib
from collections.abc import Iterable, Iterator

from coref_tf.documents.document import Document
from coref_tf.documents.selection import window
from recipes.english.gendered_words import PRONOUNS
from recipes.english.people import People
from recipes.english.renaming import Renaming
from recipes.english.role_excerpts import RoleExcerpts

_SENTENCES = (1, 1, 2, 2, 3, 3, 4, 5)  # the lengths of excerpts, from which one is drawn uniformly
_MOST_WORDS = 200
_TRIES = 8  # attempts to find an excerpt with a link
_WITHOUT_PRONOUNS = 0.25  # the fraction of excerpts without he or she that is kept


def renamed_excerpts(documents: Iterable[Document], count: int, seed: int = 0) -> Iterator[Document]:
    """Yields up to `count` excerpts of each document, each with new names.

    The names reflect the gender of everyone whose gender the whole document reveals. An excerpt has at least one link,
    and most contain he or she.
    """
    people = People()
    for document in documents:
        rng = random.Random(zlib.crc32(f"excerpts {seed} {document.key}".encode()))
        for number in range(count):
            renamed = Renaming(people, seed * count + number)(document) or document
            if excerpt := _draw_excerpt(renamed, rng):
                yield dataclasses.replace(excerpt, doc_key=f"{excerpt.doc_key}_{number}", key="")


def role_excerpts(documents: Iterable[Document], seed: int = 0) -> Iterator[Document]:
    """Yields excerpts of one to three sentences with roles instead of names, and he or she chosen at random.

    Nothing in them reveals a gender, so only the meaning determines who is meant.
    """
    documents = list(documents)
    for sentences in (1, 2, 3):
        excerpts = RoleExcerpts(sentences, seed)
        for document in documents:
            yield from excerpts(document)


def _draw_excerpt(document: Document, rng: random.Random) -> Document | None:
    """Draws some sentences of a document, without entities mentioned only once in them; None if none are found."""
    count = min(rng.choice(_SENTENCES), len(document.sentences))
    for _ in range(_TRIES):
        first = rng.randrange(len(document.sentences) - count + 1)
        part = window(document, first, count)
        part = part.with_clusters(cluster for cluster in part.clusters if len(cluster) > 1)
        if not part.clusters or part.num_words > _MOST_WORDS:
            continue
        if _has_pronoun(part) or rng.random() < _WITHOUT_PRONOUNS:
            return dataclasses.replace(part, doc_key=f"{document.doc_key}_from_{first}_{count}", key="")
    return None


def _has_pronoun(document: Document) -> bool:
    """Returns whether a mention is he or she."""
    spans = (span for cluster in document.clusters for span in cluster)
    return any(begin == end and document.words[begin].lower() in PRONOUNS for begin, end in spans)

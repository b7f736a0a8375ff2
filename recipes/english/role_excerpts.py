"""Creates excerpts of documents in which people have roles instead of names, and are he or she at random.

In such a short text, people can be told apart only by what they do. A model that is trained on many such excerpts
learns not to rely on the stereotypical gender of a role.
"""

import random
import zlib
from collections.abc import Iterator, Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.selection import window
from recipes.english.gender_swap import swapped_word
from recipes.english.gendered_words import PRONOUNS
from recipes.english.role_names import Mention, names_of_person, rewritten, some_roles


class RoleExcerpts:
    """Cuts documents into excerpts, and keeps those that name two or more people and refer to one as he or she.

    Args:
        sentences: The number of sentences of an excerpt.
        seed: The seed for roles and pronouns.

    Example:
        excerpts = RoleExcerpts(sentences=2)
        [excerpt for document in documents for excerpt in excerpts(document)]
    """

    def __init__(self, sentences: int, seed: int = 0):
        self.sentences = sentences
        self.seed = seed

    def __call__(self, document: Document) -> Iterator[Document]:
        """Yields the excerpts of a document, in order."""
        people = [names for cluster in document.clusters if (names := names_of_person(document, cluster))]
        begin = 0
        for first in range(0, len(document.sentences), self.sentences):
            part = window(document, first, self.sentences)
            inside = [
                {
                    (start - begin, last - begin)
                    for start, last in names
                    if begin <= start < begin + part.num_words
                }
                for names in people
            ]
            begin += part.num_words
            rng = random.Random(zlib.crc32(f"{self.seed} {document.key} {first}".encode()))
            if excerpt := _excerpt(
                part, [names for names in inside if names], rng, f"{document.doc_key}_{first}_{self.seed}"
            ):
                yield excerpt


def _excerpt(
    part: Document, people: Sequence[set[Mention]], rng: random.Random, doc_key: str
) -> Document | None:
    """Returns an excerpt with roles for names and random pronouns; None if it has too few people or no pronouns."""
    clusters = [
        next((cluster for cluster in part.clusters if _is_of(cluster, names)), ()) for names in people
    ]
    pronouns = [
        [span for span in cluster if span[0] == span[1] and part.words[span[0]].lower() in PRONOUNS]
        for cluster in clusters
    ]
    if len(people) < 2 or not any(pronouns):
        return None
    written = {
        span: role
        for names, role in zip(people, some_roles(part, len(people), rng), strict=True)
        for span in names
    }
    for names, cluster, own in zip(people, clusters, pronouns, strict=True):
        # A person who is also called "the old man" keeps the gender.
        begins = {begin for begin, _ in names} | {begin for begin, _ in own}
        if all(begin in begins for begin, _ in cluster) and rng.random() < 0.5:
            written |= {span: (_swapped(part, span[0]),) for span in own}
    return rewritten(part, written, doc_key)


def _is_of(cluster: Sequence[Mention], names: set[Mention]) -> bool:
    """Returns whether a mention of the cluster begins with one of the names."""
    return any(begin == first and last <= end for begin, end in cluster for first, last in names)


def _swapped(part: Document, place: int) -> str:
    following = part.words[place + 1 : place + 2]
    longer = any(begin == place < end for cluster in part.clusters for begin, end in cluster)
    return swapped_word(part.words[place], None, following, longer)

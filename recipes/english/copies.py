"""A second copy of every document, about other people."""

from collections.abc import Iterable, Iterator

from coref_tf.documents.document import Document
from recipes.english.gender_swap import GenderSwap
from recipes.english.people import People
from recipes.english.renaming import Renaming
from recipes.english.role_names import RoleNames

# Of the people in a copy, how many have a role in place of a name.
ROLE_SHARE = 0.35


def copy_documents(documents: Iterable[Document], seed: int = 0) -> Iterator[Document]:
    """Yields the copies; a document in which nothing can be changed has none.

    In every other document, women and men change places: what holds of women then holds of men, and the reverse. All
    whose gender the text tells get other names of that gender. Some get a role in place of the name, drawn at random,
    so that no role goes with a gender.
    """
    documents = list(documents)
    swap, rename, roles = GenderSwap(documents, seed), Renaming(People(), seed), RoleNames(ROLE_SHARE, seed)
    for number, document in enumerate(documents):
        copy = (swap(document) or document) if number % 2 else document
        copy = rename(copy) or copy
        copy = roles(copy) or copy
        if copy is not document:
            yield copy

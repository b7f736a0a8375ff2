"""Creates a copy of every document, with other people."""

from collections.abc import Iterable, Iterator

from coref_tf.documents.document import Document
from recipes.english.gender_swap import GenderSwap
from recipes.english.people import People
from recipes.english.renaming import Renaming
from recipes.english.role_names import RoleNames

# The fraction of the people in a copy who have a role instead of a name.
ROLE_SHARE = 0.35


def copy_documents(documents: Iterable[Document], seed: int = 0) -> Iterator[Document]:
    """Yields the copies; a document in which nothing can be changed has none.

    In every other document, women and men are swapped, so that statements about women become statements about men, and
    vice versa. Everyone whose gender the text reveals gets another name of that gender. Some get a random role instead
    of the name, so that no role is associated with a gender.
    """
    documents = list(documents)
    swap, rename, roles = GenderSwap(documents, seed), Renaming(People(), seed), RoleNames(ROLE_SHARE, seed)
    for number, document in enumerate(documents):
        copy = (swap(document) or document) if number % 2 else document
        copy = rename(copy) or copy
        copy = roles(copy) or copy
        if copy is not document:
            yield copy

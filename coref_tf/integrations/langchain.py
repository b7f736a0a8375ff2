"""A LangChain document transformer that replaces pronouns before documents are split and embedded."""

from collections.abc import Sequence
from typing import Any

from coref_tf.api.resolver import Resolver
from coref_tf.integrations.text_resolver import TextResolver
from coref_tf.support.extras import imported_from_extra
from coref_tf.support.resources import DEFAULT_MODEL

with imported_from_extra("langchain", "CorefTransformer"):
    from langchain_core.documents import BaseDocumentTransformer, Document


class CorefTransformer(BaseDocumentTransformer):
    """Replaces the pronouns in documents with what they refer to, so that every chunk can be understood on its own.

    Metadata and ids are preserved. Apply it to complete documents before they are split, because a chunk alone does not
    tell who *she* is.

    Args:
        model: any model that `coref_tf.load` accepts, or a loaded Resolver. It is loaded with the first document.
        min_probability: the minimum place probability; None uses the model's cautious threshold, 0 replaces all.
        keep: phrases to leave unchanged wherever they occur, such as ["the Tenant"].

    Example:
        documents = CorefTransformer().transform_documents(loader.load())
        chunks = splitter.split_documents(documents)
    """

    def __init__(
        self,
        model: str | Resolver = DEFAULT_MODEL,
        *,
        min_probability: float | None = None,
        keep: Sequence[str] = (),
    ):
        self._texts = TextResolver(model, min_probability, keep)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Returns copies of the documents with resolved text."""
        texts = self._texts.resolve(document.page_content for document in documents)
        return [
            document.model_copy(update={"page_content": text, "metadata": dict(document.metadata)})
            for document, text in zip(documents, texts, strict=True)
        ]

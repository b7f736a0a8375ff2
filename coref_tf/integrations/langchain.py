"""A document transformer for LangChain: documents with their pronouns replaced, before they are split and embedded."""

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from coref_tf.api.resolver import Resolver
from coref_tf.integrations.text_resolver import TextResolver
from coref_tf.support.resources import DEFAULT_MODEL


class CorefTransformer(BaseDocumentTransformer):
    """Replaces the pronouns of documents by what they refer to, so that every chunk can be understood by itself.

    Metadata and ids stay. Apply it to whole documents, before they are split: a chunk doesn't tell who *she* is.

    Args:
        model: as `coref_tf.load` takes it, or a Resolver that is loaded already. It is loaded with the first document.
        min_probability: how probable a mention's place must be; None is the model's cautious choice, 0 replaces all.
        keep: phrases that stay wherever they occur, such as ["the Tenant"].

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
        """Returns copies of the documents, with resolved text."""
        texts = self._texts.resolve(document.page_content for document in documents)
        return [
            document.model_copy(update={"page_content": text, "metadata": dict(document.metadata)})
            for document, text in zip(documents, texts, strict=True)
        ]

"""A LlamaIndex transform component that replaces pronouns before nodes are split and embedded."""

from collections.abc import Sequence
from typing import Any

from coref_tf.integrations.text_resolver import TextResolver
from coref_tf.support.extras import imported_from_extra
from coref_tf.support.resources import DEFAULT_MODEL

with imported_from_extra("llama-index", "CorefTransform"):
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.schema import BaseNode, TransformComponent


class CorefTransform(TransformComponent):
    """Replaces the pronouns in documents and nodes with what they refer to, so that each can be understood on its own.

    Metadata, ids and relationships are preserved; nodes without text are unchanged. Put it first in an ingestion
    pipeline, before documents are split, because a chunk alone does not tell who *she* is.

    Example:
        pipeline = IngestionPipeline(transformations=[CorefTransform(), SentenceSplitter()])
        nodes = pipeline.run(documents=documents)
    """

    model: str = Field(default=DEFAULT_MODEL, description="A model that `coref_tf.load` accepts.")
    min_probability: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The minimum place probability. None uses the model's cautious threshold, 0 replaces all.",
    )
    keep: list[str] = Field(
        default_factory=list, description="Phrases to leave unchanged wherever they occur."
    )
    _texts: TextResolver = PrivateAttr()

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        self._texts = TextResolver(self.model, self.min_probability, self.keep)

    @classmethod
    def class_name(cls) -> str:
        """Returns the name under which LlamaIndex saves it."""
        return "CorefTransform"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Returns copies of the nodes with resolved text."""
        copies = [node.model_copy(deep=True) for node in nodes]
        spoken = [node for node in copies if node.get_content()]
        texts = self._texts.resolve(node.get_content() for node in spoken)
        for node, text in zip(spoken, texts, strict=True):
            node.set_content(text)
        return copies

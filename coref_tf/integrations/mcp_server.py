"""A Model Context Protocol server: language models call it to resolve a text, or to find coreference in it."""

from collections.abc import Callable
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from coref_tf import __version__
from coref_tf.api.resolver import Resolver
from coref_tf.api.result import Mention, Result
from coref_tf.support.errors import CorefError

_INSTRUCTIONS = (
    "Finds out which words of an English text refer to the same person or thing. resolve_text replaces pronouns by what"
    " they refer to, where the model is sure of it. find_coreference lists the clusters of mentions, with offsets."
)

Text = Annotated[str, Field(description="The text, in English. Give the whole document, not a part of it.")]
Keep = Annotated[list[str], Field(description="Phrases that stay wherever they occur.")]
MinProbability = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        description="Replace only where the model is at least so sure. By default, about 95 % of the links that are"
        " used are right; 0 replaces everything.",
    ),
]
Dialogue = Annotated[bool, Field(description="Whether lines such as `Ana: words` name the speaker.")]


class Resolved(BaseModel):
    """A resolved text."""

    text: str
    left_as_they_stood: dict[str, int]  # places by reason


class FoundMention(BaseModel):
    """A mention: text[begin:end]."""

    text: str
    begin: int
    end: int
    probability: float | None


class Found(BaseModel):
    """The clusters of a text."""

    clusters: list[list[FoundMention]]


def describe_mention(mention: Mention) -> FoundMention:
    """Returns what clients are told of a mention of a text."""
    begin, end = mention.begin_char or 0, mention.end_char or 0
    return FoundMention(text=mention.text, begin=begin, end=end, probability=mention.probability)


def build_server(resolver: Callable[[], Resolver]) -> MCPServer:
    """Makes the server.

    Args:
        resolver: Returns the model. It is called with every request, and may wait until the model is loaded.
    """
    server = MCPServer("coref_tf", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")

    def read(text: str, dialogue: bool) -> Result:
        return resolver()(text, dialogue=dialogue)

    @server.tool(title="Resolve text")
    def resolve_text(
        text: Text,
        keep: Keep = [],  # noqa: B006, the schema shows it
        min_probability: MinProbability = None,
        dialogue: Dialogue = False,
    ) -> Resolved:
        """Replaces pronouns such as "she" by what they refer to, so that each sentence can be understood by itself."""
        try:
            resolved = read(text, dialogue).resolve_text(min_probability, keep)
        except CorefError as error:
            raise ToolError(str(error)) from None
        return Resolved(text=resolved.text, left_as_they_stood=dict(resolved.left))

    @server.tool(title="Find coreference")
    def find_coreference(text: Text, dialogue: Dialogue = False) -> Found:
        """Lists which words of a text refer to the same person or thing, as clusters of mentions with offsets."""
        try:
            result = read(text, dialogue)
        except CorefError as error:
            raise ToolError(str(error)) from None
        return Found(clusters=[[describe_mention(mention) for mention in cluster] for cluster in result])

    return server

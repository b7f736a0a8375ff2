"""A Model Context Protocol server, which language models call to resolve a text or to find coreference in it."""

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
    "Finds the words of an English text that refer to the same person or thing. resolve_text replaces pronouns with"
    " what they refer to if the model is confident. find_coreference lists the clusters of mentions, with offsets."
)

Text = Annotated[str, Field(description="The English text. Pass the complete document, not a part of it.")]
Keep = Annotated[list[str], Field(description="Phrases to leave unchanged wherever they occur.")]
MinProbability = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        description="The minimum probability of a replacement. By default, about 95% of the links used are"
        " correct; 0 replaces everything.",
    ),
]
Dialogue = Annotated[bool, Field(description="Whether lines such as `Ana: words` name the speaker.")]


class Resolved(BaseModel):
    """A resolved text."""

    text: str
    left_unchanged: dict[str, int]  # the number of unchanged mentions by reason


class FoundMention(BaseModel):
    """A mention, text[begin:end]."""

    text: str
    begin: int
    end: int
    probability: float | None


class Found(BaseModel):
    """The clusters of a text."""

    clusters: list[list[FoundMention]]


def describe_mention(mention: Mention) -> FoundMention:
    """Returns the description of a mention for clients."""
    begin, end = mention.begin_char or 0, mention.end_char or 0
    return FoundMention(text=mention.text, begin=begin, end=end, probability=mention.probability)


def build_server(resolver: Callable[[], Resolver]) -> MCPServer:
    """Creates the server.

    Args:
        resolver: Returns the model. It is called for every request, and may wait until the model is loaded.
    """
    server = MCPServer("coref_tf", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")

    def read(text: str, dialogue: bool) -> Result:
        return resolver()(text, dialogue=dialogue)

    @server.tool(title="Resolve text")
    def resolve_text(
        text: Text,
        keep: Keep = [],  # noqa: B006, so that the schema shows it
        min_probability: MinProbability = None,
        dialogue: Dialogue = False,
    ) -> Resolved:
        """Replaces pronouns such as "she" with what they refer to, so that each sentence is clear on its own."""
        try:
            resolved = read(text, dialogue).resolve_text(min_probability, keep)
        except CorefError as error:
            raise ToolError(str(error)) from None
        return Resolved(text=resolved.text, left_unchanged=dict(resolved.left))

    @server.tool(title="Find coreference")
    def find_coreference(text: Text, dialogue: Dialogue = False) -> Found:
        """Lists the words of a text that refer to the same person or thing, as clusters of mentions with offsets."""
        try:
            result = read(text, dialogue)
        except CorefError as error:
            raise ToolError(str(error)) from None
        return Found(clusters=[[describe_mention(mention) for mention in cluster] for cluster in result])

    return server

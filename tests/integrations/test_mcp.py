"""`coref mcp`: an MCP server on standard input and output, tested with the official MCP client."""

import asyncio
import sys

import pytest
from command import call
from fake_model import FakeModel

from coref_tf.api.resolver import Resolver
from coref_tf.support.environment import ROOT
from coref_tf.support.extras import EXTRAS

mcp = pytest.importorskip("mcp", reason="needs mcp")
TEXT = "Ana left. she ran."


def answers(server, *calls):
    """Returns a server's tools and its answers to the given calls, each a pair (tool, arguments)."""

    async def ask():
        async with mcp.Client(server) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(ask())


def test_the_tools_and_their_answers():
    from coref_tf.integrations.mcp_server import build_server

    resolver = Resolver(FakeModel(), cautious_probability=0.8)
    tools, results = answers(
        build_server(lambda: resolver),
        ("resolve_text", {"text": TEXT}),
        ("resolve_text", {"text": TEXT, "min_probability": 0.99}),
        ("resolve_text", {"text": TEXT, "keep": ["she"], "min_probability": 0}),
        ("find_coreference", {"text": TEXT}),
    )
    assert [(tool.name, tool.title) for tool in tools] == [
        ("resolve_text", "Resolve text"),
        ("find_coreference", "Find coreference"),
    ]
    assert all(tool.description and tool.input_schema["required"] == ["text"] for tool in tools)
    assert [result.structured_content for result in results[:3]] == [
        {"text": "Ana left. Ana ran.", "left_unchanged": {}},
        {"text": TEXT, "left_unchanged": {"improbable": 1}},
        {"text": TEXT, "left_unchanged": {"kept": 1}},
    ]
    ((first, second),) = results[3].structured_content["clusters"]
    assert (first["text"], first["begin"], first["end"]) == ("Ana", 0, 3)
    assert (second["text"], second["begin"], second["end"]) == ("she", 10, 13)
    assert second["probability"] == pytest.approx(0.98, abs=0.01)


def test_errors_are_reported_to_the_client():
    from coref_tf.integrations.mcp_server import build_server

    resolver = Resolver(FakeModel(), language="de")
    _, results = answers(
        build_server(lambda: resolver),
        ("resolve_text", {"text": TEXT}),
        ("resolve_text", {"text": TEXT, "min_probability": 2}),
    )
    assert all(result.is_error for result in results)
    assert "resolving text is supported only in English" in results[0].content[0].text
    assert "less than or equal to 1" in results[1].content[0].text


def test_the_command_serves_the_bundled_model():
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "coref_tf", "mcp", "--model", "english-fast"], cwd=ROOT
    )
    tools, results = answers(
        command,
        ("resolve_text", {"text": "Ana said she was late.", "min_probability": 0}),
        ("find_coreference", {"text": "Ana said she was late."}),
    )
    assert len(tools) == 2 and not any(result.is_error for result in results)
    assert results[0].structured_content["text"] == "Ana said Ana was late."
    ((first, second),) = results[1].structured_content["clusters"]
    assert (first["text"], second["text"]) == ("Ana", "she")


def test_a_missing_model_or_package_is_a_one_line_error(monkeypatch, capsys):
    assert call("mcp", "--model", "nosuch") == 1
    error = capsys.readouterr().err
    assert "nosuch" in error and error.count("\n") == 1
    monkeypatch.setitem(EXTRAS, "mcp", ("nosuch",))
    assert call("mcp") == 1
    assert capsys.readouterr().err == "error: `coref mcp` needs the package nosuch; run `make`\n"

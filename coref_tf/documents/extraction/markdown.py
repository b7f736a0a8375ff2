"""Extracts the text of Markdown, without markup, link addresses and front matter."""

import io
import re

from coref_tf.documents.extraction.extracted import extracted_format
from coref_tf.documents.extraction.html import extract_html
from coref_tf.documents.sources import decode_lines, refuse

_FRONT_MATTER = re.compile(r"---\n.*?\n(?:---|\.\.\.)\n", re.DOTALL)


def extract_markdown(content: bytes, path: str) -> str:
    """Returns the text of a Markdown file (CommonMark with tables)."""
    from markdown_it import MarkdownIt

    lines = decode_lines(io.BytesIO(content), path, refuse) or []
    text = "".join(lines).replace("\r\n", "\n")
    front_matter = _FRONT_MATTER.match(text)
    body = text[front_matter.end() :] if front_matter else text
    page = MarkdownIt("commonmark").enable("table").render(body)
    return extract_html(page.encode(), path)


FORMAT = extracted_format(
    "markdown", (".md", ".markdown"), "Markdown", extract_markdown, ("markdown-it-py", "lxml")
)

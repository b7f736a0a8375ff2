"""Extracts the text of HTML pages: blocks become paragraphs, and content that browsers do not show is left out."""

import re
from typing import TYPE_CHECKING

from coref_tf.documents.extraction.extracted import extracted_format
from coref_tf.support.errors import CorefError

if TYPE_CHECKING:
    from lxml.etree import _Element

GENERATOR = "coref_tf"  # the generator that pages written by `coref predict` declare

# Elements that are not part of the text that people read.
_LEFT_OUT = (
    "head", "script", "style", "template", "noscript", "nav", "svg", "iframe", "object", "button", "select",
    "textarea", "rt", "rp",
)  # fmt: skip
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table", "tr", "ul",
))  # fmt: skip
_CELLS = frozenset(["td", "th"])
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")


def extract_html(content: bytes, path: str) -> str:
    """Returns the text of a page."""
    from lxml import etree

    if not content.strip():
        return ""
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # determined by its <meta>
    root = etree.fromstring(content, etree.HTMLParser(encoding=encoding, no_network=True, huge_tree=False))
    if root is None:
        return ""
    if root.xpath("boolean(//meta[@name='generator'][@content=$name])", name=GENERATOR):
        raise CorefError(f"{path}: was written by coref; expected a document, such as the text that it shows")
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    etree.strip_elements(root, *_LEFT_OUT, with_tail=False)
    return _Blocks().collect(root)


class _Blocks:
    """Collects text as a browser lays it out: whitespace collapses, and blocks become paragraphs."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._last = "\n\n"  # the end of the collected text

    def collect(self, root: "_Element") -> str:
        """Returns the text of an element and its descendants."""
        from lxml import etree

        kept = 0  # the number of open <pre> elements
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                self._open(name)
                kept += name == "pre"
                self._add(element.text, kept > 0)
            else:
                kept -= name == "pre"
                if name in _BLOCKS:
                    self._break("\n\n")
                self._add(element.tail, kept > 0)
        return "".join(self._pieces).strip()

    def _open(self, name: str) -> None:
        if name in _BLOCKS:
            self._break("\n\n")
        elif name == "br":
            self._break("\n")
        elif name in _CELLS and not self._last.endswith("\n"):
            self._put("\t")

    def _add(self, text: str | None, keep_spaces: bool) -> None:
        if text and not keep_spaces:
            text = _SPACES.sub(" ", text)
            if self._last.endswith((" ", "\n", "\t")):
                text = text.lstrip(" ")
        if text:
            self._put(text)

    def _break(self, kind: str) -> None:
        """Ends a line or a paragraph, unless it has just been ended."""
        if self._last.endswith(" "):
            self._pieces[-1] = self._pieces[-1].rstrip(" ")
            self._last = self._last.rstrip(" ")
        missing = kind if kind == "\n" else kind[len(self._last) - len(self._last.rstrip("\n")) :]
        if missing and not (kind == "\n" and self._last.endswith("\n\n")):
            self._put(missing)

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._last = (self._last + text)[-2:]


FORMAT = extracted_format("html", (".html", ".htm", ".xhtml"), "an HTML page", extract_html, ("lxml",))

"""Extracts the text of e-books (EPUB): the chapters in reading order."""

import io
import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from coref_tf.documents.archives import Archive
from coref_tf.documents.extraction.extracted import extracted_format
from coref_tf.documents.extraction.html import extract_html
from coref_tf.support.errors import CorefError

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"  # names the package document, which lists the chapters
_PAGES = ("application/xhtml+xml", "text/html")


def extract_epub(content: bytes, path: str) -> str:
    """Returns the text of all chapters, in the order of the book's spine."""
    archive = Archive(io.BytesIO(content), path)
    package = _parse(archive, _CONTAINER, path).xpath("string(//*[local-name()='rootfile']/@full-path)")
    book = _parse(archive, str(package), path)
    items = {item.get("id"): item for item in book.xpath("//*[local-name()='manifest']/*")}
    chapters = []
    for reference in book.xpath("//*[local-name()='spine']/*/@idref"):
        item = items.get(reference)
        if item is None or item.get("media-type") not in _PAGES:
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(item.get("href", ""))))
        chapters.append(extract_html(_read(archive, name, path), path))
    return "\n\n".join(filter(None, chapters))


def _parse(archive: Archive, name: str, path: str) -> "_Element":
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(_read(archive, name, path), parser)
    except etree.XMLSyntaxError as error:
        raise CorefError(f"{path}: {name} cannot be parsed: {error}; expected an EPUB") from None


def _read(archive: Archive, name: str, path: str) -> bytes:
    if name not in archive.names:
        raise CorefError(f"{path}: contains no {name or 'package document'}; expected an EPUB")
    return archive.read(name)


FORMAT = extracted_format("epub", (".epub",), "an e-book", extract_epub, ("lxml",))

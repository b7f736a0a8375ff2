"""Extracts the text of Word documents (.docx): paragraphs and tables, in document order."""

import io
from collections.abc import Iterator
from typing import Any

from coref_tf.documents.archives import Archive, unpacking
from coref_tf.documents.extraction.extracted import extracted_format
from coref_tf.support.errors import CorefError

# The text of a paragraph, including tracked insertions, without text that was deleted or moved away.
_TEXT = (
    "(.//w:t | .//w:tab[not(ancestor::w:pPr)] | .//w:br | .//w:cr | .//w:noBreakHyphen)"
    "[not(ancestor::w:moveFrom) and not(ancestor::w:del) and not(ancestor::w:txbxContent)]"
)
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def extract_docx(content: bytes, path: str) -> str:
    """Returns the text of a Word document, without headers, footers, notes and text boxes."""
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    Archive(io.BytesIO(content), path).check_total_size()
    try:
        with unpacking(path):
            document = docx.Document(io.BytesIO(content))
        return "\n\n".join(_paragraphs(document))
    except (OpcError, LxmlError, LookupError, AttributeError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise CorefError(f"{path}: cannot be read: {reason:.200}; expected a Word document (.docx)") from None


def _paragraphs(container: Any) -> Iterator[str]:
    """Yields the paragraphs of a document or a table cell; tables are read row by row."""
    for block in container.iter_inner_content():
        if hasattr(block, "rows"):
            cells: dict[Any, Any] = {cell._tc: cell for row in block.rows for cell in row.cells}
            for cell in cells.values():  # a merged cell occurs only once
                yield from _paragraphs(cell)
        elif text := _paragraph_text(block._p).strip():
            yield text


def _paragraph_text(paragraph: Any) -> str:
    nodes = paragraph.xpath(_TEXT)
    return "".join(_SIGNS.get(node.tag.rpartition("}")[2], node.text or "") for node in nodes)


FORMAT = extracted_format("docx", (".docx",), "a Word document", extract_docx, ("python-docx", "lxml"))

"""Extracts the text of PDF files, page by page."""

import io
import logging
import re

from coref_tf.documents.extraction.extracted import extracted_format
from coref_tf.documents.sources import UnpackedBytes
from coref_tf.support.errors import CorefError

_SOFT_HYPHEN = re.compile("\xad\n?")
# A word that is hyphenated at the end of a line.
_BROKEN_WORD = re.compile(r"(?<=[a-zß-ÿ])-\n(?=[a-zß-ÿ])")
# A line that does not end a sentence, followed by the next page.
_PAGE_BREAK = "\n"


def extract_pdf(content: bytes, path: str) -> str:
    """Returns the text of all pages, with words that are hyphenated at the end of a line joined again."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # pypdf warns about every irregularity of a file
    unpacked, pages = UnpackedBytes(path), []
    try:
        reader = PdfReader(io.BytesIO(content))
        for page in reader.pages:
            pages.append(page.extract_text())
            unpacked.add(len(pages[-1]))
    except (FileNotDecryptedError, DependencyError):
        raise CorefError(f"{path}: is encrypted; expected a PDF without a password") from None
    except CorefError:
        raise
    except Exception as error:  # pypdf raises many kinds of exceptions for damaged files
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise CorefError(f"{path}: cannot be read: {reason:.200}; expected a PDF") from None
    text = _PAGE_BREAK.join(page.strip() for page in pages)
    if pages and not text.strip():
        raise CorefError(
            f"{path}: its pages contain no text, perhaps because they are scans; expected a PDF with text"
        )
    return _BROKEN_WORD.sub("", _SOFT_HYPHEN.sub("", text))


FORMAT = extracted_format("pdf", (".pdf",), "a PDF", extract_pdf, ("pypdf",))

"""Extraction of text from HTML, Markdown, Word, EPUB and PDF files."""

import gzip
import random

import pytest
from fake_predictions import SETTINGS, fire
from sample_files import HTML, MARKDOWN, make_docx, make_epub, make_pdf, make_zip

from coref_tf.documents import read_documents, sources
from coref_tf.documents.formats import all_formats, input_format, output_format
from coref_tf.documents.inputs import find_inputs
from coref_tf.page.writer import open_page
from coref_tf.support.errors import CorefError

FILES = {
    "visit.html": (HTML.encode(), "A visit\n\nAna met Ben.\nThen she left.\n\nOne\n\nTwo\n\na\tb\n\nx\n  y"),
    "visit.md": (MARKDOWN.encode(), "A visit\n\nAna met Ben at the harbour. Then she left.\n\nOne\n\nTwo"),
    "visit.docx": (make_docx(), "A visit\n\nAna met Ben.\n\na\n\nb\n\nThen she left."),
    "visit.epub": (make_epub(), "Zoë met Ben.\n\nThen she left."),
    "visit.pdf": (
        make_pdf("Ana met Ben.", "Then she remem-", "bered."),
        "Ana met Ben.\nThen she remembered.",
    ),
}


def refusal(path):
    with pytest.raises(CorefError) as error:
        list(read_documents(path))
    assert "\n" not in str(error.value) and len(str(error.value)) < 500 + len(str(path))
    return str(error.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_extracted_text_and_word_offsets(tmp_path, name, packed):
    content, text = FILES[name]
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)
    (document,) = read_documents(path)
    assert (document.key, document.text) == ("visit", text)
    assert [text[begin:end] for begin, end in document.offsets] == list(document.words)
    assert find_inputs([str(tmp_path)]) == [str(path)]
    assert input_format(path).extract(content, "x") == text


def test_pages_are_written_and_read_under_one_ending():
    assert output_format("x.html").name == "page" and input_format("x.html").name == "html"
    with pytest.raises(CorefError, match="pdf can only be read"):
        output_format("x.pdf")


def test_pages_written_by_coref_are_refused(tmp_path):
    with open_page(tmp_path / "fire.html", "best, fire.jsonlines", SETTINGS) as write:
        write(fire())
    assert "was written by coref; expected a document" in refusal(tmp_path / "fire.html")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (b"", ""),
        (b"   \n", ""),
        (b"just words", "just words"),
        ("<p>Zoë".encode(), "Zoë"),
        ("<meta charset='latin-1'><p>Zoë".encode("latin-1"), "Zoë"),
        (b"<p>one<div>two</div>three", "one\n\ntwo\n\nthree"),
        (b"<p>a <!-- c --> b<?php x ?> c <i> d</i> </p> e", "a b c d\n\ne"),
        (b"<div>" * 5000 + b"deep", None),
        (b"<p>&#0;&#xD800;x", None),
    ],
)
def test_odd_pages(page, text):
    found = all_formats()["html"].extract(page, "x.html")
    assert found == text or text is None


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_one_line_errors(tmp_path, name):
    """A truncated file, or one with changed bytes, is either read or refused."""
    content, chance = FILES[name][0], random.Random(0)
    damaged = [content[: chance.randrange(len(content))] for _ in range(12)]
    for _ in range(12):
        changed = bytearray(content)
        for _ in range(8):
            changed[chance.randrange(len(content))] = chance.randrange(256)
        damaged.append(bytes(changed))
    damaged.append(chance.randbytes(500))
    refused, path = 0, tmp_path / name
    for each in damaged:
        path.write_bytes(each)
        try:
            list(read_documents(path, allow_empty=True))
        except CorefError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 10 or name.endswith((".html", ".md"))


def test_files_that_do_not_match_their_ending_are_refused(tmp_path):
    path = tmp_path / "x.docx"
    path.write_bytes(b"PK not at all")
    assert "cannot be unpacked: File is not a zip file; expected a zip archive" in refusal(path)
    path.write_bytes(make_zip({"a.txt": b"a"}))
    assert "expected a Word document (.docx)" in refusal(path)
    path = tmp_path / "x.epub"
    path.write_bytes(make_zip({"a.txt": b"a"}))
    assert refusal(path) == "contains no META-INF/container.xml; expected an EPUB"
    path.write_bytes(make_epub(book=b"<package"))
    assert refusal(path).startswith("OEBPS/book.opf cannot be parsed: ")
    path = tmp_path / "x.pdf"
    path.write_bytes(b"no")
    assert refusal(path).endswith("; expected a PDF")
    path.write_bytes(make_pdf())
    assert (
        refusal(path) == "its pages contain no text, perhaps because they are scans; expected a PDF with text"
    )


def test_entities_are_not_expanded(tmp_path):
    """Neither nested entities nor entities from other files are expanded."""
    path, secret = tmp_path / "x.epub", tmp_path / "secret"
    secret.write_text("secret")
    kinds = f'<!ENTITY a "{"x" * 100}"><!ENTITY b "{"&a;" * 100}">'
    path.write_bytes(make_epub(book=f"<!DOCTYPE p [{kinds}]><package>{'&b;' * 100}</package>".encode()))
    assert "OEBPS/book.opf cannot be parsed: Maximum entity amplification" in refusal(path)
    outside = f'<!DOCTYPE p [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    path.write_bytes(make_epub(two=f"{outside}<html><p>It is &s;.</p></html>".encode()))
    (document,) = read_documents(path)
    assert "It is" in document.text and "secret" not in document.words


@pytest.mark.parametrize("name", ["x.docx", "x.epub", "x.pdf", "x.html.gz"])
def test_decompression_bombs_are_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sources, "MOST_UNPACKED_BYTES", 100_000)
    bomb = {
        "x.docx": make_zip({"word/document.xml": b" " * 200_000}),
        "x.epub": make_epub(two=b"<p>" + b"word " * 40_000),
        "x.pdf": make_pdf("word " * 100, repeat=300),
        "x.html.gz": gzip.compress(b"<p>" + b"word " * 40_000),
    }[name]
    path = tmp_path / name
    path.write_bytes(bomb)
    assert refusal(path).startswith(
        "unpacks to more than 100,000 bytes; if this is intended, increase COREF_MAX_UNPACKED"
    )


def test_a_missing_library_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("coref_tf.support.extras.version_of", lambda package: None)
    monkeypatch.setattr("coref_tf.support.extras.is_checkout", lambda: False)
    path = tmp_path / "x.pdf"
    path.write_bytes(make_pdf("Ana left."))
    assert refusal(path) == "reading a PDF needs the package pypdf; run `pip install 'coref_tf[files]'`"

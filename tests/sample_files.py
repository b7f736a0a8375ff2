"""Small files in the formats from which text is extracted."""

import io
import zipfile
import zlib

import docx

HTML = """<!doctype html><html><head><title>Not the text</title><style>p {}</style></head><body>
<nav>Home</nav><h1>A visit</h1>
<p>Ana&nbsp;met <b>Be</b>n.<br>Then she
   left.</p><!-- no --><script>alert("no")</script>
<ul><li>One</li><li>Two</li></ul><table><tr><td>a</td><td>b</td></tr></table><pre>x
  y</pre></body></html>"""

MARKDOWN = """\
---
title: no
---
# A visit

Ana met *Ben* at [the `harbour`](http://no.example).
Then she left.

- One
- Two
"""


def make_docx() -> bytes:
    document = docx.Document()
    document.add_heading("A visit", 1)
    paragraph = document.add_paragraph("Ana met ")
    paragraph.add_run("Ben").bold = True
    paragraph.add_run(".")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "a", "b"
    document.add_paragraph("Then she left.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def make_epub(**changes: bytes) -> bytes:
    """Returns a book of two chapters that the manifest lists in reverse; `changes` replace files by their stems."""
    files = {
        "META-INF/container.xml": b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        b'<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": b'<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        b'<item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>'
        b'<item id="one" href="text/one%20a.xhtml" media-type="application/xhtml+xml"/>'
        b'<item id="cover" href="cover.png" media-type="image/png"/>'
        b'</manifest><spine><itemref idref="cover"/><itemref idref="one"/><itemref idref="two"/></spine></package>',
        "OEBPS/text/one a.xhtml": '<?xml version="1.0" encoding="utf-8"?><html><head><title/></head>'
        "<body><p>Zoë met Ben.</p></body></html>".encode(),
        "OEBPS/text/two.xhtml": b"<html><body><p>Then she left.</p></body></html>",
    }
    return make_zip(
        {
            name: changes.get(name.rpartition("/")[2].partition(".")[0], content)
            for name, content in files.items()
        }
    )


def make_zip(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def make_pdf(*lines: str, repeat: int = 1) -> bytes:
    """Returns a PDF of one page with lines of text, compressed."""
    drawn = "\n".join(f"({line}) Tj 0 -14 Td" for line in lines) * repeat
    stream = zlib.compress(f"BT /F1 12 Tf 72 720 Td\n{drawn}\nET".encode("latin-1"))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, len(content))
    return content + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table) + trailer

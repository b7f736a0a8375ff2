"""Self-contained HTML reports, without scripts or external resources."""

import html
import os
from collections.abc import Sequence

from coref_tf.page.writer import asset, digest
from coref_tf.support.files import atomic_write
from coref_tf.support.table import Table

STYLES = ("base", "report")


def write_report(path: str | os.PathLike, title: str, lead: str, sections: Sequence[str]) -> None:
    """Writes a page of sections created by `section`, atomically.

    Args:
        path: the path of the page.
        title: the title of the page.
        lead: a sentence that describes the page.
        sections: the sections, as HTML.

    Example:
        write_report("suites.html", "best", "GAP.", [section("GAP", table_element(table))])
    """
    with atomic_write(path) as file:
        file.write(report(title, lead, sections))


def report(title: str, lead: str, sections: Sequence[str]) -> str:
    """Returns the HTML of the page."""
    style = "\n" + "\n".join(asset(f"{name}.css") for name in STYLES)
    policy = html.escape(f"default-src 'none'; img-src data:; style-src '{digest(style)}'")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header><h1>{html.escape(title)}</h1></header>
<main>
{paragraph(lead)}
{"".join(sections)}</main>
</body>
</html>
"""


def section(title: str, *elements: str) -> str:
    """Returns a section of the page with a title."""
    return f"<section>\n<h2>{html.escape(title)}</h2>\n{''.join(elements)}</section>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Returns a paragraph; the kinds "hint" and "warning" have their own styles."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{html.escape(text)}</p>\n"


def table_element(table: Table) -> str:
    """Returns a table; a row with an indented name belongs to the row above it."""
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    lines = []
    for first, *others in table.cells():
        kind = ' class="part"' if first.startswith(" ") else ""
        cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in others)
        lines.append(f'<tr{kind}><th scope="row">{html.escape(first.strip())}</th>{cells}</tr>\n')
    caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
    note = paragraph(table.note, "hint") if table.note else ""
    style = ' class="prose"' if table.prose else ""
    return (
        f'<div class="wide"><table{style}>{caption}<thead><tr>{head}</tr></thead>\n<tbody>{"".join(lines)}</tbody>'
        f"</table></div>\n{note}"
    )

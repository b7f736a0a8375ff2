"""Writes the page: a template with embedded styles and scripts, and the data of each document.

The page of `coref serve` is the same page with a form above the text.
"""

import base64
import contextlib
import functools
import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import IO, Any, NamedTuple

from coref_tf.page.data import DetailedPrediction, PageSettings, page_data
from coref_tf.support.files import atomic_write

# Ordered by dependency.
STYLES = ("base", "text", "side", "media")
SCRIPTS = (
    "dom",
    "theme",
    "document",
    "quotations",
    "reasons",
    "text",
    "lists",
    "panel",
    "dial",
    "app",
    "start",
)

_HERE = "\0"  # the place of the documents; does not occur in any template or title


class Page(NamedTuple):
    """A page and its content security policy."""

    html: str
    policy: str  # the content security policy, which the page also declares


@contextlib.contextmanager
def open_page(
    path: str | os.PathLike, title: str, settings: PageSettings
) -> Iterator[Callable[[DetailedPrediction], None]]:
    """Opens an HTML page for an atomic write.

    Documents are written one by one, so that only one of them is in memory.

    Example:
        with open_page("story.html", "best, story.txt", PageSettings.from_experiments([experiment])) as write:
            write(predictor.predict(document, details=True))
    """
    with atomic_write(path, "wb") as file, write_page(file, title, settings) as write:
        yield write


@contextlib.contextmanager
def write_page(
    file: IO[bytes], title: str, settings: PageSettings
) -> Iterator[Callable[[DetailedPrediction], None]]:
    """Writes a page to an open file."""
    before, after = page_frame(title, settings)
    file.write(before.encode())

    def write(prediction: DetailedPrediction) -> None:
        file.write(document_element(prediction, settings).encode())

    yield write
    file.write(after.encode())


def page_frame(title: str, settings: PageSettings) -> tuple[str, str]:
    """Returns the parts of the page before and after the documents."""
    values = {"settings": embedded(settings._asdict()), "documents": _HERE}
    before, after = fill_template(title, STYLES, SCRIPTS, values).html.split(_HERE)
    return before, after


def fill_template(
    title: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    values: Mapping[str, str],
    allowed: str = "",
    template: str = "template.html",
) -> Page:
    """Returns the template with embedded styles and scripts, given by file name; `values` is HTML for its other places.

    The content security policy allows only these styles and scripts, whatever a text contains, and what `allowed` adds.
    """
    style = "\n" + "\n".join(asset(f"{name}.css") for name in styles)
    script = "\n" + "\n".join(asset(f"{name}.js") for name in scripts)
    policy = f"default-src 'none'; img-src data:; style-src '{digest(style)}'; script-src '{digest(script)}'{allowed}"
    places = {"policy": html.escape(policy), "title": html.escape(title), "style": style, "script": script}
    places |= values
    # Remove placeholders without a value.
    filled = re.sub(r"\{\{(\w+)\}\}", lambda match: places.get(match[1], ""), asset(template))
    return Page(filled, policy)


class ModelChoice(NamedTuple):
    """A model that users can choose on the page of `coref serve`."""

    name: str  # the name in requests
    label: str  # the displayed name
    genres: tuple[str, ...] = ()  # the genres that it knows
    default_genre: str = ""


@functools.lru_cache(maxsize=4)
def typing_page(
    title: str,
    models: tuple[ModelChoice, ...],
    notice: str = "",
    endings: tuple[str, ...] = (),
    annotates: bool = False,
) -> Page:
    """Returns the page of `coref serve`: a document page with a form above it. Its server answers `resolve` and `text`.

    Args:
        title: The title of the page, such as the model's name.
        models: The models to choose from; the first one is the default.
        notice: Why texts cannot be resolved, if that is the case.
        endings: The endings of files whose text the server can extract.
        annotates: Whether the server has an annotation page at `annotate`, to which the page then links.

    Example:
        typing_page("best", (ModelChoice("coref", "best"),)).html
    """
    shown = f'<p class="notice">{html.escape(notice)}</p>' if notice else ""
    form = re.sub(r"\{\{notice\}\}", lambda _: shown, asset("typing.html"))
    scripts = [
        *(name for name in SCRIPTS if name != "start"),
        "examples",
        "copying",
        "choices",
        "files",
        "typing",
    ]
    settings = {"models": [model._asdict() for model in models], "endings": endings}
    values = {"kind": ' class="typing empty"', "form": form, "settings": embedded(settings)}
    if annotates:
        values["link"] = '\n  <a id="annotate" href="annotate">Annotate texts</a>'
    return fill_template(title, [*STYLES, "typing"], scripts, values, allowed="; connect-src 'self'")


def document_element(prediction: DetailedPrediction, settings: PageSettings) -> str:
    """Returns the element with the data of one document, and the attributes for the table of contents."""
    document = prediction.document
    facts = f'data-words="{document.num_words}" data-clusters="{len(prediction.clusters)}"'
    data = embedded(page_data(prediction, settings))
    return (
        f'<script type="application/json" class="document" data-key="{html.escape(document.key)}" {facts}>'
        f"{data}</script>\n"
    )


def embedded(value: Any) -> str:
    """Returns JSON that is safe inside a script element: it cannot close or open one."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def asset(name: str) -> str:
    """Returns the content of a file in this folder, or in another package: "coref_tf.annotation:edits.js"."""
    package, _, file = name.rpartition(":")
    return resources.files(package or "coref_tf.page").joinpath(file).read_text(encoding="utf-8")


def digest(content: str) -> str:
    """Returns the hash with which a content security policy allows a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")

"""The URLs of the annotation page."""

import functools
import shlex
from collections.abc import Sequence
from pathlib import Path

from coref_tf.annotation.folder import AnnotationFolder
from coref_tf.annotation.session import AnnotationSession
from coref_tf.annotation.suggestions import Suggestions
from coref_tf.page.writer import Page, embedded, fill_template
from coref_tf.serving.answers import NO_DETAILS
from coref_tf.serving.handlers import AnswerHandler, Handler, Site
from coref_tf.serving.routes import PageHandler, Route
from coref_tf.support.errors import CorefError

_STYLES = ("base", "text", "side", "media", "coref_tf.annotation:annotate")
_SCRIPTS = ("dom", "theme", "document", "text", *(f"coref_tf.annotation:{name}" for name in (
    "edits", "annotated", "drafts", "requests", "panel", "choosing", "keys", "annotate",
)))  # fmt: skip


def annotation_routes(folder: AnnotationFolder | None, site: Site) -> Sequence[Route]:
    """Returns the routes for annotating a folder with predictions of the first model; none without a folder."""
    if folder is None:
        return ()
    served = next(iter(site.models.values()))
    if served.settings is None:
        raise CorefError(f"--annotate: {NO_DETAILS}")
    suggestions = Suggestions(folder, served)
    suggestions.start()
    session = AnnotationSession(suggestions)
    answers = {
        "open": (session.read_open, session.answer_open),
        "draft": (session.read_change, session.answer_draft),
        "save": (session.read_change, session.answer_save),
    }
    return [
        ("/annotate", _AnnotationPageHandler, {"site": site, "folder": folder}),
        ("/annotate/documents", _TextsHandler, {"site": site, "session": session}),
        *(
            (f"/annotate/{name}", AnswerHandler, {"site": site, "read": read, "answer": answer})
            for name, (read, answer) in answers.items()
        ),
    ]


@functools.lru_cache(maxsize=1)
def annotation_page(folder: Path) -> Page:
    """Returns the annotation page of a folder."""
    name = folder.resolve().name
    finetune = f"coref finetune {shlex.quote(str(folder))}"  # what to run when all texts are annotated
    values = {"settings": embedded({"folder": name, "finetune": finetune})}
    allowed = "; connect-src 'self'"
    title = f"Annotate: {name}"
    return fill_template(title, _STYLES, _SCRIPTS, values, allowed, "coref_tf.annotation:annotate.html")


class _AnnotationPageHandler(PageHandler):
    """Handles requests for the page."""

    def initialize(self, site: Site, folder: AnnotationFolder) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado."""
        super().initialize(site)
        self._folder = folder

    def page(self) -> Page:
        """Returns the page of the folder."""
        return annotation_page(self._folder.path)


class _TextsHandler(Handler):
    """Handles requests for the list of texts."""

    def initialize(self, site: Site, session: AnnotationSession) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado."""
        super().initialize(site)
        self._session = session

    def get(self) -> None:
        """Sends the list."""
        self.answer({"texts": self._session.texts()})

    head = get

"""The URLs of the server: the page and its requests, and TensorFlow Serving's REST API."""

import functools
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tornado.web import Application, RequestHandler

from coref_tf.page.writer import ModelChoice, Page, typing_page
from coref_tf.serving.answers import NO_DETAILS, ServedModel, answer_page, answer_predict
from coref_tf.serving.files import FileHandler, readable_endings
from coref_tf.serving.handlers import AnswerHandler, Handler, Site
from coref_tf.serving.limits import RequestError
from coref_tf.serving.requests import read_page_request, read_predict_request

Route = tuple[str, type[RequestHandler], dict[str, Any]]


def application(site: Site, page: bool = True, more: Sequence[Route] = ()) -> Application:
    """Creates the application: `page` determines whether it serves the page, and `more` are additional routes."""
    common: dict[str, Any] = {"site": site}
    return Application(
        [
            *(_page_routes(site, annotates=any(path == "/annotate" for path, *_ in more)) if page else ()),
            ("/healthz", _HealthHandler, common),
            *(route for name, served in site.models.items() for route in _model_routes(site, name, served)),
            *more,
        ],
        default_handler_class=_UnknownPathHandler,
        default_handler_args=common | {"page": page},
        log_function=lambda handler: None,
    )


def _page_routes(site: Site, annotates: bool) -> list[Route]:
    resolve = {"read": read_page_request, "answer": functools.partial(answer_page, site.models)}
    return [
        ("/", _PageHandler, {"site": site, "annotates": annotates}),
        ("/resolve", AnswerHandler, {"site": site, **resolve}),
        ("/text", FileHandler, {"site": site}),
    ]


def _model_routes(site: Site, name: str, served: ServedModel) -> list[Route]:
    path = "/v1/models/" + re.escape(quote(name))
    predict = {"read": read_predict_request, "answer": functools.partial(answer_predict, served)}
    return [
        (path, _StatusHandler, {"site": site}),
        (f"{path}:predict", AnswerHandler, {"site": site, **predict}),
    ]


class PageHandler(Handler):
    """Sends a page, which a subclass creates."""

    def page(self) -> Page:
        """Returns the page to send."""
        raise NotImplementedError

    def get(self) -> None:
        """Sends the page, with its content security policy."""
        page = self.page()
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", f"{page.policy}; frame-ancestors 'none'")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.finish(page.html)

    head = get


class _PageHandler(PageHandler):
    """Handles requests for the page with the form."""

    def initialize(self, site: Site, annotates: bool) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado."""
        super().initialize(site)
        self._annotates = annotates

    def page(self) -> Page:
        models = self.site.models
        choices = tuple(
            ModelChoice(name, served.name, served.genres, served.default_genre)
            for name, served in models.items()
        )
        usable = all(served.settings for served in models.values())
        names = " + ".join(served.name for served in models.values())
        notice = "" if usable else NO_DETAILS
        return typing_page(f"Coreference: {names}", choices, notice, readable_endings(), self._annotates)


class _HealthHandler(Handler):
    """Reports that the server is alive, and how many requests it is processing."""

    def get(self) -> None:
        self.answer(
            {"status": "ok", "model": next(iter(self.site.models)), "requests": self.site.workers.requests}
        )

    head = get


class _StatusHandler(Handler):
    """Sends a GetModelStatusResponse as TensorFlow Serving does: one version, which is available."""

    def get(self) -> None:
        well = {"error_code": "OK", "error_message": ""}
        self.answer({"model_version_status": [{"version": "1", "state": "AVAILABLE", "status": well}]})

    head = get


class _UnknownPathHandler(Handler):
    """Handles all other URLs; `page` says whether the page is served."""

    def initialize(self, site: Site, page: bool) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado."""
        super().initialize(site)
        self._page = page

    def get(self) -> None:
        model = f"/v1/models/{next(iter(self.site.models))}"
        expected = f"expected {'/, /resolve, ' if self._page else ''}{model}, {model}:predict or /healthz"
        raise RequestError(404, f"there is no {self.request.path:.100}; {expected}")

    head = post = put = patch = delete = options = get

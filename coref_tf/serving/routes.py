"""The paths of the server: the page, what it asks for, and TensorFlow Serving's REST API for one model."""

import re
from urllib.parse import quote

from tornado.web import Application

from coref_tf.page.writer import typing_page
from coref_tf.serving.answers import NO_DETAILS, answer_page, answer_predict
from coref_tf.serving.handlers import AnswerHandler, Handler, Site
from coref_tf.serving.limits import RequestError
from coref_tf.serving.requests import read_page_request, read_predict_request


def application(site: Site, page: bool = True) -> Application:
    """The paths and their handlers; `page` says whether there is a page to type into."""
    model = "/v1/models/" + re.escape(quote(site.name))
    common = {"site": site}
    resolve = common | {"read": read_page_request, "answer": answer_page}
    predict = common | {"read": read_predict_request, "answer": answer_predict}
    pages = [("/", _PageHandler, common), ("/resolve", AnswerHandler, resolve)]
    return Application(
        [
            *(pages if page else ()),
            ("/healthz", _HealthHandler, common),
            (model, _StatusHandler, common),
            (f"{model}:predict", AnswerHandler, predict),
        ],
        default_handler_class=_UnknownPathHandler,
        default_handler_args=common,
        log_function=lambda handler: None,
    )


class _PageHandler(Handler):
    """The page to type into."""

    def get(self) -> None:
        served = self.site.served
        page = typing_page(f"Coreference: {served.name}", "" if served.settings else NO_DETAILS)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", f"{page.policy}; frame-ancestors 'none'")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.finish(page.html)

    head = get


class _HealthHandler(Handler):
    """Whether the server is alive, and how many requests it holds."""

    def get(self) -> None:
        self.answer({"status": "ok", "model": self.site.name, "requests": self.site.workers.requests})

    head = get


class _StatusHandler(Handler):
    """A GetModelStatusResponse of TensorFlow Serving: one version, which is available."""

    def get(self) -> None:
        well = {"error_code": "OK", "error_message": ""}
        self.answer({"model_version_status": [{"version": "1", "state": "AVAILABLE", "status": well}]})

    head = get


class _UnknownPathHandler(Handler):
    """Any other path."""

    def get(self) -> None:
        model = f"/v1/models/{self.site.name}"
        expected = f"expected {model}, {model}:predict or /healthz"
        raise RequestError(404, f"there is no {self.request.path:.100}; {expected}")

    head = post = put = patch = delete = options = get

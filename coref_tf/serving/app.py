"""The paths of TensorFlow Serving's REST API, for one model, and of the page to type into."""

import re
from urllib.parse import quote

from tornado.web import Application

from coref_tf.serving.arriving_bodies import ArrivingBodies
from coref_tf.serving.connections import Connections
from coref_tf.serving.handler import Handler
from coref_tf.serving.model_status import metadata, model_status
from coref_tf.serving.page_handler import RESOLVE, PageHandler, ResolveHandler
from coref_tf.serving.predict_handler import PredictHandler
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.service import Service

# As many digits as TensorFlow Serving's numbers of versions can have.
_VERSION = "(?:/versions/([0-9]{1,18}))?"


def application(service: Service, connections: Connections, page: bool) -> Application:
    """What Tornado is to do with a request: a path, its handler, and what that is given.

    Args:
        service: what is served.
        connections: those that are open.
        page: whether there is a page to type into.
    """
    model = "/v1/models/" + re.escape(quote(service.name))
    common = {"service": service, "connections": connections}
    bodies = ArrivingBodies(service.limits.kept_bytes)
    pages = [("/", PageHandler, common), (RESOLVE, ResolveHandler, common | {"bodies": bodies})]
    return Application(
        [
            *(pages if page else ()),
            ("/healthz", _HealthHandler, common),
            (f"{model}{_VERSION}", _StatusHandler, common),
            (f"{model}{_VERSION}/metadata", _MetadataHandler, common),
            (f"{model}{_VERSION}:predict", PredictHandler, common | {"bodies": bodies}),
        ],
        default_handler_class=_NoSuchPathHandler,
        default_handler_args=common,
        log_function=lambda handler: None,
    )


class _HealthHandler(Handler):
    """Whether the server is alive and can answer."""

    def get(self) -> None:
        well, content = self.service.health()
        self.answer(content, 200 if well else 503)

    head = get


class _StatusHandler(Handler):
    """The state of each version."""

    def get(self, version: str | None) -> None:
        self.answer(model_status(self.service.versions.statuses(int(version) if version else None)))

    head = get


class _MetadataHandler(Handler):
    """The signatures."""

    def get(self, version: str | None) -> None:
        with self.service.versions.use(int(version) if version else None) as used:
            self.answer(metadata(self.service.name, used.number, used.model.signature_defs))

    head = get


class _NoSuchPathHandler(Handler):
    """Any other path."""

    def get(self) -> None:
        model = f"/v1/models/{self.service.name}[/versions/N]"
        expected = f"expected {model}, {model}/metadata, {model}:predict or /healthz"
        raise RequestError(404, f"there is no {self.path()}; {expected}")

    head = post = put = patch = delete = options = get

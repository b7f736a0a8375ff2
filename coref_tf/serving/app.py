"""The paths of TensorFlow Serving's REST API, for one model."""

import contextlib
import json
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coref_tf.serving.limits import Deadline, Limits, check_words, read_body
from coref_tf.serving.model_status import metadata, model_status
from coref_tf.serving.model_versions import ModelVersions, ServedVersion
from coref_tf.serving.predict_request import decode_request
from coref_tf.serving.predict_response import encode_response
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.workers import Workers


class Service:
    """Answers the requests for one model.

    Args:
        name: of the model, in the paths.
        versions: its versions.
        workers: where its answers are computed.
        limits: what a request may cost.
    """

    def __init__(self, name: str, versions: ModelVersions, workers: Workers, limits: Limits):
        self.name, self.versions, self.workers, self.limits = name, versions, workers, limits

    def app(self) -> Starlette:
        """The ASGI application."""
        model = f"/v1/models/{self.name}"
        routes = [
            Route("/healthz", self.health, methods=["GET"]),
            Route(model, self.status, methods=["GET"]),
            Route(f"{model}/metadata", self.metadata, methods=["GET"]),
            Route(f"{model}:predict", self.predict, methods=["POST"]),
            Route(f"{model}/versions/{{version:int}}", self.status, methods=["GET"]),
            Route(f"{model}/versions/{{version:int}}/metadata", self.metadata, methods=["GET"]),
            Route(f"{model}/versions/{{version:int}}:predict", self.predict, methods=["POST"]),
        ]
        handlers = {
            RequestError: _refused,
            HTTPException: self._not_routed,
            ClientDisconnect: _gone,
            Exception: _failed,
        }
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False
        return app

    async def health(self, request: Request) -> Response:
        """Whether the server is alive and has a model."""
        version = self.versions.current()
        content = {"status": "ok" if version is not None else "no model is loaded", "model": self.name}
        content |= {"version": version, "requests": self.workers.taken()}
        return _json(content, 200 if version is not None else 503)

    async def status(self, request: Request) -> Response:
        """The state of each version."""
        return _json(model_status(self.versions.statuses(request.path_params.get("version"))))

    async def metadata(self, request: Request) -> Response:
        """The signatures."""
        with self.versions.use(request.path_params.get("version")) as version:
            return _json(metadata(self.name, version.number, version.model.signature_defs))

    async def predict(self, request: Request) -> Response:
        """The model's answer."""
        if request.headers.get("content-encoding", "identity") != "identity":
            raise RequestError(415, "the body has a Content-Encoding; expected plain JSON")
        deadline = Deadline(self.limits.timeout)
        with contextlib.ExitStack() as arriving:
            arriving.enter_context(self.workers.place())
            version = arriving.enter_context(self.versions.use(request.path_params.get("version")))
            declared = request.headers.get("content-length")
            body = await read_body(request.stream(), declared, self.limits, deadline)
            held = arriving.pop_all()  # from here on the work holds them
        content = await self.workers.run(lambda: self._answer(body, version, deadline), deadline, held)
        return Response(content, media_type="application/json")

    def _answer(self, body: bytes, version: ServedVersion, deadline: Deadline) -> bytes:
        """Decodes a request, runs the model and encodes the response; a thread's work."""
        deadline.left()
        request = decode_request(body, version.model.signatures)
        check_words(request.runs, self.limits)
        results = [version.model.run(request.signature, run, deadline.left()) for run in request.runs]
        return encode_response(request.form, results)

    async def _not_routed(self, request: Request, error: HTTPException) -> Response:
        """No such path, or not with this method."""
        path = request.url.path
        if error.status_code == 405:
            message = f"{request.method} is not for {path}; expected {error.headers['Allow']}"
        elif error.status_code == 404:
            model = f"/v1/models/{self.name}[/versions/N]"
            message = f"there is no {path}; expected {model}, {model}/metadata, {model}:predict or /healthz"
        else:
            message = error.detail
        return _json({"error": message}, error.status_code, error.headers)


async def _refused(request: Request, error: RequestError) -> Response:
    return _json({"error": str(error)}, error.status, error.headers)


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    return _json({"error": "the client went away"}, 499)  # which nobody reads


async def _failed(request: Request, error: Exception) -> Response:
    # Starlette raises the error again, for the log.
    return _json({"error": "the server failed; its log says why"}, 500)


def _json(content: Any, status: int = 200, headers: Any = None) -> Response:
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return Response(text, status, headers, media_type="application/json")

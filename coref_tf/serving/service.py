"""What is served, whatever carries the requests."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from coref_tf.serving.deadline import Deadline
from coref_tf.serving.limits import Limits
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.model_versions import ModelVersions
from coref_tf.serving.page_answer import page_answer
from coref_tf.serving.predict_request import decode_request
from coref_tf.serving.predict_response import encode_response
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.workers import Workers

# From a body to an answer.
Respond = Callable[[bytes, LoadedModel, Limits, Deadline], bytes]


class Service:
    """Answers the requests for one model.

    Args:
        name: of the model, in the paths.
        versions: its versions.
        limits: what a request may cost.
    """

    def __init__(self, name: str, versions: ModelVersions, limits: Limits):
        self.name, self.versions, self.limits = name, versions, limits
        self.workers = Workers(limits)

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether requests can be answered, and what is known about that."""
        version, stuck, workers = self.versions.current(), self.workers.stuck(), self.limits.parallel
        status = "ok"
        if version is None:
            status = "no model is loaded"
        elif stuck:
            status = f"{stuck} of {workers} workers {'is' if stuck == 1 else 'are'} stuck"
        content = {"status": status, "model": self.name, "version": version}
        content |= {"requests": self.workers.taken(), "workers": workers, "stuck": stuck}
        return version is not None and stuck < workers, content

    async def predict(self, body: bytes, number: int | None) -> bytes | RequestError:
        """The body of the response to a whole body of a request, from a version of the model, or why there is none."""
        return await self._respond(predicted, body, number)

    async def resolve(self, body: bytes) -> bytes | RequestError:
        """The same for what was typed into the page."""
        return await self._respond(page_answer, body, None)

    async def _respond(self, respond: Respond, body: bytes, number: int | None) -> bytes | RequestError:
        deadline = Deadline(self.limits.timeout)
        with contextlib.ExitStack() as entered:
            entered.enter_context(self.workers.place(len(body)))
            version = entered.enter_context(self.versions.use(number))
            held = entered.pop_all()  # from here on the work holds them
        work = functools.partial(_answer, respond, body, version.model, self.limits, deadline)
        return await self.workers.run(work, deadline, held)


def _answer(respond: Respond, *arguments: Any) -> bytes | RequestError:
    """The work of a thread. A refusal is returned: raised, it would keep all that was parsed of the body.

    (An error holds its traceback and the error before it, they hold the frames, and these their variables.)
    """
    try:
        return respond(*arguments)
    except RequestError as error:
        return error.alone()


def predicted(body: bytes, model: LoadedModel, limits: Limits, deadline: Deadline) -> bytes:
    """Decodes a request, runs the model and encodes the response.

    Each step takes time in proportion to the body or is one document, and looks at the deadline before.
    """
    deadline.left()
    request = decode_request(body, model.signatures, limits)
    results = [model.run(request.signature, run, deadline.left()) for run in request.runs]
    deadline.left()
    return encode_response(request.form, results)

"""What is served, whatever carries the requests."""

import contextlib
from typing import Any

from coref_tf.serving.deadline import Deadline
from coref_tf.serving.limits import Limits
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
        deadline = Deadline(self.limits.timeout)
        with contextlib.ExitStack() as entered:
            entered.enter_context(self.workers.place(len(body)))
            version = entered.enter_context(self.versions.use(number))
            held = entered.pop_all()  # from here on the work holds them
        return await self.workers.run(lambda: self._answer(body, version, deadline), deadline, held)

    def _answer(self, body: bytes, version: ServedVersion, deadline: Deadline) -> bytes | RequestError:
        """The work of a thread. A refusal is returned: raised, it would keep all that was parsed of the body.

        (An error holds its traceback and the error before it, they hold the frames, and these their variables.)
        """
        try:
            return self._computed(body, version, deadline)
        except RequestError as error:
            return error.alone()

    def _computed(self, body: bytes, version: ServedVersion, deadline: Deadline) -> bytes:
        """Decodes a request, runs the model and encodes the response.

        Each step takes time in proportion to the body or is one document, and looks at the deadline before.
        """
        deadline.left()
        request = decode_request(body, version.model.signatures, self.limits)
        results = [version.model.run(request.signature, run, deadline.left()) for run in request.runs]
        deadline.left()
        return encode_response(request.form, results)

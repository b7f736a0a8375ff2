"""Why a request is refused."""

from coref_tf.support.errors import CorefError


class RequestError(CorefError):
    """A request that gets no answer but a status and one line for its sender."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None):
        super().__init__(message)
        self.status = status
        self.headers = headers or {}

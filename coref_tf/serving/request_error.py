"""Why a request is refused."""

from coref_tf.support.errors import CorefError

# Messages quote what came, which may be long.
_LONGEST_MESSAGE = 500


class RequestError(CorefError):
    """A request that gets no answer but a status and one line for its sender."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None):
        if len(message) > _LONGEST_MESSAGE:
            message = message[: _LONGEST_MESSAGE - 3] + "..."
        super().__init__(message)
        self.status = status
        self.headers = headers or {}

    def alone(self) -> "RequestError":
        """The same without where it was raised, and so without what is kept for that."""
        return RequestError(self.status, str(self), self.headers)

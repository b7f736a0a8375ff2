""":predict, for programs."""

from coref_tf.serving.body_handler import BodyHandler
from coref_tf.serving.request_error import RequestError


class PredictHandler(BodyHandler):
    """Answers as TensorFlow Serving does."""

    async def respond(self, body: bytes, version: str | None) -> bytes | RequestError:
        """What the model says."""
        return await self.service.predict(body, int(version) if version else None)

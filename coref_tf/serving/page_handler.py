"""The page to type into, and what it asks for."""

from coref_tf.page.typing_page import typing_page
from coref_tf.serving.body_handler import BodyHandler
from coref_tf.serving.handler import Handler
from coref_tf.serving.page_answer import NO_DETAILS, has_details
from coref_tf.serving.request_error import RequestError

RESOLVE = "/resolve"


class PageHandler(Handler):
    """The page itself."""

    def get(self) -> None:
        """As it is for the model that is served now."""
        name, notice = self.service.name, ""
        try:
            with self.service.versions.use() as used:
                name = " + ".join(used.model.about.names) if used.model.about else name
                notice = "" if has_details(used.model) else NO_DETAILS
        except RequestError as error:  # no version is loaded
            notice = str(error)
        page = typing_page(f"Coreference: {name}", notice)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", f"{page.policy}; frame-ancestors 'none'")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.finish(page.html)

    head = get


class ResolveHandler(BodyHandler):
    """What the page shows of a text."""

    async def respond(self, body: bytes) -> bytes | RequestError:
        """Everything that the model has found."""
        return await self.service.resolve(body)

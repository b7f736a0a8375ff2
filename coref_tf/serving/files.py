"""Text extraction from files that users drop on the page.

Untrusted files are parsed in a separate process, which the operating system stops if it takes too much time or memory.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from coref_tf.documents.formats import all_formats, input_format
from coref_tf.documents.sources import UNPACKED_VARIABLE
from coref_tf.serving.handlers import AnswerHandler, Site
from coref_tf.serving.limits import MAX_FILE, MAX_FILES, RequestError
from coref_tf.support.errors import CorefError

_SECONDS = 60  # per file, on a busy machine; the process itself is limited to 30 seconds of processor time
_MAX_UNPACKED = 64 * 2**20  # in bytes, unless the environment variable is set
_PACKAGES = str(Path(__file__).resolve().parents[2])


def readable_endings() -> tuple[str, ...]:
    """Returns the extensions of files whose text can be extracted."""
    return tuple(ending for form in all_formats().values() if form.extract for ending in form.endings)


class FileHandler(AnswerHandler):
    """Receives a file, whose name is in the query, and sends its text: {"text": "..."}."""

    content_type = "application/octet-stream"
    max_body = MAX_FILE
    files = 0  # the number of files being received or parsed, in all handlers

    def initialize(self, site: Site) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado."""
        super().initialize(site, read=lambda body, limits: body, answer=lambda request, deadline: b"")
        self._counted = False

    def prepare(self) -> None:
        """Called when the header is complete. Rejects the file if too many others are in memory."""
        super().prepare()
        name = self.get_query_argument("name", "")
        if not name.lower().endswith(readable_endings()):
            expected = ", ".join(readable_endings())
            self._refusal = RequestError(
                415, f"{name:.100} cannot be read; expected a file that ends in {expected}"
            )
        elif FileHandler.files >= MAX_FILES:
            message = f"{FileHandler.files} files are already being read; try again"
            self._refusal = RequestError(503, message, try_again=True)
        else:
            FileHandler.files += 1
            self._counted = True

    def on_finish(self) -> None:
        """Called when the response has been sent."""
        self._leave()

    def on_connection_close(self) -> None:
        """Called when the client has disconnected."""
        self._leave()
        super().on_connection_close()

    def _leave(self) -> None:
        if self._counted:
            FileHandler.files -= 1
            self._counted = False

    async def _respond(self, body: bytes) -> bytes | RequestError:
        try:
            text = await extract_in_process(self.get_query_argument("name"), body)
        except CorefError as error:
            return RequestError(400, str(error))
        if len(text.encode()) > self.site.limits.max_body:
            return RequestError(413, f"the file contains {len(text):,} characters; expected a shorter text")
        return json.dumps({"text": text}, ensure_ascii=False).encode()


async def extract_in_process(name: str, content: bytes) -> str:
    """Returns the text of a file; raises a CorefError with the reason if this fails."""
    input_format(name)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([_PACKAGES, os.environ.get("PYTHONPATH", "")])}
    environment.setdefault(UNPACKED_VARIABLE, str(_MAX_UNPACKED))
    command = [sys.executable, "-m", "coref_tf.documents.extraction", name]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        text, problem = await asyncio.wait_for(process.communicate(content), _SECONDS)
    except asyncio.TimeoutError:
        raise CorefError(
            f"{name}: takes more than {_SECONDS} seconds to read; expected a smaller file"
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == 0:
        return text.decode()
    lines = problem.decode("utf-8", "replace").splitlines()
    if process.returncode == 1 and lines and lines[-1].startswith("error: "):
        raise CorefError(lines[-1].removeprefix("error: "))
    raise CorefError(f"{name}: takes too much memory or time to read; expected a smaller file")

"""Errors that a user can fix, and how commands report them."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator


class CorefError(ValueError):
    """Something in the user's input is wrong; the message is one line.

    It says what is wrong, where, what was expected and, if that helps, how to fix it.
    """

    def __init__(self, message: str):
        super().__init__(" ".join(message.split()))


class InputError(CorefError):
    """An error in a file, reported as `file:line: what; expected ...`."""

    def __init__(self, path: str | os.PathLike, line: int, message: str):
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


def run_command(main: Callable[[], int | None]) -> None:
    """Runs a command's `main` and exits; prints errors as one line on stderr, and treats SIGTERM like Ctrl-C."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # like stderr: file names need not be valid text
    try:
        with _terminated_as_interrupted():
            code = main()
            if sys.stdout is not None:
                sys.stdout.flush()
        sys.exit(code)
    except CorefError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the output has closed the pipe (`| head`), so there is nobody to report to.
        _drop_standard_output()
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        _drop_standard_output()
        sys.exit(1)


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # others cannot set handlers
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _drop_standard_output() -> None:
    """Discards unwritten output, so that Python does not try to write it again at exit."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""The errors a user can mend, and how a command reports them."""

import os
import sys
from collections.abc import Callable


class CorefError(ValueError):
    """Something in the user's input is wrong; the message is one line.

    It says what is wrong, where, what was expected and, where that helps, how to mend it.
    """

    def __init__(self, message: str):
        super().__init__(" ".join(message.split()))


class InputError(CorefError):
    """A mistake in a file, reported as `file:line: what; expected ...`."""

    def __init__(self, path: str | os.PathLike, line: int, message: str):
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


def run_command(main: Callable[[], int | None]) -> None:
    """Runs a command's `main` and exits: an error is one line on stderr, never a traceback."""
    try:
        sys.exit(main())
    except CorefError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        sys.exit(1)

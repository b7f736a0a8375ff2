"""Runs `coref` in this process."""

import pytest

from coref_tf.commands.main import main
from coref_tf.support.errors import run_command


def call(*words, main=main) -> int | None:
    """The exit code of `coref WORDS...`, or of another command's main."""
    with pytest.raises(SystemExit) as exit_code:
        run_command(lambda: main([str(word) for word in words]))
    return exit_code.value.code

"""Runs `coref` in this process."""

import shutil
from pathlib import Path

import pytest
from random_documents import REFERENCE

from coref_tf.commands.main import main
from coref_tf.support.errors import run_command


def call(*words, main=main) -> int | None:
    """Runs `coref WORDS...`, or the main function of another command, and returns the exit code."""
    with pytest.raises(SystemExit) as exit_code:
        run_command(lambda: main([str(word) for word in words]))
    return exit_code.value.code


def import_reference(folder: Path) -> Path:
    """Imports the authors' small checkpoint into a folder as the experiment `small`, and returns the folder."""
    shutil.copytree(REFERENCE, folder, dirs_exist_ok=True)
    assert not call("import", folder / "model.max.ckpt", "small", "--conf", folder / "experiments.conf")
    return folder

"""The scoring command, run in this process."""

import json
import sys

import pytest
from bundled_cases import conll


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs `python -m coref_tf.scoring` with the arguments; returns exit code, output and error output."""
    from coref_tf.scoring import __main__ as scoring
    from coref_tf.support.errors import run_command

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["scoring", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            run_command(scoring.main)
        return exit_info.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def score_json(command, tmp_path):
    """Runs the command on two files and returns what it writes with --json."""

    def run(key, response, *options):
        code, _, errors = command(key, response, "--json", tmp_path / "scores.json", *options)
        assert (code, errors) == (0, "")
        return json.loads((tmp_path / "scores.json").read_text())

    return run


@pytest.fixture
def write_conll(tmp_path):
    """Writes a CoNLL file from names and coreference columns, as in bundled_cases."""

    def write(name, documents):
        path = tmp_path / name
        path.write_text(conll(documents))
        return path

    return write

"""The scoring command, run in this process."""

import json

import pytest
from bundled_cases import conll
from command import call


@pytest.fixture
def command(capsys):
    """Runs `coref score` with the arguments; returns exit code, output and error output."""

    def run(*arguments):
        return call("score", *arguments) or 0, *capsys.readouterr()

    return run


@pytest.fixture
def score_json(command, tmp_path):
    """Runs the command on two files and returns the content of its --json file."""

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

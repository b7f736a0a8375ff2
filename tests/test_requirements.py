"""The ranges that the wheel asks for hold what the project is tested with."""

import ast
import itertools
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from coref_tf.support.errors import CorefError
from coref_tf.support.extras import EXTRAS, require_extra

ROOT = Path(__file__).resolve().parent.parent


def assigned(name: str):
    """The value of a constant of setup.py."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    values = (node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == name)
    return ast.literal_eval(next(values))


def pins(file: str) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in found}


def test_what_is_tested_is_in_the_ranges():
    lines = itertools.chain(assigned("DEPENDENCIES"), *assigned("EXTRAS").values())
    ranges = [Requirement(line) for line in lines]
    tested = pins("constraints.txt")
    for requirement in ranges:
        assert tested[requirement.name] in requirement.specifier, requirement
        assert not any(part.operator == "==" for part in requirement.specifier), requirement


def test_the_extras_are_those_that_commands_ask_for():
    names = {extra: [Requirement(line).name for line in lines] for extra, lines in assigned("EXTRAS").items()}
    assert names == {extra: list(packages) for extra, packages in EXTRAS.items()}


def test_what_is_missing_is_told_with_the_command_that_brings_it(monkeypatch):
    monkeypatch.setitem(EXTRAS, "plots", ("nosuch",))
    monkeypatch.setitem(EXTRAS, "spark", ("nosuch",))
    with pytest.raises(CorefError, match=r"^a figure needs nosuch; run `make`$"):
        require_extra("plots", "a figure")
    with pytest.raises(CorefError, match=r"^a job needs nosuch; run `make spark`$"):
        require_extra("spark", "a job")
    monkeypatch.setattr("coref_tf.support.extras.is_checkout", lambda: False)
    with pytest.raises(CorefError, match=r"run `pip install 'coref_tf\[plots\]'`"):
        require_extra("plots", "a figure")

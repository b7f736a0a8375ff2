"""The ranges that the wheel asks for hold what the project is tested with."""

import itertools
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from coref_tf.support.errors import CorefError
from coref_tf.support.extras import EXTRAS, require_extra
from coref_tf.support.lanes import LANES, PYTHONS, lane_of, this_python

ROOT = Path(__file__).resolve().parent.parent


def pyproject() -> dict:
    """The tables of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wanted(lines: Iterable[str], python: str) -> list[Requirement]:
    """Those that a Python is to have."""
    found = [Requirement(line) for line in lines]
    return [each for each in found if not each.marker or each.marker.evaluate({"python_version": python})]


def lines_of(file: str) -> list[str]:
    lines = [line.partition(" #")[0] for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and line[0] not in "#-"]


@pytest.mark.parametrize("python", PYTHONS)
def test_what_is_tested_is_in_the_ranges(python):
    project = pyproject()["project"]
    lines = list(itertools.chain(project["dependencies"], *project["optional-dependencies"].values()))
    locked = wanted(lines_of(lane_of(python).constraints), python)
    tested = {each.name.lower().replace("_", "-"): str(each.specifier).removeprefix("==") for each in locked}
    for requirement in wanted(lines, python):
        assert tested[requirement.name.replace("_", "-")] in requirement.specifier, requirement
        assert not any(part.operator == "==" for part in requirement.specifier), requirement
    for file in ("requirements.txt", "requirements-dev.txt"):
        for requirement in wanted(lines_of(file), python):
            assert tested[requirement.name.lower().replace("_", "-")] in requirement.specifier, requirement
    assert tested["tensorflow"].startswith(lane_of(python).tensorflow)
    assert ("tensorflow-addons" in tested) == lane_of(python).addons


def test_the_extras_are_those_that_commands_ask_for():
    extras = pyproject()["project"]["optional-dependencies"]
    names = {extra: [each.name for each in wanted(lines, this_python())] for extra, lines in extras.items()}
    assert names == {extra: list(packages) for extra, packages in EXTRAS.items()}


def test_building_asks_for_what_the_locks_have():
    """pip builds the wheel where nothing else is, with what pyproject.toml names."""
    lines = pyproject()["build-system"]["requires"]
    assert len(lines) > 5
    for python in PYTHONS:
        locked = {each.name: each for each in wanted(lines_of(lane_of(python).constraints), python)}
        for requirement in wanted(lines, python):
            assert locked[requirement.name].specifier == requirement.specifier, (python, requirement)


def test_every_python_that_the_wheel_takes_has_a_lane():
    taken = SpecifierSet(pyproject()["project"]["requires-python"])
    assert [python for python in (f"3.{minor}" for minor in range(20)) if python in taken] == sorted(
        PYTHONS, key=lambda python: int(python[2:])
    )
    assert sorted(PYTHONS) == sorted(python for lane in LANES for python in lane.pythons)


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

"""The wheel's version ranges contain the versions that the project is tested with."""

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
from coref_tf.support.extras import EXTRAS, imported_from_extra, require_extra
from coref_tf.support.lanes import LANES, PYTHONS, lane_of, this_python

ROOT = Path(__file__).resolve().parent.parent


def pyproject() -> dict:
    """Returns the tables of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements_for(lines: Iterable[str], python: str) -> list[Requirement]:
    """Returns the requirements that apply to a version of Python."""
    found = [Requirement(line) for line in lines]
    return [each for each in found if not each.marker or each.marker.evaluate({"python_version": python})]


def lines_of(file: str) -> list[str]:
    lines = [line.partition(" #")[0] for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and line[0] not in "#-"]


@pytest.mark.parametrize("python", PYTHONS)
def test_version_ranges_contain_the_tested_versions(python):
    project = pyproject()["project"]
    lines = list(itertools.chain(project["dependencies"], *project["optional-dependencies"].values()))
    locked = requirements_for(lines_of(lane_of(python).constraints), python)
    tested = {each.name.lower().replace("_", "-"): str(each.specifier).removeprefix("==") for each in locked}
    for requirement in requirements_for(lines, python):
        assert tested[requirement.name.replace("_", "-")] in requirement.specifier, requirement
        assert not any(part.operator == "==" for part in requirement.specifier), requirement
    for file in ("requirements.txt", "requirements-dev.txt"):
        for requirement in requirements_for(lines_of(file), python):
            assert tested[requirement.name.lower().replace("_", "-")] in requirement.specifier, requirement
    assert tested["tensorflow"].startswith(lane_of(python).tensorflow)
    assert ("tensorflow-addons" in tested) == lane_of(python).addons


def test_extras_are_those_that_commands_require():
    extras = pyproject()["project"]["optional-dependencies"]
    names = {
        extra: [each.name for each in requirements_for(lines, this_python())]
        for extra, lines in extras.items()
    }
    assert names == {extra: list(packages) for extra, packages in EXTRAS.items()}


def test_build_requirements_equal_the_constraints():
    """pip builds the wheel in isolation, with the versions in pyproject.toml."""
    lines = pyproject()["build-system"]["requires"]
    assert len(lines) > 5
    for python in PYTHONS:
        locked = {each.name: each for each in requirements_for(lines_of(lane_of(python).constraints), python)}
        for requirement in requirements_for(lines, python):
            assert locked[requirement.name].specifier == requirement.specifier, (python, requirement)


def test_every_supported_python_has_a_lane():
    taken = SpecifierSet(pyproject()["project"]["requires-python"])
    assert [python for python in (f"3.{minor}" for minor in range(20)) if python in taken] == sorted(
        PYTHONS, key=lambda python: int(python[2:])
    )
    assert sorted(PYTHONS) == sorted(python for lane in LANES for python in lane.pythons)


def test_the_error_for_a_missing_extra_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(EXTRAS, "plots", ("nosuch",))
    monkeypatch.setitem(EXTRAS, "spark", ("nosuch",))
    with pytest.raises(CorefError, match=r"^a figure needs the package nosuch; run `make`$"):
        require_extra("plots", "a figure")
    with pytest.raises(CorefError, match=r"^a job needs the package nosuch; run `make spark`$"):
        require_extra("spark", "a job")
    with pytest.raises(CorefError, match=r"^a page needs the packages nosuch and nothing; run `make`$"):
        require_extra("files", "a page", ("nosuch", "h5py", "nothing"))
    with pytest.raises(CorefError, match=r"needs the packages nosuch, nothing and nobody;"):
        require_extra("files", "a page", ("nosuch", "nothing", "nobody"))
    monkeypatch.setattr("coref_tf.support.extras.is_checkout", lambda: False)
    with pytest.raises(CorefError, match=r"run `pip install 'coref_tf\[plots\]'`"):
        require_extra("plots", "a figure")


def test_an_import_error_names_the_extra_unless_its_packages_are_installed(monkeypatch):
    monkeypatch.setattr("coref_tf.support.extras.is_checkout", lambda: False)
    monkeypatch.setitem(EXTRAS, "langchain", ("nosuch",))
    with (
        pytest.raises(
            ImportError, match=r"^it needs the package nosuch; run `pip install 'coref_tf\[langchain\]'`$"
        ),
        imported_from_extra("langchain", "it"),
    ):
        raise ImportError("No module named 'nosuch'")
    monkeypatch.setitem(EXTRAS, "langchain", ("h5py",))
    with pytest.raises(ImportError, match=r"^h5py is damaged$"), imported_from_extra("langchain", "it"):
        raise ImportError("h5py is damaged")

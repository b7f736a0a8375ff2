"""The runnable commands and Python examples in README.md and docs/ print what the page shows.

A fenced block is runnable if the line before it is `<!-- runnable -->`. A `console` block has commands after "$ ", each
followed by its standard output; a `python` block has doctests. The blocks of a page run in order, in one folder that is
empty at first. `...` matches anything.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- runnable -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "<!-- runnable -->" in path.read_text(encoding="utf-8")
]


def commands(block: str) -> list[tuple[str, str]]:
    """Returns the commands of a console block, each with its expected output."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block must begin with a command. Received: {parts[0]!r}"
    return [tuple(part.split("\n", 1)) for part in parts[1:]]


def environment(folder: Path) -> dict[str, str]:
    """Returns environment variables with which `coref` and `python` are those of this checkout."""
    programs = folder / "bin"
    programs.mkdir()
    for name, arguments in (("coref", "-m coref_tf "), ("python", "")):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        script.chmod(0o755)
    return os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
    }


def matches(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(
        expected, found, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )


def run_console(block: str, folder: Path, variables: dict[str, str]) -> None:
    for command, expected in commands(block):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=variables, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"$ {command}\n{done.stderr}"
        assert matches(expected, done.stdout), f"$ {command}\nexpected:\n{expected}\nfound:\n{done.stdout}"


def run_python(block: str, folder: Path, variables: dict[str, str]) -> None:
    """Runs a doctest in a separate process."""
    (folder / "block.txt").write_text(block, encoding="utf-8")
    options = "doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE"
    script = f"import doctest, sys; sys.exit(doctest.testfile('block.txt', False, optionflags={options})[0])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_shows_the_output_of_its_blocks(page, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    variables = environment(tmp_path)
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert len(blocks) == page.read_text(encoding="utf-8").count("<!-- runnable -->"), (
        "a runnable mark is not followed by a fenced block"
    )
    for kind, block in blocks:
        {"console": run_console, "python": run_python}[kind](block, folder, variables)


def test_readme_has_runnable_blocks():
    assert ROOT / "README.md" in PAGES


def test_wrong_output_and_failing_commands_are_detected(tmp_path):
    variables = environment(tmp_path)
    run_console("$ echo one two\none ...\n", tmp_path, variables)
    with pytest.raises(AssertionError, match="expected"):
        run_console("$ echo one\ntwo\n", tmp_path, variables)
    with pytest.raises(AssertionError, match=r"\$ false"):
        run_console("$ false\n", tmp_path, variables)
    with pytest.raises(AssertionError, match="Expected"):
        run_python(">>> 1 + 1\n3\n", tmp_path, variables)

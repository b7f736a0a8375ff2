"""examples/README.md contains the source of each script and what it prints.

`python tests/test_examples.py [SCRIPT.py ...]` runs the scripts and updates the README.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
README = EXAMPLES / "README.md"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))
BLOCK = re.compile(r"^<!-- (source|output): (\w+\.py) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[+-]?\d+\.\d+|\d+(?=%)")  # a figure that may differ a little from machine to machine
GAIN = re.compile(r"^F1 on \d+ contracts .*: (\S+) before, (\S+) after$", re.MULTILINE)
TRAINING = "train_on_documents.py"


def blocks() -> dict[tuple[str, str], str]:
    """Returns the blocks of the README by kind and script."""
    return {(kind, name): text for kind, name, text in BLOCK.findall(README.read_text(encoding="utf-8"))}


def run_script(name: str, folder: Path) -> str:
    """Runs a script in a folder and returns its standard output."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def alike(shown: str, found: str, tolerance: float) -> bool:
    """Returns whether all words are equal and all figures are equal within a tolerance."""
    figures = zip(NUMBER.findall(shown), NUMBER.findall(found), strict=False)
    return NUMBER.sub("#", shown).split() == NUMBER.sub("#", found).split() and all(
        abs(float(one) - float(other)) <= tolerance for one, other in figures
    )


def without_progress(output: str) -> str:
    """Returns the output of a training run without blank lines and the lines that report the speed."""
    lines = [line for line in output.splitlines() if line and not line.startswith("step ")]
    return "\n".join(lines) + "\n"


def test_figures_may_differ_slightly_but_words_may_not():
    shown = "1  0.95  Ana Roy (3 mentions), 60%"
    assert alike(shown, "1  0.96  Ana Roy (3 mentions), 60%", 0.02)
    assert not alike(shown, "1  0.92  Ana Roy (3 mentions), 60%", 0.02)
    assert not alike(shown, "1  0.95  Ana Roy (4 mentions), 60%", 0.02)
    assert not alike(shown, "1  0.95  Ana Roy (3 mentions), 62%", 1)
    assert not alike(shown, "1  0.95  Ana (3 mentions), 60%", 1)
    assert not alike(shown, shown + "\n0.95", 1)


@pytest.mark.parametrize("name", SCRIPTS)
def test_readme_contains_the_source(name):
    assert blocks()["source", name] == (EXAMPLES / name).read_text(encoding="utf-8"), (
        f"run `python tests/test_examples.py {name}`"
    )


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("resolve_texts.py", 0.02), ("export_and_call.py", 0.02), ("analyse_corpus.py", 1.0)],
)
def test_script_prints_what_the_readme_shows(name, tolerance, tmp_path):
    found = run_script(name, tmp_path)
    assert alike(blocks()["output", name], found, tolerance), found


@pytest.mark.slow
def test_training_improves_f1_as_the_readme_shows(tmp_path):
    """On other machines, rounding differs, so that the F1 may differ and another epoch may be the best."""
    shown, found = blocks()["output", TRAINING], without_progress(run_script(TRAINING, tmp_path))
    assert found.splitlines()[:3] == shown.splitlines()[:3]
    (before, after), (before_shown, after_shown) = (
        [float(figure) for figure in GAIN.search(text).groups()] for text in (found, shown)
    )
    assert before == pytest.approx(before_shown, abs=0.5)
    assert after == pytest.approx(after_shown, abs=8)
    assert after > before + 5
    old, new = (
        [line.split(maxsplit=1)[1].split(" · ") for line in listing.splitlines() if line.startswith("  ")]
        for listing in re.split(r"^text: .*$", found, flags=re.MULTILINE)[1:]
    )
    assert not any({"Ola Berg", "the Seller"} <= set(cluster) for cluster in old)
    assert any({"Ola Berg", "the Seller"} <= set(cluster) for cluster in new)
    assert [path.name for path in tmp_path.iterdir()] == ["contracts.h5"]


def test_every_script_is_in_the_readme_and_tested():
    assert sorted(blocks()) == sorted((kind, name) for kind in ("source", "output") for name in SCRIPTS)
    assert SCRIPTS == ["analyse_corpus.py", "export_and_call.py", "resolve_texts.py", TRAINING]


def test_examples_are_in_the_source_distribution_but_not_in_the_package(tmp_path):
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (about,) = tmp_path.glob("*.egg-info")
    sources = set((about / "SOURCES.txt").read_text(encoding="utf-8").splitlines())
    assert {f"examples/{name}" for name in SCRIPTS} | {"examples/contracts/dev/open/contracts.txt"} <= sources
    assert (about / "top_level.txt").read_text(encoding="utf-8").split() == ["coref_tf"]


def update_readme(names: list[str]) -> None:
    """Runs scripts and writes their sources and outputs to the README."""
    text = README.read_text(encoding="utf-8")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            output = run_script(name, Path(folder))
        new = {"source": (EXAMPLES / name).read_text(encoding="utf-8"), "output": output}
        if name == TRAINING:
            new["output"] = without_progress(output)
        for kind, content in new.items():
            language = {"source": "python", "output": "text"}[kind]
            block = f"<!-- {kind}: {name} -->\n```{language}\n{content}```"
            text = BLOCK.sub(lambda found: block if found.group(1, 2) == (kind, name) else found[0], text)  # noqa: B023
        README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update_readme(sys.argv[1:] or SCRIPTS)

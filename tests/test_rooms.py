"""What may import what: the map of docs/architecture.md, kept."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "coref_tf"

# A room, or a module at the package's root, imports only from those above its line.
FLOORS = (
    ("support",),
    ("config", "documents", "ops", "deprecated"),
    ("syntax", "scoring", "decoding", "layers", "resolving"),
    ("quotations",),
    ("encoder", "losses"),
    ("features", "page"),
    ("model",),
    ("models",),
    ("inference",),
    ("evaluation",),
    ("training", "export"),
    ("api",),
    ("serving", "integrations"),
    ("annotation",),
    ("commands",),
    ("__main__",),
)
# What only a checkout uses, at the top level: it may import the package, never the other way round.
BESIDE = ("benchmarks", "paper", "recipes")
# Imported without TensorFlow, and without what loads it.
LIGHT = (
    "support", "config", "documents", "syntax", "scoring", "decoding", "page", "resolving", "quotations", "commands",
)  # fmt: skip


def rooms() -> list[str]:
    """The rooms and modules that there are."""
    found = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    return sorted(path.stem for path in found if path.name != "__init__.py")


def imported_modules(path: Path) -> set[str]:
    """The modules that a file imports from, anywhere in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "coref_tf":
            names += [f"coref_tf.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return set(names)


def imports(path: Path) -> set[str]:
    """The rooms that a file imports from."""
    names = imported_modules(path)
    return {name.split(".")[1] for name in names if name.startswith("coref_tf.")} & set(rooms())


def files_of(room: str) -> list[Path]:
    module = PACKAGE / f"{room}.py"
    return [module] if module.exists() else sorted((PACKAGE / room).rglob("*.py"))


def test_every_room_has_a_floor():
    known = {room for floor in FLOORS for room in floor}
    assert set(rooms()) <= known, "say in FLOORS and docs/architecture.md where the new room is"


@pytest.mark.parametrize("room", rooms())
def test_imports_point_one_way(room):
    above = set()
    for floor in FLOORS:
        if room in floor:
            break
        above |= set(floor)
    for path in files_of(room):
        assert imports(path) <= above | {room}, f"{path.relative_to(ROOT)} imports from below"


def test_the_package_imports_nothing_that_stands_beside_it():
    for path in PACKAGE.rglob("*.py"):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        assert not roots & {*BESIDE, "tests"}, f"{path.relative_to(ROOT)} imports what only a checkout has"


@pytest.mark.parametrize("folder", BESIDE)
def test_what_stands_beside_the_package_does_not_import_from_tests(folder):
    helpers = {path.stem for path in (ROOT / "tests").glob("*.py")} | {"tests"}
    for path in (ROOT / folder).rglob("*.py"):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        assert not roots & helpers, f"{path.relative_to(ROOT)} imports from tests/"


def test_light_rooms_load_no_tensorflow():
    modules = []
    for room in LIGHT:
        for path in files_of(room):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            modules.append(name.removesuffix(".__init__"))
    code = f"import sys, importlib\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
    code += "    assert 'tensorflow' not in sys.modules, name\n"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_map_names_every_room():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    missing = [room for room in rooms() if not re.search(rf"`{room}(/|\.py)?`", text)]
    assert not missing


def test_the_path_of_a_document_names_what_there_is():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\| \d+ \| `([^`]+)` \| (.+?) \|", text, re.MULTILINE)
    assert 30 < len({path for path, _ in steps}) <= 45
    for path, functions in steps:
        source = (ROOT / "coref_tf" / path).read_text(encoding="utf-8")
        for name in re.findall(r"`([^`]+)`", functions):
            for part in name.split("."):
                assert re.search(rf"^\s*(def|class) {part}\b", source, re.MULTILINE), f"{path} has no {name}"

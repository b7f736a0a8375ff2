"""The import order of docs/architecture.md is respected by the top-level modules and subpackages of the package."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "coref_tf"

# A module imports only from the lines above its own.
IMPORT_ORDER = (
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
# Folders of a checkout that may import the package, but that the package must not import.
BESIDE = ("benchmarks", "examples", "paper", "recipes")
# Modules that can be imported without importing TensorFlow.
LIGHT = (
    "support", "config", "documents", "syntax", "scoring", "decoding", "page", "resolving", "quotations", "commands",
)  # fmt: skip


def top_modules() -> list[str]:
    """Returns the names of the top-level modules and subpackages."""
    found = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    return sorted(path.stem for path in found if path.name != "__init__.py")


def imported_modules(path: Path) -> set[str]:
    """Returns the modules that a file imports from, anywhere in the file."""
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
    """Returns the top-level modules that a file imports from."""
    names = imported_modules(path)
    return {name.split(".")[1] for name in names if name.startswith("coref_tf.")} & set(top_modules())


def files_of(top_module: str) -> list[Path]:
    module = PACKAGE / f"{top_module}.py"
    return [module] if module.exists() else sorted((PACKAGE / top_module).rglob("*.py"))


def test_every_module_is_in_the_import_order():
    known = {top_module for line in IMPORT_ORDER for top_module in line}
    assert set(top_modules()) <= known, "add the new module to IMPORT_ORDER and docs/architecture.md"


@pytest.mark.parametrize("top_module", top_modules())
def test_modules_import_only_from_the_lines_above(top_module):
    above = set()
    for line in IMPORT_ORDER:
        if top_module in line:
            break
        above |= set(line)
    for path in files_of(top_module):
        assert imports(path) <= above | {top_module}, (
            f"{path.relative_to(ROOT)} imports from its own line or below"
        )


def test_the_package_does_not_import_folders_of_the_checkout():
    for path in PACKAGE.rglob("*.py"):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        assert not roots & {*BESIDE, "tests"}, f"{path.relative_to(ROOT)} imports what only a checkout has"


@pytest.mark.parametrize("folder", BESIDE)
def test_folders_of_the_checkout_do_not_import_from_tests(folder):
    helpers = {path.stem for path in (ROOT / "tests").glob("*.py")} | {"tests"}
    for path in (ROOT / folder).rglob("*.py"):
        roots = {name.split(".")[0] for name in imported_modules(path)}
        assert not roots & helpers, f"{path.relative_to(ROOT)} imports from tests/"


def test_light_modules_do_not_import_tensorflow():
    modules = []
    for top_module in LIGHT:
        for path in files_of(top_module):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            modules.append(name.removesuffix(".__init__"))
    code = f"import sys, importlib\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
    code += "    assert 'tensorflow' not in sys.modules, name\n"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_architecture_page_names_every_module():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    missing = [top_module for top_module in top_modules() if not re.search(rf"`{top_module}(/|\.py)?`", text)]
    assert not missing


def test_the_files_and_functions_on_the_architecture_page_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\| \d+ \| `([^`]+)` \| (.+?) \|", text, re.MULTILINE)
    assert 30 < len({path for path, _ in steps}) <= 45
    for path, functions in steps:
        source = (ROOT / "coref_tf" / path).read_text(encoding="utf-8")
        for name in re.findall(r"`([^`]+)`", functions):
            for part in name.split("."):
                assert re.search(rf"^\s*(def|class) {part}\b", source, re.MULTILINE), f"{path} has no {name}"

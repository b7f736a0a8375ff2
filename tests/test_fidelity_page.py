"""The files and tests that docs/fidelity.md names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")


def test_every_row_names_a_file_that_exists():
    rows = [
        line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| The paper |")
    ]
    rows = [line for line in rows if not line.startswith("| Detail |")]
    assert len(rows) > 40
    for row in rows:
        named = re.findall(r"`((?:coref_tf|kernels|experiments)[\w/]*\.\w+)`", row)
        assert named and all((ROOT / name).is_file() for name in named), row


def test_every_named_test_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 20 and named <= defined, sorted(named - defined)

"""What all tests share: the project's root on the path, quiet TensorFlow with its Keras 2, the corpora beside us."""

import os
import sys
from pathlib import Path

import pytest

# Before anything imports TensorFlow. Two threads on every machine, so that no test depends on its cores.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import coref_tf  # noqa: E402, F401, chooses Keras 2


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared with corpora and reference figures; skips the test where it is missing."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the corpora in {folder}, which is not on this machine")
    return folder

"""Set-up for all tests: the import path, the environment of TensorFlow, the order of the files, and shared fixtures."""

import os
import sys
import warnings
from pathlib import Path

import pytest

# Set before anything imports TensorFlow. Two threads on every machine make the tests independent of its cores.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import coref_tf  # noqa: E402, F401, selects Keras 2

# The slowest files, slowest first: if one of them started last, the other processes would sit idle while it runs.
LONGEST = [
    "test_straightforward_form.py",
    "commands/test_train.py",
    "export/test_signatures.py",
    "export/test_exported_folder.py",
    "test_model.py",
    "training/test_run_state.py",
    "serving/test_served_models.py",
    "serving/test_serving_command.py",
    "test_contextual_model.py",
    "export/test_dial_signatures.py",
]


def pytest_collection_modifyitems(items):
    """Puts the slowest files first; `--no-loadscope-reorder` keeps that order with several processes."""
    rank = {ROOT / "tests" / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture
def eagerly():
    """Runs tf.functions eagerly, since tracing a graph takes longer than a few training steps."""
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Even though the `tf.config.experimental_run_functions_eagerly`")
        yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared with corpora and reference figures; the test is skipped if it is missing."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the corpora in {folder}, which is not on this machine")
    return folder

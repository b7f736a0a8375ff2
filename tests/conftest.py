"""What all tests share: the project's root on the path, quiet TensorFlow with its Keras 2, the corpora beside us."""

import os
import sys
import warnings
from pathlib import Path

import pytest

# Before anything imports TensorFlow. Two threads on every machine, so that no test depends on its cores.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import coref_tf  # noqa: E402, F401, chooses Keras 2

# The files that take longest, longest first: begun last, one of them would keep a single process busy in the end.
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
    """Puts the longest files first; `--no-loadscope-reorder` keeps that order among several processes."""
    rank = {ROOT / "tests" / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture
def eagerly():
    """Without graphs, which take longer to make than a few steps take."""
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Even though the `tf.config.experimental_run_functions_eagerly`")
        yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared with corpora and reference figures; skips the test where it is missing."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the corpora in {folder}, which is not on this machine")
    return folder

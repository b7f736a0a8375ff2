"""The supported lanes: which TensorFlow version goes with a Python version, and where Keras 2 comes from.

The primary lane is TensorFlow 2.15 with tensorflow-addons, which support Python up to 3.11. Later Python versions need
a later TensorFlow, which includes Keras 3; there, Keras 2 is a separate package, which TensorFlow uses if an
environment variable is set before it is imported. pyproject.toml and the requirements files repeat the lanes for pip.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import NamedTuple

from coref_tf.support.errors import CorefError

_SETTING = "TF_USE_LEGACY_KERAS"


class Lane(NamedTuple):
    """A supported combination of Python, TensorFlow and Keras versions."""

    tensorflow: str
    pythons: tuple[str, ...]
    constraints: str  # the lock file
    keras: str  # the package that contains Keras 2
    addons: bool  # whether tensorflow-addons is available

    def __str__(self) -> str:
        return f"TensorFlow {self.tensorflow} with Keras 2 from the package {self.keras}"


CARD = Lane("2.15", ("3.11", "3.10"), "constraints.txt", "keras", addons=True)
TODAY = Lane("2.21", ("3.13", "3.12"), "constraints-2.21.txt", "tf_keras", addons=False)
LANES = (CARD, TODAY)

# In the order in which `make` looks for them: 3.11 first, then the newest.
PYTHONS = ("3.11", "3.13", "3.12", "3.10")


def lane_of(python: str) -> Lane | None:
    """Returns the lane of a Python version, such as "3.11", or None if there is none."""
    return next((lane for lane in LANES if python in lane.pythons), None)


def this_python() -> str:
    """Returns the version of this Python, as lanes name it."""
    return "{}.{}".format(*sys.version_info)


def this_lane() -> Lane:
    """Returns the lane of this Python."""
    lane = lane_of(this_python())
    if lane is None:
        known = ", ".join(PYTHONS)
        raise CorefError(f"coref_tf does not support Python {this_python()}; expected one of {known}")
    return lane


def choose_keras() -> None:
    """Makes TensorFlow use Keras 2. Has no effect after TensorFlow is imported, because it reads the setting once."""
    lane = lane_of(this_python())
    if lane is None or "tensorflow" in sys.modules:
        return
    if lane.keras == "tf_keras":
        os.environ.setdefault(_SETTING, "1")
    else:  # set for the other lane; in this one, TensorFlow would look for a package that is not installed
        os.environ.pop(_SETTING, None)


def check_keras(tensorflow: ModuleType) -> None:
    """Raises an error if TensorFlow uses Keras 3, before Keras fails with an unrelated message."""
    package = tensorflow.keras.Model.__module__.partition(".")[0]
    version = sys.modules[package].__version__
    if version.startswith("2."):
        return
    if this_lane().keras == "tf_keras":
        fix = f"import coref_tf before tensorflow, or set {_SETTING}=1 before Python starts"
    else:
        fix = f"run `{sys.executable} -m pip install 'keras~={tensorflow.__version__}'`"
    raise CorefError(f"TensorFlow was imported with Keras {version}, but coref_tf needs Keras 2; {fix}")

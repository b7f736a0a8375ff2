"""The stacks that coref_tf runs on: which TensorFlow a Python has, and where its Keras 2 comes from.

The project's own stack is TensorFlow 2.15 with tensorflow-addons, which exist for Python up to 3.11. Later Pythons have
a later TensorFlow, whose own Keras is 3; Keras 2 is a package beside it, which TensorFlow takes if it is told so before
it is imported. pyproject.toml and the requirements say the same in pip's words.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import NamedTuple

from coref_tf.support.errors import CorefError

_SETTING = "TF_USE_LEGACY_KERAS"


class Lane(NamedTuple):
    """One of them."""

    tensorflow: str
    pythons: tuple[str, ...]
    constraints: str  # its lock file
    keras: str  # the package that Keras 2 is in
    addons: bool  # whether there is a tensorflow-addons

    def __str__(self) -> str:
        beside = "tensorflow-addons" if self.addons else self.keras
        return f"TensorFlow {self.tensorflow} with {beside}"


CARD = Lane("2.15", ("3.11", "3.10"), "constraints.txt", "keras", addons=True)
TODAY = Lane("2.21", ("3.13", "3.12"), "constraints-2.21.txt", "tf_keras", addons=False)
LANES = (CARD, TODAY)

# As `make` looks for them: the card's first, then the newest.
PYTHONS = ("3.11", "3.13", "3.12", "3.10")


def lane_of(python: str) -> Lane | None:
    """The lane of a Python, such as "3.11"; None where there is none."""
    return next((lane for lane in LANES if python in lane.pythons), None)


def this_python() -> str:
    """The version of this Python, as lanes name it."""
    return "{}.{}".format(*sys.version_info)


def this_lane() -> Lane:
    """The lane of this Python."""
    lane = lane_of(this_python())
    if lane is None:
        known = ", ".join(PYTHONS)
        raise CorefError(f"coref_tf has no TensorFlow for Python {this_python()}; expected one of {known}")
    return lane


def choose_keras() -> None:
    """Has TensorFlow take Keras 2. That it reads once: where it is imported already, nothing is changed."""
    lane = lane_of(this_python())
    if lane is None or "tensorflow" in sys.modules:
        return
    if lane.keras == "tf_keras":
        os.environ.setdefault(_SETTING, "1")
    else:  # meant for the other lane: here it would look for a package that isn't there
        os.environ.pop(_SETTING, None)


def check_keras(tensorflow: ModuleType) -> None:
    """Refuses a TensorFlow that has taken Keras 3, before Keras says something else of it."""
    package = tensorflow.keras.Model.__module__.partition(".")[0]
    version = sys.modules[package].__version__
    if version.startswith("2."):
        return
    if this_lane().keras == "tf_keras":
        mend = f"import coref_tf before tensorflow, or set {_SETTING}=1 before Python starts"
    else:
        mend = f"run `{sys.executable} -m pip install 'keras~={tensorflow.__version__}'`"
    raise CorefError(f"TensorFlow was imported with Keras {version}, and coref_tf needs Keras 2; {mend}")

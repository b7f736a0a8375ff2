"""Locations of the bundled files: experiments.conf, word vectors, the sample corpus, models.

In a checkout, they are in the root of the project; in an installed wheel, they are in coref_tf/resources, with the same
layout, so that the paths in experiments.conf are valid in both. An installed package never writes there: outputs go to
the working directory, or where the user specifies.
"""

import importlib.resources
import os
from pathlib import Path

from coref_tf.support.errors import CorefError

CONF = "experiments.conf"
MODELS = "data/models"
DEV_SET = "data/sample/dev.jsonlines"
DEFAULT_MODEL = "english"  # the default among them

_PROJECT = Path(__file__).resolve().parents[2]


def is_checkout() -> bool:
    """Returns whether the package runs from a checkout, as opposed to a pip installation."""
    return (_PROJECT / "kernels" / "link.py").is_file()


def resources_folder() -> Path:
    """Returns the folder of experiments.conf and data/: the project root, or the one inside the installed package."""
    return _PROJECT if is_checkout() else Path(str(importlib.resources.files("coref_tf") / "resources"))


def experiments_conf() -> Path:
    """Returns the default experiments file: the one in the working directory, if it exists, or the package's."""
    return Path(CONF) if Path(CONF).is_file() else resources_folder() / CONF


def output_folder(conf: str | os.PathLike) -> Path:
    """Returns the folder that an experiment's output folders are relative to: the folder of its experiments file.

    For the experiments file of an installed package, this is the working directory.
    """
    folder = Path(conf).resolve().parent
    installed = not is_checkout() and folder == resources_folder().resolve()
    return Path.cwd() if installed else folder


def bundled_models() -> dict[str, Path]:
    """Returns the bundled checkpoints by name: data/models/NAME.h5."""
    return {path.stem: path for path in sorted((resources_folder() / MODELS).glob("*.h5"))}


def bundled_dev_set() -> Path:
    """Returns the path of the bundled dev set: 20 English documents from seven genres, CC0."""
    path = resources_folder() / DEV_SET
    if not path.is_file():  # in a checkout, `make` creates it
        raise CorefError(f"{path}: no such file; run `make sample` in the checkout")
    return path

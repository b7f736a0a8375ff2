"""Where to find what comes with the package: experiments.conf, word vectors, the sample corpus, models.

In a checkout these stand where the project keeps them, at its root; the wheel carries them in coref_tf/resources,
laid out in the same way, so that the paths in experiments.conf hold in both. Nothing is ever written there by an
installed package: what is written goes to the working directory, or where the user says.
"""

import importlib.resources
import os
from pathlib import Path

from coref_tf.support.errors import CorefError

CONF = "experiments.conf"
MODELS = "data/models"
DEV_SET = "data/sample/dev.jsonlines"
DEFAULT_MODEL = "english"  # of those, the one that is meant where none is named

_PROJECT = Path(__file__).resolve().parents[2]


def is_checkout() -> bool:
    """Whether the package runs from its sources, rather than from where pip put it."""
    return (_PROJECT / "kernels" / "link.py").is_file()


def resources_folder() -> Path:
    """The folder of experiments.conf and data/: the project's own, or the one inside the installed package."""
    return _PROJECT if is_checkout() else Path(str(importlib.resources.files("coref_tf") / "resources"))


def experiments_conf() -> Path:
    """The experiments file, where the user names none: that of the working directory, or else the package's."""
    return Path(CONF) if Path(CONF).is_file() else resources_folder() / CONF


def output_folder(conf: str | os.PathLike) -> Path:
    """What the folders that an experiment writes to are relative to: where its experiments file is.

    The file of an installed package is no place to write beside; there it is the working directory.
    """
    folder = Path(conf).resolve().parent
    installed = not is_checkout() and folder == resources_folder().resolve()
    return Path.cwd() if installed else folder


def bundled_models() -> dict[str, Path]:
    """The checkpoints that came with the package, by name: data/models/NAME.h5."""
    return {path.stem: path for path in sorted((resources_folder() / MODELS).glob("*.h5"))}


def bundled_dev_set() -> Path:
    """The dev set that came with the package: 20 English documents of seven genres, CC0."""
    path = resources_folder() / DEV_SET
    if not path.is_file():  # a checkout compiles it
        raise CorefError(f"{path}: no such file; run `make sample` in the checkout")
    return path

"""Optional dependencies, which only some commands need."""

import importlib.metadata
import os
import shutil
from collections.abc import Sequence

from coref_tf.support.errors import CorefError
from coref_tf.support.lanes import lane_of, this_python
from coref_tf.support.resources import is_checkout

_lane = lane_of(this_python())
# TensorFlow 2.15 installs tensorboard as a dependency.
_OF_ITS_LANE = "tensorflow-addons" if _lane and _lane.addons else "tensorboard"

# Packages by the extra of the wheel that installs them, as in `pip install 'coref_tf[train]'`.
EXTRAS = {
    "train": (_OF_ITS_LANE, "tqdm"),
    "serving": ("tornado",),
    "files": ("lxml", "markdown-it-py", "python-docx", "pypdf"),
    "plots": ("matplotlib",),
    "spark": ("pyspark", "pandas", "pyarrow"),
    "langchain": ("langchain-core",),
    "llama-index": ("llama-index-core",),
    "mcp": ("mcp",),
}

# Extras that `make` does not install in a checkout because they are large, with the command that installs them.
_ON_REQUEST = {"spark": "make spark"}


def version_of(package: str) -> str | None:
    """Returns the installed version of a package, or None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def java() -> bool:
    """Returns whether Java, which Spark requires, is installed."""
    return bool(os.environ.get("JAVA_HOME") or shutil.which("java"))


def how_to_install(extra: str) -> str:
    """Returns the command that installs the packages of an extra."""
    in_checkout = f"run `{_ON_REQUEST.get(extra, 'make')}`"
    return in_checkout if is_checkout() else f"run `pip install 'coref_tf[{extra}]'`"


def require_extra(extra: str, what: str, packages: Sequence[str] = ()) -> None:
    """Raises an error if the packages of an extra are not installed.

    Args:
        extra: The extra.
        what: The feature that needs it.
        packages: The packages that the feature needs, if it does not need all packages of the extra.

    Example:
        require_extra("plots", "a figure")
        # a figure needs the package matplotlib; run `pip install 'coref_tf[plots]'`
    """
    missing = [package for package in packages or EXTRAS[extra] if version_of(package) is None]
    if missing:
        noun = "package" if len(missing) == 1 else "packages"
        raise CorefError(f"{what} needs the {noun} {' and '.join(missing)}; {how_to_install(extra)}")

"""Optional dependencies, which only some commands need."""

import contextlib
import importlib.metadata
import os
import shutil
from collections.abc import Iterator, Sequence

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
    if lack := _describe_lack(extra, what, packages):
        raise CorefError(lack)


@contextlib.contextmanager
def imported_from_extra(extra: str, what: str) -> Iterator[None]:
    """Names the extra in the ImportError that the block raises if the packages of the extra are not installed.

    Example:
        with imported_from_extra("langchain", "CorefTransformer"):
            from langchain_core.documents import Document
    """
    try:
        yield
    except ImportError as error:
        # Without a missing package, the installed one is broken, and its own message says why.
        if lack := _describe_lack(extra, what):
            raise ImportError(lack, name=error.name) from None
        raise


def _describe_lack(extra: str, what: str, packages: Sequence[str] = ()) -> str | None:
    missing = [package for package in packages or EXTRAS[extra] if version_of(package) is None]
    if not missing:
        return None
    *first, last = missing
    names = f"packages {', '.join(first)} and {last}" if first else f"package {last}"
    return f"{what} needs the {names}; {how_to_install(extra)}"

"""Builds a wheel that carries the built libraries; `make wheel`, `pip wheel .` and `pip install .` use it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, find_packages, setup
from setuptools.command.build_py import build_py

# Only training or the server needs these: `pip install coref_tf[train,serving]`.
EXTRAS = {"train": ("tensorflow-addons",), "serving": ("tornado",)}


class BuildWithLibraries(build_py):
    """Has the Makefile build the libraries with this Python before the package is put together."""

    def run(self) -> None:
        """Builds both."""
        command = ["make", f"-j{os.cpu_count()}", "kernels", f"PYTHON={sys.executable}"]
        subprocess.run(command, cwd=Path(__file__).resolve().parent, check=True)
        super().run()


class BinaryDistribution(Distribution):
    """Tags the wheel for this Python and platform, as its libraries are."""

    def has_ext_modules(self) -> bool:
        """There is compiled code, though setuptools doesn't compile it."""
        return True


def version() -> str:
    """The package's __version__."""
    source = Path("coref_tf/__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)[1]


def requirements() -> list[str]:
    """The pinned dependencies, without their comments."""
    lines = Path("requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


setup(
    name="coref_tf",
    version=version(),
    description="End-to-end neural coreference resolution in TensorFlow 2 and Keras",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    python_requires="==3.11.*",
    packages=find_packages(include=["coref_tf*"]),
    package_data={
        "coref_tf": ["_coref_ops.so", "_native.so"],
        "coref_tf.page": ["*.html", "*.css", "*.js"],
    },
    install_requires=[line for line in requirements() if not line.startswith(sum(EXTRAS.values(), ()))],
    extras_require={
        extra: [line for line in requirements() if line.startswith(names)] for extra, names in EXTRAS.items()
    },
    entry_points={"console_scripts": ["coref = coref_tf.commands.main:run"]},
    cmdclass={"build_py": BuildWithLibraries},
    distclass=BinaryDistribution,
    zip_safe=False,
)

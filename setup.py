"""Builds the C++ libraries and bundled data of the wheel; everything else is in pyproject.toml."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

# Data that is part of the package, found by coref_tf.support.resources; in the wheel, it is in coref_tf/resources.
RESOURCES = (
    "experiments.conf",
    "data/vectors/*.h5",
    "data/models/**/*",
    "data/sample/*.jsonlines",
    "data/sample/*.conll",
    "data/sample/char_vocab.txt",
    "data/behaviour/*/*.txt",
    "examples/contracts/**/*.txt",
)


class BuildWithLibraries(build_py):
    """Builds the C++ libraries with the Makefile and this Python, and adds the bundled data."""

    def run(self) -> None:
        """Builds the libraries and the sample corpus, and copies the package's modules and data."""
        root = Path(__file__).resolve().parent
        command = ["make", f"-j{os.cpu_count()}", "kernels", "sample", f"INSTALLED={sys.executable}"]
        subprocess.run(command, cwd=root, check=True)
        super().run()
        for path in (path for pattern in RESOURCES for path in root.glob(pattern) if path.is_file()):
            target = Path(self.build_lib, "coref_tf", "resources", path.relative_to(root))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


class BinaryDistribution(Distribution):
    """Tags the wheel for the Python version and platform that its libraries are built for."""

    def has_ext_modules(self) -> bool:
        """Returns True: there is compiled code, although setuptools does not compile it."""
        return True


setup(cmdclass={"build_py": BuildWithLibraries}, distclass=BinaryDistribution)

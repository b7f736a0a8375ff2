"""Builds a wheel that carries the built libraries; `make wheel`, `pip wheel .` and `pip install .` use it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, find_packages, setup
from setuptools.command.build_py import build_py

# What coref_tf needs, in ranges; what it is built and tested with is pinned in requirements.txt, constraints.txt and
# constraints-2.21.txt. Python chooses the lane, as in coref_tf/support/lanes.py.
DEPENDENCIES = [
    'tensorflow~=2.15.1; python_version < "3.12"',  # the op library is built for one minor version
    'tensorflow~=2.21.0; python_version >= "3.12"',
    'tf_keras~=2.21.0; python_version >= "3.12"',
    "numpy>=1.23,<3",
    "h5py>=3.9,<4",
    "spacy>=3.7.2,<3.9",
    "click>=8,<9",  # spaCy imports it without asking for it
    "argcomplete>=3,<4",
]
# What only some commands need: `pip install 'coref_tf[train,serving,plots,spark]'`.
EXTRAS = {
    "train": [
        'tensorflow-addons>=0.22,<0.24; python_version < "3.12"',
        'tensorboard>=2.20,<3; python_version >= "3.12"',
        "tqdm>=4.60,<5",
    ],
    "serving": ['tornado>=6.6,<7; python_version >= "3.11"', 'tornado>=6.5,<6.6; python_version < "3.11"'],
    "plots": ["matplotlib>=3.7,<4"],
    "spark": ["pyspark>=4.1,<5", "pandas>=2.2,<3", "pyarrow>=15,<24"],  # later ones ask for NumPy 2
}

# What comes with the package, found by coref_tf.support.resources; the wheel has it in coref_tf/resources.
RESOURCES = (
    "experiments.conf",
    "data/vectors/*.h5",
    "data/models/**/*",
    "data/sample/*.jsonlines",
    "data/sample/*.conll",
    "data/sample/char_vocab.txt",
    "data/behaviour/*/*.txt",
)


class BuildWithLibraries(build_py):
    """Has the Makefile build the libraries with this Python, and puts beside them what comes with the package."""

    def run(self) -> None:
        """Builds both, and the sample corpus."""
        root = Path(__file__).resolve().parent
        command = ["make", f"-j{os.cpu_count()}", "kernels", "sample", f"INSTALLED={sys.executable}"]
        subprocess.run(command, cwd=root, check=True)
        super().run()
        for path in (path for pattern in RESOURCES for path in root.glob(pattern) if path.is_file()):
            target = Path(self.build_lib, "coref_tf", "resources", path.relative_to(root))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


class BinaryDistribution(Distribution):
    """Tags the wheel for this Python and platform, as its libraries are."""

    def has_ext_modules(self) -> bool:
        """There is compiled code, though setuptools doesn't compile it."""
        return True


def version() -> str:
    """The package's __version__."""
    source = Path("coref_tf/__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)[1]


setup(
    name="coref_tf",
    version=version(),
    description="End-to-end neural coreference resolution in TensorFlow 2 and Keras",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    python_requires=">=3.10,<3.14",
    packages=find_packages(include=["coref_tf*"]),
    package_data={
        "coref_tf": ["_coref_ops.so", "_native.so"],
        "coref_tf.page": ["*.html", "*.css", "*.js"],
    },
    install_requires=DEPENDENCIES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": ["coref = coref_tf.commands.main:run"],
        "spacy_factories": ["coref_tf = coref_tf.integrations.spacy:make_component"],
    },
    cmdclass={"build_py": BuildWithLibraries},
    distclass=BinaryDistribution,
    zip_safe=False,
)

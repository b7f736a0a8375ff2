"""Writes to build/ what the compilers need to know about the installed TensorFlow and pybind11.

The *.flags files are read by g++ (@file) and nvcc (--options-file); versions.json goes into the build record.
"""

import json
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import coref_tf  # noqa: F401, has TensorFlow say less

# isort: split
import pybind11
import tensorflow as tf

BUILD = Path("build")


def write(name: str, flags: list[str]) -> None:
    """Writes flags, one per line, quoted for paths with spaces."""
    (BUILD / name).write_text("".join(f'"{flag}"\n' for flag in flags), encoding="utf-8")


# As system headers, those of TensorFlow and pybind11 cause no warnings in our build.
defines = [flag for flag in tf.sysconfig.get_compile_flags() if flag.startswith("-D")]
write("ops.flags", ["-isystem", tf.sysconfig.get_include(), *defines])
write("ops-link.flags", ["-Wl,-z,defs", *tf.sysconfig.get_link_flags()])
write("native.flags", ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_paths()["include"]])
write("native-link.flags", [])
versions = {
    "tensorflow": tf.__version__,
    "abi": tf.sysconfig.CXX11_ABI_FLAG,
    "python": sysconfig.get_python_version(),
}
(BUILD / "versions.json").write_text(json.dumps(versions), encoding="utf-8")

"""The native libraries are found from any folder and checked before they are loaded; each fault is one line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

from coref_tf.ops import library as op_library
from coref_tf.support import libraries
from coref_tf.support.errors import CorefError
from coref_tf.support.lanes import this_python

ROOT = libraries.PACKAGE.parent


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A copy of the op library that tests can damage."""
    copy = tmp_path / "_coref_ops.so"
    shutil.copy(libraries.OPS_LIBRARY, copy)
    monkeypatch.setattr(libraries, "OPS_LIBRARY", copy)
    monkeypatch.setattr(op_library, "custom_ops", op_library._load.__wrapped__)  # without the cache
    return copy


@pytest.fixture(autouse=True)
def active(monkeypatch):
    """Makes this environment the active one, so that plain `make` would use it."""
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)


def fault() -> str:
    """Returns the one-line error of loading the library, without the path that it begins with."""
    with pytest.raises(CorefError) as caught:
        op_library.custom_ops()
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{libraries.OPS_LIBRARY} ")
    return message.removeprefix(f"{libraries.OPS_LIBRARY} ")


def remedy() -> str:
    return f"run `make` in {ROOT}"


def test_missing(library):
    library.unlink()
    assert fault() == f"is missing: it has not been built; {remedy()}"


def test_built_for_another_tensorflow(library, monkeypatch):
    built_for = tf.__version__
    monkeypatch.setattr(tf, "__version__", "2.99.0")
    assert fault() == (
        f"is stale: it was built for TensorFlow {built_for}, but this is TensorFlow 2.99.0; {remedy()}"
    )


def test_a_stale_library_of_another_lane_is_rebuilt_with_this_environment(library, monkeypatch):
    """The error names ENVIRONMENT, because plain `make` would use .venv or the active environment."""
    monkeypatch.setattr(tf, "__version__", "2.99.0")
    monkeypatch.setattr(sys, "prefix", "/an environment/of 2.99")
    assert fault().endswith(f"; run `make ENVIRONMENT='/an environment/of 2.99'` in {ROOT}")
    monkeypatch.setenv("VIRTUAL_ENV", "/an environment/of 2.99")
    assert fault().endswith(f"; {remedy()}")


def test_built_with_another_abi(library, monkeypatch):
    monkeypatch.setattr(tf.sysconfig, "CXX11_ABI_FLAG", 0)
    assert fault().startswith("is stale: it was built for C++11 ABI flag 1, but this is C++11 ABI flag 0; ")


def test_older_than_its_sources(library, tmp_path, monkeypatch):
    """A library is stale if a kernel has changed or is missing; an installed package has no kernels to compare."""
    package = tmp_path / "checkout" / "coref_tf"
    shutil.copytree(ROOT / "kernels", package.parent / "kernels")
    monkeypatch.setattr(libraries, "PACKAGE", package)
    libraries.check_library(library)
    with open(package.parent / "kernels" / "spans" / "span_pruning.h", "a", encoding="utf-8") as file:
        file.write("// changed\n")
    assert "is stale: kernels/spans/span_pruning.h has changed since it was built; " in fault()
    (package.parent / "kernels" / "spans" / "span_pruning.h").unlink()
    assert "is stale: kernels/spans/span_pruning.h has changed since it was built; " in fault()
    shutil.rmtree(package.parent / "kernels")
    libraries.check_library(library)


@pytest.mark.parametrize("kept", [0.0001, 0.5, 0.99, 0.9999])
def test_truncated(library, kept):
    """A truncated library is refused, because loading it would kill the process."""
    content = library.read_bytes()
    size = int(len(content) * kept)
    library.write_bytes(content[:size])
    assert fault() == f"is damaged: it is truncated after {size} bytes; {remedy()}"


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\x01 for 32 bits"])
def test_not_a_library(library, content):
    library.write_bytes(content)
    assert fault() == f"is not a shared library; {remedy()}"


def test_library_of_another_project(library):
    shutil.copy(tf.sysconfig.get_lib() + "/libtensorflow_framework.so.2", library)
    assert fault() == f"was not built by this project's Makefile: it carries no build record; {remedy()}"


def test_undefined_symbol(library):
    """A library with a valid build record that needs an undefined symbol can't be loaded."""
    record = libraries._RECORD.search(libraries.NATIVE_LIBRARY.read_bytes())[0].decode()
    source = library.with_suffix(".cc")
    record = record.replace("\\", "\\\\").replace('"', '\\"')
    source.write_text(
        'extern "C" __attribute__((used)) const char record[] = "' + record + '";\n'
        "extern int nowhere_to_be_found;\nint* used = &nowhere_to_be_found;\n"
    )
    subprocess.run(["g++", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    assert "can't be loaded: " in fault()
    assert "undefined symbol: nowhere_to_be_found" in fault()


def test_users_of_a_wheel_are_told_to_reinstall(library, tmp_path, monkeypatch):
    monkeypatch.setattr(libraries, "PACKAGE", tmp_path / "site-packages" / "coref_tf")
    library.unlink()
    assert fault() == "is missing: it has not been built; reinstall coref_tf"


def test_the_library_of_algorithms_is_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(libraries, "NATIVE_LIBRARY", tmp_path / "_native.so")
    libraries.algorithms.cache_clear()
    with pytest.raises(CorefError, match=r"_native.so is missing: it has not been built; run `make` in"):
        libraries.algorithms()
    monkeypatch.undo()
    with monkeypatch.context() as patch:
        patch.setattr(libraries.sysconfig, "get_python_version", lambda: "3.9")
        with pytest.raises(
            CorefError, match=rf"built for Python {this_python()}, but this is Python 3.9; run"
        ):
            libraries.algorithms()
    libraries.algorithms.cache_clear()
    assert libraries.algorithms()


def test_there_is_no_fallback_to_another_backend(library):
    from coref_tf import ops

    library.unlink()
    with pytest.raises(CorefError, match="is missing"):
        ops.extract_spans([1.0], [0], [0], 1)
    with pytest.raises(ValueError, match=r"backend must be .* Received: 'best'"):
        ops.extract_spans([1.0], [0], [0], 1, backend="best")


# --- Imports ------------------------------------------------------------------------------------------------


def run(code: str, folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-c", code]
    finished = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.strip()


def test_importing_the_package_imports_neither_tensorflow_nor_numpy(tmp_path):
    code = (
        "import sys, coref_tf, coref_tf.support.libraries; print({'tensorflow', 'numpy'} & set(sys.modules))"
    )
    assert run(code, tmp_path) == "set()"


def test_the_library_is_loaded_at_first_use_from_any_folder(tmp_path):
    code = (
        "from coref_tf import ops\n"
        "loaded = lambda: '_coref_ops' in open('/proc/self/maps').read()\n"
        "before = loaded()\n"
        "print(before, ops.extract_spans([1.0], [0], [0], 1).numpy(), loaded())"
    )
    assert run(code, tmp_path) == "False [0] True"


def test_the_build_record_describes_the_build():
    record = libraries.read_record(libraries.OPS_LIBRARY)
    assert record["tensorflow"] == tf.__version__
    assert record["abi"] == tf.sysconfig.CXX11_ABI_FLAG
    assert record["compiler"]
    assert {"spans/extract_spans_op.cc", "spans/span_pruning.h"} <= record["sources"].keys()
    assert "scorer/scorer.h" in libraries.read_record(libraries.NATIVE_LIBRARY)["sources"]


@pytest.mark.parametrize("name", ["ExtractSpans", "NearestAntecedents", "TopAntecedents"])
def test_the_ops_are_registered_for_both_devices(name):
    from tensorflow.python.framework import kernels

    op_library.custom_ops()
    registered = kernels.get_registered_kernels_for_op(f"Coref>{name}").kernel
    on_host = {kernel.device_type: set(kernel.host_memory_arg) for kernel in registered}
    assert on_host.keys() == {"CPU", "GPU"}
    if libraries.read_record(libraries.OPS_LIBRARY)["cuda"]:  # only counts are in host memory
        assert 1 <= len(on_host["GPU"] & {"num_output_spans", "num_spans", "max_antecedents"}) <= 2
    else:  # all inputs and outputs are
        assert len(on_host["GPU"]) == (5 if name == "ExtractSpans" else 4)


@pytest.mark.parametrize("function", op_library.CustomOps._fields)
def test_the_ops_are_documented(function):
    documentation = getattr(op_library.custom_ops(), function).__doc__
    ranges = ("not negative", "positive", "from 1 to")
    assert any(words in documentation for words in ranges)  # the range of its counts
    assert "Returns:" in documentation

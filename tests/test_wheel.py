"""Builds from a clean checkout with the Makefile and setup.py, which takes minutes, because everything is compiled."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from coref_tf.support import libraries

ROOT = Path(__file__).resolve().parent.parent
FILES = (
    "Makefile",
    "setup.py",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "NOTICE",
    "experiments.conf",
)
FOLDERS = ("coref_tf", "kernels", "data/sample", "data/vectors", "examples/contracts")

TAG = "cp{}{}".format(*sys.version_info)

SAMPLE = ROOT / "data" / "sample" / "dev.jsonlines"
CONLL = SAMPLE.with_suffix(".conll")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A checkout with nothing but the sources, in a folder whose name has a space."""
    root = tmp_path_factory.mktemp("bare") / "a checkout"
    built = shutil.ignore_patterns("*.so", "__pycache__", "build")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=built)
    for name in (*FILES, *(path.name for path in ROOT.glob("*.txt"))):
        shutil.copy(ROOT / name, root)
    return root


def run(*command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        command, cwd=cwd, env=inherited | environment, capture_output=True, text=True, check=False
    )


def test_if_nvcc_fails_the_gpu_kernels_are_left_out(checkout, tmp_path):
    """With CUDA=1 a failure of nvcc is an error. The paths of checkout and environment have a space."""
    (tmp_path / "an environment").symlink_to(sys.prefix)
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'nvcc fatal: made to fail' >&2\nexit 1\n")
    nvcc.chmod(0o755)
    arguments = ("make", "-j2", "kernels", f"NVCC={nvcc}", f"INSTALLED={tmp_path}/an environment/bin/python")

    insisted = run(*arguments, "CUDA=1", cwd=checkout)
    assert insisted.returncode != 0
    assert "the GPU kernels are left out: nvcc failed" in insisted.stderr
    assert not (checkout / "coref_tf" / "_coref_ops.so").exists()

    finished = run(*arguments, cwd=checkout)
    assert finished.returncode == 0, finished.stderr
    (line,) = (line for line in finished.stderr.splitlines() if "GPU" in line)
    assert line.startswith("_coref_ops.so: the GPU kernels are left out: nvcc failed (build/cuda/")
    assert line.endswith(": nvcc fatal: made to fail")
    assert libraries.read_record(checkout / "coref_tf" / "_coref_ops.so")["cuda"] is None
    code = (
        "from coref_tf import ops; from tensorflow.python.framework import kernels;"
        "print(ops.extract_spans([1.0], [0], [0], 1).numpy());"
        "registered = kernels.get_registered_kernels_for_op('Coref>ExtractSpans').kernel;"
        "print(*(f'{kernel.device_type}:{len(kernel.host_memory_arg)}' for kernel in registered))"
    )
    loaded = run(sys.executable, "-c", code, cwd=checkout, PYTHONPATH=str(checkout))
    assert set(loaded.stdout.split()) == {"[0]", "CPU:0", "GPU:5"}, loaded.stderr


def test_the_wheel_installs_and_works_elsewhere(checkout, tmp_path):
    """Installs the wheel in an empty environment that uses the dependencies of this one."""
    pip = ("-m", "pip", "--disable-pip-version-check")
    command = (sys.executable, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), ".")
    built = run(*command, cwd=checkout)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith(f"-{TAG}-{TAG}-{sysconfig.get_platform().replace('-', '_')}.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("METADATA"))
    assert {"coref_tf/_coref_ops.so", "coref_tf/_native.so", "coref_tf/ops/__init__.py"} <= set(names)
    assert {"coref_tf/page/template.html", "coref_tf/page/app.js", "coref_tf/page/base.css"} <= set(names)
    carried = (
        "experiments.conf",
        "data/vectors/cased_300d.h5",
        "data/sample/train.jsonlines",
        "examples/contracts/dev/open/contracts.txt",
    )
    assert {f"coref_tf/resources/{name}" for name in carried} <= set(names)
    assert all(name.startswith("coref_tf") for name in names)
    assert 'Requires-Dist: tensorflow~=2.15.1; python_version < "3.12"' in metadata
    assert 'Requires-Dist: tf_keras~=2.21.0; python_version >= "3.12"' in metadata
    assert "tensorflow-addons" in metadata and 'extra == "train"' in metadata
    assert "Requires-Python: <3.14,>=3.10" in metadata

    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    installed = run(
        sys.executable, *pip, "--python", str(environment), "install", "--no-deps", str(wheel), cwd=tmp_path
    )
    assert installed.returncode == 0, installed.stderr
    code = (
        "import coref_tf; from coref_tf import ops; from coref_tf.support import libraries;"
        "print(coref_tf.__file__, ops.extract_spans([1.0, 2.0], [0, 1], [1, 2], 2).numpy(),"
        " libraries.algorithms().nearest_antecedents(2, 1)[1])"
    )
    work = tmp_path / "work"
    work.mkdir()
    used = run(str(environment / "bin" / "python"), "-c", code, cwd=work)
    assert used.stdout.strip() == f"{packages}/coref_tf/__init__.py [1] [0 1]", used.stderr
    check_commands(environment / "bin" / "coref", work)


def check_commands(coref: Path, work: Path) -> None:
    """Checks that the installed command finds its resources and writes to the working directory only."""
    for words in (["doctor"], ["--help"], ["documents", "lint", SAMPLE], ["score", CONLL, CONLL]):
        done = run(str(coref), *map(str, words), cwd=work)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert not list(work.iterdir()), words
    trained = run(str(coref), "train", "best", "--max-steps", "1", "lstm_size=8", "ffnn_size=8", cwd=work)
    assert trained.returncode == 0, trained.stderr
    assert [path.name for path in work.iterdir()] == ["logs"]
    text = "Ana said she was late."
    predicted = run(str(coref), "predict", "--text", text, cwd=work)
    assert predicted.stdout.startswith("text: 6 words, "), predicted.stderr
    code = f"import coref_tf; print(coref_tf.load('logs/best/best.h5')({text!r}))"
    loaded = run(str(coref.with_name("python")), "-c", code, cwd=work)
    assert (loaded.stdout, loaded.stderr) == (predicted.stdout, "")


def test_setup_py_builds_a_wheel(checkout):
    """Uses `setup.py bdist_wheel`, with the kernels that the test above has built."""
    built = run(sys.executable, "setup.py", "--quiet", "bdist_wheel", cwd=checkout)
    assert built.returncode == 0, built.stderr
    assert len(list((checkout / "dist").glob(f"coref_tf-*-{TAG}-{TAG}-*.whl"))) == 1

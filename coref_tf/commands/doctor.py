"""Checks whether this machine has everything that coref needs, and prints how to fix problems.

coref doctor

The exit code is 1 if there is an error. A note is a problem that affects only some of the commands.
"""

import argparse
import enum
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from coref_tf import __version__
from coref_tf.commands.options import add_conf
from coref_tf.config import experiment_names, load_experiment
from coref_tf.inference.memory import available_bytes, format_size
from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.support import libraries
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import EXTRAS, how_to_install, java, version_of
from coref_tf.support.lanes import PYTHONS, lane_of, this_python
from coref_tf.support.resources import bundled_models, experiments_conf, is_checkout
from coref_tf.support.startup import starting

# The memory that a prediction needs at least, and the disk space that training needs.
LEAST_MEMORY = 2**30
LEAST_DISK = 2**30

PACKAGES = ("tensorflow", "numpy", "h5py", "spacy", "argcomplete")
# The features that need the packages of each extra.
USERS = {
    "train": "coref train and coref finetune",
    "serving": "coref serve",
    "files": "HTML, Markdown, Word, EPUB and PDF files",
    "plots": "figures",
    "spark": "coref spark",
    "langchain": "LangChain",
    "llama-index": "LlamaIndex",
    "mcp": "coref mcp",
}
# The vector instructions that the kernels choose from, best first, with their processor flags.
VECTOR_SETS = {
    "AVX-512": ("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx2", "fma"),
    "AVX2 and FMA": ("avx2", "fma"),
}


class State(str, enum.Enum):
    """The state of a checked item."""

    OK = "ok"
    NOTE = "note"
    ERROR = "error"


class Finding(NamedTuple):
    """The state of a checked item and, if there is a problem, how to fix it."""

    state: State
    what: str


def versions(conf: str | None) -> Iterator[Finding]:
    """Checks the package, Python, and the packages that every command needs."""
    kind = "a checkout" if is_checkout() else "installed"
    yield Finding(State.OK, f"coref_tf {__version__}, {kind} in {libraries.PACKAGE.parent}")
    python = f"Python {platform.python_version()}, {sys.executable}"
    lane = lane_of(this_python())
    if lane is None:
        yield Finding(State.ERROR, f"{python}; expected Python {', '.join(PYTHONS)}")
    else:
        yield Finding(State.OK, f"{python}; lane: {lane}")
    beside = ("tf_keras",) if lane and lane.keras == "tf_keras" else ()
    found = {name: version_of(name) for name in (*PACKAGES, *beside)}
    missing = [name for name, version in found.items() if version is None]
    fix = "run `make`" if is_checkout() else "reinstall coref_tf"
    if missing:
        yield Finding(State.ERROR, f"packages: missing {', '.join(missing)}; {fix}")
    yield Finding(State.OK, "packages: " + ", ".join(f"{n} {v}" for n, v in found.items() if v))


def extras(conf: str | None) -> Iterator[Finding]:
    """Checks the packages that some commands need."""
    for extra, names in EXTRAS.items():
        found = {name: version_of(name) for name in names}
        missing = [name for name, version in found.items() if version is None]
        if missing:
            yield Finding(
                State.NOTE, f"{USERS[extra]}: missing {', '.join(missing)}; {how_to_install(extra)}"
            )
        else:
            yield Finding(State.OK, f"{USERS[extra]}: " + ", ".join(f"{n} {v}" for n, v in found.items()))
        if extra == "spark" and not missing and not java():
            yield Finding(State.NOTE, f"{USERS[extra]}: no Java; install Java 17 or later, or set JAVA_HOME")


def op_library(conf: str | None) -> Iterator[Finding]:
    """Loads both libraries, and calls an op of each."""
    libraries.algorithms().nearest_antecedents(2, 1)
    record = libraries.read_record(libraries.OPS_LIBRARY)
    with starting():
        try:
            from coref_tf import ops
        except ImportError as error:
            raise CorefError(f"op library: TensorFlow cannot be imported: {error}") from None
        kept = ops.extract_spans([1.0, 2.0], [0, 1], [1, 2], 1).numpy()
    if kept.tolist() != [1]:
        raise CorefError(f"op library: computed {kept.tolist()}; expected [1]; {libraries.how_to_fix()}")
    built = f"built for TensorFlow {record['tensorflow']} by {record['compiler']}"
    yield Finding(State.OK, f"op library: {libraries.OPS_LIBRARY.name}, {built}")


def processor(conf: str | None) -> Iterator[Finding]:
    """Reports the cores, and which vector instructions the kernels use."""
    flags = _processor_flags()
    used = next((name for name, needed in VECTOR_SETS.items() if flags.issuperset(needed)), None)
    cores = len(os.sched_getaffinity(0))
    what = (
        f"processor: {cores} core{'s' if cores > 1 else ''}, kernels use {used or 'no vector instructions'}"
    )
    slow = "" if used else "; results are correct, but several times slower than with AVX2"
    yield Finding(State.OK if used else State.NOTE, what + slow)


def gpu(conf: str | None) -> Iterator[Finding]:
    """Reports the GPUs that TensorFlow sees, and whether the op library has kernels for them."""
    with starting():
        import tensorflow as tf

        devices = tf.config.list_physical_devices("GPU")
    cuda = libraries.read_record(libraries.OPS_LIBRARY).get("cuda")
    kernels = f"the op library has kernels for CUDA {cuda}" if cuda else "the op library has no GPU kernels"
    if not devices:
        yield Finding(State.OK, f"GPU: TensorFlow sees none; {kernels}")
    elif cuda:
        yield Finding(State.OK, f"GPU: {len(devices)}; {kernels}")
    else:
        yield Finding(
            State.NOTE,
            f"GPU: {len(devices)}, but {kernels}: put nvcc on the PATH and {libraries.how_to_fix()}",
        )


def data(conf: str | None) -> Iterator[Finding]:
    """Checks the experiments file, and the vectors and documents of its first experiment."""
    path = conf or experiments_conf()
    names = experiment_names(path)
    yield Finding(State.OK, f"experiments: {path}, {len(names)} experiments")
    experiment = load_experiment(names[0], path)
    for vectors in experiment.embeddings:
        yield _file("vectors", vectors.path, State.ERROR, "name another file in the experiments file")
    for corpus in (*experiment.train_path, experiment.eval_path, experiment.conll_eval_path):
        fix = "run `make`" if is_checkout() else "training needs documents of your own"
        yield _file(f"corpus of {experiment.name}", corpus, State.NOTE, fix)


def models(conf: str | None) -> Iterator[Finding]:
    """Lists the available models."""
    path = conf or experiments_conf()
    trained = [
        name for name in experiment_names(path) if best_checkpoint_path(load_experiment(name, path)).is_file()
    ]
    bundled = list(bundled_models())
    came = ", ".join(bundled) if bundled else "none"
    if trained or bundled:
        yield Finding(State.OK, f"models: trained: {', '.join(trained) or 'none'}; bundled: {came}")
    else:
        yield Finding(State.NOTE, "models: none trained, none bundled; `coref train best` trains one")


def resources(conf: str | None) -> Iterator[Finding]:
    """Checks free memory and disk space."""
    memory, disk = available_bytes(), shutil.disk_usage(Path.cwd()).free
    for name, free, least, fix in (
        ("memory", memory, LEAST_MEMORY, "close other programs, or predict with --max-memory"),
        ("disk", disk, LEAST_DISK, f"free disk space for {Path.cwd()}"),
    ):
        enough = free >= least
        short = "" if enough else f"; expected {format_size(least)} or more: {fix}"
        yield Finding(State.OK if enough else State.ERROR, f"{name}: {format_size(free)} free{short}")


CHECKUPS = (versions, extras, op_library, processor, gpu, data, models, resources)


def _file(what: str, path: Path, otherwise: State, fix: str) -> Finding:
    if path.is_file():
        return Finding(State.OK, f"{what}: {path}, {path.stat().st_size / 2**20:.1f} MB")
    return Finding(otherwise, f"{what}: {path} does not exist; {fix}")


def _processor_flags() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_conf(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints each finding immediately."""
    errors = 0
    for finding in findings(CHECKUPS, arguments.conf):
        print(f"{finding.state.value:6} {finding.what}", flush=True)
        errors += finding.state == State.ERROR
    if errors:
        print(f"{errors} error{'s' if errors > 1 else ''} found", file=sys.stderr)
    return 1 if errors else 0


def findings(
    checkups: Iterable[Callable[[str | None], Iterator[Finding]]], conf: str | None
) -> Iterator[Finding]:
    """Yields the findings of the checks; an error that a user can fix is a finding, too."""
    for checkup in checkups:
        try:
            yield from checkup(conf)
        except (CorefError, OSError) as error:
            yield Finding(State.ERROR, str(error))

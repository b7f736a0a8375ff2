"""Writes exports atomically, in the layout of TensorFlow Serving: DIR/1, DIR/2, ..."""

import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf import __version__
from coref_tf.config import Experiment
from coref_tf.export.building import ExportOptions, build_serving_module
from coref_tf.export.guide import write_guide
from coref_tf.export.warmup import write_warmup
from coref_tf.models.dial import STATE as DIAL
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError
from coref_tf.support.files import readable
from coref_tf.support.libraries import OPS_LIBRARY

OPS_NAMESPACE = "Coref"


def export(
    models: Sequence[TrainedModel],
    folder: Path,
    options: ExportOptions,
) -> Path:
    """Exports trained models, several as one ensemble; returns the folder of the new version.

    Args:
        models: The results of `open_model`.
        folder: The folder of the export; versions are written to folder/1, folder/2, ...
        options: The options of the export.

    Example:
        export([open_trained_model("best")], Path("models/coref"), ExportOptions(portable=True))   # models/coref/1
    """
    try:
        os.fspath(folder).encode()
    except UnicodeEncodeError:
        raise CorefError(
            f"{readable(folder)}: is not UTF-8; expected a path that TensorFlow can handle"
        ) from None
    with _scratch_folder(folder) as scratch, _one_line_errors(folder):
        model = scratch / "model"
        module = build_serving_module(models, scratch, options)
        save_options = tf.saved_model.SaveOptions(namespace_whitelist=[OPS_NAMESPACE])
        tf.saved_model.save(module, str(model), module.signatures, save_options)
        if options.portable:
            check_portable(model)
        probabilities = {"calibration": module.calibration._asdict(), **dial_of(models)}
        experiments = [each.settings for each in models]
        _write_extra(model / "assets.extra", experiments, options, probabilities)
        version = _publish(model, folder)
    write_guide(version, [each.name for each in models], options.portable)
    return version


@contextlib.contextmanager
def _one_line_errors(folder: Path) -> Iterator[None]:
    """Turns TensorFlow's errors about a full disk and other write failures into a CorefError."""
    try:
        yield
    except tf.errors.OpError as error:
        raise CorefError(f"{folder}: can't be written: {error.message}") from None


@contextlib.contextmanager
def _scratch_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder inside `folder` for an unfinished export.

    It also deletes those of exports that were killed; an export in progress holds a lock on its folder.
    """
    existed = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(".export-*"):
        with contextlib.suppress(BlockingIOError, FileNotFoundError), _locked(left):
            shutil.rmtree(left)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".export-") as scratch, _locked(scratch):
            yield Path(scratch)
    except BaseException:
        if not existed:
            with contextlib.suppress(OSError):  # another export may have started there
                folder.rmdir()
        raise


@contextlib.contextmanager
def _locked(folder: str | os.PathLike) -> Iterator[None]:
    """Locks a folder; raises a BlockingIOError if another process has locked it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def custom_ops_of(model: Path) -> set[str]:
    """Returns the ops of this project that a SavedModel contains."""
    saved = SavedModel.FromString((model / "saved_model.pb").read_bytes())
    graph = saved.meta_graphs[0].graph_def
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    return {node.op for node in nodes if node.op.startswith(f"{OPS_NAMESPACE}>")}


def check_portable(model: Path) -> None:
    """Rejects a SavedModel that contains ops of this project."""
    if ops := custom_ops_of(model):
        raise CorefError(
            f"the portable model has the ops {', '.join(sorted(ops))}; expected only TensorFlow's built-in ops"
        )


def dial_of(models: Sequence[TrainedModel]) -> dict[str, Any]:
    """Returns the dial in the checkpoint of a single model; that of an ensemble is unknown."""
    if len(models) > 1:
        return {}
    state = models[0].checkpoint.state
    return {DIAL: state[DIAL]} if DIAL in state else {}


def _write_extra(
    folder: Path, experiments: Sequence[Experiment], options: ExportOptions, probabilities: dict[str, Any]
) -> None:
    """Writes the files that accompany the model."""
    folder.mkdir()
    write_warmup(folder / "tf_serving_warmup_requests")
    settings = {
        "coref_tf": __version__,
        "tensorflow": tf.__version__,
        "options": dataclasses.asdict(options),
        **probabilities,
        "experiments": [dataclasses.asdict(experiment) for experiment in experiments],
    }
    # Only the names of files, because their folders mean nothing on other machines.
    text = json.dumps(settings, indent=1, default=lambda path: path.name) + "\n"
    (folder / "coref_tf.json").write_text(text, encoding="utf-8")
    if not options.portable:
        shutil.copy(OPS_LIBRARY, folder / "coref_ops.so")


def _publish(model: Path, folder: Path) -> Path:
    """Moves the finished model to the next version number; another export may take a number first."""
    numbers = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
    number = max(numbers, default=0) + 1
    while True:
        version = folder / str(number)
        try:
            os.rename(model, version)
            return version
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            number += 1

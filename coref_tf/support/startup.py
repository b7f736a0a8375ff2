"""Loads large packages quickly, and without TensorFlow's messages about the machine.

TF_CPP_MIN_LOG_LEVEL silences these messages in TensorFlow 2.15. Later versions log before they read it.
"""

import contextlib
import gc
import importlib.abc
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from coref_tf.support.errors import CorefError

_CHATTER = re.compile(rb"WARNING: All log messages before absl::InitializeLog|I0000 ")


def quiet_tensorflow() -> None:
    """Silences the first `import tensorflow` of this process, unless it has already happened."""
    if "tensorflow" not in sys.modules and os.environ.get("TF_CPP_MIN_LOG_LEVEL") != "0":
        sys.meta_path.insert(0, _Finder())


def check_process(loaded_in: int) -> None:
    """Raises an error if a model was loaded in another process.

    TensorFlow's threads do not survive a fork, so a prediction would hang.

    Args:
        loaded_in: the id of the process that loaded the model.
    """
    if os.getpid() != loaded_in:
        raise CorefError(
            "this model was loaded before the process was forked, and TensorFlow cannot be used in both; load the model"
            ' in each process, or use multiprocessing.get_context("spawn")'
        )


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Disables garbage collection in a block that imports TensorFlow or spaCy and loads a model.

    Almost everything allocated in such a block stays alive, so garbage collection finds nothing to free, but takes a
    fifth of the time of `import tensorflow`. Later collections skip the objects that exist by then.

    Example:
        with starting():
            from coref_tf.inference.predictor import Predictor
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.freeze()
            gc.enable()


@contextlib.contextmanager
def without_chatter() -> Iterator[None]:
    """Discards library log messages on standard error; forwards everything else after the block."""
    try:
        standard_error = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(standard_error, 2)
            os.close(standard_error)
            kept.seek(0)
            for line in kept:
                if not _CHATTER.match(line):
                    os.write(2, line)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow once, with Python's own finders, and wraps its loader."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader):
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Restore the original loader.
        module.__loader__ = self.loader
        if module.__spec__:
            module.__spec__.loader = self.loader
        with without_chatter():
            self.loader.exec_module(module)

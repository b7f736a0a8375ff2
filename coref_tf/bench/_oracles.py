"""The slow, obvious versions of the fast things, which live beside the tests."""

import importlib.util
from types import ModuleType

from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError


def load_oracles(name: str) -> ModuleType:
    """The module tests/NAME.py."""
    path = ROOT / "tests" / f"{name}.py"
    if not path.exists():
        raise CorefError(f"{path} is missing; this benchmark needs a checkout with its tests")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

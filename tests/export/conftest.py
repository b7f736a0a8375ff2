"""A small trained experiment and its exports."""

import pytest
import tensorflow as tf
from export_cases import train

from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.inference.predictor import Predictor


@pytest.fixture(scope="session")
def experiment(tmp_path_factory):
    return train(tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="session")
def predictor(experiment):
    return Predictor.load([experiment])


@pytest.fixture(scope="session")
def exports(experiment, tmp_path_factory):
    """The folders of the two flavours."""
    folder = tmp_path_factory.mktemp("exports")
    return {
        name: export([experiment], folder / name, ExportOptions(portable=name == "portable"))
        for name in ("fast", "portable")
    }


@pytest.fixture(scope="session")
def loaded(exports):
    """The signatures of each flavour, loaded when first asked for."""

    class Loaded(dict):
        def __missing__(self, flavour):
            self[flavour] = tf.saved_model.load(str(exports[flavour])).signatures
            return self[flavour]

    return Loaded()

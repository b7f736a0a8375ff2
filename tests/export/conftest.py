"""A small trained experiment and its exports."""

import pytest
import tensorflow as tf
from export_cases import train

from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.inference.predictor import Predictor


@pytest.fixture(scope="session")
def experiment(tmp_path_factory):
    """With a calibration, and a dial."""
    state = {"calibration": {"temperature": 1.6, "offset": -0.4}}
    state["dial"] = {"thresholds": [0.0, 0.4, 0.99], "precision": [0.5, 0.8, 0.9], "recall": [0.6, 0.5, 0.2]}
    return train(tmp_path_factory.mktemp("trained"), state=state)


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

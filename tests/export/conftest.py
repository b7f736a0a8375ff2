"""A small trained experiment and its exports."""

import pytest
import tensorflow as tf
from export_cases import calibrated_exports, train_calibrated

from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment


@pytest.fixture(scope="session")
def experiment(tmp_path_factory):
    """A small experiment with a calibration and a dial."""
    return train_calibrated(tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="session")
def predictor(experiment):
    return Predictor.from_models([open_experiment(experiment)])


@pytest.fixture(scope="session")
def exports(tmp_path_factory):
    """The folders of the exports of both flavours, by name."""
    return calibrated_exports(tmp_path_factory)


@pytest.fixture(scope="session")
def loaded(exports):
    """The signatures of each flavour, loaded on first use."""

    class Loaded(dict):
        def __missing__(self, flavour):
            self[flavour] = tf.saved_model.load(str(exports[flavour])).signatures
            return self[flavour]

    return Loaded()

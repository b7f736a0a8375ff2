"""A folder with an experiments file, a trained experiment and its export."""

import pytest
from command import import_reference

from coref_tf.config import load_experiment
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.models.open_model import open_experiment


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    folder = import_reference(tmp_path_factory.mktemp("api"))
    conf = folder / "experiments.conf"
    export([open_experiment(load_experiment("small", conf))], folder / "exported", ExportOptions())
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    """The folder, set as the working directory."""
    monkeypatch.chdir(folder)
    return folder

"""A folder with an experiments file, a trained experiment and its export."""

import shutil

import pytest
from command import call
from random_documents import REFERENCE

from coref_tf.config import load_experiment
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.models.open_model import open_experiment


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    shutil.copytree(REFERENCE, folder, dirs_exist_ok=True)
    conf = folder / "experiments.conf"
    assert not call("import", folder / "model.max.ckpt", "small", "--conf", conf)
    export([open_experiment(load_experiment("small", conf))], folder / "exported", ExportOptions())
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    """The folder, which is the working directory."""
    monkeypatch.chdir(folder)
    return folder

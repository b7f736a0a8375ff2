"""Models on disk: tiny ones that look like exports, and an export."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from export_cases import exports_of_calibrated, train_calibrated
from http_client import Client
from running_server import running
from tiny_model import write_tiny_model

from coref_tf.serving.model_versions import ModelVersions


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory) -> Path:
    """Versions 1 and 2 of the tiny model."""
    folder = tmp_path_factory.mktemp("tiny_models")
    for version in (1, 2):
        write_tiny_model(folder, version)
    return folder


@pytest.fixture
def folder(tiny_models, tmp_path) -> Path:
    """A folder with version 1, to which others can be added."""
    shutil.copytree(tiny_models / "1", tmp_path / "models" / "1")
    return tmp_path / "models"


@pytest.fixture
def versions(folder) -> ModelVersions:
    """What serves that folder."""
    versions = ModelVersions(folder)
    versions.begin()
    return versions


@pytest.fixture(scope="module")
def server(tiny_models) -> Iterator[Client]:
    """A server of version 2, with the usual limits."""
    with running(tiny_models) as client:
        yield client


@pytest.fixture(scope="session")
def small_experiment(tmp_path_factory):
    """An experiment with a checkpoint."""
    return train_calibrated(tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="session")
def small_export(tmp_path_factory) -> Path:
    """Its export."""
    return exports_of_calibrated(tmp_path_factory)["fast"].parent

"""Tiny models on disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_client import Client
from running_server import running
from tiny_model import write_tiny_model


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


@pytest.fixture(scope="module")
def server(tiny_models) -> Iterator[Client]:
    """A server of version 2, with the usual limits."""
    with running(tiny_models) as client:
        yield client

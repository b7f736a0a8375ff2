"""Servers of a fake model that answers at once, and a small real model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from export_cases import calibrated_exports, train_calibrated
from fake_model import FakeModel
from http_client import Client
from running_server import running


@pytest.fixture
def model() -> FakeModel:
    """A fake model, whose predictions can be made to wait."""
    return FakeModel()


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    """A client of a server of a fake model, with the default limits."""
    with running(FakeModel()) as client:
        yield client


@pytest.fixture(scope="session")
def small_experiment(tmp_path_factory):
    """An experiment with a calibrated checkpoint."""
    return train_calibrated(tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="session")
def small_export(tmp_path_factory) -> Path:
    """The export of the small experiment."""
    return calibrated_exports(tmp_path_factory)["fast"].parent

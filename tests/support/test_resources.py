"""Bundled resources are found in a checkout and in an installed package."""

from pathlib import Path

import pytest

from coref_tf.support import resources

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path, monkeypatch) -> Path:
    """A package laid out as pip installs it; returns the folder of its resources."""
    package = tmp_path / "site-packages" / "coref_tf"
    (package / "resources" / "data" / "models").mkdir(parents=True)
    (package / "resources" / "experiments.conf").touch()
    (package / "resources" / "data" / "models" / "small.h5").touch()
    monkeypatch.setattr(resources, "_PROJECT", package.parent)
    monkeypatch.setattr(resources.importlib.resources, "files", lambda name: package)
    return package / "resources"


def test_a_checkout_has_resources_at_its_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resources.is_checkout()
    assert resources.experiments_conf() == ROOT / "experiments.conf"
    assert resources.output_folder(ROOT / "experiments.conf") == ROOT
    assert (resources.resources_folder() / "data" / "vectors").is_dir()


def test_a_file_in_the_working_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments.conf").touch()
    assert resources.experiments_conf().resolve() == tmp_path / "experiments.conf"
    assert resources.output_folder(resources.experiments_conf()) == tmp_path


def test_an_installed_package_contains_resources_and_writes_elsewhere(tmp_path, monkeypatch, installed):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert resources.experiments_conf() == installed / "experiments.conf"
    assert resources.output_folder(resources.experiments_conf()) == tmp_path / "work"
    assert resources.output_folder(tmp_path / "mine" / "experiments.conf") == tmp_path / "mine"
    assert resources.bundled_models() == {"small": installed / "data" / "models" / "small.h5"}

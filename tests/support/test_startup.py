"""The garbage collector is off while large packages are loaded, and restored afterwards."""

import gc
import os

import pytest

from coref_tf.support.startup import starting


@pytest.fixture(autouse=True)
def restore_collector():
    yield
    gc.unfreeze()
    gc.enable()


def test_the_collector_is_restored_even_after_an_error(monkeypatch):
    monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL", raising=False)
    with starting():
        assert not gc.isenabled() and os.environ["TF_CPP_MIN_LOG_LEVEL"] == "3"
        with starting():
            pass
        assert not gc.isenabled()
    assert gc.isenabled() and gc.get_freeze_count()
    with pytest.raises(ValueError), starting():
        raise ValueError
    assert gc.isenabled()


def test_settings_of_the_user_are_kept(monkeypatch):
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "0")
    gc.disable()
    with starting():
        pass
    assert not gc.isenabled() and os.environ["TF_CPP_MIN_LOG_LEVEL"] == "0"

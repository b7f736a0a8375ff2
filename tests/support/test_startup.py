"""The garbage collector rests while large packages are loaded, and no longer."""

import gc
import os

import pytest

from coref_tf.support.startup import starting


@pytest.fixture(autouse=True)
def as_before():
    yield
    gc.unfreeze()
    gc.enable()


def test_the_collector_is_as_it_was_afterwards_also_after_an_error(monkeypatch):
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


def test_a_user_who_collects_by_hand_is_let_alone(monkeypatch):
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "0")
    gc.disable()
    with starting():
        pass
    assert not gc.isenabled() and os.environ["TF_CPP_MIN_LOG_LEVEL"] == "0"

"""Which version answers: loading, changing without a gap, vanished ones."""

import shutil
import threading
import weakref

import pytest
from running_server import running, until
from version_states import score, states

from coref_tf.models.export_folder import newest_version
from coref_tf.serving import model_versions
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.model_versions import AVAILABLE, END, LOADING, UNLOADING
from coref_tf.serving.request_error import RequestError


def test_the_newest_folder_with_a_model_counts(tiny_models, tmp_path):
    for name in ("9", "10", "008"):
        shutil.copytree(tiny_models / "1", tmp_path / name)
    for name in (
        "11",
        "12x",
        "٣",
        ".export-x",
    ):  # no model yet, no number, no number in ASCII, a temporary one
        (tmp_path / name).mkdir()
    (tmp_path / "12").touch()
    assert newest_version(tmp_path) == (10, tmp_path / "10")


def test_the_old_version_stays_until_its_last_request_is_done(versions, folder, tiny_models, capfd):
    with versions.use() as old:
        session = weakref.ref(old.model._session)
        shutil.copytree(tiny_models / "2", folder / "2")
        versions.refresh()
        assert states(versions) == {2: AVAILABLE, 1: UNLOADING}
        with versions.use() as new, pytest.raises(RequestError, match="version 1 is not served; expected 2"):
            assert (new.number, score(new), score(old)) == (2, 2, 1)
            versions.use(1).__enter__()
    assert states(versions) == {2: AVAILABLE, 1: END}
    assert session() is None
    assert capfd.readouterr().err.splitlines()[-1].startswith("version 2 is served, loaded in ")


def test_a_version_that_vanishes_gives_way_to_the_one_before(versions, folder, tiny_models):
    shutil.copytree(tiny_models / "2", folder / "2")
    versions.refresh()
    with versions.use() as second:
        shutil.rmtree(folder / "2")
        versions.refresh()
        with versions.use() as first:
            assert (score(first), score(second)) == (1, 2)
        shutil.copytree(tiny_models / "2", folder / "2")
        versions.refresh()  # loaded again while a request still uses the first copy
        with versions.use() as again:
            assert (score(again), score(second)) == (2, 2)
    with versions.use() as again:
        assert score(again) == 2
    shutil.rmtree(folder)
    versions.refresh()  # nothing there: what is loaded goes on
    assert states(versions) == {2: AVAILABLE, 1: END}


def test_a_version_that_never_loads_is_given_up(versions, folder, tiny_models, monkeypatch):
    """And freed, should it come at last."""
    shutil.copytree(tiny_models / "2", folder / "2")
    go_on, loaded = threading.Event(), []

    def load(path):
        go_on.wait(10)
        loaded.append(LoadedModel(path))
        return loaded[0]

    monkeypatch.setattr(versions, "_load", load)
    monkeypatch.setattr(model_versions, "LOAD_SECONDS", 0.1)
    versions.refresh()
    assert states(versions) == {2: END, 1: AVAILABLE}
    go_on.set()
    until(lambda: loaded and not hasattr(loaded[0], "_session"))


def test_a_mistake_in_the_watch_does_not_end_it(versions, monkeypatch, capfd):
    calls = []
    monkeypatch.setattr(versions, "refresh", lambda: calls.append(1) or 1 / 0)
    watcher = threading.Thread(target=versions.watch, args=(0.01, stop := threading.Event()))
    watcher.start()
    until(lambda: len(calls) > 2)
    stop.set()
    watcher.join()
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_new_version_takes_over_under_load_without_a_failure(folder, tiny_models):
    """Clients that never pause; afterwards all answers are of the new version, and the old one is gone."""
    seen, failures, stop = set(), [], threading.Event()

    def ask():
        while not stop.is_set():
            answer = server.text("Ana " * 50)
            if answer.status == 200:
                seen.add(answer.content["outputs"]["mention_scores"][0])
            else:
                failures.append(answer)

    with running(folder, parallel=2) as server:
        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        until(lambda: seen == {0.1})
        shutil.copytree(tiny_models / "2", folder / "2")
        server.versions.refresh()
        until(lambda: 0.2 in seen)
        until(lambda: states(server.versions) == {2: AVAILABLE, 1: END})
        stop.set()
        for client in clients:
            client.join()
        assert not failures
        assert server.text("Ana").content["outputs"]["mention_scores"] == [0.2]


def test_a_version_is_loading_while_it_loads(versions, folder, tiny_models):
    """And requests are answered meanwhile."""
    shutil.copytree(tiny_models / "2", folder / "2")
    begun, go_on = threading.Event(), threading.Event()

    def load(path):
        begun.set()
        go_on.wait(10)
        return LoadedModel(path)

    versions._load = load
    watcher = threading.Thread(target=versions.watch, args=(0.01, stop := threading.Event()))
    watcher.start()
    assert begun.wait(10)
    assert states(versions) == {2: LOADING, 1: AVAILABLE}
    with versions.use() as version:
        assert score(version) == 1
    go_on.set()
    until(lambda: states(versions) == {2: AVAILABLE, 1: END})
    stop.set()
    watcher.join()

"""Which version answers: loading, changing without a gap, broken and vanished ones."""

import functools
import os
import shutil
import threading
import weakref

import numpy as np
import pytest
import tensorflow as tf
from running_server import running, until
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf.export import needed_ops
from coref_tf.export.version_folders import newest_version
from coref_tf.ops import library
from coref_tf.serving import model_versions
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.model_status import model_status
from coref_tf.serving.model_versions import AVAILABLE, END, LOADING, UNLOADING, ModelVersions
from coref_tf.serving.request_error import RequestError
from coref_tf.support import libraries
from coref_tf.support.errors import CorefError

TEXT = {"text": np.array(b"Ana", object)}


def score(version) -> float:
    """The tiny model's scores tell its version."""
    outputs = version.model.run(version.model.signatures["text"], TEXT, 10)
    return round(outputs["mention_scores"].item() * 10)


def states(versions: ModelVersions) -> dict[int, str]:
    return {number: status.state for number, status in versions.statuses().items()}


@pytest.fixture
def versions(folder) -> ModelVersions:
    versions = ModelVersions(folder)
    versions.begin()
    return versions


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


def test_a_broken_version_is_reported_once_and_changes_nothing(versions, folder, tiny_models, capfd):
    shutil.copytree(tiny_models / "2", folder / "2")
    data = folder / "2" / "variables" / "variables.data-00000-of-00001"
    whole = data.read_bytes()
    data.write_bytes(b"")
    capfd.readouterr()
    for _ in range(3):
        versions.refresh()
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"error: {folder / '2'} can't be loaded: ") and line.endswith(
        "; version 1 goes on"
    )
    assert states(versions) == {2: END, 1: AVAILABLE}
    assert versions.statuses(2)[2].error == "it can't be served; the server's log says why"
    data.write_bytes(whole)  # as when it was still being copied
    versions.refresh()
    assert states(versions) == {2: AVAILABLE, 1: END}


@pytest.mark.parametrize("content", [b"", b"\x00 nothing that TensorFlow knows", b"\x0a\xff"])
def test_a_damaged_graph_is_one_line(folder, content):
    (folder / "1" / "saved_model.pb").write_bytes(content)
    with pytest.raises(CorefError, match="/1 can't be loaded: "):
        ModelVersions(folder).begin()


def test_a_model_that_fails_on_one_word_is_broken(tmp_path):
    class Failing(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def text(self, text):
            with tf.control_dependencies([tf.debugging.Assert(text == "nothing", ["text must be nothing"])]):
                return {"text": tf.identity(text)}

    model = Failing()
    tf.saved_model.save(model, str(tmp_path / "1"), {"text": model.text})
    with pytest.raises(CorefError, match="/1 can't be run: text must be nothing"):
        ModelVersions(tmp_path).begin()


def change(version, edit):
    """Edits the graph of a version."""
    path = version / "saved_model.pb"
    saved_model = SavedModel.FromString(path.read_bytes())
    edit(saved_model.meta_graphs[0].signature_def)
    path.write_bytes(saved_model.SerializeToString())


def other_type(signatures):
    signatures["text"].inputs["text"].dtype = 0


def another_tensor(signatures):
    signatures["text"].inputs["text"].name = "nowhere:0"


def no_signature(signatures):
    signatures.clear()


def huge_input(signatures):
    dimension = signatures["text"].inputs["text"].tensor_shape.dim.add()
    dimension.size = 2**40


def a_pipe(version):
    shutil.rmtree(version / "variables")
    (version / "variables").mkdir()
    os.mkfifo(version / "variables" / "variables.index")


def a_link_to_nothing(version):
    (version / "assets" / "words").symlink_to("/nowhere")


DAMAGES = [
    (functools.partial(change, edit=other_type), " can't be loaded: "),
    (functools.partial(change, edit=another_tensor), " can't be run: "),
    (functools.partial(change, edit=no_signature), " can't be loaded: it has no signature"),
    (functools.partial(change, edit=huge_input), " can't be run: input text is of 1,099,511,627,776 values"),
    (a_pipe, "variables.index can't be read or is no regular file"),
    (a_link_to_nothing, "assets/words can't be read or is no regular file"),
    (lambda version: (version / "saved_model.pb").write_bytes(b"\x0a\xff"), " can't be loaded: "),
]


def test_no_export_ends_the_watch(versions, folder, tiny_models, capfd):
    """Each is told once, what is served goes on, and the next good one is served."""
    watcher = threading.Thread(target=versions.watch, args=(0.02, stop := threading.Event()))
    watcher.start()
    try:
        for number, (damage, _) in enumerate(DAMAGES, start=2):
            shutil.copytree(tiny_models / "2", folder / ".new")
            damage(folder / ".new")
            (folder / ".new").rename(folder / str(number))
            until(lambda number=number: states(versions).get(number) == END)
        shutil.copytree(tiny_models / "2", folder / ".new")
        (folder / ".new").rename(folder / "99")
        until(lambda: states(versions)[1] == END)
    finally:
        stop.set()
        watcher.join()
    assert states(versions)[99] == AVAILABLE
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error: ")]
    for number, (line, (_, message)) in enumerate(zip(lines, DAMAGES, strict=True), start=2):
        assert f"/{number}" in line and message in line and line.endswith("; version 1 goes on")
    status = str(model_status(versions.statuses()))
    assert str(folder) not in status
    assert status.count("it can't be served; the server's log says why") == len(DAMAGES)


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


def test_a_model_with_custom_ops_gets_the_library_or_says_what_is_missing(tmp_path, monkeypatch):
    class Spans(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def spans(self, scores):
            places = tf.range(tf.size(scores))
            return {"kept": library.custom_ops().extract_spans(scores, places, places, tf.size(scores))}

    model = Spans()
    options = tf.saved_model.SaveOptions(namespace_whitelist=["Coref"])
    tf.saved_model.save(model, str(tmp_path / "1"), {"spans": model.spans}, options)
    loaded = LoadedModel(tmp_path / "1")
    kept = loaded.run(loaded.signatures["spans"], {"scores": np.float32([0.5, 2])}, 10)["kept"]
    assert kept.tolist() == [0, 1]

    not_built = functools.partial(libraries.check_library, tmp_path / "_coref_ops.so")
    monkeypatch.setattr(needed_ops, "custom_ops", not_built)
    with pytest.raises(CorefError, match=r"_coref_ops.so is missing: it has not been built; run `make`"):
        LoadedModel(tmp_path / "1")


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


def test_an_export_whose_ops_took_other_inputs_is_to_be_made_again(tmp_path):
    saved = SavedModel()
    op = saved.meta_graphs.add().meta_info_def.stripped_op_list.op.add(name="Coref>PairScores")
    op.input_arg.add(name="speakers")
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    with pytest.raises(
        CorefError, match="another version, whose op Coref>PairScores takes other inputs; export"
    ):
        LoadedModel(tmp_path)

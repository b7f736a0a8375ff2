"""Versions that can't be served, whatever is wrong with them: one line, and what is served goes on."""

import functools
import os
import shutil
import threading

import numpy as np
import pytest
import tensorflow as tf
from running_server import until
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from version_states import states

from coref_tf.export import needed_ops
from coref_tf.ops import library
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.model_status import model_status
from coref_tf.serving.model_versions import AVAILABLE, END, ModelVersions
from coref_tf.support import libraries
from coref_tf.support.errors import CorefError


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
    with pytest.raises(CorefError, match=r"_coref_ops.so is missing: it has not been built; run `make"):
        LoadedModel(tmp_path / "1")


def test_an_export_whose_ops_took_other_inputs_is_to_be_made_again(tmp_path):
    saved = SavedModel()
    op = saved.meta_graphs.add().meta_info_def.stripped_op_list.op.add(name="Coref>PairScores")
    op.input_arg.add(name="speakers")
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    with pytest.raises(
        CorefError, match="another version, whose op Coref>PairScores takes other inputs; export"
    ):
        LoadedModel(tmp_path)

"""`coref resolve` as a user runs it, with given clusters or with a model."""

import json

import pytest
from command import call

from coref_tf.commands import predict
from coref_tf.config import load_experiment
from coref_tf.models.checkpoint import change_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.training.calibrating import shifted

RECORD = {
    "doc_key": "nw/harbour",
    "text": "Ana left. She ran.",
    "sentences": [["Ana", "left", "."], ["She", "ran", "."]],
    "offsets": [[0, 3], [4, 8], [8, 9], [10, 13], [14, 17], [17, 18]],
    "clusters": [[[0, 0], [3, 3]]],
}


@pytest.fixture
def harbour(tmp_path):
    """A file with two documents: one with its text, and one with only words and predicted clusters."""
    other = {"doc_key": "nw/b", "sentences": [["Ivo", "sat", "."], ["He", "slept", "."]]}
    other["predicted_clusters"] = [[[0, 0], [3, 3]]]
    path = tmp_path / "harbour.jsonlines"
    path.write_text(json.dumps(RECORD) + "\n" + json.dumps(other) + "\n")
    return path


def test_several_documents_on_standard_output(harbour, capfdbinary):
    assert call("resolve", "--given", harbour) in (0, None)
    assert capfdbinary.readouterr() == (b"Ana left. Ana ran.\n\nIvo sat.\nIvo slept.\n", b"")


def test_a_text_file_holds_one_document(harbour, tmp_path, capsys):
    for form in ([], ["--annotated"]):
        assert call("resolve", "--given", harbour, *form, "-o", tmp_path / "resolved.txt") == 1
        error = capsys.readouterr().err
        assert (
            "resolved.txt: a text file holds one document, but there are several; expected a folder" in error
        )
        assert not (tmp_path / "resolved.txt").exists()
    harbour.write_text(json.dumps(RECORD) + "\n")
    assert call("resolve", "--given", harbour, "-o", tmp_path / "resolved.txt") in (0, None)
    assert (tmp_path / "resolved.txt").read_text() == "Ana left. Ana ran.\n"


def test_an_output_folder_has_a_file_for_each_document(harbour, tmp_path, capsys):
    assert call("resolve", "--given", harbour, "-o", f"{tmp_path}/out/") in (0, None)
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert written == {"nw_harbour.txt": "Ana left. Ana ran.\n", "nw_b.txt": "Ivo sat.\nIvo slept.\n"}
    # The folder exists now, and its name needs no slash.
    assert call("resolve", "--given", harbour, "--edits", "-o", tmp_path / "out") in (0, None)
    edits = json.loads((tmp_path / "out" / "nw_b.jsonlines").read_text())
    assert edits["edits"] == [[9, 11, "Ivo"]]
    harbour.write_text(2 * (json.dumps(RECORD) + "\n"))
    assert call("resolve", "--given", harbour, "-o", tmp_path / "out") == 1
    assert "nw_harbour.txt: is the output of two documents" in capsys.readouterr().err


def test_output_has_the_subfolders_of_the_input(tmp_path, capsys):
    for name in ("one", "part/one"):
        path = tmp_path / "in" / f"{name}.jsonlines"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(RECORD | {"doc_key": "one"}) + "\n")
    assert call("resolve", "--given", tmp_path / "in", "-o", f"{tmp_path}/out/") in (0, None)
    written = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.txt"))
    assert written == ["one.txt", "part/one.txt"]


def test_phrases_are_kept(harbour, tmp_path, capsys):
    words = ["resolve", "--given", harbour, "-o", f"{tmp_path}/out/"]
    assert call(*words, "--keep", "she", "--keep", "Ivo") in (0, None)
    assert (tmp_path / "out" / "nw_harbour.txt").read_text() == "Ana left. She ran.\n"
    assert (tmp_path / "out" / "nw_b.txt").read_text() == "Ivo sat.\nIvo slept.\n"
    assert capsys.readouterr().err == "1 mention left unchanged because it is excluded with --keep\n"
    assert call(*words, "--keep", " ") == 1
    assert "--keep: empty phrase" in capsys.readouterr().err


def test_annotated_text(harbour, capfdbinary):
    assert call("resolve", "--given", harbour, "--annotated") in (0, None)
    assert capfdbinary.readouterr().out.startswith(b"[1 Ana] left. [1 She] ran.\n\n[1 Ivo] sat.\n")


def test_improbable_mentions_stay_unchanged_by_default(trained_small, tmp_path, capsys):
    """The model links everything with low probability, since both the scores and the temperature are about 20."""
    conf, _ = trained_small
    model = open_experiment(load_experiment("small", conf))
    state = {**model.checkpoint.state, "calibration": {"temperature": 20.0, "offset": 0.0}}
    change_checkpoint(model.path, variables=shifted(model.variables, model.settings, 20), state=state)
    texts = tmp_path / "texts"
    texts.mkdir()
    mentions = tmp_path / "mentions.jsonlines"
    with open(mentions, "w") as file:
        for name in ("one", "two"):
            (texts / f"{name}.txt").write_text("Ana met Ivo. She left.\n")
            print(json.dumps({"doc_key": name, "characters": [[0, 3], [13, 16]]}), file=file)
    words = ["resolve", "small", texts, "--conf", conf, "--mentions", mentions, "-o"]
    assert call(*words, f"{tmp_path}/all/", "--min-probability", "0") in (0, None)
    assert "left unchanged" not in capsys.readouterr().err
    assert call(*words, f"{tmp_path}/sure/") in (0, None)
    error = capsys.readouterr().err
    before, after = ((tmp_path / name / "one.txt").read_text() for name in ("all", "sure"))
    assert before == "Ana met Ivo. Ana left.\n" and after == "Ana met Ivo. She left.\n"
    assert (tmp_path / "sure" / "two.txt").read_text() == after
    assert "\n2 mentions left unchanged because they are less probable than 0.9\n" in error
    assert f"wrote {tmp_path}/sure/" in error
    # The output folder must not be the input folder, and a text file holds only one document.
    assert call(*words, texts) == 1
    assert "one.txt: is an input of this command; choose another output folder" in capsys.readouterr().err
    assert call(*words, tmp_path / "both.txt") == 1
    assert "both.txt: a text file holds one document" in capsys.readouterr().err


def test_an_interrupted_folder_is_resumed(trained_small, tmp_path, monkeypatch, capsys):
    conf, _ = trained_small
    texts, out = tmp_path / "texts", tmp_path / "out"
    (texts / "part").mkdir(parents=True)
    for name in ("a", "b", "part/c", "part/d"):
        (texts / f"{name}.txt").write_text("The council met. It voted, and the council left.\n")
    seen = []

    def stop_at_second(self, words, clusters):
        seen.append(words)
        if len(seen) == 2:
            raise KeyboardInterrupt

    def command(*words):
        code = call("resolve", "small", texts, "--conf", conf, "-o", f"{out}/", *words)
        return code, capsys.readouterr().err

    def interrupt():
        seen.clear()
        with monkeypatch.context() as patch:
            patch.setattr(predict.Progress, "add", stop_at_second)
            return command()

    def written():
        return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}

    code, error = interrupt()
    assert code == 130 and "2 documents are kept; run the same command again to resume after them" in error
    assert written() == {"a.txt", "b.txt", ".written.partial", ".written.progress"}
    (out / "a.txt").write_text("as it was")
    code, error = command()
    assert code is None and "resuming after 2 documents" in error and f"wrote {out}" in error
    assert (out / "a.txt").read_text() == "as it was"  # it was skipped
    assert written() == {"a.txt", "b.txt", "part/c.txt", "part/d.txt"}
    # The run starts afresh if an output file is missing, an option differs, or the previous run finished.
    for change in (lambda: (out / "b.txt").unlink(), lambda: None):
        interrupt()
        change()
        (out / "a.txt").write_text("as it was")
        code, error = command(*(() if not (out / "b.txt").exists() else ("--keep", "it")))
        assert code is None and "resuming" not in error
        assert (out / "a.txt").read_text() != "as it was" and len(written()) == 4
    (out / "a.txt").write_text("as it was")
    assert "resuming" not in command("--keep", "it")[1] and (out / "a.txt").read_text() != "as it was"


def test_edits(harbour, tmp_path):
    assert call("resolve", "--edits", "--given", harbour, "-o", tmp_path / "out.jsonlines") in (0, None)
    first, second = map(json.loads, (tmp_path / "out.jsonlines").read_text().splitlines())
    assert first == {"doc_key": "nw/harbour", "text": RECORD["text"], "edits": [[10, 13, "Ana"]]}
    assert second == {"doc_key": "nw/b", "text": "Ivo sat.\nHe slept.", "edits": [[9, 11, "Ivo"]]}


def test_edits_go_to_json_and_to_standard_output(harbour, tmp_path, capfdbinary):
    assert call("resolve", "--edits", "--given", harbour, "-o", tmp_path / "out.json") in (0, None)
    assert call("resolve", "--edits", "--given", harbour, "-o", "-") in (0, None)
    assert capfdbinary.readouterr().out == (tmp_path / "out.json").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--given"], "no input; expected files or folders"),
        (["--given", "no.txt"], "no.txt: no such file"),
        (["--given", "bare.txt"], "document bare: has no clusters, which --given needs"),
        (
            ["--given", "bare.txt", "--model", "best"],
            "--given uses the clusters in the documents; it cannot be combined with --model",
        ),
        (["--given", "bare.txt", "-o", "bare.txt"], "is an input of this command"),
        (
            ["--given", "bare.txt", "-o", "out.jsonlines"],
            "out.jsonlines: expected an output whose name ends in .txt",
        ),
        (
            ["--given", "bare.txt", "--annotated", "-o", "out"],
            "out: expected an output whose name ends in .txt",
        ),
        (["--given", "bare.txt", "--edits", "-o", "out.txt"], "ends in .jsonlines, .jsonl or .json"),
        (["bare.txt", "-o", "out.html"], "out.html: expected an output whose name ends in .txt"),
        (["bare.txt", "-o", "out"], "or in / for a folder"),
        (["bare.txt", "-o", "out.json"], ".json need --edits"),
        (
            ["bare.txt", "--edits", "-o", "out.conll"],
            "out.conll: expected an output whose name ends in .jsonlines",
        ),
    ],
)
def test_errors_are_one_line(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.txt").write_text("Ana left.")
    assert call("resolve", *words) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1

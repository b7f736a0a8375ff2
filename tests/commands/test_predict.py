"""predict.py as a user runs it, and the contract that no document crashes it."""

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import call
from random_documents import REFERENCE, small_experiment

from coref_tf.checkpoints.checkpoint import Checkpoint, model_settings, write_checkpoint
from coref_tf.commands import predict as predict_module
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference.predictor import Predictor
from coref_tf.support.errors import CorefError

ROOT = Path(__file__).resolve().parents[2]


def run(*command, stdin=None):
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        input=stdin,
        timeout=300,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the authors' checkpoint, imported by the command."""
    folder = tmp_path_factory.mktemp("reference")
    shutil.copytree(REFERENCE, folder, dirs_exist_ok=True)
    done = run(
        "-m",
        "coref_tf",
        "import",
        folder / "model.max.ckpt",
        "small",
        "--conf",
        folder / "experiments.conf",
    )
    assert done.returncode == 0, done.stderr
    return folder


def predict(folder, source, target, *options, stdin=None):
    return run(
        "predict.py", "small", source, target, "--conf", folder / "experiments.conf", *options, stdin=stdin
    )


def test_details_equal_the_authors_figures(folder):
    done = predict(folder, folder / "docs.jsonlines", folder / "details.jsonlines", "--details")
    assert done.returncode == 0, done.stderr
    assert "4 documents, 149 words" in done.stderr
    expected = np.load(REFERENCE / "expected.npz")
    given = [json.loads(line) for line in (REFERENCE / "docs.jsonlines").read_text().splitlines()]
    records = [json.loads(line) for line in (folder / "details.jsonlines").read_text().splitlines()]
    assert [record["doc_key"] for record in records] == [record["doc_key"] for record in given]
    for number, record in enumerate(records):

        def figure(name, number=number):
            return expected[f"{number}/{name}"]

        assert {key: record[key] for key in given[number]} == given[number]
        assert record["candidate_starts"] == figure("candidate_starts").tolist()
        assert record["candidate_ends"] == figure("candidate_ends").tolist()
        assert (
            record["top_spans"]
            == np.stack([figure("top_span_starts"), figure("top_span_ends")], axis=1).tolist()
        )
        assert record["antecedents"] == figure("antecedents").tolist()
        np.testing.assert_allclose(
            record["candidate_mention_scores"], figure("candidate_mention_scores"), atol=1e-5
        )
        np.testing.assert_allclose(record["head_scores"], figure("head_scores")[:, 0], atol=1e-5)
        scores = [
            [-np.inf if score is None else score for score in row] for row in record["antecedent_scores"]
        ]
        theirs = figure("antecedent_scores")
        np.testing.assert_allclose(np.reshape(scores, theirs.shape), theirs, atol=1e-5)
        theirs = json.loads(str(figure("clusters")))
        assert record["predicted_clusters"] == sorted(sorted(cluster) for cluster in theirs)


def test_text_on_standard_input_gives_offsets_and_strings(folder):
    text = "The harbour council met. It voted, and the council's treasurer said she agreed."
    done = predict(folder, "-", "-", stdin=text)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["text"] == text
    assert record["predicted_clusters"]
    words = [word for sentence in record["sentences"] for word in sentence]
    for spans, places, mentions in zip(
        record["predicted_clusters"],
        record["predicted_characters"],
        record["predicted_mentions"],
        strict=True,
    ):
        for (start, end), (begin, stop), mention in zip(spans, places, mentions, strict=True):
            assert text[begin:stop] == mention
            assert mention.startswith(words[start]) and mention.endswith(words[end])


def test_conll_in_and_out_changes_the_coreference_column_alone(folder):
    source, target = folder / "docs.conll", folder / "predicted.conll"
    with open_writer(source) as write:
        for document in read_documents(folder / "docs.jsonlines"):
            write(document)
    done = predict(folder, source, target)
    assert done.returncode == 0, done.stderr
    for old, new in zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True):
        assert old.split()[:-1] == new.split()[:-1]
    clusters = [sorted(map(list, document.clusters)) for document in read_documents(target)]
    done = predict(folder, source, folder / "predicted.jsonlines")
    records = [json.loads(line) for line in (folder / "predicted.jsonlines").read_text().splitlines()]
    assert clusters == [
        [[tuple(span) for span in cluster] for cluster in record["predicted_clusters"]] for record in records
    ]


def test_a_page_holds_every_document(folder):
    target = folder / "page.html"
    done = predict(folder, folder / "docs.jsonlines", target)
    assert done.returncode == 0, done.stderr
    predict(folder, folder / "docs.jsonlines", folder / "again.jsonlines")
    records = [json.loads(line) for line in (folder / "again.jsonlines").read_text().splitlines()]
    page = target.read_text(encoding="utf-8")
    assert "<title>small, docs.jsonlines</title>" in page
    pattern = r'class="document" data-key="(.+?)" data-words="(\d+)" data-clusters="(\d+)">(.+)</script>'
    found = re.findall(pattern, page)
    assert [key for key, *_ in found] == [record["doc_key"] for record in records]
    for (_, words, clusters, data), record in zip(found, records, strict=True):
        data = json.loads(data)
        assert int(words) == len(data["words"]) == sum(map(len, record["sentences"]))
        spans = [[data["spans"][number] for number in cluster] for cluster in data["clusters"]]
        assert spans == record["predicted_clusters"] and int(clusters) == len(spans)


def test_mistakes_are_one_line_and_leave_the_output_alone(folder, monkeypatch, capsys):
    target = folder / "kept.jsonlines"
    target.write_text("what was there\n")
    bad = folder / "bad.jsonlines"
    bad.write_text((folder / "docs.jsonlines").read_text() + '{"doc_key": 3}\n')
    short = folder / "short.h5"
    short.write_bytes((folder / "logs" / "small" / "best.h5").read_bytes()[:1000])
    cases = [
        ("predict", ("--as-script", "smal", bad, target), "no experiment smal (did you mean small?)"),
        ("predict", ("small", bad, "-o", target), "bad.jsonlines:5:"),
        ("predict", ("small", folder / "none.txt", "-o", target), "none.txt"),
        ("predict", ("small", bad, "-o", folder / "out.xml"), "the format is told by the ending"),
        (
            "predict",
            ("small", bad, "-o", folder / "out.conll", "--details"),
            "--details needs a .jsonlines output",
        ),
        ("predict", ("small", bad, "-o", target, "--checkpoint", short), "damaged or cut short"),
        ("import", (folder / "none.ckpt", "small"), "none.ckpt"),
    ]
    for command, arguments, message in cases:
        assert call(command, *arguments, "--conf", folder / "experiments.conf") == 1, arguments
        stderr = capsys.readouterr().err
        errors = [line for line in stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and message in errors[0], stderr
    assert target.read_text() == "what was there\n"


@pytest.mark.parametrize("form", ["jsonlines", "conll"])
def test_stopped_it_goes_on_where_it_was(folder, tmp_path, monkeypatch, capsys, form):
    source = tmp_path / f"documents.{form}"
    with open_writer(source) as write:
        for document in read_documents(folder / "docs.jsonlines"):
            write(document)
    # A file without a newline at its end: what is written after it has to begin a line all the same.
    source.write_bytes(source.read_bytes().rstrip(b"\n"))
    seen = []

    def stop_at_third(self, words, clusters):
        seen.append(words)
        if len(seen) == 3:
            raise KeyboardInterrupt

    def command(target):
        code = call("predict", "small", source, "-o", target, "--conf", folder / "experiments.conf")
        return code, capsys.readouterr().err

    whole, stopped = tmp_path / f"whole.{form}", tmp_path / f"stopped.{form}"
    assert command(whole)[0] is None
    with monkeypatch.context() as patch:
        patch.setattr(predict_module.Progress, "add", stop_at_third)
        code, stderr = command(stopped)
    assert code == 130 and "3 documents are kept; the same command goes on after them" in stderr
    assert not stopped.exists()
    code, stderr = command(stopped)
    assert code is None and "going on after 3 documents" in stderr and "1 document," in stderr
    assert stopped.read_bytes() == whole.read_bytes()


@pytest.fixture(scope="module")
def predictor(folder):
    experiment = dataclasses.replace(small_experiment(), log_root=folder / "logs")
    return Predictor.load([experiment])


def check(predictor, document):
    """Whatever the document, the prediction is valid."""
    prediction = predictor.predict(document, details=True)
    for name, value in predictor.predict(document)._asdict().items():
        if name == "output":
            assert value is None
        elif isinstance(value, np.ndarray):
            np.testing.assert_allclose(value, getattr(prediction, name), rtol=1e-5, atol=1e-6)
        else:
            assert value == getattr(prediction, name), name
    document.with_clusters(prediction.clusters)  # validates spans, sentences and repeats
    assert all(len(cluster) > 1 for cluster in prediction.clusters)
    assert len(prediction.output.top_span_starts) <= int(document.num_words * 0.4 + 1e-6)
    json.dumps(prediction.details() | prediction.summary(), allow_nan=False)
    return prediction


ODD = {
    "no sentences": Document("nw/x", []),
    "one word": Document("nw/x", [["Hello"]]),
    "two words": Document("nw/x", [["Hello", "there"]]),
    "one sentence of 2,000 words": Document("nw/x", [["she", "saw", "the", "man"] * 500]),
    "2,000 sentences of one word": Document("nw/x", [["she"]] * 2000),
    "a word of 5,000 characters": Document("nw/x", [["x" * 5000, "is", "it", "."]]),
    "a word of a million characters among a thousand": Document(
        "nw/x", [["x" * 10**6], *([f"word{number}"] for number in range(1000))]
    ),
    "emoji": Document("nw/x", [["😀", "🏳️‍🌈", "👩‍👩‍👧", "said", "she", "left"]]),
    "no known word": Document("nw/x", [["qwzx", "zzkq", "vvvq"], ["kkzq", "qqqz"]]),
    "no known character": Document("nw/x", [["日本", "語", "漢字", "한국", "文"]]),
    "unknown genre": Document("klingon/x", [["She", "said", "she", "left", "."]]),
    "no genre": Document("x", [["She", "said", "she", "left", "."]]),
    "no speakers": Document("nw/x", [["She", "said", "she", "left", "."]], speakers=()),
    "as many speakers as words": Document(
        "bc/x", [["I", "said", "you", "left"]], speakers=[["a", "b", "c", "d"]]
    ),
    "gold wider than any candidate": Document("nw/x", [["a"] * 30], clusters=[[(0, 20), (21, 29)]]),
    "empty text": document_from_text("", "x"),
    "white space": document_from_text(" \n\n\t ", "x"),
}


@pytest.mark.parametrize("name", ODD)
def test_no_document_crashes_it(predictor, name, capsys):
    prediction = check(predictor, ODD[name])
    if ODD[name].num_words <= 2:
        assert prediction.clusters == []
        assert prediction.output.antecedents.scores.shape == (0, 1)


def test_an_unknown_genre_is_reported_once(folder, capsys):
    predictor = Predictor.load([dataclasses.replace(small_experiment(), log_root=folder / "logs")])
    for _ in range(3):
        predictor.predict(ODD["unknown genre"])
    assert capsys.readouterr().err.count("unknown genre 'klingon' counts as 'nw'") == 1


def test_an_empty_sentence_among_others(predictor):
    check(predictor, Document("nw/x", [["She", "left", "."], [], ["Ana", "said", "she", "did"], []]))


def test_500_random_documents(predictor):
    generator = np.random.default_rng(0)
    alphabet = [chr(c) for c in [*range(33, 127), 0xE9, 0x4E2D, 0x1F600, 0x2028, 0x301, 0x200D]]

    def word():
        kind = generator.random()
        if kind < 0.5:
            return str(generator.choice(["she", "he", "the", "council", "Marta", "it", ",", ".", "who"]))
        return "".join(generator.choice(alphabet, size=int(generator.integers(1, 40 if kind > 0.97 else 9))))

    for number in range(500):
        lengths = generator.integers(0, 25, size=int(generator.integers(0, 8)))
        sentences = [[word() for _ in range(length)] for length in lengths]
        speakers = [[str(generator.integers(3)) for _ in sentence] for sentence in sentences]
        genre = str(generator.choice(["nw/", "bc/", "", "zz/"]))
        check(predictor, Document(f"{genre}{number}", sentences, speakers))


def test_a_document_where_no_mention_survives(folder):
    """A ratio so small that the floor is 0 for every document here."""
    experiment = dataclasses.replace(small_experiment(), log_root=folder / "logs", mention_ratio=0.001)
    prediction = Predictor.load([experiment]).predict(ODD["one sentence of 2,000 words"])
    assert len(prediction.top_spans) == 2
    assert (
        Predictor.load([experiment]).predict(Document("nw/x", [["She", "said", "she", "left"]])).clusters
        == []
    )


def test_a_checkpoint_of_another_experiment_is_refused(folder, tmp_path):
    other = small_experiment(lstm_size=9)
    characters = CharacterVocabulary.read(other.char_vocab_path)
    path = tmp_path / "other.h5"
    write_checkpoint(path, Checkpoint(model_settings(other), list(characters.characters), {}))
    with pytest.raises(CorefError, match="was made with lstm_size = 9, experiment small has 6"):
        Predictor.load([small_experiment()], path)


def test_names_that_are_not_utf_8_and_what_is_said_in_the_end(folder, tmp_path, capfd):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    Path(f"{odd}.txt").write_text("[10:02] ana: The council met.\n<ben> It voted.\nNote: none.\n")
    for ending in ("jsonlines", "html"):
        words = ("predict", "small", "--dialogue", f"{odd}.txt", "-o", f"{odd}.{ending}")
        assert call(*words, "--conf", folder / "experiments.conf") is None
        said = capfd.readouterr().err
        assert "dialogue: 2 turns of 2 speakers\n" in said
        assert re.search(r"1 document, 11 words, .*cluster.*, [0-9.]+ s; .*\ufffd\.\w+ is written\n$", said)
    assert "\ufffd.txt</title>" in Path(f"{odd}.html").read_text()
    assert (
        call("predict", "small", "--text", "It met. It voted.", "--conf", folder / "experiments.conf") is None
    )
    out, said = capfd.readouterr()
    assert out.startswith("text: 6 words, ") and said.endswith("s; on standard output\n")


def test_a_text_is_no_document(predictor):
    with pytest.raises(CorefError, match=r"takes a Document.*document_from_text.*Received: 'Ana left.'"):
        predictor.predict("Ana left.")

"""predict.py as a user runs it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import call, import_reference
from random_documents import REFERENCE

from coref_tf.commands import predict as predict_module
from coref_tf.documents import open_writer, read_documents

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder into which the authors' small checkpoint is imported."""
    return import_reference(tmp_path_factory.mktemp("reference"))


def predict(folder, source, target, *options):
    """Runs `predict.py small SOURCE TARGET` in this process."""
    words = ["--as-script", "small", source, target, "--conf", folder / "experiments.conf", *options]
    assert not call("predict", *words)


def test_details_equal_the_authors_figures(folder, capsys):
    predict(folder, folder / "docs.jsonlines", folder / "details.jsonlines", "--details")
    assert "4 documents, 149 words" in capsys.readouterr().err
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
    command = [sys.executable, "predict.py", "small", "-", "-", "--conf", folder / "experiments.conf"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input=text, timeout=300)
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


def test_conll_output_differs_only_in_the_coreference_column(folder):
    source, target = folder / "docs.conll", folder / "predicted.conll"
    with open_writer(source) as write:
        for document in read_documents(folder / "docs.jsonlines"):
            write(document)
    predict(folder, source, target)
    for old, new in zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True):
        assert old.split()[:-1] == new.split()[:-1]
    clusters = [sorted(map(list, document.clusters)) for document in read_documents(target)]
    predict(folder, source, folder / "predicted.jsonlines")
    records = [json.loads(line) for line in (folder / "predicted.jsonlines").read_text().splitlines()]
    assert clusters == [
        [[tuple(span) for span in cluster] for cluster in record["predicted_clusters"]] for record in records
    ]


def test_a_page_holds_every_document(folder):
    target = folder / "page.html"
    predict(folder, folder / "docs.jsonlines", target)
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


def test_errors_are_one_line_and_leave_the_output_unchanged(folder, monkeypatch, capsys):
    target = folder / "kept.jsonlines"
    target.write_text("what was there\n")
    bad = folder / "bad.jsonlines"
    bad.write_text((folder / "docs.jsonlines").read_text() + '{"doc_key": 3}\n')
    short = folder / "short.h5"
    short.write_bytes((folder / "logs" / "small" / "best.h5").read_bytes()[:1000])
    cases = [
        ("predict", ("--as-script", "smal", bad, target), "no model smal (did you mean small?)"),
        ("predict", ("small", bad, "-o", target), "bad.jsonlines:5:"),
        ("predict", ("small", folder / "none.txt", "-o", target), "none.txt"),
        ("predict", ("small", bad, "-o", folder / "out.xml"), "the file extension determines the format"),
        (
            "predict",
            ("small", bad, "-o", folder / "out.txt"),
            "out.txt: text is an input format; add --format listing",
        ),
        (
            "predict",
            ("small", bad, "-o", folder / "out.conll", "--details"),
            "out.conll: --details needs a .jsonlines output",
        ),
        ("predict", ("small", bad, "--details"), "error: --details needs a .jsonlines output, such as -o"),
        ("predict", ("small", bad, "-o", target, "--checkpoint", short), "damaged or truncated"),
        ("import", (folder / "none.ckpt", "small"), "none.ckpt"),
    ]
    for command, arguments, message in cases:
        assert call(command, *arguments, "--conf", folder / "experiments.conf") == 1, arguments
        stderr = capsys.readouterr().err
        errors = [line for line in stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and message in errors[0], stderr
    assert target.read_text() == "what was there\n"


@pytest.mark.parametrize("form", ["jsonlines", "conll"])
def test_interrupted_prediction_is_resumed(folder, tmp_path, monkeypatch, capsys, form):
    source = tmp_path / f"documents.{form}"
    with open_writer(source) as write:
        for document in read_documents(folder / "docs.jsonlines"):
            write(document)
    # The input has no newline at its end; in the output, the next record must still begin a new line.
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
    assert code == 130 and "3 documents are kept; run the same command again to resume after them" in stderr
    assert not stopped.exists()
    code, stderr = command(stopped)
    assert code is None and "resuming after 3 documents" in stderr and "1 document," in stderr
    assert stopped.read_bytes() == whole.read_bytes()


def test_file_names_that_are_not_utf_8_and_the_summary(folder, tmp_path, capfd):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    Path(f"{odd}.txt").write_text("[10:02] ana: The council met.\n<ben> It voted.\nNote: none.\n")
    for ending in ("jsonlines", "html"):
        words = ("predict", "small", "--dialogue", f"{odd}.txt", "-o", f"{odd}.{ending}")
        assert call(*words, "--conf", folder / "experiments.conf") is None
        err = capfd.readouterr().err
        assert "dialogue: 2 turns of 2 speakers\n" in err
        assert re.search(r"1 document, 11 words, .*cluster.*, [0-9.]+ s; wrote .*\ufffd\.\w+\n$", err)
    assert "\ufffd.txt</title>" in Path(f"{odd}.html").read_text()
    assert (
        call("predict", "small", "--text", "It met. It voted.", "--conf", folder / "experiments.conf") is None
    )
    out, err = capfd.readouterr()
    assert out.startswith("text: 6 words, ") and err.endswith("s; on standard output\n")

"""The benchmark of the model measures what it claims to, and its rows, ratios, table and plot are correct."""

import functools
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from random_documents import small_experiment

from benchmarks import documents, measure, model, report, work
from benchmarks.__main__ import main
from coref_tf.documents import Document, read_documents
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

COLUMNS = ["mode", "words", "implementation"]
COLUMNS += ["seconds", "words_per_second", "peak_rss_mb", "rss_over_import_mb"]


def made_up(mode, words, implementation):
    """Returns a row with round figures: 1 ms a word, and 100 MB plus 1 MB a word.

    The straightforward implementation takes 6 ms and 10 MB a word.
    """
    row = {"mode": mode, "words": words, "implementation": implementation}
    if mode == "pairs":
        return row | {"gflops": 60.0, "matrix_product_gflops": 100.0, "share": 0.6}
    slower, larger = (6, 10) if implementation == "straightforward" else (1, 1)
    seconds, size = slower * words / 1000, float(larger * words)
    row |= {"seconds": seconds, "words_per_second": words / seconds}
    return row | {"peak_rss_mb": 100 + size, "rss_over_import_mb": size}


@pytest.fixture
def ample_memory(monkeypatch):
    monkeypatch.setattr(model.memory, "available_bytes", lambda: 2**50)


def test_documents_repeat_the_corpus():
    first = Document("nw/a", [["a", "b"], ["c"]], [["x", "y"], ["x"]], [[(0, 1), (2, 2)]])
    second = Document("nw/b", [["d", "e", "f"]], clusters=[[(0, 0), (1, 2)]])
    joined = documents.join([first, second], 8)
    assert joined.sentences == (("a", "b"), ("c",), ("d", "e", "f"), ("a", "b"))
    assert joined.speakers == (("x", "y"), ("x",), ("-", "-", "-"), ("x", "y"))
    assert joined.clusters == (((0, 1), (2, 2)), ((3, 3), (4, 5)), ((6, 7),))
    assert documents.join([first, second], 5).clusters == (((0, 1), (2, 2)), ((3, 3),))
    with pytest.raises(ValueError, match="Received: no documents"):
        documents.join([], 5)


def test_documents_are_cut_from_the_bundled_corpus(monkeypatch, tmp_path):
    corpus = [document for path in documents.CORPUS for document in read_documents(path)]
    words = [word for document in corpus for word in document.words]
    assert documents.document_of(1000).words == tuple(words[:1000])
    assert documents.document_of(len(words) + 7).words == (*words, *words[:7])
    monkeypatch.setattr(documents, "CORPUS", (tmp_path / "train.jsonlines",))
    with pytest.raises(CorefError, match="is missing; run `make`"):
        documents.document_of(10)


@pytest.mark.parametrize("mode", ["predict", "train"])
@pytest.mark.parametrize("implementation", ["fast", pytest.param("straightforward", marks=pytest.mark.slow)])
def test_a_row(mode, implementation, monkeypatch):
    monkeypatch.setattr(measure, "REPEATS", 1)
    row = measure.measure(mode, 40, implementation, small_experiment())
    assert list(row) == COLUMNS
    assert [row[key] for key in COLUMNS[:3]] == [mode, 40, implementation]
    assert row["seconds"] > 0 and row["words_per_second"] == 40 / row["seconds"]
    assert row["peak_rss_mb"] > 200 and row["rss_over_import_mb"] < row["peak_rss_mb"]


def test_both_implementations_predict_the_same():
    experiment = small_experiment()
    fast, whole = (work.prediction(experiment, name)(60)() for name in ("fast", "straightforward"))
    assert (fast.clusters, fast.top_spans) == (whole.clusters, whole.top_spans) and len(fast.top_spans) == 24
    np.testing.assert_allclose(fast.antecedent_scores, whole.antecedent_scores, atol=1e-5)


def test_shortest_of_several_repeats(monkeypatch):
    times = itertools.chain([0, 5, 5, 8, 8, 12], itertools.repeat(99))
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(times))
    monkeypatch.setattr(measure, "SECONDS", 12)
    assert measure.shortest(lambda: None) == 3  # it stops after 5 + 3 + 4 seconds
    assert next(times) == 99


def test_speed_of_pair_scores(monkeypatch):
    monkeypatch.setattr(work, "MATRIX_SIZE", 10)
    seconds = iter([2.0, 0.5])
    experiment = small_experiment()
    speed = work.pair_speed(experiment, 50, lambda work: (work(), next(seconds))[1])
    pairs = [(i, j) for i in range(20) for j in range(20) if j < i <= j + experiment.max_antecedents]
    span_size = 4 * experiment.lstm_size + experiment.feature_size + 18 + 3 * experiment.filter_size
    of_pair = span_size * experiment.ffnn_size + experiment.ffnn_size**2 + experiment.ffnn_size
    assert speed["gflops"] == pytest.approx(len(pairs) * of_pair * 2 / 2.0 / 1e9)
    assert speed["matrix_product_gflops"] == pytest.approx(2 * 10**3 / 0.5 / 1e9)
    assert speed["share"] == pytest.approx(speed["gflops"] / speed["matrix_product_gflops"])


def test_rows_and_ratios(ample_memory):
    rows = list(model.run([500, 2100], [20_000], made_up))
    kinds = [(row.get("mode"), row["words"], row.get("implementation")) for row in rows]
    both = ("fast", "straightforward", None)
    assert kinds[:12] == [(m, w, k) for m in ("predict", "train") for w in (500, 2100) for k in both]
    assert kinds[12:] == [("predict", 20_000, "fast"), (None, 20_000, None), ("pairs", 2000, "fast")]
    for row in rows[2:12:3]:
        assert row["times_faster"] == 6 and row["share_of_memory"] == 0.1
    assert rows[13]["compared_to"] == 2100 and rows[13]["share_of_speed"] == 1
    assert rows[13]["kb_per_word"] == pytest.approx(1024)
    assert rows[14]["share"] == 0.6


def test_rows_that_do_not_fit_in_memory_are_left_out(monkeypatch):
    monkeypatch.setattr(model.memory, "available_bytes", lambda: 5 * 2**30)
    rows = list(model.run([1000, 2000], [], made_up))
    left_out = [(row["mode"], row["words"], row["left_out"]) for row in rows if "left_out" in row]
    assert left_out == [
        ("predict", 2000, "needs about 7.8 GB; 5.0 GB is available"),
        ("train", 1000, "needs about 6.3 GB; 5.0 GB is available"),
        ("train", 2000, "needs about 12.7 GB; 5.0 GB is available"),
    ]
    assert [row["words"] for row in rows if row["benchmark"] == "model: fast to straightforward"] == [1000]


def test_the_table(ample_memory, monkeypatch):
    rows = list(model.run([1000], [20_000], made_up))
    assert report.table(rows).splitlines()[2:] == [
        "| predict | 1,000 | 1,000 | 167 | 6.0 | 1,000 MB | 10,000 MB |",
        "| train | 1,000 | 1,000 | 167 | 6.0 | 1,000 MB | 10,000 MB |",
        "| predict | 20,000 | 1,000 | – | – | 20,000 MB | – |",
    ]


def test_the_command(ample_memory, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(model, "run", functools.partial(model.run, measure=made_up))
    files = {"json": tmp_path / "bench.json", "png": tmp_path / "bench.png"}
    arguments = ["--only", "model", "--words", "500, 1000", "--long", "20000"]
    arguments += ["--json", str(files["json"]), "--plot", str(files["png"])]
    main(arguments)
    rows = json.loads(files["json"].read_text(encoding="utf-8"))
    assert rows == list(model.run([500, 1000], [20_000]))
    assert files["png"].read_bytes().startswith(b"\x89PNG\r\n")
    printed = capsys.readouterr().out
    assert "model, mode predict, words 500, implementation fast, seconds 0.5" in printed
    assert report.table(rows) in printed


@pytest.mark.parametrize("option, ending", [("--json", ".json"), ("--plot", ".png")])
def test_invalid_outputs_are_refused(option, ending, tmp_path):
    (tmp_path / f"taken{ending}").mkdir()
    for name, reason in {
        "out.xyz": "expected an output",
        f"none/out{ending}": "there is no folder",
        f"taken{ending}": "is a folder",
    }.items():
        with pytest.raises(CorefError, match=reason):
            main(["--only", "scoring", option, str(tmp_path / name)])


@pytest.mark.parametrize("words", ["500,x", "0", "-5", "1.5", "500,,1000"])
def test_invalid_numbers_of_words_are_refused(words, capsys):
    with pytest.raises(SystemExit) as exit:
        main([f"--words={words}"])
    assert exit.value.code == 2
    assert f"expected numbers of words such as 500,1000. Received: {words!r}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "message"),
    [("sys.exit('no vectors')", "it failed; no vectors"), ("os.kill(os.getpid(), 9)", "it was killed")],
)
def test_a_failed_measurement_names_its_row_and_cause(code, message, monkeypatch):
    run, script = subprocess.run, f"import os, sys; {code}"
    monkeypatch.setattr(
        model.subprocess, "run", lambda _, **options: run([sys.executable, "-c", script], **options)
    )
    with pytest.raises(CorefError, match=f"predict 500 words, fast: {message}"):
        model.measure("predict", 500, "fast")


@pytest.mark.slow
def test_full_size(tmp_path):
    arguments = ["--only", "model", "--words", "300", "--long", "600"]
    arguments += ["--json", str(tmp_path / "bench.json"), "--plot", str(tmp_path / "bench.png")]
    run = [sys.executable, "-m", "benchmarks", *arguments]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert [list(row) == ["benchmark", *COLUMNS] for row in rows].count(True) == 5
    ratios = [row for row in rows if "times_faster" in row]
    assert len(ratios) == 2 and all(
        row["times_faster"] > 0 and row["share_of_memory"] < 0.5 for row in ratios
    )
    assert rows[-1]["share"] > 0

"""The benchmark of Spark reports its measurements correctly; the measured speed itself is not tested."""

import pytest

from benchmarks import spark
from benchmarks.__main__ import main


class MadeUp:
    """Round figures: predict processes 1,000 words a second on each core; Spark 900, and 1,600 with two workers."""

    def predict(self, words, cores):
        return 1000.0 * cores

    def spark(self, words, workers):
        return {1: 900.0, 2: 1600.0}[workers]

    def peak(self):
        return 3 * 2**29


def test_rows_and_ratios():
    one, two, scaling, memory = spark.run(5000, measures=MadeUp())
    assert (one["words"], one["words_per_second"], one["predict_words_per_second"]) == (5000, 900.0, 1000.0)
    assert (one["ratio"], two["ratio"]) == (0.9, 0.8) and scaling["times_faster"] == pytest.approx(16 / 9)
    assert two["core_hours_per_billion_words"] == pytest.approx(2 * 1e9 / 1600 / 3600)
    assert (memory["peak_rss_mb"], memory["bound_mb"]) == (1536.0, 2048.0)


def test_documents_have_the_requested_number_of_words():
    documents = list(spark._mixed(7000))
    lengths = [document.num_words for document in documents]
    assert lengths == [*spark.LENGTHS, 50, 100, 200, 300]
    assert len({document.key for document in documents}) == len(documents)
    assert len({document.words[:5] for document in documents}) > 5


def test_without_java_the_benchmark_is_left_out(monkeypatch):
    monkeypatch.setattr(spark, "missing", lambda: "needs Java")
    assert list(spark.run(5000)) == [{"benchmark": "spark", "left_out": "needs Java"}]


def test_the_command(monkeypatch, capsys):
    monkeypatch.setattr(spark, "run", lambda words, model: iter([{"benchmark": "spark", "words": words}]))
    main(["--only", "spark", "--corpus-words", "7000"])
    assert capsys.readouterr().out == "spark, words 7000\n"
    with pytest.raises(SystemExit):
        main(["--only", "spark", "--corpus-words", "1,2"])
    assert "expected a number of words such as 300000" in capsys.readouterr().err

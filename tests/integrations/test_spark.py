"""`coref spark` and `resolve` in Spark's local mode, with one Java process and one worker."""

import contextlib
import json
import sys
from pathlib import Path

import pytest
from command import call, import_reference

from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.models.open_model import open_trained_model
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import java

pytest.importorskip("pyspark", reason="needs the extra spark: pyspark, pandas and pyarrow")
if not java():
    pytest.skip("needs Java, which is not on this machine", allow_module_level=True)

from pyspark.sql import Row
from pyspark.sql import functions as F  # noqa: N812, the conventional alias in Spark code

from coref_tf.commands import spark as command
from coref_tf.integrations import spark as integration
from coref_tf.integrations import spark_job
from coref_tf.integrations.spark import resolve, ship

ROOT = Path(__file__).resolve().parents[2]
BAD = ["{", '{"doc_key": "nw/no_words"}', '{"doc_key": "nw/long", "text": "' + "word " * 600 + '"}']

# The tests compute little, so just-in-time compilation and many small tasks would take most of the time.
LEAN = [
    "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled=false",
    "spark.sql.shuffle.partitions=1",
    "spark.sql.adaptive.enabled=false",
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.codegen.factoryMode=NO_CODEGEN",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a small model, good and bad documents, and the output of `coref predict` for the good ones."""
    folder = tmp_path_factory.mktemp("spark")
    conf = ["--conf", import_reference(folder) / "experiments.conf"]
    good = (folder / "docs.jsonlines").read_text(encoding="utf-8").splitlines()
    good += [
        '{"doc_key": "nw/text", "text": "Caf\\u00e9 owners met. They said the owners agreed, and she left."}'
    ]
    (folder / "good.jsonlines").write_text("\n".join(good), encoding="utf-8")
    assert not call(
        "predict", "small", folder / "good.jsonlines", "-o", folder / "predicted.jsonlines", *conf
    )
    lines = [line.encode() for line in (*good[:2], *BAD, *good[2:])]
    lines.insert(4, b'{"doc_key": "nw/latin", "text": "caf\xe9"}')
    (folder / "all.jsonlines").write_bytes(b"\n".join([*lines, b"", b""]))
    return folder


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = [*LEAN, f"spark.executorEnv.PYTHONPATH={ROOT}"]
        settings += [f"spark.local.dir={tmp_path_factory.mktemp('local')}"]
        with spark_job.session("local[1]", command.properties(settings)) as spark:
            yield spark


@pytest.fixture
def coref_spark(spark, folder, monkeypatch):
    """Runs `coref spark` in the existing session."""
    monkeypatch.setattr(spark_job, "session", lambda *_: contextlib.nullcontext(spark))
    best = folder / "logs" / "small" / "best.h5"
    return lambda *words, model=best: call("spark", *words, "--model", model)


def test_the_output_equals_that_of_predict_and_bad_rows_have_errors(
    coref_spark, spark, folder, tmp_path, capfd
):
    output = tmp_path / "out"
    assert not coref_spark(folder / "all.jsonlines", output, "--max-words", "500")
    rows = {row.key: row for row in spark.read.parquet(str(output)).collect()}
    predicted = [json.loads(line) for line in (folder / "predicted.jsonlines").read_text().splitlines()]
    assert any(record["predicted_clusters"] for record in predicted)
    for record in predicted:
        places = record.get("predicted_characters", record["predicted_clusters"])
        clusters = rows[record["doc_key"]].clusters
        assert [[[m.begin, m.end] for m in cluster] for cluster in clusters] == places
        probabilities = [[m.probability for m in cluster] for cluster in clusters]
        assert probabilities == [pytest.approx(row, abs=2e-6) for row in record["predicted_probabilities"]]
        assert rows[record["doc_key"]].error is None
    errors = {row.key[:5]: row.error for row in rows.values() if row.error}
    assert len(rows) == len(predicted) + len(errors) and all(
        not row.clusters for row in rows.values() if row.error
    )
    assert "bad JSON" in errors.pop("line ") and "600 words" in errors.pop("nw/lo")
    assert (
        "sentences are missing" in errors.pop("nw/no") and "not UTF-8" in errors.pop("nw/la") and not errors
    )
    captured = capfd.readouterr()
    assert (
        f"{len(rows)} documents with {len(rows)} keys" in captured.out
        and "; 4 could not be resolved" in captured.out
    )
    assert f"{len(rows)} of {len(rows)} documents" in captured.err
    assert (output / "_SUCCESS").exists()


@pytest.mark.slow
def test_a_growing_corpus_is_resumed_and_lost_output_is_detected(coref_spark, spark, folder, tmp_path, capfd):
    output = tmp_path / "out"
    assert not coref_spark(folder / "good.jsonlines", output, "--words-per-commit", "100")
    capfd.readouterr()
    assert coref_spark(folder / "good.jsonlines", output) == 1
    assert "already exists; use --resume to continue it" in capfd.readouterr().err
    with open(folder / "more.jsonlines", "wb") as file:
        file.write(
            (folder / "good.jsonlines").read_bytes() + b'\n{"doc_key": "nw/new", "text": "Ana left."}\n'
        )
    assert not coref_spark(folder / "more.jsonlines", output, "--resume")
    assert "1 of 1 documents" in capfd.readouterr().err
    assert spark.read.parquet(str(output)).count() == 6

    (lost,) = [
        path
        for path in output.glob("*.parquet")
        if spark.read.parquet(str(path)).where("key = 'nw/new'").count()
    ]
    lost.unlink()
    corpus = spark_job.Corpus(
        spark.createDataFrame([("nw/new", 2)], "key string, words bigint"), "key", (), {}
    )
    with pytest.raises(
        CorefError, match="the input has 1 documents with 1 keys, 2 words, but the output has 0"
    ):
        spark_job.check(spark, spark_job.Job(corpus, str(output), "parquet", {}))


@pytest.mark.slow
def test_text_files_and_parquet(coref_spark, spark, folder, tmp_path, capfd):
    texts = tmp_path / "texts"
    (texts / "sub").mkdir(parents=True)
    (texts / "a.txt").write_bytes(b"\xef\xbb\xbfThe harbour council met. It voted.")
    (texts / "sub" / "b.txt").write_bytes(b"caf\xe9")
    assert not coref_spark(
        texts, tmp_path / "out", "--input-format", "text", "--resolved", "--format", "json", "--keep"
    )
    rows = {row.key.rpartition("/")[2]: row for row in spark.read.json(str(tmp_path / "out")).collect()}
    assert rows["a.txt"].words == 6 and "resolved" in rows["a.txt"] and "not UTF-8" in rows["b.txt"].error
    frame = spark.createDataFrame(
        [(1, "a", "Ana left."), (2, "b", "It met.")], "id int, part string, body string"
    )
    frame.write.parquet(str(tmp_path / "in.parquet"))
    columns = ["--key", "id", "--text-column", "body", "--partition-by", "part"]
    assert not coref_spark(tmp_path / "in.parquet", tmp_path / "parted", *columns)
    assert sorted(path.name for path in (tmp_path / "parted").glob("part=*")) == ["part=a", "part=b"]
    found = spark.read.parquet(str(tmp_path / "parted"))
    assert found.columns == ["id", "words", "clusters", "error", "part"] and found.count() == 2
    capfd.readouterr()
    for words, message in [
        (
            [tmp_path / "in.parquet", tmp_path / "x"],
            "no column key; expected one of id, part, body",
        ),
        ([tmp_path / "in.csv", tmp_path / "x"], "the file extension does not determine the format"),
        ([tmp_path / "no.jsonlines", tmp_path / "x"], "Path does not exist"),
    ]:
        assert coref_spark(*words) == 1
        err = capfd.readouterr().err
        assert message in err and err.count("\n") == 1


@pytest.mark.slow
def test_resolve_keeps_other_columns_and_accepts_a_shipped_model(spark, folder):
    frame = spark.createDataFrame(
        [(1, None, b"The harbour council met. It voted."), (2, 2**60 + 1, b"caf\xe9")],
        "id int, number bigint, body binary",
    ).withColumn("body", F.col("body").cast("string"))
    model = open_trained_model("small", conf=folder / "experiments.conf")
    export([model], folder / "exported", ExportOptions())
    exported = (
        resolve(frame, "body", model=ship(spark.sparkContext, folder / "exported")).orderBy("id").collect()
    )
    model = ship(spark.sparkContext, folder / "logs" / "small" / "best.h5")
    found = resolve(frame, "body", "id", model).orderBy("id").withColumn("body", F.col("body").cast("binary"))
    first, second = found.collect()
    assert (first.number, second.number, second.body) == (None, 2**60 + 1, b"caf\xe9")
    assert first.error is None and second.clusters == [] and "not UTF-8" in second.error
    places = [[[(m.begin, m.end) for m in c] for c in row.clusters] for row in (first, exported[0])]
    assert places[0] == places[1] and exported[1].error == second.error
    assert all(isinstance(mention, Row) for cluster in first.clusters for mention in cluster)
    for columns, options, message in [
        (["body", "id"], {}, "no column text or tokens; expected one of body, id"),
        (["body as text"], {"key_column": "no"}, "no column no; expected one of text"),
        (["split(body, ' ') as tokens"], {}, r"tokens is array<string>; expected array<array<string>>"),
        (["body as text", "id as error"], {}, "a column error already exists"),
        (["body as text"], {"model": "nosuch"}, "no model nosuch"),
        (["body as text"], {"threshold": 2}, "expected a probability"),
    ]:
        with pytest.raises(CorefError, match=message):
            resolve(frame.selectExpr(*columns), **{"model": model} | options)


@pytest.mark.slow
def test_a_version_mismatch_and_a_model_that_was_not_shipped_are_errors(
    coref_spark, folder, tmp_path, monkeypatch, capfd
):
    assert coref_spark(folder / "good.jsonlines", tmp_path / "out", model="shipped:nosuch.h5") == 1
    monkeypatch.setattr(integration, "__version__", "9.9")
    assert coref_spark(folder / "good.jsonlines", tmp_path / "out") == 1
    missing, version = (line for line in capfd.readouterr().err.splitlines() if line.startswith("error: "))
    assert "nosuch.h5: was not sent with the job" in missing
    assert "the driver 9.9; install the same version on both" in version


@pytest.mark.slow
def test_partitions_are_balanced_by_words_and_long_documents_come_first(spark):
    sizes = [100] * 300 + [9000, 40_000, 200]
    rows = [(f"d{number}", size) for number, size in enumerate(sizes)]
    frame = spark.createDataFrame(rows, "key string, words bigint")
    parted = spark_job.partition_by_words(frame, "key", sum(sizes), cores=4)
    assert parted.columns == ["key", "words"]
    found = parted.select("*", F.spark_partition_id().alias("part")).collect()
    parts = {}
    for row in found:
        parts.setdefault(row.part, []).append(row.words)
    assert sorted(row.words for row in found) == sorted(sizes)
    # 79,200 words in 16 tasks make 4,950 per task. Each of the two longer documents has its own, the longest the first.
    assert parts[0] == [40_000] and parts[1] == [9000]
    assert len(parts) >= 14 and max(sum(part) for number, part in parts.items() if number > 1) <= 2 * 4950


@pytest.mark.slow
def test_waves_contain_every_key_exactly_once(spark):
    frame = spark.createDataFrame([(f"d{n}", 10) for n in range(50)] * 2, "key string, words bigint")
    waves = spark_job.in_waves(frame, "key", 300)
    keys = [{row.key for row in wave.collect()} for wave, _, _ in waves]
    assert len(keys) == 4 and sum(map(len, keys)) == 50 and sum(count for _, count, _ in waves) == 100
    assert spark_job.in_waves(frame.where("words > 99"), "key", 300) == []

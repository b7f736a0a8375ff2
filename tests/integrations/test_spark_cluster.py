"""`coref spark` on a standalone cluster on this machine: a master and two workers, each in its own process.

Set COREF_SPARK_DOCUMENTS=60 for fewer documents, and COREF_SPARK_MODEL to use another checkpoint.
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import call, import_reference

from benchmarks import spark as bench
from benchmarks.cluster import cluster
from benchmarks.documents import CORPUS, join
from coref_tf.documents import open_writer, read_documents
from coref_tf.support.extras import java

pyarrow = pytest.importorskip("pyarrow.parquet", reason="needs the extra spark: pyspark, pandas and pyarrow")
pytest.importorskip("pyspark", reason="needs the extra spark: pyspark, pandas and pyarrow")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not java(), reason="needs Java, which is not on this machine"),
]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = int(os.environ.get("COREF_SPARK_DOCUMENTS", "2000"))
SHORTEST, LONGEST = 10, 20_000
BAD = [b'{"doc_key": "nw/bad1"', b'{"doc_key": "nw/bad2"}', b'{"doc_key": "nw/bad3", "text": "caf\xe9"}']
BAD += [b'{"doc_key": "nw/bad4", "text": "' + b"word " * 2 * LONGEST + b'"}']


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The checkpoint in COREF_SPARK_MODEL, or by default the authors' small one."""
    if "COREF_SPARK_MODEL" in os.environ:
        return os.environ["COREF_SPARK_MODEL"]
    folder = tmp_path_factory.mktemp("model")
    import_reference(folder)
    return folder / "logs" / "small" / "best.h5"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, shared):
    """Documents of 10 to 20,000 words, most of them short, from several corpora; a quarter are plain text."""
    files = [*CORPUS, *sorted((shared / "data" / "ontogum").glob("*_conll"))]
    files += sorted((shared / "data" / "litbank").glob("*_conll"))
    pool = [document for file in files for document in read_documents(file)]
    path = tmp_path_factory.mktemp("corpus") / "good.jsonlines"
    with open_writer(path) as write:
        for number in range(DOCUMENTS):
            # The fifth power makes most documents short.
            share = (number / (DOCUMENTS - 1)) ** 5
            length = round(SHORTEST * (LONGEST / SHORTEST) ** share)
            begin = number * 7 % len(pool)
            cut = join([*pool[begin:], *pool[:begin]], length)
            key = f"{pool[begin].genre or 'nw'}/{number}"
            write(dataclasses.replace(cut, doc_key=key, key=key, clusters=()))
    lines = path.read_text(encoding="utf-8").splitlines()
    for number in range(0, DOCUMENTS, 4):
        record = json.loads(lines[number])
        text = "\n".join(" ".join(words) for words in record["sentences"])
        lines[number] = json.dumps({"doc_key": record["doc_key"], "text": text})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def wait_for_tasks(output, process, count):
    """Waits for `count` tasks to commit their output; returns whether the job is still running then."""
    while process.poll() is None:
        if len(list(output.glob("_temporary/*/task_*"))) >= count:
            return True
        time.sleep(0.05)
    return False


def test_a_killed_executor_does_not_change_the_output(corpus, model, tmp_path):
    """After an executor is killed, every key is in the output with `coref predict`'s clusters or an error."""
    good = corpus.read_bytes().splitlines(keepends=True)
    middle = len(good) // 2
    everything = tmp_path / "all.jsonlines"
    everything.write_bytes(b"".join([*good[:middle], *(line + b"\n" for line in BAD), *good[middle:]]))
    output = tmp_path / "out"
    with cluster(tmp_path, 2) as running:
        command = [sys.executable, "-m", "coref_tf", "spark", everything, output, "--model", model]
        command += ["--master", running.url, "--max-words", str(LONGEST + 2000)]
        command += [f"--set={name}={value}" for name, value in running.properties().items()]
        job = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        killed = []
        if wait_for_tasks(output, job, 2):
            killed = running.executors(0)
            for executor in killed:
                os.kill(executor, signal.SIGKILL)
        stdout, errors = job.communicate()
    assert job.returncode == 0, errors
    assert killed, "the job finished before an executor could be killed"
    count = DOCUMENTS + len(BAD)
    assert (
        f"{count:,} documents with {count:,} keys" in stdout and f"{len(BAD)} could not be resolved" in stdout
    )

    rows = pyarrow.read_table(output).to_pylist()
    found = {row["key"]: row for row in rows}
    assert len(rows) == len(found) == count
    assert [bool(row["error"]) for row in rows].count(True) == len(BAD)
    predicted = tmp_path / "predicted.jsonlines"
    assert not call("predict", "--checkpoint", model, corpus, "-o", predicted)
    with open(predicted, encoding="utf-8") as file:
        for record in map(json.loads, file):
            places = record.get("predicted_characters", record["predicted_clusters"])
            clusters = found[record["doc_key"]]["clusters"]
            assert [[[m["begin"], m["end"]] for m in c] for c in clusters] == places, record["doc_key"]
            assert found[record["doc_key"]]["error"] is None


def test_a_worker_stays_within_its_memory_limit(tmp_path):
    """One worker resolves a book of 100,000 words and 1,000 short documents with a full-size `best` model."""
    with bench.measuring(os.environ.get("COREF_SPARK_MODEL")) as measures:
        peak = measures.peak()
    print(f"peak of the worker's Python: {peak / 2**20:,.0f} MB")
    assert peak <= bench.MAX_MEMORY

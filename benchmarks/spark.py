"""Compares Spark workers of one core each with `coref predict` on as many cores; measures the memory of a worker."""

import contextlib
import dataclasses
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import documents
from benchmarks.cluster import Cluster, cluster
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import java, require_extra

WORDS = 300_000
WORKERS = (1, 2)
# The words that a worker processes before the measurement: Java takes half a minute to compile its hot code.
WARM_UP = 60_000
# The lengths of the documents, repeated; as mixed as in an archive.
LENGTHS = (50, 100, 200, 400, 800, 1600, 3200)
# The documents of the memory benchmark, and the memory limit of the worker.
LONG, SHORT, SHORT_LENGTH = 100_000, 1000, 100
MAX_MEMORY = 2 * 2**30

_SPEED = re.compile(r"([\d,]+) words, ([\d,]+) words/s")


def run(words: int = WORDS, model: str | None = None, measures: "Measures | None" = None) -> Iterator[dict]:
    """Measures the speed with one and two workers, how it scales, and the peak memory of a worker.

    Args:
        words: The number of words of the corpus.
        model: A checkpoint; by default, full-size `best` with random weights.
        measures: The measurements; by default, the real ones.
    """
    if not measures and (why := missing()):
        yield {"benchmark": "spark", "left_out": why}
        return
    with contextlib.ExitStack() as stack:
        measures = measures or stack.enter_context(measuring(model))
        speeds = {}
        for workers in WORKERS:
            alone, together = measures.predict(words, workers), measures.spark(words, workers)
            speeds[workers] = together
            row = {
                "benchmark": "spark",
                "workers": workers,
                "words": words,
                "predict_words_per_second": alone,
            }
            row |= {"words_per_second": together, "ratio": together / alone}
            yield row | {"core_hours_per_billion_words": workers * 1e9 / together / 3600}
        first, last = speeds[WORKERS[0]], speeds[WORKERS[-1]]
        yield {"benchmark": "spark: from 1 worker to 2", "times_faster": last / first}
        row = {"benchmark": "spark: memory", "long_document_words": LONG, "short_documents": SHORT}
        yield row | {"peak_rss_mb": measures.peak() / 2**20, "bound_mb": MAX_MEMORY / 2**20}


def missing() -> str | None:
    """Returns what this machine lacks for the benchmark, or None."""
    try:
        require_extra("spark", "Spark")
    except CorefError as error:
        return str(error)
    return None if java() else "Spark needs Java, which is not installed"


class Measures:
    """Runs the programs that are measured.

    Args:
        folder: The folder to write to.
        model: The checkpoint.
    """

    def __init__(self, folder: Path, model: Path):
        self.folder, self.model = folder, model

    def predict(self, words: int, cores: int) -> float:
        """Returns the speed of `coref predict` on this many cores in words per second, excluding its startup."""
        corpus = self._corpus(f"{words}", _mixed(words))
        output = self.folder / f"predicted{cores}.jsonlines"
        command = [
            sys.executable,
            "-m",
            "coref_tf",
            "predict",
            "--checkpoint",
            self.model,
            corpus,
            "-o",
            output,
        ]
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        os.sched_setaffinity(process.pid, set(sorted(os.sched_getaffinity(0))[:cores]))
        _, log = process.communicate()
        found = _SPEED.findall(log)
        if process.returncode or not found:
            raise CorefError(f"coref predict failed: {(log.splitlines() or ['no output'])[-1]}")
        return float(found[-1][1].replace(",", ""))

    def spark(self, words: int, workers: int) -> float:
        """Returns the speed of the same job on a cluster whose workers have loaded the model, in words per second.

        It includes reading, counting, distributing, resolving, writing and checking.
        """
        corpus = self._corpus(f"{words}", _mixed(words))
        first = self._corpus(f"first{workers}", _mixed(WARM_UP * workers))
        with self._job(workers, pinned=True) as (_, resolve):
            resolve(first)
            began = time.perf_counter()
            resolve(corpus)
            return words / (time.perf_counter() - began)

    def peak(self) -> int:
        """Returns the peak memory of a worker's Python process in bytes, for one long document and short ones."""
        lengths = [LONG] + [SHORT_LENGTH] * SHORT
        corpus = self._corpus("long", _cut(lengths))
        with self._job(1, max_memory=MAX_MEMORY) as (running, resolve):
            summary = resolve(corpus)
            if "could not be resolved" in summary:
                raise CorefError(f"the worker ran out of memory: {summary}")
            return max(running.python_peaks())

    @contextlib.contextmanager
    def _job(
        self, workers: int, pinned: bool = False, **options
    ) -> Iterator[tuple[Cluster, Callable[[Path], str]]]:
        """Runs a cluster, and yields a function that resolves a corpus on it."""
        from coref_tf.integrations import spark_job
        from coref_tf.integrations.spark_inputs import read_corpus
        from coref_tf.integrations.spark_job import session

        folder = Path(tempfile.mkdtemp(dir=self.folder))
        with cluster(folder, workers, pinned) as running, session(running.url, running.properties()) as spark:

            def resolve(path: Path) -> str:
                corpus = read_corpus(spark, str(path), "jsonlines")
                chosen = corpus.options | {"model": str(self.model)} | options
                output = str(folder / f"out{next(numbers)}")
                return spark_job.run(spark, spark_job.Job(corpus, output, "parquet", chosen))

            numbers = itertools.count()
            yield running, resolve

    def _corpus(self, name: str, documents: Iterator[Document]) -> Path:
        path = self.folder / f"{name}.jsonlines"
        if not path.exists():
            with open_writer(path) as write:
                for document in documents:
                    write(document)
        return path


@contextlib.contextmanager
def measuring(model: str | None) -> Iterator[Measures]:
    """Yields the measurements, in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="coref_tf-") as folder:
        yield Measures(Path(folder), Path(model).resolve() if model else _untrained(Path(folder)))


def _untrained(folder: Path) -> Path:
    from benchmarks.export import untrained
    from coref_tf.models.checkpoint import best_checkpoint_path

    return best_checkpoint_path(untrained(folder))


def _mixed(words: int) -> Iterator[Document]:
    """Yields documents of mixed lengths, with this many words in total."""
    lengths, left = [], words
    for length in itertools.cycle(LENGTHS):
        if not left:
            break
        lengths.append(min(length, left))
        left -= lengths[-1]
    return _cut(lengths)


def _cut(lengths: list[int]) -> Iterator[Document]:
    """Yields documents of these lengths, each starting at a different document of the bundled corpus."""
    corpus = [document for path in documents.CORPUS for document in read_documents(path)]
    for number, length in enumerate(lengths):
        begin = number % len(corpus)
        cut = documents.join([*corpus[begin:], *corpus[:begin]], length)
        yield dataclasses.replace(cut, doc_key=f"nw/{number}", key=f"nw/{number}", clusters=())

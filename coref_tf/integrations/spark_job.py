"""The Spark job of `coref spark`, which runs a corpus through a model. Can be copied and adapted."""

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pyspark import Accumulator, SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812, the usual name of this module

from coref_tf.integrations.spark import resolve
from coref_tf.integrations.spark_inputs import Corpus
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

# A document with more words than the target size of a task becomes a separate task, which is among the first.
WORDS_PER_TASK = 50_000
LEAST_PER_TASK = 2000
# The minimum number of tasks per core, so that the last ones do not take long.
TASKS_PER_CORE = 4
# The number of words per core and commit: about ten minutes of work.
WORDS_PER_COMMIT = 2_000_000

# Python does most of the work, so compiling Java with full optimisation would take a worker longer than it saves.
_LIGHT_JAVA = "-XX:TieredStopAtLevel=1"

_SECONDS = {True: 1.0, False: 30.0}  # between two progress lines, on a terminal and elsewhere

_NO_MARK = "mapreduce.fileoutputcommitter.marksuccessfuljobs"


class Job(NamedTuple):
    """The description of a job.

    Args:
        corpus: the documents.
        output: the output folder.
        format: parquet or json.
        options: the options of `resolve`.
        partition_by: columns whose values become folders of the output.
        resume: whether to skip keys that are already in the output.
        words_per_commit: the number of words per atomic commit; None for WORDS_PER_COMMIT per core.
    """

    corpus: Corpus
    output: str
    format: str
    options: dict
    partition_by: tuple[str, ...] = ()
    resume: bool = False
    words_per_commit: int | None = None


class Count(NamedTuple):
    """The numbers of documents, keys and words."""

    documents: int
    keys: int
    words: int

    def __str__(self) -> str:
        return f"{self.documents:,} documents with {self.keys:,} keys, {self.words:,} words"


def run(spark: SparkSession, job: Job) -> str:
    """Resolves the remaining documents, checks that the output is complete, and returns a summary."""
    key, documents = job.corpus.key, job.corpus.documents
    begun = has_output(spark, job.output)
    if begun and not job.resume:
        raise CorefError(
            f"{job.output}: already exists; use --resume to continue it, or choose another output"
        )
    left = documents
    if begun:
        done = written(spark, job).select(key).distinct()
        left = documents.join(done, key, "left_anti")
    for column in job.partition_by:
        if column not in documents.columns:
            raise CorefError(
                f"no column {column} to partition by; expected one of {', '.join(documents.columns)}"
            )
    cores = spark.sparkContext.defaultParallelism
    waves = in_waves(left, key, job.words_per_commit or WORDS_PER_COMMIT * cores)
    if not waves and not begun:
        raise CorefError("the input contains no documents; expected at least one")
    total = sum(words for _, _, words in waves)
    with watching(spark.sparkContext, sum(count for _, count, _ in waves), total) as counters:
        for number, (wave, _, words) in enumerate(waves, start=1):
            balanced = partition_by_words(wave, key, words, cores)
            found = resolve(
                balanced, **job.options, key_column=key, drop=job.corpus.sources, counters=counters
            )
            writer = found.write.mode("append").format(job.format).partitionBy(*job.partition_by)
            writer.option(_NO_MARK, str(number == len(waves)).lower()).save(job.output)
    return check(spark, job)


def in_waves(documents: DataFrame, key: str, words_per_wave: int) -> list[tuple[DataFrame, int, int]]:
    """Splits the documents into parts that are written one after another; returns each with its documents and words.

    Each part is written atomically; all rows of a key are in the same part.
    """
    whole = documents.agg(F.count("*"), F.coalesce(F.sum("words"), F.lit(0))).first()
    parts = max(1, math.ceil(whole[1] / words_per_wave))
    if parts == 1:
        return [(documents, *whole)] if whole[0] else []
    part = F.pmod(F.xxhash64(F.lit("wave"), F.col(key)), F.lit(parts))
    counts = documents.groupBy(part.alias("part")).agg(F.count("*"), F.sum("words")).orderBy("part")
    return [(documents.where(part == number), count, words) for number, count, words in counts.collect()]


def partition_by_words(documents: DataFrame, key: str, words: int, cores: int) -> DataFrame:
    """Repartitions the rows into partitions of about the same number of words; long documents come first, one each.

    Spark starts with the first partitions, so that no book is still waiting when everything else is done.
    """
    most = max(LEAST_PER_TASK, min(WORDS_PER_TASK, words // (TASKS_PER_CORE * cores)))
    long = documents.where(F.col("words") > most).groupBy(key).agg(F.sum("words").alias("words"))
    ranked = [(row[key], place) for place, row in enumerate(long.orderBy(F.desc("words"), key).collect())]
    short = max(1, math.ceil(words / most) - len(ranked))
    place = F.pmod(F.xxhash64(key), F.lit(short)) + len(ranked)
    if ranked:
        schema = documents.select(key, F.lit(0).alias("place")).schema
        places = documents.sparkSession.createDataFrame(ranked, schema)
        documents = documents.join(F.broadcast(places), key, "left")
        place = F.coalesce("place", place)
    return documents.repartitionById(len(ranked) + short, place.cast("int")).drop("place")


def check(spark: SparkSession, job: Job) -> str:
    """Returns a summary of the output; raises an error if it is not complete."""
    key, documents = job.corpus.key, job.corpus.documents
    keys = documents.select(key).distinct()
    out = written(spark, job).join(keys, key, "left_semi")
    (before, _), (after, errors) = count(documents.withColumn("error", F.lit(None)), key), count(out, key)
    if before != after:
        raise CorefError(
            f"{job.output}: the input has {before}, but the output has {after}; run the job again with a new output"
        )
    failed = f"; {errors:,} could not be resolved; see the errors in their rows" if errors else ""
    return f"{before} in and out{failed}"


def count(documents: DataFrame, key: str) -> tuple[Count, int]:
    """Returns the documents, keys and words of a DataFrame, and the number of documents with an error."""
    words = F.coalesce(F.sum("words"), F.lit(0))
    *counts, errors = documents.agg(F.count("*"), F.count_distinct(key), words, F.count("error")).first()
    return Count(*counts), errors


def written(spark: SparkSession, job: Job) -> DataFrame:
    """Returns the keys, words and errors in the output."""
    types = job.corpus.documents.select(job.corpus.key, "words", F.lit("").alias("error")).schema
    return spark.read.schema(types).format(job.format).load(job.output)


def has_output(spark: SparkSession, path: str) -> bool:
    """Returns whether a folder, on any storage, contains the output of a job; that of a failed job is empty."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)
    storage = place.getFileSystem(spark._jsc.hadoopConfiguration())
    names = [file.getPath().getName() for file in storage.listStatus(place)] if storage.exists(place) else []
    return any(not name.startswith(("_", ".")) for name in names)


def session(master: str | None = None, properties: Mapping[str, str] | None = None) -> SparkSession:
    """Creates the Spark session, by default on this machine.

    Args:
        master: the address of the cluster, such as spark://host:7077.
        properties: Spark properties, which override those chosen here.

    Example:
        with session("local[2]", {"spark.executor.memory": "2g"}) as spark:
            resolve(spark.read.parquet("articles"), key_column="id").write.parquet("clusters")
    """
    chosen = {}
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit has already set its options
        chosen = {"spark.app.name": "coref_tf", "spark.ui.showConsoleProgress": "false"}
        chosen["spark.log.level"] = "FATAL"  # errors are reported in one line
        chosen |= {f"spark.{part}.extraJavaOptions": _LIGHT_JAVA for part in ("driver", "executor")}
        if (master or "local").startswith("local"):
            # Workers are processes on this machine, with the same Python and package.
            chosen["spark.pyspark.python"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
            chosen["spark.executorEnv.PYTHONPATH"] = str(ROOT)
    chosen |= {"spark.master": master} if master else {}
    chosen |= properties or {}
    if "spark.pyspark.python" in chosen:
        os.environ["PYSPARK_PYTHON"] = chosen["spark.pyspark.python"]  # where PySpark looks
    return SparkSession.builder.config(map=chosen).getOrCreate()


@contextlib.contextmanager
def watching(context: SparkContext, documents: int, words: int) -> Iterator[list[Accumulator]]:
    """Reports progress on stderr during the block; yields the accumulators that the tasks count with.

    A task counts when it has ended; one that is repeated may count twice, so the numbers are only approximate.

    Args:
        context: the context of the job.
        documents: the number of documents to resolve.
        words: their number of words.
    """
    counters = [context.accumulator(0), context.accumulator(0)]
    ended, terminal, began = threading.Event(), sys.stderr.isatty(), time.monotonic()

    def line() -> str:
        seconds = max(time.monotonic() - began, 1e-9)
        done = counters[1].value
        share = f"{counters[0].value:,} of {documents:,} documents, {done:,} of about {words:,} words"
        return f"{share}, {done / seconds:,.0f} words/s"

    def watch() -> None:
        while not ended.wait(_SECONDS[terminal]):
            print(
                f"\r{line()}" if terminal else line(),
                end="" if terminal else "\n",
                file=sys.stderr,
                flush=True,
            )

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield counters
    finally:
        ended.set()
        thread.join()
    print(f"\r{line()}" if terminal else line(), file=sys.stderr)

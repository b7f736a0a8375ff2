"""A corpus through a model, as a job of Spark's: what `coref spark` runs. Read it, copy it, change it."""

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
from pyspark.sql import functions as F  # noqa: N812, as all that use Spark call it

from coref_tf.integrations.spark import resolve
from coref_tf.integrations.spark_inputs import Corpus
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

# A document of more words than a task is to have is a task of its own, and among the first.
WORDS_PER_TASK = 50_000
LEAST_PER_TASK = 2000
# Tasks for each core at least, so that none waits long for the last.
TASKS_PER_CORE = 4
# What is done is safe once so many words for each core are: some ten minutes.
WORDS_PER_COMMIT = 2_000_000

# Python does the work, and Java little: to compile that to the utmost takes a worker longer than it saves.
_LIGHT_JAVA = "-XX:TieredStopAtLevel=1"

_SECONDS = {True: 1.0, False: 30.0}  # between two lines of progress, on a terminal and elsewhere

_NO_MARK = "mapreduce.fileoutputcommitter.marksuccessfuljobs"


class Job(NamedTuple):
    """What is to be done.

    Args:
        corpus: the documents.
        output: the folder to write.
        format: parquet or json.
        options: of `resolve`.
        partition_by: columns whose values make folders of the output.
        resume: whether keys that the output has already are left out.
        words_per_commit: how many words become safe at a time; None for WORDS_PER_COMMIT for each core.
    """

    corpus: Corpus
    output: str
    format: str
    options: dict
    partition_by: tuple[str, ...] = ()
    resume: bool = False
    words_per_commit: int | None = None


class Count(NamedTuple):
    """How much there is of something."""

    documents: int
    keys: int
    words: int

    def __str__(self) -> str:
        return f"{self.documents:,} documents with {self.keys:,} keys, {self.words:,} words"


def run(spark: SparkSession, job: Job) -> str:
    """Resolves what is left to do, checks that all came out that went in, and says so."""
    key, documents = job.corpus.key, job.corpus.documents
    begun = has_output(spark, job.output)
    if begun and not job.resume:
        raise CorefError(f"{job.output}: is there already; --resume goes on with it, or name another output")
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
        raise CorefError("there is no document in the input; expected some")
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
    """The documents in parts that are written one after the other, with how many documents and words each has.

    What a part has written is there as a whole or not at all; all rows of a key are in one part.
    """
    whole = documents.agg(F.count("*"), F.coalesce(F.sum("words"), F.lit(0))).first()
    parts = max(1, math.ceil(whole[1] / words_per_wave))
    if parts == 1:
        return [(documents, *whole)] if whole[0] else []
    part = F.pmod(F.xxhash64(F.lit("wave"), F.col(key)), F.lit(parts))
    counts = documents.groupBy(part.alias("part")).agg(F.count("*"), F.sum("words")).orderBy("part")
    return [(documents.where(part == number), count, words) for number, count, words in counts.collect()]


def partition_by_words(documents: DataFrame, key: str, words: int, cores: int) -> DataFrame:
    """The same rows in partitions of about as many words; long documents come first, each by itself.

    Spark begins with the first partitions, so that no book is still waiting when all else is done.
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
    """What came out, if it is all that went in."""
    key, documents = job.corpus.key, job.corpus.documents
    keys = documents.select(key).distinct()
    out = written(spark, job).join(keys, key, "left_semi")
    (before, _), (after, errors) = count(documents.withColumn("error", F.lit(None)), key), count(out, key)
    if before != after:
        raise CorefError(f"{job.output}: {before} went in, {after} came out; run it again into a new output")
    failed = f"; {errors:,} could not be resolved, and their rows say why" if errors else ""
    return f"{before} in and out{failed}"


def count(documents: DataFrame, key: str) -> tuple[Count, int]:
    """Documents, keys and words of a frame; and how many of the documents have an error."""
    words = F.coalesce(F.sum("words"), F.lit(0))
    *counts, errors = documents.agg(F.count("*"), F.count_distinct(key), words, F.count("error")).first()
    return Count(*counts), errors


def written(spark: SparkSession, job: Job) -> DataFrame:
    """The key, words and error of what the output has."""
    types = job.corpus.documents.select(job.corpus.key, "words", F.lit("").alias("error")).schema
    return spark.read.schema(types).format(job.format).load(job.output)


def has_output(spark: SparkSession, path: str) -> bool:
    """Whether a folder holds what a job wrote, on whatever storage it is; what a failed one leaves is empty."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)
    storage = place.getFileSystem(spark._jsc.hadoopConfiguration())
    names = [file.getPath().getName() for file in storage.listStatus(place)] if storage.exists(place) else []
    return any(not name.startswith(("_", ".")) for name in names)


def session(master: str | None = None, properties: Mapping[str, str] | None = None) -> SparkSession:
    """The session, unless told otherwise on this machine.

    Args:
        master: the cluster's address, such as spark://host:7077.
        properties: of Spark's, which go before what is chosen here.

    Example:
        with session("local[2]", {"spark.executor.memory": "2g"}) as spark:
            resolve(spark.read.parquet("articles"), key_column="id").write.parquet("clusters")
    """
    chosen = {}
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit has set all that it was told
        chosen = {"spark.app.name": "coref_tf", "spark.ui.showConsoleProgress": "false"}
        chosen["spark.log.level"] = "FATAL"  # what failed is told in one line
        chosen |= {f"spark.{part}.extraJavaOptions": _LIGHT_JAVA for part in ("driver", "executor")}
        if (master or "local").startswith("local"):
            # Workers are processes of this machine: the same Python, the same package.
            chosen["spark.pyspark.python"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
            chosen["spark.executorEnv.PYTHONPATH"] = str(ROOT)
    chosen |= {"spark.master": master} if master else {}
    chosen |= properties or {}
    if "spark.pyspark.python" in chosen:
        os.environ["PYSPARK_PYTHON"] = chosen["spark.pyspark.python"]  # where PySpark looks
    return SparkSession.builder.config(map=chosen).getOrCreate()


@contextlib.contextmanager
def watching(context: SparkContext, documents: int, words: int) -> Iterator[list[Accumulator]]:
    """While entered, says on stderr how much is done; gives what the tasks count it with.

    A task counts when it has ended; one that is run again may count twice, so that this is for watching alone.

    Args:
        context: of the job.
        documents: how many there are to do.
        words: how many these have.
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

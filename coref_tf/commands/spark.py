"""Resolves a corpus with Apache Spark, on all cores of this machine or on a cluster.

coref spark articles.parquet clusters --key id --model best
coref spark 'texts/*.txt' clusters --master spark://host:7077 --model exported --ship
coref spark archive.jsonlines clusters --resume                 goes on after the documents that are there

INPUT is text, one document a file, jsonlines or Parquet: a file, folder or pattern, on any storage that Spark reads.
OUTPUT is a folder. A document that can't be resolved has a row that says why. docs/cluster.md tells more;
`spark-submit` runs the same.
"""

import argparse
import re
from typing import TYPE_CHECKING

from coref_tf.commands.options import add_max_memory, add_min_probability
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import java, require_extra
from coref_tf.support.resources import DEFAULT_MODEL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add("input", metavar="INPUT", help="documents: .txt, .jsonlines or .parquet")
    add("output", metavar="OUTPUT", help="the folder to write; what it has is never overwritten")
    add("--master", metavar="URL", help="the cluster, such as spark://host:7077; unless told, this machine")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="a property of Spark's")
    add(
        "--model",
        default=DEFAULT_MODEL,
        metavar="NAME",
        help=f"a model, checkpoint or export ({DEFAULT_MODEL})",
    )
    add("--ship", action="store_true", help="send the model with the job, to workers that don't see it")
    add("--input-format", choices=["text", "jsonlines", "parquet"], help="where the ending doesn't tell")
    add("--format", choices=["parquet", "json"], default="parquet", help="what to write (parquet)")
    add("--key", default="key", metavar="COLUMN", help="of Parquet: what tells documents apart (key)")
    add("--text-column", default="text", metavar="COLUMN", help="of Parquet: the texts (text)")
    add("--partition-by", action="append", default=[], metavar="COLUMN", help="a folder for each value of it")
    add("--genre", help="of documents that don't say theirs, such as nw for news")
    add("--resolved", action="store_true", help="write the texts with their pronouns replaced, too")
    add("--keep", action="store_true", help="write what the model read, too")
    add("--max-words", type=_count, metavar="N", help="a document with more has an error in its row")
    add_max_memory(parser)
    add_min_probability(parser)
    add("--resume", action="store_true", help="leave out documents whose keys OUTPUT has")
    add("--words-per-commit", type=_count, metavar="N", help="make so many safe at a time (2,000,000 a core)")


def run(arguments: argparse.Namespace) -> None:
    """Runs the job."""
    require_extra("spark", "coref spark")
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from coref_tf.integrations.spark import model_for_workers
    from coref_tf.integrations.spark_inputs import format_of
    from coref_tf.integrations.spark_job import session

    form = arguments.input_format or format_of(arguments.input)
    arguments.model = model_for_workers(arguments.model)
    if not java():
        raise CorefError("Spark needs Java, and there is none; install Java 17 or later, or set JAVA_HOME")
    try:
        with session(arguments.master, properties(arguments.set)) as spark:
            print(resolve_corpus(spark, form, arguments))
    except (PySparkException, Py4JError) as error:
        raise CorefError(reason(str(error))) from None


def properties(words: list[str]) -> dict[str, str]:
    """What --set says."""
    said = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise CorefError(f"--set {word}: expected KEY=VALUE, such as spark.executor.memory=4g")
        said[name.strip()] = value.strip()
    return said


def resolve_corpus(spark: "SparkSession", form: str, arguments: argparse.Namespace) -> str:
    """Reads, resolves and writes; what came of it."""
    from coref_tf.integrations.spark import ship
    from coref_tf.integrations.spark_inputs import read_corpus
    from coref_tf.integrations.spark_job import Job, run

    model = ship(spark.sparkContext, arguments.model) if arguments.ship else arguments.model
    corpus = read_corpus(
        spark, arguments.input, form, arguments.key, arguments.text_column, keep=arguments.keep
    )
    options = corpus.options | {
        "model": model,
        "threshold": arguments.min_probability,
        "genre": arguments.genre,
        "resolved": arguments.resolved,
        "max_words": arguments.max_words,
        "max_memory": arguments.max_memory,
    }
    job = Job(
        corpus,
        arguments.output,
        arguments.format,
        options,
        tuple(arguments.partition_by),
        arguments.resume,
        arguments.words_per_commit,
    )
    return f"{arguments.output}: {run(spark, job)}"


def reason(message: str) -> str:
    """What a user can mend, of all that Spark says: what a worker said, or else the first line."""
    said = re.findall(r"CorefError: (.+)", message) or re.findall(r"(ModuleNotFoundError: .+)", message)
    return said[0] if said else message.strip().splitlines()[0]


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1. Received: {text!r}")
    return int(text)

"""Resolves a corpus with Apache Spark, on all cores of this machine or on a cluster.

coref spark articles.parquet clusters --key id --model best
coref spark 'texts/*.txt' clusters --master spark://host:7077 --model exported --ship
coref spark archive.jsonlines clusters --resume                 skips documents that are already in the output

INPUT is a file, folder or pattern that Spark can read: text (one document per file), jsonlines or Parquet. OUTPUT is a
folder. A document that cannot be resolved gets a row with the error. See docs/cluster.md, also for `spark-submit`.
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
    """Adds the arguments of the command."""
    add = parser.add_argument
    add("input", metavar="INPUT", help="documents: .txt, .jsonlines or .parquet")
    add("output", metavar="OUTPUT", help="the output folder; existing files are never overwritten")
    add("--master", metavar="URL", help="the cluster, such as spark://host:7077 (default: this machine)")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="a Spark property; can be repeated")
    add(
        "--model",
        default=DEFAULT_MODEL,
        metavar="NAME",
        help=f"a model, checkpoint or export (default: {DEFAULT_MODEL})",
    )
    add(
        "--ship", action="store_true", help="send the model with the job, if the workers cannot read its path"
    )
    add(
        "--input-format",
        choices=["text", "jsonlines", "parquet"],
        help="the input format, if the file extension does not determine it",
    )
    add(
        "--format",
        choices=["parquet", "json"],
        default="parquet",
        help="the output format (default: parquet)",
    )
    add(
        "--key",
        default="key",
        metavar="COLUMN",
        help="the Parquet column that identifies documents (default: key)",
    )
    add(
        "--text-column",
        default="text",
        metavar="COLUMN",
        help="the Parquet column with the texts (default: text)",
    )
    add(
        "--partition-by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="write one folder per value of this column",
    )
    add("--genre", help="the genre of documents without one, such as nw for news")
    add("--resolved", action="store_true", help="also write the texts with their pronouns replaced")
    add("--keep", action="store_true", help="also write the columns that the model reads")
    add(
        "--max-words",
        type=_count,
        metavar="N",
        help="word limit of a document; a longer one gets an error in its row",
    )
    add_max_memory(parser)
    add_min_probability(parser)
    add("--resume", action="store_true", help="skip documents whose keys are in OUTPUT")
    add(
        "--words-per-commit",
        type=_count,
        metavar="N",
        help="words per atomic commit (default: 2,000,000 per core)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Runs the job."""
    require_extra("spark", "`coref spark`")
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from coref_tf.integrations.spark import model_for_workers
    from coref_tf.integrations.spark_inputs import format_of
    from coref_tf.integrations.spark_job import session

    form = arguments.input_format or format_of(arguments.input)
    arguments.model = model_for_workers(arguments.model)
    if not java():
        raise CorefError("Spark needs Java, which was not found; install Java 17 or later, or set JAVA_HOME")
    try:
        with session(arguments.master, properties(arguments.set)) as spark:
            print(resolve_corpus(spark, form, arguments))
    except (PySparkException, Py4JError) as error:
        raise CorefError(reason(str(error))) from None


def properties(words: list[str]) -> dict[str, str]:
    """Parses the Spark properties of --set."""
    parsed = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise CorefError(f"--set {word}: expected KEY=VALUE, such as spark.executor.memory=4g")
        parsed[name.strip()] = value.strip()
    return parsed


def resolve_corpus(spark: "SparkSession", form: str, arguments: argparse.Namespace) -> str:
    """Reads, resolves and writes the corpus; returns a summary."""
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
    """Extracts the part of a Spark error that a user can act on: a worker's message, or else the first line."""
    reasons = re.findall(r"CorefError: (.+)", message) or re.findall(r"(ModuleNotFoundError: .+)", message)
    return reasons[0] if reasons else message.strip().splitlines()[0]


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a positive integer. Received: {text!r}")
    return int(text)

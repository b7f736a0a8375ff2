"""Corpora as Spark DataFrames: a key, the model inputs, and the number of words."""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812, the usual name of this module

from coref_tf.support.errors import CorefError

# By the extension, which .gz may follow, except for Parquet.
ENDINGS = {"text": (".txt",), "jsonlines": (".jsonlines", ".jsonl"), "parquet": (".parquet",)}
_SOURCES = ("tokens", "speakers")


class Corpus(NamedTuple):
    """Documents to resolve.

    Args:
        documents: a DataFrame with one row per document: a key, `words`, sources, and any other columns.
        key: the column of keys.
        sources: the columns that the model reads, which the output does not need.
        options: the options of `resolve` that describe these columns.
    """

    documents: DataFrame
    key: str
    sources: tuple[str, ...]
    options: dict[str, str]


def format_of(path: str) -> str:
    """Returns the format of an input, by its name."""
    bare = path.rstrip("/").lower().removesuffix(".gz")
    for name, endings in ENDINGS.items():
        if bare.endswith(endings):
            return name
    known = ", ".join(ending for endings in ENDINGS.values() for ending in endings)
    raise CorefError(
        f"{path}: the file extension does not determine the format; expected one of {known}, or --input-format"
    )


def read_corpus(
    spark: SparkSession, path: str, form: str, key: str = "key", text_column: str = "text", keep: bool = False
) -> Corpus:
    """Reads the documents of files, folders or patterns from any storage that Spark can read.

    Args:
        spark: the session.
        path: the path to read.
        form: text, with one document per file, whose key is its path; jsonlines, whose key is the doc_key; or parquet.
        key: the column of keys, in Parquet.
        text_column: the column of texts, in Parquet.
        keep: whether the output includes the columns that the model reads.
    """
    if form == "parquet":
        return _parquet(spark.read.parquet(path), path, key, text_column, keep)
    if form == "text":
        files = spark.read.option("recursiveFileLookup", "true").text(path, wholetext=True)
        # A byte order mark is not part of a text.
        text = F.when(F.col("value").startswith("\ufeff"), F.expr("substring(value, 2)")).otherwise(
            F.col("value")
        )
        frame = files.select(F.col("_metadata.file_path").alias("key"), text.alias("text"))
        frame = frame.withColumn("words", words_of_text(F.col("text")))
        return Corpus(frame, "key", () if keep else ("text",), {"text_column": "text"})
    lines = spark.read.text(path, lineSep="\n").where(F.trim("value") != "")
    # The key of a line without one is derived from its content, so that it is always the same.
    named = F.coalesce(F.get_json_object("value", "$.doc_key"), F.concat(F.lit("line "), F.sha1("value")))
    parsed = F.from_json("value", "text string, sentences array<array<string>>")
    words = F.coalesce(F.size(F.flatten(parsed["sentences"])), words_of_text(parsed["text"]), F.lit(0))
    frame = lines.select(
        named.alias("key"), F.col("value").alias("record"), words.cast("bigint").alias("words")
    )
    return Corpus(frame, "key", () if keep else ("record",), {"record_column": "record"})


def _parquet(frame: DataFrame, path: str, key: str, text_column: str, keep: bool) -> Corpus:
    for column in (key, *([] if "tokens" in frame.columns else [text_column])):
        if column not in frame.columns:
            raise CorefError(f"{path}: no column {column}; expected one of {', '.join(frame.columns)}")
    if "words" in frame.columns:
        raise CorefError(f"{path}: a column words already exists; rename it")
    if frame.where(F.col(key).isNull()).limit(1).count():
        raise CorefError(f"{path}: some rows have no {key}; expected one for each document")
    texts = [words_of_text(F.col(text_column))] if text_column in frame.columns else []
    tokens = [F.size(F.flatten("tokens"))] if "tokens" in frame.columns else []
    words = F.coalesce(*tokens, *texts, F.lit(0)).cast("bigint")
    sources = tuple(name for name in frame.columns if name in {text_column, *_SOURCES})
    return Corpus(
        frame.withColumn("words", words), key, () if keep else sources, {"text_column": text_column}
    )


def words_of_text(text: Column) -> Column:
    """Returns the approximate number of words, separated by blanks, to balance the work and to check for losses."""
    trimmed = F.trim(F.regexp_replace(text.cast("string"), r"\s+", " "))
    count = F.when(trimmed == "", 0).otherwise(F.size(F.split(trimmed, " ")))
    return F.when(text.isNotNull(), count).cast("bigint")

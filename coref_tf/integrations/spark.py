"""Coreference resolution with Apache Spark, from a column of texts to a column of clusters.

    from coref_tf.integrations.spark import resolve

    resolve(spark.read.parquet("articles"), key_column="id").write.parquet("clusters")

docs/cluster.md describes how to run it on a laptop and on a cluster.
"""

import functools
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark import SparkContext
from pyspark.accumulators import Accumulator
from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, DoubleType, IntegerType, StringType, StructType

from coref_tf import __version__
from coref_tf.integrations.spark_worker import SHIPPED, resolve_batches
from coref_tf.models.calibration import check_probability
from coref_tf.models.open_model import find_model
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import DEFAULT_MODEL

_MENTION = StructType().add("text", StringType()).add("begin", IntegerType()).add("end", IntegerType())
_CLUSTERS = ArrayType(ArrayType(_MENTION.add("probability", DoubleType())))
_WORDS = "array<array<string>>"
# The allowed types of a column, by its role.
_TYPES = {
    "text": ("string", "binary"),
    "record": ("string", "binary"),
    "tokens": (_WORDS,),
    "speakers": (_WORDS,),
    "genre": ("string",),
}


def resolve(
    df: DataFrame,
    text_column: str = "text",
    key_column: str | None = None,
    model: str | os.PathLike = DEFAULT_MODEL,
    threshold: float = 0.0,
    *,
    tokens_column: str = "tokens",
    speakers_column: str = "speakers",
    genre_column: str = "genre",
    record_column: str | None = None,
    genre: str | None = None,
    resolved: bool = False,
    max_words: int | None = None,
    max_memory: int | None = None,
    drop: Sequence[str] = (),
    counters: Sequence[Accumulator] = (),
) -> DataFrame:
    """Returns the DataFrame with the clusters of each document; evaluated lazily.

    `clusters` is an array of arrays of structs: `text`, the character offsets `begin` and `end`, so that
    `text[begin:end]` is the mention, and `probability`. For documents given as words, `begin` and `end` are the first
    and the last word. If a document cannot be resolved, `error` is the reason and it has no clusters; otherwise,
    `error` is null.

    Args:
        df: a DataFrame with one document per row.
        text_column: the column of texts, strings or bytes in UTF-8.
        key_column: the column that identifies a document in messages.
        model: any model that `coref_tf.load` accepts; the result of `ship`; or an absolute path that only the workers
            can read.
        threshold: links with a lower probability are removed; 0 keeps all.
        tokens_column: the words of each sentence, if there is such a column; takes precedence over the text.
        speakers_column: the speaker of each word, if there is such a column.
        genre_column: the genre, such as "nw" for news, if there is such a column.
        record_column: a column of jsonlines records, instead of all of these.
        genre: the genre of documents without one; by default, the model's default genre.
        resolved: whether to add a column `resolved` with the texts with their pronouns replaced.
        max_words: a document with more words gets an error in its row.
        max_memory: the memory limit of a worker process, in bytes; a document that may need more gets an error in its
            row.
        drop: columns to remove from the result.
        counters: accumulators of documents and words, to report progress.

    Example:
        found = resolve(spark.createDataFrame([("a", "Ana said she was late.")], "key string, text string"))
        found.first().clusters                  # [[Row(text="Ana", begin=0, end=3, ...), Row(text="she", ...)]]
    """
    names = {"text": text_column, "tokens": tokens_column, "speakers": speakers_column, "genre": genre_column}
    columns = _choose_columns(df.schema, names, record_column, key_column)
    settings = {
        "version": __version__,
        "model": model_for_workers(model),
        "threshold": check_probability(threshold),
        "columns": columns,
        "genre": genre,
        "resolved": resolved,
        "max_words": max_words,
        "max_memory": max_memory,
        "drop": list(drop),
        "counters": list(counters),
    }
    return df.mapInArrow(functools.partial(resolve_batches, settings), _schema(df.schema, drop, resolved))


def ship(context: SparkContext, model: str | os.PathLike) -> str:
    """Sends a model with the job, for workers that cannot read its path; returns the model argument of `resolve`.

    Args:
        context: the context of the job, `spark.sparkContext`.
        model: an experiment, a checkpoint or an export. A checkpoint needs its word vectors on the workers, where those
            in the package are available; an export contains everything it needs.

    Example:
        resolve(df, model=ship(spark.sparkContext, "exported"))
    """
    path = Path(model_for_workers(model))
    if not path.exists():
        raise CorefError(f"{path}: no such checkpoint or export; expected a model to send to the workers")
    if path.is_file():
        context.addFile(str(path))
        return f"{SHIPPED}{path.name}"
    # Spark does not send folders, but unpacks archives on the workers.
    folder = tempfile.mkdtemp(prefix="coref_tf-")
    archive = shutil.make_archive(os.path.join(folder, path.name), "zip", path)
    context.addArchive(f"{archive}#{path.name}")
    return f"{SHIPPED}{path.name}"


def model_for_workers(model: str | os.PathLike) -> str:
    """Returns a model argument that is valid on workers, whose working directory and experiments file may differ.

    This is the absolute path of a checkpoint or export. A model that was sent with the job keeps its name.
    """
    name = os.fspath(model)
    if name.startswith(SHIPPED) or os.path.isabs(name):
        return name
    path, _ = find_model(model)
    if not path.exists():
        raise CorefError(f"{path}: no such checkpoint; run `coref train {name}`, or choose another model")
    return str(path.resolve())


def _choose_columns(
    schema: StructType, names: Mapping[str, str], record: str | None, key: str | None
) -> dict[str, str]:
    """Returns the columns to read, by role: those of `names` that exist, or the column of records, and the key."""
    columns = {role: name for role, name in names.items() if name in schema.names}
    if record:
        columns = {"record": record}
    elif not {"text", "tokens"} & set(columns):
        wanted = f"{names['text']} or {names['tokens']}"
        raise CorefError(f"no column {wanted}; expected one of {', '.join(schema.names)}")
    if key is not None:
        columns["key"] = key
    for role, name in columns.items():
        if name not in schema.names:
            raise CorefError(f"no column {name}; expected one of {', '.join(schema.names)}")
        kind = schema[name].dataType.simpleString()
        if role in _TYPES and kind not in _TYPES[role]:
            raise CorefError(f"column {name} is {kind}; expected {' or '.join(_TYPES[role])} for the {role}")
    return columns


def _schema(schema: StructType, drop: Sequence[str], resolved: bool) -> StructType:
    kept = StructType([field for field in schema.fields if field.name not in drop])
    gained = {"clusters": _CLUSTERS} | ({"resolved": StringType()} if resolved else {})
    for name, kind in (gained | {"error": StringType()}).items():
        if name in kept.names:
            raise CorefError(f"a column {name} already exists; rename it, or drop it")
        kept = kept.add(name, kind)
    return kept

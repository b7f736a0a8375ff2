"""Coreference with Apache Spark: a column of texts in, a column of clusters out.

    from coref_tf.integrations.spark import resolve

    resolve(spark.read.parquet("articles"), key_column="id").write.parquet("clusters")

docs/cluster.md says how to run it on a laptop and on a cluster.
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
# What a column may be, by what it is for.
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
    """The frame with the clusters of each document; as lazy as any of Spark's.

    `clusters` is an array of arrays of structs: `text`, `begin` and `end` of characters, `text[begin:end]`, and
    `probability`; of documents given as words, `begin` and `end` are the first and the last word. `error` says why a
    document could not be resolved, and has no clusters then; otherwise it is null.

    Args:
        df: a document a row.
        text_column: of texts, strings or bytes in UTF-8.
        key_column: what messages call a document by.
        model: as `coref_tf.load` takes it; what `ship` returns; or an absolute path that only the workers know.
        threshold: links that are less probable are taken away; 0 leaves all.
        tokens_column: where there is one, the words of each sentence, which a text gives way to.
        speakers_column: where there is one, who says each word.
        genre_column: where there is one, such as "nw" for news.
        record_column: lines of jsonlines, in the place of all these.
        genre: of documents that don't say theirs; unless told, the model's default.
        resolved: whether a column `resolved` has the texts with their pronouns replaced.
        max_words: a document with more of them is an error of its row.
        max_memory: how many bytes a worker process may have; a document that may need more is an error of its row.
        drop: columns that don't come back.
        counters: accumulators of documents and of words, for watching.

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
    """Sends a model with the job, to workers that don't see where it is; gives what `resolve` takes for it.

    Args:
        context: of the job, `spark.sparkContext`.
        model: an experiment, a checkpoint or an export. A checkpoint needs its word vectors where the workers are:
            those that come with the package are; an export has all that it needs.

    Example:
        resolve(df, model=ship(spark.sparkContext, "exported"))
    """
    path = Path(model_for_workers(model))
    if not path.exists():
        raise CorefError(f"{path}: no such checkpoint or export; expected a model to be sent to the workers")
    if path.is_file():
        context.addFile(str(path))
        return f"{SHIPPED}{path.name}"
    # Spark sends no folders; it takes the archive of one apart where it comes to.
    folder = tempfile.mkdtemp(prefix="coref_tf-")
    archive = shutil.make_archive(os.path.join(folder, path.name), "zip", path)
    context.addArchive(f"{archive}#{path.name}")
    return f"{SHIPPED}{path.name}"


def model_for_workers(model: str | os.PathLike) -> str:
    """What a model is called where neither the working directory nor the experiments file is the driver's: the absolute
    path of a checkpoint or export; what was sent with the job stays as it is.
    """
    name = os.fspath(model)
    if name.startswith(SHIPPED) or os.path.isabs(name):
        return name
    path, _ = find_model(model)
    if not path.exists():
        raise CorefError(f"{path}: no such checkpoint; `coref train {name}` makes it, or name another model")
    return str(path.resolve())


def _choose_columns(
    schema: StructType, names: Mapping[str, str], record: str | None, key: str | None
) -> dict[str, str]:
    """The columns that are read, by what they are for: those of `names` that exist, or that of records; and the key."""
    columns = {role: name for role, name in names.items() if name in schema.names}
    if record:
        columns = {"record": record}
    elif not {"text", "tokens"} & set(columns):
        wanted = f"{names['text']} or {names['tokens']}"
        raise CorefError(f"no column {wanted}; expected one of {', '.join(schema.names)} to be named")
    if key is not None:
        columns["key"] = key
    for role, name in columns.items():
        if name not in schema.names:
            raise CorefError(f"no column {name}; expected one of {', '.join(schema.names)} to be named")
        kind = schema[name].dataType.simpleString()
        if role in _TYPES and kind not in _TYPES[role]:
            raise CorefError(f"column {name} is {kind}; expected {' or '.join(_TYPES[role])} for the {role}")
    return columns


def _schema(schema: StructType, drop: Sequence[str], resolved: bool) -> StructType:
    kept = StructType([field for field in schema.fields if field.name not in drop])
    gained = {"clusters": _CLUSTERS} | ({"resolved": StringType()} if resolved else {})
    for name, kind in (gained | {"error": StringType()}).items():
        if name in kept.names:
            raise CorefError(f"there is a column {name} already; rename it, or drop it")
        kept = kept.add(name, kind)
    return kept

"""The work of a Spark worker process on the documents of its partitions.

The driver refers to `resolve_batches` by name and passes plain values, so that a worker with another version of this
package can report it.
"""

import functools
import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles, TaskContext

from coref_tf import __version__
from coref_tf.api.loading import load
from coref_tf.api.resolver import Resolver
from coref_tf.api.result import Mention, Result
from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.jsonlines import parse_record
from coref_tf.support.errors import CorefError

SHIPPED = "shipped:"  # the prefix of a model that was sent with the job
WORDS_PER_BATCH = 20_000

CLUSTERS = pa.list_(
    pa.list_(
        pa.struct(
            [
                ("text", pa.string()),
                ("begin", pa.int32()),
                ("end", pa.int32()),
                ("probability", pa.float64()),
            ]
        )
    )
)


def resolve_batches(settings: dict[str, Any], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a partition with the results, in order.

    Args:
        settings: the arguments of `coref_tf.integrations.spark.resolve`, and the driver's version.
        batches: the batches from Spark, of a few thousand rows or 64 MB.
    """
    check_version(settings["version"])
    for batch in batches:
        resolver = loaded(settings["model"], settings["threshold"], settings["max_memory"], task_cores())
        for first, documents in group_by_words(read_rows(batch, settings, resolver)):
            results = resolve_all(resolver, documents)
            for counter, count in zip(
                settings["counters"], (len(results), num_words(documents)), strict=False
            ):
                counter.add(count)
            yield with_results(batch.slice(first, len(results)), results, settings)


def check_version(driver: str) -> None:
    """Raises an error if the driver has another version of this package."""
    if driver != __version__:
        raise CorefError(
            f"the worker on {socket.gethostname()} has coref_tf {__version__}, but the driver has {driver}; install the"
            " same version on both"
        )


def task_cores() -> int:
    """Returns the number of cores that Spark assigned to the task, spark.task.cpus."""
    task = TaskContext.get()
    return task.cpus() if task else len(os.sched_getaffinity(0))


@functools.lru_cache(maxsize=1)
def loaded(model: str, threshold: float, max_memory: int | None, cores: int) -> Resolver:
    """Loads the model, which stays in this process for later tasks."""
    if model.startswith(SHIPPED):
        name = model.removeprefix(SHIPPED)
        model = SparkFiles.get(name)
        if not os.path.exists(model):
            raise CorefError(
                f"{name}: was not sent with the job to {socket.gethostname()}; expected a model sent by ship(), --files"
                " or --archives"
            )
    # An absolute path cannot be mistaken for the name of an experiment.
    return load(model, max_memory=max_memory, min_probability=threshold, cores=cores)


def read_rows(
    batch: pa.RecordBatch, settings: dict[str, Any], resolver: Resolver
) -> Iterator[Document | CorefError]:
    """Yields the document of each row, or the reason why there is none."""
    columns = {role: _bytes(batch.column(name)) for role, name in settings["columns"].items()}
    for number in range(batch.num_rows):
        try:
            row = {role: column[number].as_py() for role, column in columns.items()}
            document = (
                _from_record(row, settings, resolver)
                if "record" in row
                else _from_row(row, settings, resolver)
            )
            most = settings["max_words"]
            if most is not None and document.num_words > most:
                raise CorefError(
                    f"{document.num_words:,} words; expected at most {most:,}, or a larger max_words"
                )
            yield document
        except CorefError as error:
            yield error
        except UnicodeDecodeError as error:
            wrong = error.object[error.start : error.end]
            yield CorefError(f"byte {error.start + 1}, {wrong!r}, is not UTF-8; expected UTF-8 text")


def _bytes(column: pa.Array) -> pa.Array:
    """Returns strings as bytes, because Spark does not check that they are UTF-8."""
    return column.cast(pa.large_binary()) if pa.types.is_string(column.type) else column


def _from_record(row: dict[str, Any], settings: dict[str, Any], resolver: Resolver) -> Document:
    """Returns the document of a jsonlines record, as `coref predict` reads it."""
    reading = Reading(allow_empty=True, genre=settings["genre"], language=resolver.language)
    document, clusters = parse_record(row["record"].decode(), reading)
    return document.with_clusters(clusters)


def _from_row(row: dict[str, Any], settings: dict[str, Any], resolver: Resolver) -> Document:
    """Returns the document of a row with words or a text."""
    genre = row["genre"].decode() if row.get("genre") else settings["genre"]
    key = row.get("key")
    name = "text" if key is None else key.decode() if isinstance(key, bytes) else str(key)
    if row.get("tokens") is not None:
        speakers = None if row.get("speakers") is None else _nested(row["speakers"], "speakers")
        return resolver.document(_nested(row["tokens"], "tokens"), speakers, genre, name=name)
    if row.get("text") is None:
        raise CorefError("the row has neither text nor tokens; expected one of them")
    return resolver.document(row["text"].decode(), genre=genre, name=name)


def _nested(rows: Sequence[Sequence[str] | None], name: str) -> list[Sequence[str]]:
    """Returns the rows; raises an error if one of them is null."""
    nested = [row for row in rows if row is not None]
    if len(nested) < len(rows):
        raise CorefError(f"{name} of sentence {rows.index(None)} are null; expected a list of strings")
    return nested


def group_by_words(
    documents: Iterable[Document | CorefError], most: int = WORDS_PER_BATCH
) -> Iterator[tuple[int, list[Document | CorefError]]]:
    """Yields groups of documents of at most the given number of words, or one longer document; and each start index."""
    first, words = 0, 0
    group: list[Document | CorefError] = []
    for number, document in enumerate(documents):
        size = num_words([document])
        if group and words + size > most:
            yield first, group
            first, group, words = number, [], 0
        group.append(document)
        words += size
    if group:
        yield first, group


def num_words(documents: Iterable[Document | CorefError]) -> int:
    """Returns the total number of words."""
    return sum(document.num_words for document in documents if isinstance(document, Document))


def resolve_all(resolver: Resolver, documents: Sequence[Document | CorefError]) -> list[Result | CorefError]:
    """Resolves documents; returns the result or the error of each, in order.

    Documents that are errors already are returned as they are. An invalid document does not affect the others.
    """
    left = [document for document in documents if isinstance(document, Document)]
    results: list[Result | CorefError] = []
    try:
        for result in resolver.pipe(left):
            results.append(result)
    except CorefError:
        results += [_alone(resolver, document) for document in left[len(results) :]]
    found = iter(results)
    return [next(found) if isinstance(document, Document) else document for document in documents]


def _alone(resolver: Resolver, document: Document) -> Result | CorefError:
    try:
        return resolver(document)
    except CorefError as error:
        return error


def with_results(
    rows: pa.RecordBatch, results: Sequence[Result | CorefError], settings: dict[str, Any]
) -> pa.RecordBatch:
    """Returns the rows with the result columns."""
    kept = {name: rows.column(name) for name in rows.schema.names if name not in settings["drop"]}
    good = [result if isinstance(result, Result) else None for result in results]
    kept["clusters"] = pa.array(
        [[[_struct(mention) for mention in cluster] for cluster in result or ()] for result in good], CLUSTERS
    )
    if settings["resolved"]:
        kept["resolved"] = pa.array([result and result.resolved() for result in good], pa.string())
    errors = [None if isinstance(result, Result) else str(result) for result in results]
    kept["error"] = pa.array(errors, pa.string())
    return pa.RecordBatch.from_pydict(kept)


def _struct(mention: Mention) -> dict[str, Any]:
    """Returns a mention with its character offsets, or with its first and last word if there is no text."""
    in_text = mention.begin_char is not None
    begin, end = (mention.begin_char, mention.end_char) if in_text else (mention.start, mention.end)
    probability = None if mention.probability is None else round(mention.probability, 6)
    return {"text": mention.text, "begin": begin, "end": end, "probability": probability}

"""Reads and pairs key and response files like the official scorer, but with errors that give their location."""

import logging
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from coref_tf.documents.conll_blocks import read_blocks
from coref_tf.documents.rows import Row
from coref_tf.scoring.scorer import Clusters
from coref_tf.support.errors import InputError

_logger = logging.getLogger("coref_tf.scoring")

_WHOLE, _OPENING, _CLOSING = (re.compile(rule) for rule in (r"\(([0-9]+)\)", r"\(([0-9]+)", r"([0-9]+)\)"))
# Brackets without a `|` between them, as in the test cases of the official scorer.
_RUN_TOGETHER = re.compile(r"[0-9)]\(|\)[0-9]")


class _Part(NamedTuple):
    """The data needed to score one document, or one part of a document, in a file."""

    title: str
    line: int
    words: int
    clusters: list[list[tuple[int, int]]]


def read_pairs(
    key_path: str | os.PathLike, response_path: str | os.PathLike, allow_repeated: bool = False
) -> Iterator[tuple[str, Clusters, Clusters]]:
    """Yields the name, key clusters and response clusters of every document of the key, for `Scorer.add_all`.

    It is an error if the response lacks a document, has a different number of words, or has a mention in two clusters.
    Documents that only the response has are not scored; a warning reports them once.

    Example:
        scorer.add_all(read_pairs("dev.gold_conll", "dev.predicted_conll"))
    """
    key = _read(key_path, allow_repeated=True)
    response = _read(response_path, allow_repeated)
    for name, part in key.items():
        if name not in response:
            message = f"{part.title} is not in {response_path}; expected every document of the key there"
            raise InputError(key_path, part.line, message)
        answer = response[name]
        if answer.words != part.words:
            expected = f"expected {part.words}, as in {key_path}:{part.line}"
            message = f"{part.title} has {answer.words} words; {expected}"
            raise InputError(response_path, answer.line, message)
        yield name, part.clusters, answer.clusters
    surplus = [part for name, part in response.items() if name not in key]
    if surplus:
        first = f"{response_path}:{surplus[0].line}: {surplus[0].title}"
        _logger.warning("%s is not in %s; documents not scored: %d", first, key_path, len(surplus))


def _read(path: str | os.PathLike, allow_repeated: bool) -> dict[str, _Part]:
    parts: dict[str, _Part] = {}
    for block in read_blocks(path):
        name, title = f"{block.doc_key}_{block.part}", f"document ({block.doc_key}); part {block.part:03d}"
        if name in parts:
            message = f"{title} is repeated; it first occurs in line {parts[name].line}; expected it once"
            raise InputError(path, block.line, message)
        rows = block.rows
        clusters = _clusters([row.columns[-1] for row in rows])
        if not allow_repeated:
            _check_one_cluster(path, title, rows, clusters)
        parts[name] = _Part(title, block.line, len(rows), list(clusters.values()))
    return parts


def _clusters(labels: list[str]) -> dict[str, list[tuple[int, int]]]:
    """Returns the mentions in the coreference column, by cluster, in the order of the official scorer.

    On each word, the official scorer searches first for `(3)`, then for `(3`, then for `3)`, in any position. So it
    interprets mentions of one cluster that share a word, `(3 ... 3)|(3 ... 3)`, as nested: the inner one is that word.
    """
    clusters: dict[str, list[tuple[int, int]]] = {}
    opened: dict[str, list[int]] = {}
    for word, label in enumerate(labels):
        if label == "-":
            continue
        for cluster in _WHOLE.findall(label):
            clusters.setdefault(cluster, []).append((word, word))
        label = _WHOLE.sub("|", label)
        for cluster in _OPENING.findall(label):
            clusters.setdefault(cluster, [])
            opened.setdefault(cluster, []).append(word)
        for cluster in _CLOSING.findall(_OPENING.sub("|", label)):
            clusters[cluster].append((opened[cluster].pop(), word))
    return clusters


def _check_one_cluster(path: str | os.PathLike, title: str, rows: list[Row], clusters: dict) -> None:
    """Rejects a mention in two clusters, unless it is written as in the official test cases.

    Those cases contain such mentions, in brackets that no CoNLL-2012 file has, `(1(3`; they must be scored.
    """
    home: dict[tuple[int, int], str] = {}
    run_together = {word for word, row in enumerate(rows) if _RUN_TOGETHER.search(row.columns[-1])}
    for cluster, mentions in clusters.items():
        for start, end in mentions:
            first = home.setdefault((start, end), cluster)
            if first != cluster and end not in run_together:
                official = "--allow-repeated scores it like the official scorer, only in the first"
                message = f"mention ({start}, {end}) is in clusters {first} and {cluster}"
                raise InputError(
                    path, rows[start].line, f"{title}: {message}; expected one cluster ({official})"
                )

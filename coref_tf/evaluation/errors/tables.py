"""The error tables, of one model or of two side by side."""

from collections.abc import Mapping
from typing import Any

from coref_tf.evaluation.errors.corrections import ERROR_KINDS
from coref_tf.evaluation.errors.measure import ErrorCounts
from coref_tf.evaluation.errors.mention_kinds import KINDS
from coref_tf.support.table import Table

Models = Mapping[str, ErrorCounts]

_STEPS_NOTE = (
    "F1: the CoNLL average in percent after correcting this kind of error and all above; gain: the increase."
)


def error_tables(models: Models) -> list[Table]:
    """Returns tables of what each kind of error costs, of errors by kind of mention, and by genre."""
    return [_steps(models), _by_mention(models), *(_by_genre(name, c) for name, c in models.items())]


def _steps(models: Models) -> Table:
    """Returns the table of F1 after each correction, from that of the predicted clusters to 100."""
    rows: list[list[Any]] = [["as predicted"]]
    for counts in models.values():
        rows[0] += [None, 100 * counts.f1(), None]
    for number, kind in enumerate(ERROR_KINDS):
        row: list[Any] = [kind]
        for counts in models.values():
            row += [counts.count(kind), 100 * counts.f1(number + 1), f"{100 * counts.gain(kind):+.2f}"]
        rows.append(row)
    total: list[Any] = ["all"]
    for counts in models.values():
        errors = sum(counts.count(kind) for kind in ERROR_KINDS)
        whole = counts.f1(len(ERROR_KINDS))
        total += [errors, 100 * whole, f"{100 * (whole - counts.f1()):+.2f}"]
    columns = ["error", *_columns(models, ("errors", "F1", "gain"))]
    return Table("What each kind of error costs", columns, [*rows, total], _STEPS_NOTE, decimals=2)


def _by_mention(models: Models) -> Table:
    rows = [
        [kind, *(counts.count(kind, of_mention) for counts in models.values() for of_mention in KINDS)]
        for kind in ERROR_KINDS
    ]
    note = "An entity, or a part of one, counts as a name if it contains one, else as a nominal if it contains one."
    return Table("By kind of mention", ["error", *_columns(models, KINDS)], rows, note)


def _by_genre(name: str, counts: ErrorCounts) -> Table:
    columns = ["genre", "documents", "words", "F1", *ERROR_KINDS]
    rows = []
    for genre, own in {"all": counts, **counts.per_genre()}.items():
        words = sum(document.document.num_words for document in own.documents)
        rows.append(
            [genre, len(own.documents), words, 100 * own.f1(), *(own.count(kind) for kind in ERROR_KINDS)]
        )
    return Table(f"By genre: {name}", columns, rows, decimals=2)


def _columns(models: Models, names: tuple[str, ...]) -> list[str]:
    """Repeats the columns for each model, with its name if there are several."""
    if len(models) == 1:
        return list(names)
    return [f"{model}: {name}" for model in models for name in names]

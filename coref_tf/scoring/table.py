"""Formats scores as text tables, in percent."""

from collections.abc import Iterator, Mapping

from coref_tf.scoring.coref_scores import AVERAGE, MENTIONS, CorefScores
from coref_tf.scoring.intervals import Difference, Interval
from coref_tf.scoring.metrics import metric_table

_FIGURES = {"precision": "Prec.", "recall": "Rec.", "f1": "F1"}
_WIDTH = 7


def score_table(
    rows: Mapping[str, CorefScores], intervals: Mapping[str, Mapping[str, Interval]] | None = None
) -> str:
    """Formats one line per row; below the first, its confidence intervals, if given.

    Example:
        print(score_table({"all": scorer.result(), **scorer.per_genre()}))
    """
    first = next(iter(rows.values()))
    cells = {name: _score_cells(scores) for name, scores in rows.items()}
    if intervals:
        named = list(cells.items())
        named[1:1] = [
            (f"  {title}", {place: getattr(interval, end) for place, interval in _interval_cells(intervals)})
            for title, end in (("95% from", "low"), ("95% to", "high"))
        ]
        cells = dict(named)
    blocks = [[metric for metric in block if first[metric]] for block in _blocks()]
    average = first.average_f1 is not None
    tables = [_block(cells, block, average and block is blocks[0]) for block in blocks if block]
    return "\n\n".join("\n".join(table) for table in tables)


def difference_table(differences: Mapping[str, Difference]) -> str:
    """Formats the F1 of systems A and B, their difference, and its interval and p-value."""
    lines = [f"{'F1':<10}{'A':>9}{'B':>9}{'B - A':>9}   {'95% from':>9}{'to':>9}{'p':>9}"]
    for name, title in _titles().items():
        if name in differences:
            a, b, difference, (low, high), p_value = differences[name]
            lines.append(
                f"{title:<10}{100 * a:9.2f}{100 * b:9.2f}{100 * difference:+9.2f}"
                f"   {100 * low:+9.2f}{100 * high:+9.2f}{p_value:9.4f}"
            )
    return "\n".join(lines)


def _titles() -> dict[str, str]:
    titles = {metric.name: metric.title for metric in metric_table().values()}
    return titles | {MENTIONS: "mentions", AVERAGE: "average"}


def _blocks() -> tuple[list[str], list[str]]:
    """Returns the metrics of the paper's table first, then the others."""
    metrics = metric_table().values()
    others = [metric.name for metric in metrics if not metric.averaged]
    return [metric.name for metric in metrics if metric.averaged], [*others, MENTIONS]


def _score_cells(scores: CorefScores) -> dict[tuple[str, str], float]:
    cells = {
        (name, figure): getattr(metric, figure)
        for name, metric in scores.computed().items()
        for figure in _FIGURES
    }
    return cells | {(AVERAGE, "f1"): scores.average_f1}


def _interval_cells(intervals: Mapping[str, Mapping[str, Interval]]) -> Iterator[tuple]:
    for name, figures in intervals.items():
        for figure, interval in figures.items():
            yield (name, figure), interval


def _block(cells: Mapping[str, Mapping], metrics: list[str], average: bool) -> Iterator[str]:
    margin = max(len("  95% from"), *map(len, cells)) + 1
    places = [(metric, figure) for metric in metrics for figure in _FIGURES]
    named = _titles()
    titles = "".join(f"{named[metric]:^{_WIDTH * len(_FIGURES)}}" for metric in metrics)
    header = "".join(f"{title:>{_WIDTH}}" for title in [*_FIGURES.values()] * len(metrics))
    if average:
        places.append((AVERAGE, "f1"))
        titles, header = f"{titles}{'Avg.':>{_WIDTH + 2}}", f"{header}{'F1':>{_WIDTH + 2}}"
    yield (" " * margin + titles).rstrip()
    yield " " * margin + header
    for name, row in cells.items():
        line = "".join(f"{100 * row[place]:{_WIDTH + 2 * (place[0] == AVERAGE)}.2f}" for place in places)
        yield f"{name:<{margin}}{line}"

"""Tables and plots for analyses: CSV files, tables in the terminal, PNG files."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from coref_tf.support.extras import require_extra
from coref_tf.support.files import atomic_write

# Colours that are distinguishable with colour blindness (Okabe and Ito).
BLUE, LIGHT_BLUE, RED, BLACK, GREY = "#0072B2", "#56B4E9", "#D55E00", "#000000", "#666666"


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a CSV file, with four decimals and with None as an empty field."""

    def text(value: Any) -> Any:
        return f"{value:.4f}" if isinstance(value, float) else value

    with atomic_write(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([text(value) for value in row] for row in rows)


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Prints a table, with two decimals and with None as an empty field."""

    def text(value: Any) -> str:
        return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)

    lines = [list(header)] + [[text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def new_plot(title: str) -> tuple[Any, Any]:
    """Creates a figure and its axes; works without a display."""
    require_extra("plots", "a figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize="medium")
    return figure, axes


def save_plot(path: Path, figure: Any) -> None:
    """Writes a PNG file; equal figures give equal files."""
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format="png", metadata={"Software": None})

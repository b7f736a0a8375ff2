"""Formats the rows of the model's benchmark as a Markdown table and as a plot."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write

HEADER = (
    "| | words | words/s | straightforward | times faster | memory over TensorFlow's | straightforward |",
    "|---|--:|--:|--:|--:|--:|--:|",
)
# Maps mode and implementation to the style of the line; the colours are distinguishable with colour blindness.
STYLES = {
    ("predict", "fast"): {"color": "#0072b2", "marker": "o", "label": "predict"},
    ("train", "fast"): {"color": "#d55e00", "marker": "s", "label": "train"},
    ("predict", "straightforward"): {
        "color": "#0072b2",
        "marker": "o",
        "linestyle": ":",
        "markerfacecolor": "white",
        "label": "predict, straightforward",
    },
    ("train", "straightforward"): {
        "color": "#d55e00",
        "marker": "s",
        "linestyle": ":",
        "markerfacecolor": "white",
        "label": "train, straightforward",
    },
}


def table(rows: Sequence[dict]) -> str:
    """Formats a line for each mode and number of words."""
    measured = _measured(rows)
    lines = [*HEADER]
    for mode, words in dict.fromkeys((mode, words) for mode, words, _ in measured):
        fast, whole = (measured.get((mode, words, kind)) for kind in ("fast", "straightforward"))
        speeds = [f"{row['words_per_second']:,.0f}" if row else "–" for row in (fast, whole)]
        sizes = [f"{row['rss_over_import_mb']:,.0f} MB" if row else "–" for row in (fast, whole)]
        ratio = f"{whole['seconds'] / fast['seconds']:.1f}" if whole else "–"
        cells = [mode, f"{words:,}", *speeds, ratio, *sizes]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(rows: Sequence[dict], path: str | os.PathLike) -> None:
    """Plots time and memory by number of words, as PNG."""
    pyplot = import_pyplot()
    measured = _measured(rows)
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    titles = {"seconds": "Time (seconds)", "rss_over_import_mb": "Memory over TensorFlow's own (GB)"}
    for axis, (key, title) in zip(axes, titles.items(), strict=True):
        for (mode, kind), style in STYLES.items():
            points = sorted((w, row[key]) for (m, w, k), row in measured.items() if (m, k) == (mode, kind))
            scale = 1 / 1024 if key == "rss_over_import_mb" else 1
            axis.plot([w for w, _ in points], [value * scale for _, value in points], **style)
        axis.set(title=title, xlabel="words", xscale="log", yscale="log")
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter(pyplot.NullFormatter())
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False, fontsize="small")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format="png", dpi=130)
    pyplot.close(figure)


def import_pyplot() -> Any:
    """Imports Matplotlib for use without a display; raises a CorefError if it is missing."""
    try:
        import matplotlib
    except ImportError:
        raise CorefError("the plot needs matplotlib; run `make` to install it") from None
    matplotlib.use("agg")
    import matplotlib.pyplot

    return matplotlib.pyplot


def _measured(rows: Sequence[dict]) -> dict[tuple[str, int, str], dict]:
    """Returns the rows with a time, by mode, words and implementation."""
    timed = (row for row in rows if row["benchmark"] == "model" and "seconds" in row)
    return {(row["mode"], row["words"], row["implementation"]): row for row in timed}

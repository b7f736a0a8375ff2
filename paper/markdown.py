"""Formats figures and tables as Markdown."""

from collections.abc import Iterable
from typing import Any

from coref_tf.scoring.intervals import Interval

NOTHING = "–"  # shown where there is no figure


def section(title: str, *body: str) -> str:
    """Formats a heading and its content."""
    return "\n\n".join([f"## {title}", *(part for part in body if part)])


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Formats a Markdown table; all columns except the first are right-aligned."""
    header = list(header)
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(escaped(cell) for cell in line) + " |" for line in lines)


def escaped(cell: str) -> str:
    """Escapes the text of a cell, so that it cannot end the cell."""
    return str(cell).replace("|", "\\|").replace("\n", " ")


def number(value: float | None, factor: float = 1, decimals: int = 1) -> str:
    """Formats a figure, by default with one decimal; with factor 100, a fraction in percent."""
    return NOTHING if value is None else f"{factor * value:.{decimals}f}"


def signed(value: float) -> str:
    """Formats a difference with its sign and one decimal."""
    return f"{value:+.1f}".replace("-", "−")


def signed_interval(interval: Interval) -> str:
    """Formats the confidence interval of a difference, in points."""
    return " to ".join(signed(100 * bound) for bound in interval)


def p_value(value: float) -> str:
    """Formats a p-value."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def short_number(cell: str) -> str:
    """Formats a CSV cell for the report: two decimals, or none for a count."""
    try:
        return f"{float(cell):.2f}" if "." in cell else str(int(cell))
    except ValueError:
        return cell or NOTHING


def mention_text(mention: dict[str, Any]) -> str:
    """Formats a mention with its most attended word in bold.

    Example:
        mention_text({"words": ["the", "blaze"], "weights": [0.02, 0.98]})    # "the **blaze** (98%)"
    """
    best = max(range(len(mention["words"])), key=mention["weights"].__getitem__)
    words = [word.replace("*", "\\*") for word in mention["words"]]
    words[best] = f"**{words[best]}**"
    share = f" ({100 * mention['weights'][best]:.0f}%)" if len(words) > 1 else ""
    return " ".join(words) + share

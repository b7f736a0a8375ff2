"""Figures and tables as Markdown."""

from collections.abc import Iterable
from typing import Any

NOTHING = "–"  # where there is no figure


def section(title: str, *body: str) -> str:
    """A heading and what is under it."""
    return "\n\n".join([f"## {title}", *(part for part in body if part)])


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; the columns behind the first are right-aligned."""
    header = list(header)
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(escaped(cell) for cell in line) + " |" for line in lines)


def escaped(cell: str) -> str:
    """The text of a cell, escaped so that it can't end the cell."""
    return str(cell).replace("|", "\\|").replace("\n", " ")


def number(value: float | None) -> str:
    """A figure with one decimal."""
    return NOTHING if value is None else f"{value:.1f}"


def change(value: float | None, baseline: float | None) -> str:
    """A difference with its sign; nothing for none at all, as of the baseline itself."""
    if value is None or baseline is None:
        return NOTHING
    return f"{value - baseline:+.1f}".replace("-", "−") if value != baseline else ""


def short_number(cell: str) -> str:
    """A CSV cell as the report shows it: two decimals, and none of a count."""
    try:
        return f"{float(cell):.2f}" if "." in cell else str(int(cell))
    except ValueError:
        return cell or NOTHING


def mention_text(mention: dict[str, Any]) -> str:
    """A mention with its most attended word in bold.

    Example:
        mention_text({"words": ["the", "blaze"], "weights": [0.02, 0.98]})    # "the **blaze** (98 %)"
    """
    best = max(range(len(mention["words"])), key=mention["weights"].__getitem__)
    words = [word.replace("*", "\\*") for word in mention["words"]]
    words[best] = f"**{words[best]}**"
    share = f" ({100 * mention['weights'][best]:.0f} %)" if len(words) > 1 else ""
    return " ".join(words) + share

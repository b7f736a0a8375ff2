"""A table of figures, as text and as values for JSON."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Table(NamedTuple):
    """Named rows under named columns; the first column names the rows.

    A float is shown with `decimals` digits behind the point, a whole number with thousands parted, None as nothing.

    Example:
        print(Table("GAP", ["", "F1"], [["all", 51.4], ["feminine", 55.9]]).as_text())
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    decimals: int = 1
    prose: bool = False  # whether the cells hold sentences, which a page sets otherwise than figures

    def cells(self) -> list[list[str]]:
        """The rows as they are shown."""
        return [[self._format_cell(value) for value in row] for row in self.rows]

    def as_text(self) -> str:
        """The title, the header and the rows, in columns; the note last."""
        lines = [list(self.columns), *self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [self.title] if self.title else []
        for first, *others in lines:
            cells = [first.ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            shown.append("  ".join(cells).rstrip())
        return "\n".join([*shown, *([self.note] if self.note else [])])

    def _format_cell(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:.{self.decimals}f}"
        return f"{value:,}" if isinstance(value, int) else str(value)

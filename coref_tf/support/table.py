"""Tables of results, as text and as JSON values."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Table(NamedTuple):
    """Rows under named columns; the first column contains the row names.

    Floats are formatted with `decimals` digits, integers with thousands separators, and None as an empty cell.

    Example:
        print(Table("GAP", ["", "F1"], [["all", 51.4], ["feminine", 55.9]]).as_text())
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    decimals: int = 1
    prose: bool = False  # whether the cells contain sentences, which the HTML page formats differently

    def cells(self) -> list[list[str]]:
        """Returns the formatted rows."""
        return [[self._format_cell(value) for value in row] for row in self.rows]

    def as_text(self) -> str:
        """Returns the title, the header and the rows in columns, followed by the note."""
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

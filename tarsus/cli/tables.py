"""Tables of the command line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_table(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with an empty line before it; nothing if it has no rows."""
    if not rows:
        return
    table = Table(box=None, header_style="dim", pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print()
    console.print(table)

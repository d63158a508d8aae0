"""What a reproduction returns: rows with the thesis' value, ours, and a verdict with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from rich.console import Group


Verdict: TypeAlias = Literal["reproduced", "corrected", "surpassed", "unsupported", "missed"]
"""The same; right where the thesis is wrong, for a reason; better; not so here, where the thesis
leaves out what would decide it; none of these."""

COLORS = {
    "reproduced": "green",
    "corrected": "yellow",
    "surpassed": "bold green",
    "unsupported": "magenta",
}
MISSED = "bold red"


@dataclass(frozen=True)
class Row:
    """A number or a statement of the thesis as it is printed there ("" for none), and ours."""

    label: str
    thesis: str
    ours: float | str
    verdict: Verdict
    reason: str = ""

    @property
    def shown(self) -> str:
        """Our value as text."""
        if isinstance(self.ours, str):
            return self.ours
        if isinstance(self.ours, int):
            return f"{self.ours}"
        return (
            f"{self.ours:.6g}" if self.ours == 0.0 or abs(self.ours) > 1e-6 else f"{self.ours:.1e}"
        )


@dataclass(frozen=True)
class Curve:
    """Points for the picture of a result."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Result:
    """A table of a thesis, computed anew; `str(result)` is a table."""

    name: str
    title: str
    source: str
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...] = ()
    axes: tuple[str, str] = ("", "")
    """What the curves show along x and y."""

    @property
    def ok(self) -> bool:
        """Whether no row is missed."""
        return all(row.verdict != "missed" for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return asdict(self) | {"ok": self.ok}

    def __str__(self) -> str:
        lines = [f"{self.title}\n{self.source}\n"]
        for row, mark in zip(self.rows, self._marks(), strict=True):
            numbers = f"{row.thesis:>18} {row.shown:>18}"
            lines.append(f"{row.label:44} {numbers}  {row.verdict} {mark}".rstrip())
        lines += ["", *self._notes()] if self._notes() else []
        return "\n".join(lines)

    def __rich__(self) -> Group:
        """Return the result as a table of rich, reasons below it."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="dim", pad_edge=False)
        table.add_column("", overflow="fold")
        table.add_column("thesis", justify="right", overflow="fold")
        table.add_column("ours", justify="right", style="cyan", overflow="fold")
        table.add_column("verdict", no_wrap=True)
        for row, mark in zip(self.rows, self._marks(), strict=True):
            verdict = Text(row.verdict, COLORS.get(row.verdict, MISSED)).append(f" {mark}", "dim")
            table.add_row(Text(row.label), Text(row.thesis), Text(row.shown), verdict)
        title = Text(self.title, "bold").append(f"\n{self.source}\n", "not bold dim")
        notes = Text("\n".join(["", *self._notes()]))
        return Group(title, table, notes)

    def _reasons(self) -> list[str]:
        return list(dict.fromkeys(row.reason for row in self.rows if row.reason))

    def _marks(self) -> list[str]:
        """Return for each row the number of its reason, as it is listed below the table."""
        reasons = self._reasons()
        return [f"[{reasons.index(row.reason) + 1}]" if row.reason else "" for row in self.rows]

    def _notes(self) -> list[str]:
        return [f"[{i}] {reason}" for i, reason in enumerate(self._reasons(), start=1)]


def compared(label: str, printed: str, ours: float, *, right: str = "", reason: str = "") -> Row:
    """Return a row for a printed number: reproduced if all its digits are ours, else missed.

    Where the thesis is wrong, for a `reason`, or says nothing (""), `right` has the digits that
    an independent computation gives: then ours are corrected if they are these, else missed.
    """
    if not same_digits(right or printed, ours):
        return Row(label, printed, ours, "missed", reason)
    if printed and same_digits(printed, ours):
        return Row(label, printed, ours, "reproduced")
    return Row(label, printed, ours, "corrected", reason)


def judged(
    label: str,
    thesis: str,
    ours: float | str,
    good: bool,
    reason: str = "",
    otherwise: Verdict = "missed",
) -> Row:
    """Return a row for a statement: reproduced if it is as good here, else `otherwise`."""
    return Row(label, thesis, ours, "reproduced" if good else otherwise, reason)


def ranged(label: str, printed: Sequence[str], ours: float, reason: str = "") -> Row:
    """Return a row for numbers that depend on the machine, of which more is better."""
    numbers = sorted(printed, key=float)
    thesis = f"{numbers[0]} … {numbers[-1]}"
    if ours < float(numbers[0]):
        return Row(label, thesis, ours, "missed", reason)
    verdict: Verdict = "surpassed" if ours > float(numbers[-1]) else "reproduced"
    return Row(label, thesis, ours, verdict, reason if verdict == "surpassed" else "")


def same_digits(printed: str, ours: float) -> bool:
    """Return whether `ours`, rounded to as many decimals, is the number that is printed."""
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    # half a unit of the last digit, and a little for printed halves
    return abs(ours - float(printed)) <= (0.5 + 1e-6) * 10.0**-decimals

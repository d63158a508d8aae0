"""What a check found, as data, as text, and as tables for a terminal (with rich)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from rich.console import Group

Severity: TypeAlias = Literal["error", "warning", "note"]
COLORS = {"error": "bold red", "warning": "yellow", "note": "dim"}


@dataclass(frozen=True)
class Finding:
    """Something about an element of the model that is wrong or looks like a mistake."""

    severity: Severity
    element: str
    message: str


@dataclass(frozen=True)
class Residual:
    """How well an identity holds: the largest relative residual over all states.

    `value` is None if the identity could not be computed, `note` says why. `peers` has the
    largest relative difference from each other library, which has the limit `peer_limit`.
    `theirs` has the residual of the same identity in another library, computed with its results
    alone: what is wrong there does not count here. `topic` is the title of its table.
    """

    quantity: str
    identity: str
    value: float | None
    limit: float
    peers: dict[str, float] = field(default_factory=dict)
    peer_limit: float = 1e-10
    note: str = ""
    topic: str = ""
    theirs: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the identity could be computed and everything is within its limit."""
        # written so that NaN is not within
        within = self.value is not None and self.value <= self.limit
        return within and all(value <= self.peer_limit for value in self.peers.values())


@dataclass(frozen=True)
class Report:
    """The findings and residuals of one model; `str(report)` is a table."""

    model: str
    findings: list[Finding]
    residuals: list[Residual]
    states: int
    seed: int
    instruction_set: str
    peers: dict[str, str]
    """For each other library: its version and how it got the model, or why it did not."""

    @property
    def ok(self) -> bool:
        """Whether there are residuals, all within their limits; findings do not count."""
        return bool(self.residuals) and all(residual.ok for residual in self.residuals)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        data = asdict(self) | {"ok": self.ok}
        for entry, residual in zip(data["residuals"], self.residuals, strict=True):
            entry["ok"] = residual.ok
            entry["value"] = _number(residual.value)
            for key in ("peers", "theirs"):
                entry[key] = {name: _number(value) for name, value in entry[key].items()}
        return data

    def table(self) -> str:
        """Return the report as plain text."""
        lines = [f"{self.model}: {self._summary()}", ""]
        lines += [f"{f.severity:8} {f.element}: {f.message}" for f in self.findings]
        lines += [""] if self.findings else []
        for row in self.residuals:
            peers = "".join(f"  {name} {shown(value)}" for name, value in row.peers.items())
            peers += "".join(f"  {name}'s {shown(value)}" for name, value in row.theirs.items())
            verdict = "ok" if row.ok else "FAILS"
            identity = f"{row.quantity}: {row.identity}"
            numbers = f"{shown(row.value):>7} {shown(row.limit, digits=0):>7}"
            lines.append(f"{identity:64} {numbers} {verdict}{peers}")
        lines += ["", *self._others()]
        return "\n".join(lines)

    __str__ = table

    def __rich__(self) -> Group:
        """Return the report as tables of rich."""
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = [self._findings_table()] if self.findings else []
        if not self.findings:
            parts.append(Text("Nothing about masses, inertias, units or limits looks wrong."))
        for topic in dict.fromkeys(row.topic for row in self.residuals):
            parts += ["", self._residuals_table(topic)]
        # the reason is long and mostly the same for all rows: the first will do
        notes = [f"without a residual: {row.note}" for row in self.residuals if row.note]
        parts += [Text(note, "dim italic") for note in notes[:1]]
        parts += [Text(line, style="dim") for line in self._others()]
        verdict = Text(self._summary(), style="bold green" if self.ok else "bold red")
        return Group(*parts, "", verdict)

    def _others(self) -> list[str]:
        """Return what there is to say about other libraries, a line each."""
        lines = list(self.peers.values())
        for name in self.peers:
            found = [(row.theirs[name], row.limit) for row in self.residuals if name in row.theirs]
            wrong = sum(not value <= limit for value, limit in found)  # NaN is not within
            if wrong:
                lines.append(f"{wrong} of {len(found)} identities do not hold in {name} itself")
        return lines

    def _summary(self) -> str:
        failed = sum(not residual.ok for residual in self.residuals)
        verdict = f"{failed} fail" if failed else "all hold" if self.ok else "nothing to test"
        kinds = [f.severity for f in self.findings]
        counts = [f"{kinds.count(k)} {k}s" for k in ("error", "warning", "note") if k in kinds]
        found = ", ".join(text[:-1] if text.startswith("1 ") else text for text in counts)
        return f"{len(self.residuals)} identities: {verdict}; {found or 'no findings'}"

    def _findings_table(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(title="Masses, inertias, units, limits", box=None, title_justify="left")
        for column in ("", "element", "message"):
            table.add_column(column, header_style="dim", overflow="fold")
        for f in self.findings:
            style = COLORS[f.severity]
            table.add_row(Text(f.severity, style=style), Text(f.element), Text(f.message))
        return table

    def _residuals_table(self, topic: str) -> Any:
        """Return the table of the identities of a topic."""
        from rich.table import Table
        from rich.text import Text

        rows = [row for row in self.residuals if row.topic == topic]
        first = f"Relative residuals, the largest of {self.states} random states"
        table = Table(title=topic or first, box=None, title_justify="left", header_style="dim")
        table.add_column("quantity", overflow="fold")
        table.add_column("identity", overflow="fold")
        table.add_column("residual", justify="right")
        table.add_column("limit", justify="right", style="dim")
        compared = list(dict.fromkeys(name for row in rows for name in row.peers))
        asked = list(dict.fromkeys(name for row in rows for name in row.theirs))
        for header in (*(f"vs {name}" for name in compared), *(f"{name}'s" for name in asked)):
            table.add_column(header, justify="right")
        table.add_column("")
        for row in rows:
            verdict = Text("✓", "green") if row.ok else Text("✗ fails", "bold red")
            cells = [row.quantity, row.identity, shown(row.value), shown(row.limit, digits=0)]
            cells += [shown(row.peers.get(name)) for name in compared]
            theirs = [
                Text(shown(value := row.theirs.get(name)), _color(value, row.limit))
                for name in asked
            ]
            table.add_row(*(Text(cell) for cell in cells), *theirs, verdict)
        return table


def _number(value: float | None) -> float | None:
    """Return a number as JSON can have it: there is neither NaN nor infinity."""
    return value if value is not None and isfinite(value) else None


def _color(value: float | None, limit: float) -> str:
    """Return the colour of another library's residual, written so that NaN is not within."""
    return "" if value is None or value <= limit else "red"


def shown(value: float | None, digits: int = 1) -> str:
    """Return a residual as text, 0 if it is exactly that, empty for none."""
    if value is None:
        return ""
    return "0" if value == 0.0 else f"{value:.{digits}e}"

"""The take on the disk: lines are appended once they are done, and before they are answered.

Each line is a row of JSON with its seal, which covers the row before, too. The head of a session
says how many bytes of the file are part of it; lines that were done later stand beyond them, and
are done again when the session is restored, if their seals fit.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tarsus.studio.session_folder import read_bounded
from tarsus.studio.session_seal import Sealer
from tarsus.studio.take import Take

MOST = 64 * 1024 * 1024
"""Bytes; what is said later is not kept."""


@dataclass(frozen=True)
class Row:
    """A line of a take, the seal that stands beside it, and where its row ends [bytes]."""

    line: str
    seal: str
    end: int
    own: bool = True
    """Whether the seal fits: this user has written the row, after the one before it."""


class TakeJournal:
    """Lines of a take in a file; whoever writes holds the lock of the stage."""

    def __init__(self, path: Path, sealer: Sealer) -> None:
        self.path, self._sealer = path, sealer
        self._rows: list[Row] = []
        """What is written."""

    @property
    def end(self) -> int:
        """Where the last line ends [bytes]."""
        return self._rows[-1].end if self._rows else 0

    def write(self, lines: list[str]) -> bool:
        """Bring lines to the disk, those at the end that were taken back are overwritten.

        Return whether all are there: a file does not grow beyond its bound.
        """
        same = min(len(lines), len(self._rows))
        while same and lines[same - 1] != self._rows[same - 1].line:
            same -= 1
        if same == len(lines) == len(self._rows):
            return True
        kept = self._rows[:same]
        rows, data = list(kept), []
        for line in lines[same:]:
            before = rows[-1] if rows else Row("", "", 0)
            seal = self._sealer.seal("line", before.seal, line)
            text = json.dumps([line, seal]).encode() + b"\n"
            rows.append(Row(line, seal, before.end + len(text)))
            data.append(text)
        if rows and rows[-1].end > MOST:
            return False
        with self.path.open("ab") as file:
            file.truncate(kept[-1].end if kept else 0)
            file.write(b"".join(data))
            file.flush()
            os.fsync(file.fileno())
        self._rows = rows
        return True

    def read(self, size: int, steps: int) -> tuple[Take, list[Row]]:
        """Return the take of the first `size` bytes, and rows that were written later.

        `steps` have been made since the last line of the take. A row that a process was killed at
        was not answered, and does not count.
        """
        self.forget()
        data = read_bounded(self.path, MOST)[0] if self.path.exists() else b""
        for text in data.splitlines(keepends=True):
            if not text.endswith(b"\n") or (stated := _stated(text)) is None:
                break
            line, seal = stated
            before = self._rows[-1] if self._rows else Row("", "", 0)
            own = self._sealer.fits(seal, "line", before.seal, line)
            self._rows.append(Row(line, seal, before.end + len(text), own))
        counted = sum(row.end <= size for row in self._rows)
        return Take([row.line for row in self._rows[:counted]], steps), self._rows[counted:]

    def forget(self) -> None:
        """Begin with no lines, as where there is no file."""
        self._rows = []


def _stated(row: bytes) -> tuple[str, str] | None:
    """Return the line and the seal of a row, None if it is damaged; old rows have no seal."""
    try:
        found = json.loads(row)
    except (ValueError, RecursionError):
        return None
    line, seal = found if isinstance(found, list) and len(found) == 2 else (found, "")
    return (line, seal) if isinstance(line, str) and isinstance(seal, str) else None

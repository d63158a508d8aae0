"""The take on the disk: lines are appended as they are said, and are there once they are answered.

Each line is a row of JSON. The head of a session says how many bytes of the file are part of it;
what was said later stands beyond them, and is done again when the session is restored.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tarsus.studio.take import Take

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

MOST = 64 * 1024 * 1024
"""Bytes; what is said later is not kept."""


class TakeJournal:
    """Lines of a take in a file; whoever writes holds the lock of the stage."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []
        """What is written."""
        self._ends = [0]
        """Where each line begins, and the last one ends [bytes]."""

    @property
    def end(self) -> int:
        """Where the last line ends [bytes]."""
        return self._ends[-1]

    def write(self, lines: list[str]) -> bool:
        """Bring lines to the disk, those at the end that were taken back are overwritten.

        Return whether all are there: a file does not grow beyond its bound.
        """
        same = min(len(lines), len(self._lines))
        while same and lines[same - 1] != self._lines[same - 1]:
            same -= 1
        rows = [json.dumps(line).encode() + b"\n" for line in lines[same:]]
        if not rows and same == len(self._lines):
            return True
        if self._ends[same] + sum(map(len, rows)) > MOST:
            return False
        with self.path.open("ab") as file:
            file.truncate(self._ends[same])
            file.write(b"".join(rows))
            file.flush()
            os.fsync(file.fileno())
        del self._lines[same:], self._ends[same + 1 :]
        for line, row in zip(lines[same:], rows, strict=True):
            self._lines.append(line)
            self._ends.append(self.end + len(row))
        return True

    def read(self, size: int, steps: int) -> tuple[Take, list[str]]:
        """Return the take of the first `size` bytes, and lines that were said later.

        `steps` have been made since the last line of the take. A row that a process was killed at
        was not answered, and does not count.
        """
        self.forget()
        counted, data = 0, self.path.read_bytes() if self.path.exists() else b""
        for row in data.splitlines(keepends=True):
            try:
                line = str(json.loads(row)) if row.endswith(b"\n") else None
            except ValueError:
                line = None
            if line is None:
                break
            self._lines.append(line)
            self._ends.append(self.end + len(row))
            counted += self.end <= size
        return Take(self._lines[:counted], steps), self._lines[counted:]

    def forget(self) -> None:
        """Begin with no lines, as where there is no file."""
        self._lines, self._ends = [], [0]


def do_again(stage: Stage, lines: list[str]) -> str:
    """Do lines on a stage that was restored; return what could not be done, nothing if all was."""
    for number, line in enumerate(lines):
        if number == 0 and line.startswith("advance "):
            # steps before the session was saved have been made
            line = f"advance {int(line.split()[1]) - stage.take.mark[1]}"
        answer = stage.do(line)
        if not answer.ok:
            left = len(lines) - number
            return f"the last {left} lines could not be done again, from {line!r}: {answer.text}"
    stage.playing = False
    return ""

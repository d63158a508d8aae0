"""The journal of a study: a file to which each cell that is done adds a line.

    checksum {"sweep": 1, "function": "walk.fall", "seed": 0, "names": ["slope"], …}
    checksum {"cell": {"slope": 0.1}, "seconds": 0.2, "value": 1.7}
    checksum {"cell": {"slope": 0.2}, "seconds": 0.1, "problem": ["ValueError", "…", "…"]}

A process that is killed leaves at most one line unfinished, the last: it is cut off when the
study goes on. All others are there, whole. Only one process writes at a time. A journal may come
from anywhere: its lines are JSON, checked as they are read.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tarsus._lib.data import decode, to_json
from tarsus._lib.errors import JournalError, Problem
from tarsus._lib.sweep_grid import Cell, Grid, key_of, told
from tarsus._lib.sweep_workers import Outcome

VERSION = 1
FILE = "journal.jsonl"

SETTLE = 1.0
"""Seconds after which lines are on the disk: what a loss of power may cost."""


class Journal:
    """An open journal: `known` outcomes, and `add` for more."""

    def __init__(self, folder: str | Path, function: str, seed: int, grid: Grid) -> None:
        self.path = Path(folder) / FILE
        self.known: dict[int, Outcome] = {}
        self._grid = grid
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock()
            self._read(function, seed)
        except BaseException:
            os.close(self._file)
            raise
        self._settled = time.monotonic()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Write outcomes at the end, at once."""
        lines = [_line(_record(self._grid.cells[each.index], each)) for each in outcomes]
        self._write(b"".join(lines))
        if time.monotonic() - self._settled >= SETTLE:
            os.fsync(self._file)
            self._settled = time.monotonic()

    def close(self) -> None:
        """Bring all lines to the disk, and let others write."""
        os.fsync(self._file)
        os.close(self._file)

    def _lock(self) -> None:
        """Keep others from writing until this process ends, however it does."""
        import fcntl  # which not every system has

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalError(f"{self.path} is in use: another sweep writes to it") from None

    def _write(self, data: bytes) -> None:
        """Write lines; if the disk is full they are not there at all, not even in part."""
        before = os.fstat(self._file).st_size
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BaseException:
            if os.fstat(self._file).st_size < before + len(data):
                os.ftruncate(self._file, before)
            raise

    def _read(self, function: str, seed: int) -> None:
        whole, strange = 0, []
        index_of = {key: index for index, key in enumerate(self._grid.keys)}
        own = {"function": function, "seed": seed, "names": sorted(self._grid.names)}
        for number, (end, data) in enumerate(self._lines(), 1):
            if number == 1:
                self._check_head(data, own)
            else:
                cell, outcome = self._outcome(data, number)
                index = index_of.get(key_of(cell))
                if index is None:
                    strange.append(cell)
                else:
                    self.known[index] = Outcome(index, *outcome)
            whole = end
        if strange:
            raise JournalError(
                f"{self.path} is of another grid: it has {len(strange)} cells that this one has "
                f"not, such as {told(strange[0])}. A grid may grow; for others name another folder"
            )
        os.ftruncate(self._file, whole)
        if not whole:
            self._write(_line(json.dumps({"sweep": VERSION, **own})))

    def _lines(self) -> Iterator[tuple[int, Any]]:
        """Yield where whole lines end, and their data."""
        end = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return  # whoever wrote it was killed
                end += len(line)
                yield end, self._data(line, number)

    def _data(self, line: bytes, number: int) -> Any:
        checksum, _, text = line[:-1].partition(b" ")
        if checksum != _checksum(text):
            raise JournalError(
                f"{self.path} is damaged, or no journal of a sweep: the checksum of line {number} "
                "is wrong. Without this line its cell is computed again"
            )
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise JournalError(f"{self.path}: line {number} cannot be read: {error}") from None

    def _check_head(self, data: Any, own: dict[str, Any]) -> None:
        if not isinstance(data, dict) or data.get("sweep") != VERSION:
            raise JournalError(f"{self.path} is not a journal of version {VERSION}")
        for name, value in own.items():
            if data.get(name) != value:
                raise JournalError(
                    f"{self.path} is of another sweep: its {name} is {data.get(name)!r}, not "
                    f"{value!r}. Name another folder"
                )

    def _outcome(self, data: Any, number: int) -> tuple[Cell, tuple[Any, Problem | None, float]]:
        try:
            cell, seconds = decode(data["cell"]), float(data["seconds"])
            if not isinstance(cell, dict):
                raise ValueError("cell is no dictionary")
            if "problem" not in data:
                return cell, (decode(data["value"]), None, seconds)
            kind, message, trace = data["problem"]
            return cell, (None, Problem(str(kind), str(message), str(trace)), seconds)
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise JournalError(
                f"{self.path}: line {number} is no outcome of a cell: {error!r}"
            ) from None


def _record(cell: Cell, outcome: Outcome) -> str:
    """Return the JSON of an outcome."""
    if outcome.problem is not None:
        what = f'"problem":{json.dumps(astuple(outcome.problem))}'
    else:
        what = f'"value":{to_json(outcome.value)}'
    return f'{{"cell":{to_json(cell)},"seconds":{outcome.seconds:.6g},{what}}}'


def _line(text: str) -> bytes:
    data = text.encode("ascii")
    return _checksum(data) + b" " + data + b"\n"


def _checksum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)

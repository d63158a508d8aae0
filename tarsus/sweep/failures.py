"""What went wrong in cells and journals."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

from tarsus._lib.errors import TarsusError


@dataclass(frozen=True)
class Problem:
    """An exception as words, which cross processes and files."""

    kind: str
    """Name of its class."""
    message: str
    trace: str
    """Where it came from, as Python tells it."""

    @classmethod
    def of(cls, error: BaseException) -> Problem:
        """Return an exception as words."""
        return cls(type(error).__name__, str(error), "".join(traceback.format_exception(error)))


@dataclass(frozen=True)
class Failure:
    """A cell that could not be computed, and why."""

    cell: dict[str, Any]
    index: int
    """Of the cell, in the order of the grid."""
    kind: str
    """Name of the exception's class; `WorkerDied` if the process that computed the cell died."""
    message: str
    trace: str


class SweepError(TarsusError, RuntimeError):
    """A cell that failed, with `failure`; what was done before is in the journal."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message)
        self.failure = failure


class JournalError(TarsusError, ValueError):
    """A journal that is damaged, in use, or of another study; the message names the file."""

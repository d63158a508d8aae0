"""Errors of Tarsus: the base class, errors of models, cells and journals; source locations."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

WORLD = "world"
"""The name of the fixed inertial body, the parent of every root joint."""


class TarsusError(Exception):
    """Base class of the errors that Tarsus defines.

    Each of them is also a built-in exception, such as `ValueError` for invalid input.
    """


@dataclass(frozen=True)
class Source:
    """Where an element was stated: a file and, if known, a line."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class ModelError(TarsusError, ValueError):
    """A mechanism that cannot be built; the message names the element, file and line."""

    def __init__(self, message: str, source: Source | None = None) -> None:
        super().__init__(f"{source}: {message}" if source else message)
        self.source = source


# Errors of sweeps: cells that failed, damaged journals.


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

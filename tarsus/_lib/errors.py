"""Errors of Tarsus: the base class, errors of models, and where an element was stated."""

from __future__ import annotations

from dataclasses import dataclass

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

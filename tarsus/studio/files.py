"""Files that lines name: below the stage's folder only, of a bounded size.

A line may come from a page. What it names is followed through links before it is looked at, hidden
files and folders are left alone, and so is all that is no plain file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tarsus.studio.language import LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read."""


def to_read(stage: Stage, word: str, kinds: Iterable[str], *, most: int = MOST_BYTES) -> Path:
    """Return the path of a file that is there, may be read, and is not too large."""
    path = _below(stage, word, kinds)
    if not path.is_file():
        raise LineError(f"there is no file {word!r} in {stage.root}", "FILE")
    size = path.stat().st_size
    if size > most:
        raise LineError(f"{word} has {size} bytes, at most {most} are read", "FILE")
    return path


def to_write(stage: Stage, word: str, kinds: Iterable[str]) -> Path:
    """Return the path of a file that may be written, in a folder that is there."""
    path = _below(stage, word, kinds)
    if not path.parent.is_dir():
        raise LineError(f"there is no folder {path.parent} to write {path.name} to", "FILE")
    if path.exists() and not path.is_file():
        raise LineError(f"{word} is there and no file", "FILE")
    return path


def shown(stage: Stage, path: Path) -> str:
    """Return how a file is called in answers: as seen from the stage's folder."""
    return str(path.relative_to(stage.root.resolve()))


def _below(stage: Stage, word: str, kinds: Iterable[str]) -> Path:
    """Return what a word names, if it lies below the stage's folder and has a known ending."""
    valid = list(kinds)
    suffix = Path(word).suffix.lower()
    if suffix not in valid:
        raise LineError(f"{word!r} must end with one of {', '.join(valid)}", "FILE")
    root = stage.root.resolve()
    try:
        path = (root / word).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, a zero
        raise LineError(f"{word!r} is no file: {error}", "FILE") from None
    if not path.is_relative_to(root):
        raise LineError(f"{word!r} is not below {root}, where files of the studio are", "FILE")
    if any(part.startswith(".") for part in path.relative_to(root).parts):
        raise LineError(f"{word!r} is hidden, which the studio leaves alone", "FILE")
    return path

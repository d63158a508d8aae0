"""The command language of the studio: lines, and the files that they name."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array, replacing
from tarsus.formats.paths import is_network_path

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# Lines of the command language: a verb, words, options with their values, a comment.
#
#     add box plank -size 1 .2 .05 -t 0 0 1     ; a plank
#
# Numbers may be negative, so that an option is a minus and a letter. What is wrong with a line is a
# `LineError` that names the option, and lists what would have been right.


OPTION = re.compile(r"-[A-Za-z_]\w*(\.[xyz])?")
LONGEST = 100_000
"""Characters of a line, at most."""


class LineError(TarsusError, ValueError):
    """A line that cannot be done; `field` is the option or the word that is wrong.

    `confirm` are paths of existing files that the line would replace.
    """

    def __init__(self, message: str, field: str = "", confirm: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.field, self.confirm = field, tuple(confirm)


@dataclass
class Line:
    """A line in its parts: the verb, words that follow it, options with their values."""

    verb: str
    words: list[str]
    options: dict[str, list[str]] = field(default_factory=dict)

    def expect(
        self, names: Sequence[str], options: Iterable[str] = (), *, more: bool = False
    ) -> None:
        """Raise unless there is a word for each of the names, and no option but these."""
        if len(self.words) < len(names):
            missing = names[len(self.words)]
            raise LineError(f"{self.verb}: {missing} is missing", missing)
        if len(self.words) > len(names) and not more:
            extra = self.words[len(names)]
            raise LineError(f"{self.verb}: {extra!r} is one word too many", extra)
        valid = list(options)
        for name in self.options:
            if name not in valid:
                told = suggestion(name, valid) if valid else ": it has no options"
                raise LineError(f"{self.verb}: there is no option {name}{told}", name)

    def __str__(self) -> str:
        """Return the line as text, without its comment."""
        return written(
            self.verb, *self.words, **{name[1:]: own for name, own in self.options.items()}
        )

    def numbers(self, option: str, count: int | None = None) -> Array:
        """Return the values (count,) of an option that must be there, as numbers."""
        return numbers(self.options[option], option, count)

    def number(self, option: str) -> float:
        """Return the one number of an option that must be there."""
        return float(self.numbers(option, 1)[0])


def parse(text: str) -> Line | None:
    """Return the parts of a line, None if there is nothing in it but a comment."""
    if len(text) > LONGEST:
        raise LineError(f"the line has {len(text)} characters, at most {LONGEST} are read")
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters, lexer.escape = True, ";", ""
        tokens = list(lexer)
    except ValueError as error:
        raise LineError(f"the line cannot be read: {error}".lower()) from None
    if not tokens:
        return None
    line = Line(tokens[0], [])
    values = line.words
    for token in tokens[1:]:
        if OPTION.fullmatch(token):
            if token in line.options:
                raise LineError(f"{line.verb}: {token} is stated twice", token)
            values = line.options.setdefault(token, [])
        else:
            values.append(token)
    return line


def numbers(words: Sequence[str], field: str, count: int | None = None) -> Array:
    """Return words as finite numbers (count,)."""
    if count is not None and len(words) != count:
        wanted = "a number" if count == 1 else f"{count} numbers"
        raise LineError(f"{field} needs {wanted}, not {' '.join(words) or 'nothing'!r}", field)
    try:
        found = np.array([float(word) for word in words])
    except ValueError:
        wrong = next(word for word in words if not _is_number(word))
        raise LineError(f"{field}: {wrong!r} is no number", field) from None
    if not np.isfinite(found).all():
        raise LineError(f"{field} must be finite", field)
    return found


def one_of(word: str, valid: Iterable[str], what: str) -> str:
    """Return a word, if it is one of those that are valid."""
    names = list(valid)
    if word not in names:
        field = what if what.startswith("-") else what.upper()
        raise LineError(f"there is no {what} {word!r}{suggestion(word, names)}", field)
    return word


def written(verb: str, *words: object, **options: object) -> str:
    """Return the line that says this: `written("add", "box", "plank", size=(1, 2, 3))`."""
    parts = [verb, *map(_word, words)]
    for name, value in options.items():
        if value is None:
            continue
        values = value if isinstance(value, (tuple, list, np.ndarray)) else [value]
        parts += [f"-{name}", *map(_word, np.ravel(np.array(values, dtype=object)))]
    return " ".join(parts)


def _word(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if not float(value).is_integer() else str(int(value))
    text = str(value)
    if text and not re.search(r"[\s;'\"#]", text):
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


Options = Mapping[str, list[str]]


# Files that lines name: below the stage's folder only, of a bounded size, and never lost.
#
# A line may come from a page or from a script of somebody else. Links in the name of a file are
# followed before it is checked; hidden files and folders, pipes and devices are refused. A line may
# create files. It replaces an existing file only if
#
#     this stage wrote it, and no other program has changed it since,
#     it begins with the header of the format that is written, such as a studio scene, or
#     the user allows it: `Stage(overwrite=True)`, `tarsus studio --overwrite`, or a confirmation of
#     the page, which repeats the line with the names of the files.


MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read."""
HEADER_BYTES = 256
"""Of a file that are read to recognize its format."""
LISTED = 5
"""Files that an error message names."""

Header = re.Pattern[bytes]
"""Matches the first bytes of a text format of the studio."""
Fingerprint = tuple[int, int, int, int]
"""Device, inode, size [bytes] and time of the last change [ns] of a file."""


class OverwriteGuard:
    """Decides which existing files the lines of a stage may replace, and writes them."""

    def __init__(self, overwrite: bool = False) -> None:
        self.overwrite = overwrite
        """Whether all files may be replaced."""
        self._confirmed: frozenset[Path] = frozenset()
        """Files that the present line may replace, because the user confirmed it."""
        self._written: dict[tuple[int, int], Fingerprint] = {}
        """Files that this stage wrote, by device and inode."""

    @contextmanager
    def confirming(self, root: Path, names: Iterable[str]) -> Iterator[None]:
        """Allow to replace files that are named as seen from a folder."""
        before, paths = self._confirmed, set()
        for name in names:
            with suppress(OSError, RuntimeError, ValueError):  # no name of a file
                paths.add((root / name).resolve())
        self._confirmed = before | paths
        try:
            yield
        finally:
            self._confirmed = before

    def check(self, paths: Iterable[Path], header: Header | None = None) -> None:
        """Raise a `LineError` with all files that may not be replaced."""
        refused = [path for path in paths if not self._allows(path, header)]
        if refused:
            raise _refusal(refused)

    @contextmanager
    def writing(self, path: Path, header: Header | None = None) -> Iterator[Path]:
        """Give the path of an empty file that takes the place of `path` once it is written.

        Raise a `LineError` if the file may not be replaced, also if another program creates
        or changes it meanwhile.
        """
        self.check([path], header)
        allowed, before = self._is_confirmed(path), _fingerprint(path)
        try:
            with replacing(path, new=before is None and not allowed) as part:
                yield part
                if not allowed and _fingerprint(path) != before:
                    raise _refusal([path])
        except FileExistsError as error:
            if error.filename != str(path):
                raise
            raise _refusal([path]) from None
        self._note(path)

    @contextmanager
    def appending(self, path: Path) -> Iterator[None]:
        """Allow to append to a file that this stage wrote and nobody else has changed."""
        if not self._wrote(path):
            raise LineError(
                f"{path} was changed or removed by another program: begin the file anew", "FILE"
            )
        try:
            yield
        finally:
            self._note(path)

    def _allows(self, path: Path, header: Header | None) -> bool:
        return (
            self._is_confirmed(path)
            or _fingerprint(path) is None
            or self._wrote(path)
            or (header is not None and _begins_with(path, header))
        )

    def _is_confirmed(self, path: Path) -> bool:
        return self.overwrite or path in self._confirmed

    def _wrote(self, path: Path) -> bool:
        """Return whether the file is as this stage left it."""
        found = _fingerprint(path)
        return found is not None and self._written.get(found[:2]) == found

    def _note(self, path: Path) -> None:
        if (found := _fingerprint(path)) is not None:
            self._written[found[:2]] = found


def to_read(stage: Stage, word: str, kinds: Iterable[str], *, most: int = MOST_BYTES) -> Path:
    """Return the path of a file that is there, may be read, and is not too large."""
    path = below(stage, word, kinds)
    if not path.is_file():
        raise LineError(f"there is no file {word!r} in {stage.root}", "FILE")
    size = path.stat().st_size
    if size > most:
        raise LineError(f"{word} has {size} bytes, at most {most} are read", "FILE")
    return path


def to_write(
    stage: Stage, words: Sequence[str], kinds: Iterable[str], header: Header | None = None
) -> list[Path]:
    """Return the paths of files that may be written, in folders that are there.

    Existing files are refused as `OverwriteGuard` says; `header` is that of the format to write.
    """
    paths = [_plain(stage, word, kinds) for word in words]
    stage.guard.check(paths, header)
    return paths


def shown(stage: Stage, path: Path) -> str:
    """Return how a file is called in answers: as seen from the stage's folder."""
    root = stage.root.resolve()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def below(stage: Stage, word: str, kinds: Iterable[str]) -> Path:
    """Return what a word names, if it lies below the stage's folder and has a known ending."""
    valid = list(kinds)
    suffix = Path(word).suffix.lower()
    if suffix not in valid:
        raise LineError(f"{word!r} must end with one of {', '.join(valid)}", "FILE")
    root = stage.root.resolve()
    if is_network_path(word.replace("\\", "/")):
        raise LineError(f"{word!r} is on another computer, must be below {root}", "FILE")
    try:
        path = (root / word).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, a zero
        raise LineError(f"{word!r} is no file: {error}", "FILE") from None
    if not path.is_relative_to(root):
        raise LineError(f"{word!r} is not below {root}, where files of the studio are", "FILE")
    if any(part.startswith(".") for part in path.relative_to(root).parts):
        raise LineError(f"{word!r} is hidden, which the studio leaves alone", "FILE")
    return path


def _plain(stage: Stage, word: str, kinds: Iterable[str]) -> Path:
    """Return the path of a plain file, or of one that can be created."""
    path = below(stage, word, kinds)
    if not path.parent.is_dir():
        raise LineError(f"there is no folder {path.parent} to write {path.name} to", "FILE")
    if path.exists() and not path.is_file():
        raise LineError(f"{word} is there and no file", "FILE")
    return path


def _refusal(paths: Sequence[Path]) -> LineError:
    """Return the error of a line that would replace files of the user."""
    names = ", ".join(str(path) for path in paths[:LISTED])
    if len(paths) > LISTED:
        names += f" and {len(paths) - LISTED} more"
    verb = "exists and was" if len(paths) == 1 else "exist and were"
    return LineError(
        f"{names} {verb} not written by this session: choose another name, or allow to replace "
        "files with `tarsus studio --overwrite`, in Python `Stage(overwrite=True)`",
        "FILE",
        confirm=map(str, paths),
    )


def _fingerprint(path: Path) -> Fingerprint | None:
    """Return what changes when another program writes a file, None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _begins_with(path: Path, header: Header) -> bool:
    try:
        with path.open("rb") as file:
            return header.match(file.read(HEADER_BYTES)) is not None
    except OSError:
        return False

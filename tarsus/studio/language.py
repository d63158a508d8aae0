"""Lines of the command language: a verb, words, options with their values, a comment.

    add box plank -size 1 .2 .05 -t 0 0 1     ; a plank

Numbers may be negative, so that an option is a minus and a letter. What is wrong with a line is a
`LineError` that names the option, and lists what would have been right.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import suggestion

OPTION = re.compile(r"-[A-Za-z_]\w*(\.[xyz])?")
LONGEST = 100_000
"""Characters of a line, at most."""


class LineError(ValueError):
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

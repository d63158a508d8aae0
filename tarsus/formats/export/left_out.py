"""What of a model a format cannot say: a list by name and reason, a warning, or an error."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tarsus.formats.context import listing


class ExportWarning(UserWarning):
    """A model that was saved in a format which cannot say all of it."""


@dataclass(frozen=True)
class LeftOut:
    """One thing that a file does not say, or not as the model does: what it is, whose, and why."""

    what: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what} {self.name!r}: {self.reason}"


class LeftOuts(list[LeftOut]):
    """The list as it grows."""

    def add(self, what: str, name: str, reason: str) -> None:
        """Append a thing; what was told before is not told twice."""
        if (thing := LeftOut(what, name, reason)) not in self:
            self.append(thing)


def tell(left_out: Sequence[LeftOut], file: str, *, strict: bool) -> None:
    """Warn of what is left out, things alike in one line; with `strict` raise instead."""
    if not left_out:
        return
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for thing in left_out:
        alike[thing.what, thing.reason].append(thing.name)
    lines = [f"{what} {listing(names, 10)}: {why}" for (what, why), names in alike.items()]
    message = f"{file} does not say all of the model: {'; '.join(lines)}"
    if strict:
        raise ValueError(message)
    warnings.warn(message, ExportWarning, stacklevel=4)

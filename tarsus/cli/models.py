"""The MODEL argument: a file, a mechanism of `tarsus.robots`, or a robot of another package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tarsus as ts
from tarsus.formats import Base, Mimic


def open_model(
    text: str,
    base: Base | None = None,
    *,
    package_dirs: Sequence[Path] = (),
    mimic: Mimic | None = None,
    complete: Path | None = None,
) -> ts.Model:
    """Return the model that a text stands for: a path, `chain(20)`, `panda`, or `go2`."""
    return ts.load(text, base, package_dirs=list(package_dirs), mimic=mimic, complete=complete)

"""The MODEL argument: a file, a mechanism of `tarsus.robots`, or a robot of example-robot-data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tarsus as ts
from tarsus.formats import READABLE, Base, Mimic
from tarsus.robots.examples import EXAMPLES
from tarsus.robots.named import robot_named


def open_model(
    text: str,
    base: Base | None = None,
    *,
    package_dirs: Sequence[Path] = (),
    mimic: Mimic = "coupled",
    complete: Path | None = None,
) -> ts.Model:
    """Return the model that a text stands for: a path, `chain(20)`, or `panda`."""
    if complete is not None and not Path(text).exists():
        raise ValueError(f"--complete {complete} is for files, not for {text!r}")
    if not Path(text).exists() and (model := robot_named(text, base)) is not None:
        return model
    if Path(text).suffix.lower() not in READABLE and not Path(text).exists():
        kinds = ", ".join(READABLE)
        names = [*(f"{name}(…)" for name in ts.robots.names()), *EXAMPLES]
        raise ValueError(
            f"there is no model {text!r}: it must be a file ({kinds}) or one of {', '.join(names)}"
        )
    return ts.load(text, base, package_dirs=list(package_dirs), mimic=mimic, complete=complete)

"""`ts.load`: a model from a file, from XML, or by the name of a robot."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tarsus import formats, robots
from tarsus.formats import READABLE, Base, Mimic
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.robots.described import described, described_names
from tarsus.robots.examples import EXAMPLES, example_folder
from tarsus.robots.named import robot_named

NAME = re.compile(r"\w+(\(.*\))?")
"""A word, or a call; paths have dots or slashes."""


def load(
    path: str | os.PathLike[str],
    base: Base | None = None,
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: Mimic | None = None,
    complete: str | os.PathLike[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = False,
    strict: bool = False,
) -> Model:
    """Read a model: a file (.urdf, .sdf, .xml, .xacro, .yaml, .json), XML, or a robot's name.

    XML may be URDF, SDF or MJCF, recognised by its root element; beside it there are no files but
    those in `package_dirs`. Names are those of `tarsus.robots`, as "lola" or "chain(20)", of
    example-robot-data, as "talos", and of robot_descriptions, as "go2", where they are installed;
    the last fetches its robots from the network when first asked for. A file of that name goes
    first.

    `base` says how the root of a URDF hangs on the world: "fixed" (the default) or "free", six
    degrees of freedom; robots by name hang as usual. The other formats state that themselves, MJCF
    and SDF unless `base` says otherwise. `package_dirs` are the folders in which `package://` and
    `model://` paths are looked for, and in which meshes may lie beside the model's own folder.
    Joints of a URDF that mimic others are coupled to them (`mimic="coupled"`), or joints of their
    own ("independent"), as those of example-robot-data are unless stated. `complete` is a side
    file (.yaml or .json) with gears, couplings, loops and more that are added, see
    `tarsus.formats.side_file`. `arguments` are those of a .xacro file, `$(arg …)`. Tarsus expands
    such files without running their expressions as Python; `trust=True` hands the file to the
    xacro package instead, which can run any code of the file and read environment variables.
    What was not taken over, and small breaches of the triangle inequality of inertias, are in
    `Model.warnings`; with `strict` every such breach is an error.
    """
    if not isinstance(path, str | os.PathLike):
        kind = type(path).__name__
        raise TypeError(f"path is of type {kind}, must be a file, XML as a str, or a robot's name")
    if not isinstance(path, str) or not _may_be_a_name(path):
        return formats.load(
            path,
            base,
            package_dirs=package_dirs,
            mimic=mimic or "coupled",
            complete=complete,
            arguments=arguments,
            trust=trust,
            strict=strict,
        )
    if complete is not None or arguments is not None or trust:
        option = "trust" if arguments is None else "arguments"
        option = option if complete is None else f"complete={os.fspath(complete)}"
        raise ValueError(f"{option} is for files, not for {path!r}")
    return _named(path.strip(), base, mimic)


def _may_be_a_name(text: str) -> bool:
    return NAME.fullmatch(text.strip()) is not None and not Path(text).exists()


def _named(name: str, base: Base | None, mimic: Mimic | None) -> Model:
    """Return the robot of this name."""
    if name in robots.names():
        name = f"{name}()"
    if name not in EXAMPLES or example_folder() is not None:
        model = robot_named(name, base, mimic or "independent")
        if model is not None:
            return model
    model = described(name, base, mimic or "coupled")
    if model is not None:
        return model
    if name in EXAMPLES:
        raise ValueError(
            f"{name!r} is in a package that is not installed: pip install example-robot-data"
        )
    known = [*robots.names(), *EXAMPLES, *described_names()]
    raise ValueError(
        f"there is no model {name!r}: it must be a file ({', '.join(READABLE)}), XML, or the name "
        f"of a robot{suggestion(name, known)}"
    )

"""Robots of the package example-robot-data that have a name here."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tarsus.formats import load
from tarsus.model import Model
from tarsus.model.checks import suggestion

FOLDER = "cmeel.prefix/share/example-robot-data/robots"

EXAMPLES: dict[str, tuple[str, Literal["free", "fixed"]]] = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    "solo12": ("solo_description/robots/solo12.urdf", "free"),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", "free"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "free"),
    "icub": ("icub_description/robots/icub_reduced.urdf", "free"),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", "free"),
    "cassie": ("cassie_description/robots/cassie.sdf", "free"),
    "bolt": ("bolt_description/robots/bolt.urdf", "free"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
}
"""Names of robots: their files, and how their roots hang."""

MEASURED = ("panda", "anymal", "solo12", "talos_reduced", "g1")
"""Those that `tarsus bench` measures if no others are named."""


def example(name: str, base: Literal["free", "fixed"] | None = None) -> Model:
    """Return a robot of example-robot-data; `base` is how its root hangs, by default as usual."""
    if name not in EXAMPLES:
        raise ValueError(f"there is no example {name!r}{suggestion(name, EXAMPLES)}")
    folder = example_folder()
    if folder is None:
        message = f"{name!r} is in a package that is not installed: pip install example-robot-data"
        raise ValueError(message)
    file, usual = EXAMPLES[name]
    # the fingers of panda mimic each other, in other libraries as joints of their own
    return load(folder / file, base or usual, mimic="independent")


def example_folder() -> Path | None:
    """Return where the robots of example-robot-data are, None if it is not installed."""
    import importlib.metadata  # slow to import, and only needed here

    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(package.locate_file(FOLDER)))

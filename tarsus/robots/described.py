"""Robots of the package robot_descriptions, which fetches them from the network at first."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from tarsus.formats import Base, Mimic, load
from tarsus.model import Model

PACKAGE = "robot_descriptions"
FORMS = ("{}_description", "{}_mj_description", "{}")
"""What a robot may be called there, the first that there is: URDF before MJCF."""
FLOATING = frozenset({"quadruped", "biped", "humanoid", "drone", "wheeled", "mobile_manipulator"})
"""Tags of robots whose roots are not bolted to anything."""


def described_names() -> tuple[str, ...]:
    """Return the names that robot_descriptions has, none if it is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return ()
    return tuple(_module("_descriptions").DESCRIPTIONS)


def described(name: str, base: Base | None = None, mimic: Mimic = "coupled") -> Model | None:
    """Return a robot by its name, such as "go2" or "go2_mj_description"; None if there is none.

    Its root moves freely if it is said to be on legs, on wheels or in the air, unless `base` is
    stated.
    """
    known = described_names()
    found = next((form.format(name) for form in FORMS if form.format(name) in known), None)
    if found is None:
        return None
    try:
        module = _module(found)
    except Exception as error:  # of git, of the network, or of a missing package of theirs
        cause = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise ModuleNotFoundError(
            f"{found!r} of {PACKAGE} could not be fetched: {cause[0].strip()}"
        ) from error
    if hasattr(module, "XACRO_PATH"):
        file, arguments = module.XACRO_PATH, getattr(module, "XACRO_ARGS", {})
    else:
        file, arguments = getattr(module, "URDF_PATH", None) or module.MJCF_PATH, None
    if base is None and Path(file).suffix != ".xml":
        tags = _module("_descriptions").DESCRIPTIONS[found].tags
        base = "free" if tags & FLOATING else "fixed"
    folders = (module.PACKAGE_PATH, module.REPOSITORY_PATH)
    places = [*folders, *(Path(folder).parent for folder in folders)]
    return load(file, base, package_dirs=places, mimic=mimic, arguments=arguments)


def _module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")

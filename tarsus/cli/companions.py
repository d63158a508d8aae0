"""`--with`: what else is in the scene of `tarsus simulate`, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tarsus.arrays import Array
from tarsus.cli.models import open_model
from tarsus.kit import combine
from tarsus.model import Model
from tarsus.model.checks import numbers
from tarsus.model.description import ModelError

FIXED = ":fixed"
SAYING = (".sdf", ".world")
"""Files that say themselves what is fixed to the world."""


def with_companions(model: Model, texts: Sequence[str]) -> Model:
    """Return a model together with others: `box.urdf@0.5,0,0.8`, `table.urdf@1,0,0:fixed`.

    Their roots are free unless they are said to be fixed, here or as <static> in SDF. Names get
    those of their machines in front, as "box/lid"; several of one name are numbered.
    """
    if not texts:
        return model
    found = [_companion(text) for text in texts]
    models = [model, *(each for each, _ in found)]
    return combine(
        *models, names=_names(models), at=[None, *(place for _, place in found)], name=model.name
    )


def _companion(text: str) -> tuple[Model, Array | None]:
    name, at, place = text.removesuffix(FIXED).partition("@")
    base: Literal["free", "fixed"] | None = "fixed" if text.endswith(FIXED) else "free"
    if base == "free" and Path(name).suffix.lower() in SAYING:
        base = None
    if not at:
        return open_model(name, base), None
    try:
        where = numbers([float(x) for x in place.split(",")], (3,), "place")
    except (ValueError, ModelError):
        raise ValueError(
            f"--with {text} must be a model at x,y,z, such as {name}@0.5,0,0.8"
        ) from None
    return open_model(name, base), where


def _names(models: Sequence[Model]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for each in models:
        seen[each.name] += 1
        names.append(each.name if seen[each.name] == 1 else f"{each.name}{seen[each.name]}")
    return names

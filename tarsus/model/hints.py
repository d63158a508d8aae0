"""What messages add where users often mean something else: fixed roots, quaternions [w x y z]."""

from __future__ import annotations

import warnings

import numpy as np

from tarsus.arrays import Array
from tarsus.model.model import Model


def root_hint(model: Model) -> str:
    """Return what to say where a root that is fixed to the world may have been forgotten."""
    if model.base is not None and model.base.kind == "free":
        return ""
    fixed = f"the root of {model.name!r} is fixed to the world"
    return f'; {fixed}: base="free" of ts.load lets it move'


def warn_of_scalar_first(model: Model, q: Array, what: str = "q0") -> None:
    """Warn if the base in q (…, nq) is upside down by [1 0 0 0], which [w x y z] has upright."""
    base = model.base
    if base is None or base.kind != "free":
        return
    quaternion = np.asarray(q)[..., base.q_slice][..., 3:]
    if (np.abs(quaternion) == (1.0, 0.0, 0.0, 0.0)).all(axis=-1).any():
        warnings.warn(
            f"the base of {model.name!r} is upside down in {what}, with the quaternion [1 0 0 0]: "
            "here quaternions are [x y z w], and no turn is [0 0 0 1]; ts.spatial.scalar_last "
            "turns [w x y z] round",
            stacklevel=4,
        )

"""The mass that a push at a link moves at first: MuJoCo states contacts per such a mass."""

from __future__ import annotations

import numpy as np

from tarsus.model import Model
from tarsus.spatial import skew


def moved_mass(model: Model, link: str) -> float:
    """Return 3 / tr(J M⁻¹ Jᵀ) [kg] of a link's centre of mass, where the model starts.

    J (3, nv) is the Jacobian of that point: the inverse of MuJoCo's weight of a body, the mean over
    all directions.
    """
    q = model.initial_configuration
    center = next(body.com for body in model.description.bodies if body.name == link)
    turned = model.frame_pose(q, link)[:3, :3] @ np.asarray(center)
    both = model.frame_jacobian(q, link, reference="local_world_aligned")
    jacobian = both[:3] - skew(turned) @ both[3:]
    inverse = jacobian @ np.linalg.solve(model.mass_matrix(q), jacobian.T)
    return float(3.0 / np.trace(inverse)) if np.trace(inverse) > 0.0 else np.inf

"""Table 5.2 of O. Ayit: parameters of the simulation, and what its tolerance of 1e-20 asks for."""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.robots.quadrupeds import DAMPING, TIPS, quadruped, standing
from tarsus.robots.quadrupeds import FRICTION as JOINT_FRICTION
from tarsus.scenes.robots import DT, DURATION, FRICTION, VISCOUS
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_pgs import projected_gauss_seidel
from tarsus_lab.reproduce.result import Result, Row, compared

UNITS = "the units that are printed, N s/m², fit neither friction: N m s/rad and N s/m are meant"
BELOW_ROUNDING = (
    "1e-20 is below the rounding of a double, 1e-16: the change of the forces never gets there, "
    "and each step with contact runs to the cap of 100 iterations"
)
FOUR_FEET = (
    "how long it takes to stop four feet of posture P1 that land at 3.13 m/s with μ = 0.3, by the "
    "method of section 4.4"
)


def landing(height: float = 0.5, posture: str = "P1") -> tuple[Array, Array]:
    """Return λ⁻¹ (12, 12) of the tips and their velocities (4, 3) after a fall of `height` [m]."""
    model = quadruped()
    q, v = standing(model, posture), np.zeros(model.nv)
    v[2] = -np.sqrt(2.0 * 9.81 * height)
    rows = [model.frame_jacobian(q, tip, reference="local_world_aligned")[:3] for tip in TIPS]
    jacobian = np.concatenate(rows)
    inverse = jacobian @ np.linalg.solve(model.mass_matrix(q), jacobian.T)
    return inverse, (jacobian @ v).reshape(-1, 3)


def run() -> Result:
    """Compare the settings with Table 5.2, and count iterations of the contact solver."""
    rows = [
        compared("step [s]", "0.0005", DT),
        compared("end [s]", "10.6", DURATION),
        compared("steps", "21200", round(DURATION / DT)),
        Row("joint friction, viscous [N m s/rad]", "0.3", DAMPING, "reproduced", UNITS),
        compared("joint friction, dry [N m]", "0.55", JOINT_FRICTION),
        Row("ground friction, viscous [N s/m]", "0.4", VISCOUS, "reproduced", UNITS),
        compared("ground friction, Coulomb", "0.3", FRICTION),
    ]
    inverse, velocity = landing()
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        found = projected_gauss_seidel(inverse, velocity, FRICTION, tolerance=tolerance)
        label = f"iterations to a tolerance of {tolerance:g}"
        rows.append(Row(label, "", found.iterations, "corrected", FOUR_FEET))
    endless = projected_gauss_seidel(inverse, velocity, FRICTION, tolerance=1e-20)
    count = endless.iterations
    rows.append(
        Row("iterations to a tolerance of 1e-20", "≤ 100", count, "corrected", BELOW_ROUNDING)
    )
    rows.append(
        Row("change of the forces after them", "1e-20", endless.change, "corrected", BELOW_ROUNDING)
    )
    return Result(
        "contact-5.2", "Parameters of the simulation", f"{SOURCE}, Table 5.2", tuple(rows)
    )

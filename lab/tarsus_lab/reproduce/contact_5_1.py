"""Table 5.1 of O. Ayit: sizes and masses of the quadruped, and what follows from them."""

from __future__ import annotations

import numpy as np

from tarsus.model.model import Model
from tarsus.robots.quadrupeds import TIPS, quadruped, standing
from tarsus.walking.plans.walk import static_loads
from tarsus_lab.reproduce.result import Result, Row, compared

SOURCE = "O. Ayit, Sabancı University 2015"

# length × width × height [m], mass [kg], how many
TABLE = {
    "torso": ("1.2", "0.6", "0.15", "50", 1),
    "thigh": ("0.28", "0.05", "0.1", "4.4", 4),
    "shank": ("0.27", "0.05", "0.1", "3.65", 4),
    "foot": ("0.22", "0.05", "0.5", "3.65", 4),
}
ORDER = {"torso": (0, 1, 2)}
"""Which axes of a box are its length, width and height; those of legs are z, y and x."""

MISPRINT = "a foot of 0.22 m that is 0.5 m high would be thicker than the torso: 0.05 m is meant"
FOLLOWS = "not printed; the sum of the printed masses, and its weight at 9.81 m/s²"
COMPLETED = (
    "not printed, and hips, centres of mass and postures are not stated either; the digits of an "
    "independent prototype with even boxes, hips at the corners of the torso and posture P1"
)


def run() -> Result:
    """Compare the robot with Table 5.1."""
    model = quadruped()
    rows = [row for link, printed in TABLE.items() for row in _link_rows(model, link, printed)]
    rows.append(compared("degrees of freedom", "22", model.nv))
    rows.append(compared("total mass [kg]", "", model.total_mass, right="96.8", reason=FOLLOWS))
    q = standing(model)
    loads = static_loads(model, q, TIPS).forces[:, 2]
    rows.append(compared("weight [N]", "", loads.sum(), right="949.61", reason=FOLLOWS))
    rows += _inverse_inertia_rows(model, q)
    title = "The quadruped: sizes, masses, and its inverse inertia at a foot"
    return Result("contact-5.1", title, f"{SOURCE}, Table 5.1", tuple(rows))


def _link_rows(model: Model, link: str, printed: tuple[str, str, str, str, int]) -> list[Row]:
    body = link if link == "torso" else f"hind_right_{link}"
    box = next(s for s in model.shapes if s.body == body and s.kind == "box" and s.role == "visual")
    length, width, height = (box.size[k] for k in ORDER.get(link, (2, 1, 0)))
    right = {"right": "0.05", "reason": MISPRINT} if link == "foot" else {}
    return [
        compared(f"{link}, length [m]", printed[0], length),
        compared(f"{link}, width [m]", printed[1], width),
        compared(f"{link}, height [m]", printed[2], height, **right),
        compared(f"{link}, mass [kg]", printed[3], model.body(body).mass),
    ]


def _inverse_inertia_rows(model: Model, q: np.ndarray) -> list[Row]:
    """Rows of λ⁻¹ = J H⁻¹ Jᵀ (4.12) of the right hind foot."""
    jacobian = model.frame_jacobian(q, TIPS[0], reference="local_world_aligned")[:3]
    block = jacobian @ np.linalg.solve(model.mass_matrix(q), jacobian.T)
    golden = {"xx": "0.765492", "xz": "-0.221659", "yy": "0.274193", "zz": "0.287374"}
    return [
        compared(
            f"inverse inertia of a foot, {name} [1/kg]",
            "",
            float(block["xyz".index(name[0]), "xyz".index(name[1])]),
            right=digits,
            reason=COMPLETED,
        )
        for name, digits in golden.items()
    ]

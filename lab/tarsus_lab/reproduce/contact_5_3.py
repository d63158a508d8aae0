"""Table 5.3 of O. Ayit: gains of the joints, which make them springs with next to no damping."""

from __future__ import annotations

import numpy as np

from tarsus.robots.quadrupeds import DAMPING, JOINTS, gains, quadruped, standing
from tarsus.scenes.robots import DT
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.result import Result, Row, compared

# hip in the lateral plane, hip in the ventral plane, knee, ankle
TABLE = {
    "kp": ("6000", "20000", "70000", "30000"),
    "kd": ("1", "1", "1", "1"),
    "ki": ("120", "120", "120", "120"),
}
# digits of an independent prototype: frequency [rad/s] and damping ratio [%] of a joint alone
FREQUENCIES = ("88", "245", "703", "980")
RATIOS = ("0.9", "0.8", "0.7", "2.1")
ALONE = (
    "not printed; a joint alone, all others free, has the inertia 1/(H⁻¹)ᵢᵢ in posture P1. "
    "The digits are those of an independent prototype"
)
RULE = (
    "not printed; explicit Euler needs kd + b > kp dt for a joint spring, with the friction b = "
    "0.3 N m s/rad, and these gains are far below: it diverges (contact-integrators)"
)


def run() -> Result:
    """Compare the gains with Table 5.3, and say what they do."""
    model = quadruped()
    columns = [model.joint(f"hind_right_{name}").v_slice.start for name in JOINTS]
    values = {key: array[columns] for key, array in gains(model).items()}
    inertia = 1.0 / np.diag(np.linalg.inv(model.mass_matrix(standing(model))))[columns]
    frequency = np.sqrt(values["kp"] / inertia)
    ratio = 100.0 * (values["kd"] + DAMPING) / (2.0 * inertia * frequency)
    rows: list[Row] = []
    for k, name in enumerate(JOINTS):
        rows += [compared(f"{name}, {key}", TABLE[key][k], values[key][k]) for key in TABLE]
        label = f"{name}, natural frequency [rad/s]"
        right = FREQUENCIES[k]
        rows.append(compared(label, "", float(frequency[k]), right=right, reason=ALONE))
        label = f"{name}, damping ratio [%]"
        rows.append(compared(label, "", float(ratio[k]), right=RATIOS[k], reason=ALONE))
        needed, there = values["kp"][k] * DT, values["kd"][k] + DAMPING
        text = f"{there:g} < {needed:g}"
        rows.append(Row(f"{name}, kd + b and kp dt", "", text, "corrected", RULE))
    return Result("contact-5.3", "Gains of the joints", f"{SOURCE}, Table 5.3", tuple(rows))

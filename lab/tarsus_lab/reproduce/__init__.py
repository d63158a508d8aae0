"""Tables of theses, computed anew: the thesis' value, ours, and a verdict with its reason.

from tarsus_lab.reproduce import reproduce

print(reproduce("lola-2.4"))
"""

from __future__ import annotations

from collections.abc import Callable

from tarsus._lib.checks import suggestion
from tarsus_lab.reproduce import (
    contact_5_1,
    contact_5_2,
    contact_5_3,
    contact_drops,
    contact_integrators,
    contact_jump,
    contact_score,
    contact_solvers,
    contact_trot,
    coriolis_3_1,
    coriolis_3_2,
    coriolis_3_3,
    dill,
    erector_7_2,
    erector_7_3,
    erector_7_4,
    erector_7_5,
    lola_2_1,
    lola_2_4,
    lola_2_6,
    lola_5_4,
    lola_6_9,
    lola_7_1,
    lola_7_4,
    port_1_3,
    port_2_12,
    port_2_18,
    port_2_21,
    port_3_9,
    port_3_10,
    port_3_11,
    port_4_2,
    port_4_5,
    port_4_7,
    port_4_14,
    port_4_17,
    port_5_1,
    port_5_2,
    port_5_8,
    port_5_9,
    port_5_11,
    port_5_12,
    port_5_20,
    rotors_4_1,
    rotors_4_2,
    rotors_4_3,
    rotors_4_4,
    rotors_4_5,
    rotors_4_6,
)
from tarsus_lab.reproduce.plot import plot
from tarsus_lab.reproduce.result import Curve, Result, Row

__all__ = ["ROBOTS", "TABLES", "Curve", "Result", "Row", "plot", "reproduce"]


TABLES: dict[str, tuple[str, Callable[[], Result]]] = {
    "lola-2.1": ("sparsity of the mass matrix of Dill(n)", lola_2_1.run),
    "lola-2.4": ("sparsity of the mass matrices of Lola", lola_2_4.run),
    "lola-2.6": ("run times of forward dynamics on Lola", lola_2_6.run),
    "lola-5.4": ("steps aside, with arms kept off the legs", lola_5_4.run),
    "lola-6.9": ("run times of distances between volumes", lola_6_9.run),
    "lola-7.1": ("arms that track angular momentum in a walk", lola_7_1.run),
    "lola-7.4": ("angular momentum that costs in a walk", lola_7_4.run),
    "dill": ("run times of forward dynamics on Dill(0) to Dill(10)", dill.run),
    "coriolis-3.1": ("errors of the Coriolis matrix and of symbols", coriolis_3_1.run),
    "coriolis-3.2": ("run times of the Coriolis matrix and of symbols", coriolis_3_2.run),
    "coriolis-3.3": ("run times of symbolic mass matrices and symbols", coriolis_3_3.run),
    "rotors-4.1": ("inverse of forward dynamics with rotors", rotors_4_1.run),
    "rotors-4.2": ("rotors without inertia", rotors_4_2.run),
    "rotors-4.3": ("approximations of rotors, chains at rest", rotors_4_3.run),
    "rotors-4.4": ("approximations of rotors, trees at rest", rotors_4_4.run),
    "rotors-4.5": ("approximations of rotors, chains in motion", rotors_4_5.run),
    "rotors-4.6": ("run times of forward dynamics with rotors", rotors_4_6.run),
    "contact-5.1": ("sizes and masses of a quadruped, inertia at a foot", contact_5_1.run),
    "contact-5.2": ("parameters of its simulation", contact_5_2.run),
    "contact-5.3": ("gains of its joints", contact_5_3.run),
    "contact-trot": ("the quadruped trots", contact_trot.run),
    "contact-drops": ("the quadruped is dropped from three heights", contact_drops.run),
    "contact-jump": ("the quadruped jumps", contact_jump.run),
    "contact-score": ("exact contact and springs in five scenarios", contact_score.run),
    "contact-solvers": ("Lemke's method and projected Gauss–Seidel", contact_solvers.run),
    "contact-integrators": (
        "integrators, and forces that depend on the step",
        contact_integrators.run,
    ),
    "erector-7.2": ("five sticks and fifteen rubbers snap together", erector_7_2.run),
    "erector-7.3": ("a police car that brakes into a slide", erector_7_3.run),
    "erector-7.4": ("three bars in four descriptions", erector_7_4.run),
    "erector-7.5": ("four bars with nailed ends", erector_7_5.run),
    "port-1.3": ("a bungee jump in two models and three representations", port_1_3.run),
    "port-2.12": ("the Jacobian of a mechanism with gears", port_2_12.run),
    "port-2.18": ("a free rigid body that tumbles", port_2_18.run),
    "port-2.21": ("the snakeboard in reduced momenta", port_2_21.run),
    "port-3.9": ("an arm on the floor: a force that pulls, and no release", port_3_9.run),
    "port-3.10": ("closets that rock, and closets that stand", port_3_10.run),
    "port-3.11": ("a bar on two supports", port_3_11.run),
    "port-4.2": ("a compass walker: impact map, losses, passive gaits", port_4_2.run),
    "port-4.5": ("energy that strikes take, by angle and masses", port_4_5.run),
    "port-4.7": ("an unstable passive gait, as one of least efforts", port_4_7.unstable),
    "port-4.8": ("a stable passive gait, as one of least efforts", port_4_7.stable),
    "port-4.14": ("Dribbel: passive gaits with knees, one of them stable", port_4_14.run),
    "port-4.17": ("a walker with a trunk: gaits of five mass distributions", port_4_17.run),
    "port-5.1": ("costs of a compass walker with springs and masses free", port_5_1.run),
    "port-5.2": ("its best springs, dampers and masses", port_5_2.run),
    "port-5.8": ("a vector field along a passive gait", port_5_8.run),
    "port-5.9": ("steps down of a passive walker", port_5_9.alone),
    "port-5.10": ("steps down of a walker that is led along its gait", port_5_9.led),
    "port-5.11": ("efforts along a gait, and what is left of them", port_5_11.run),
    "port-5.12": ("Dribbel walks on level ground by its hip", port_5_12.run),
    "port-5.20": ("lateral foot placement, and a push aside", port_5_20.placed),
    "port-5.21": ("a walk that returns to its line", port_5_20.returning),
    "port-5.22": ("walks along a line that moves, and around a corner", port_5_20.following),
}
"""What can be reproduced: a line about it, and the function that does it."""


ROBOTS: dict[str, Callable[[str], Result]] = {
    "lola-5.4": lola_5_4.run,
    "lola-7.1": lola_7_1.run,
    "lola-7.4": lola_7_4.run,
}
"""Those that other humanoids can do, too, by their names."""


def reproduce(name: str, robot: str | None = None) -> Result:
    """Compute a table of a thesis anew; `TABLES` has the names, `ROBOTS` those for any humanoid."""
    if name not in TABLES:
        raise ValueError(f"there is no table {name!r}{suggestion(name, TABLES)}")
    if robot is None:
        return TABLES[name][1]()
    if name not in ROBOTS:
        others = ", ".join(ROBOTS)
        raise ValueError(f"robot is {robot!r}, but {name!r} has its own machine; not so {others}")
    return ROBOTS[name](robot)

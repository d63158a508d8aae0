"""Humanoids that follow walks known beforehand, on the ground: Lola, Talos and G1.

Joints follow a motion of inverse kinematics by stiff control, with the torques that it needs added.
Nothing balances the machine but its soles, so a walk stays upright as far as its zero moment point
is under them.
"""

from __future__ import annotations

from collections.abc import Callable

from tarsus.control import ImplicitPD, Table
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.ground_wrenches import ground_wrenches
from tarsus.gait.kinematic_walk import Motion
from tarsus.gait.walk_targets import WalkTargets
from tarsus.geometry import Ground
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.robots.examples import example
from tarsus.robots.lola import lola
from tarsus.scenes.scene import Scene

STIFFNESS = 8.0
"""Gains of all joints by what would hold the whole machine upside down: mass × gravity × height."""
RATE = 30.0
"""Their ratio kp/kd [1/s]."""

HUMANOIDS: dict[str, Callable[[], Model]] = {
    "lola": lambda: lola(2),
    "talos": lambda: example("talos_reduced"),
    "g1": lambda: example("g1"),
}


def humanoid(name: str) -> Anatomy:
    """Return a humanoid by its name, with its legs, soles and arms."""
    if name not in HUMANOIDS:
        raise ValueError(f"there is no humanoid {name!r}{suggestion(name, HUMANOIDS)}")
    return Anatomy.from_model(HUMANOIDS[name]())


def follow(body: Anatomy, targets: WalkTargets, motion: Motion, friction: float = 0.8) -> Scene:
    """Return a machine that walks along a motion by stiff joints, on level ground."""
    model = body.model
    needed = ground_wrenches(body, motion.q, motion.v, motion.a, targets.standing)
    reference = Table(model, motion.times, motion.q, motion.v, added=needed.tau)
    stiff = STIFFNESS * model.total_mass * 9.81 * float(targets.com[0, 2])
    return Scene(
        f"{model.name} walks",
        model,
        motion.q[0],
        motion.v[0],
        ImplicitPD(model, stiff, stiff / RATE, reference),
        Ground(friction=friction),
        body.collision(),
        float(motion.times[-1]),
        settings={"effort_limits": False},
    )

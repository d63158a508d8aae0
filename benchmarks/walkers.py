"""Robots of `tarsus.scenes` on spheres, with control that two simulators can share.

What touches the floor are spheres at the feet and nothing else. Joints have explicit
proportional-derivative control, which follows the references of the scenes.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cached_property

import numpy as np

from tarsus.model.description import Array
from tarsus.scenes.walkers import walker

DT = 2e-3
"""Step of all simulations [s]."""
NOISE = 0.003
"""Spread of the reference angles of a batch [rad]."""
TWIST = 0.01
"""The same, so large that the stiff legs of Talos twist its soles to the limit of friction."""
SOLE = tuple((x, y, 0.005) for x, y in itertools.product((-0.1, 0.1), (-0.06, 0.06)))
SPHERES = {
    "anymal": (((0.0, 0.0, 0.02325),), 0.031),
    "solo12": (((0.0, 0.0, 0.0),), 0.016),
    "talos_reduced": (SOLE, 0.005),
}
"""Centres in the frame of each foot [m], and radius [m]."""
OPEN = {"gripper_left_joint": -0.3, "gripper_right_joint": -0.3}
"""Talos has its grippers away from their limits."""


class Walker:
    """A robot with its spheres, its stance and its gains; references are rows of commands.

    The title is the robot's name, and ", smooth joints" for one whose joints have no dry friction.
    A row of commands has positions (nq), velocities (nv) and efforts (nv).
    """

    def __init__(self, title: str) -> None:
        name, *rest = title.split(", ")
        robot = walker(name)
        own = {joint: angle for joint, angle in OPEN.items() if joint in robot.model.joint_names}
        self.robot = replace(robot, angles={**robot.angles, **own})
        self.title, self.model, self.stance = title, robot.model, self.robot.stance
        self.dry_friction = not rest
        """Whether joints have the friction that the robot's file states."""
        self.trots = len(robot.feet) == 4
        """A biped would fall."""

    @cached_property
    def spheres(self) -> list[tuple[int, Array, float]]:
        """Each sphere's moving body, centre in its axes [m] and radius [m]."""
        centres, radius = SPHERES[self.robot.name]
        frames = [self.model.frame(name) for name in self.robot.feet.values()]
        return [
            (
                self.model.body(frame.body).index,
                frame.placement[:3, :3] @ centre + frame.placement[:3, 3],
                radius,
            )
            for frame in frames
            for centre in centres
        ]

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """Stiffness and damping (nv,) of the joints, zero for the base.

        A joint that moves alone has the inertia 1 / (H⁻¹)ᵢᵢ; light ones get less than the gains of
        the scene, so that explicit control is stable at this step.
        """
        inertia = 1.0 / np.diag(np.linalg.inv(self.model.mass_matrix(self.stance)))
        kp = np.minimum(self.robot.kp, 0.2 * inertia / DT**2)
        kd = np.minimum(self.robot.kd, 0.3 * inertia / DT)
        kp[:6] = kd[:6] = 0.0
        return kp, kd

    @cached_property
    def period(self) -> Array:
        """References (steps, nq + 2 nv) of a period of the trot, the second one."""
        plan = self.robot.walk
        steps = round(plan.period / DT)
        controller = self.robot.walking(plan.start + 3.0 * plan.period)
        times = plan.start + plan.period + DT * np.arange(steps, dtype=np.float64)
        return np.asarray(controller.reference.sample(times)[0])

    def stand(self, states: int, steps: int, noise: float = NOISE) -> Array:
        """Return references (states, steps, …) of stances that differ, but for the first."""
        row = self.robot.standing().reference.sample(np.zeros(1))
        rows = np.tile(row, (states, 1, 1))
        joints = slice(7, self.model.nq)
        others = rows[1:, :, joints]
        others += noise * np.random.default_rng(0).standard_normal(others.shape)
        return np.repeat(rows, steps, axis=1)

    def trot(self, states: int, first: int, steps: int) -> Array:
        """Return references (states, steps, …) of trots, each at another point of its period."""
        count = len(self.period)
        phases = np.random.default_rng(0).integers(count, size=(states, 1))
        return np.asarray(self.period[(phases + first + np.arange(steps)) % count])

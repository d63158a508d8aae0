"""Robots on spheres, with control that two simulators can share.

Joints have explicit proportional-derivative control. What it adds, velocities and torques of the
reference, is put into its positions: q + (kd v + τ) / kp. So a reference is a row of nq numbers.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from bipeds import BIPEDS
from quadrupeds import QUADRUPEDS
from spheres import Sphere, feet_spheres, link_spheres, with_spheres

import tarsus as ts
from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.robots.quadrupeds import Legged
from tarsus.scenes.robots import standing, walking

ROBOTS = {**BIPEDS, **QUADRUPEDS}
DT = 2e-3
"""Step of all simulations [s]."""
FRICTION = 0.7
SMOOTH = "smooth joints"
"""Said of a robot whose joints have no dry friction, although its file states some."""


class Walker:
    """A robot with its spheres, its stance, its gains and its references.

    The title is the robot's name, and ", smooth joints" for one without dry friction.
    """

    def __init__(self, title: str) -> None:
        name, *rest = title.split(", ")
        if name not in ROBOTS or rest not in ([], [SMOOTH]):
            raise ValueError(f"there is no robot {title!r}{suggestion(name, ROBOTS)}")
        self.title, self.robot, self.dry_friction = title, ROBOTS[name], not rest
        bare = self.robot.load()
        q = bare.neutral()
        for joint, angle in self.robot.angles.items():
            q[bare.joint(joint).q_slice] = angle
        self.feet = feet_spheres(self.robot, bare, q)
        self.model = with_spheres(bare, self.feet)
        """What touches are the feet."""
        robot = self.robot
        self.legged = Legged(
            *(name, self.model, robot.feet, robot.angles, robot.kp, robot.kd),
            ts.Collision.from_model(self.model),
        )
        self.stance = self.legged.stance

    @cached_property
    def all_spheres(self) -> list[Sphere]:
        """Those of the feet and of all links."""
        return [*self.feet, *link_spheres(self.model, self.stance)]

    @cached_property
    def limp(self) -> ts.Model:
        """The robot of which everything touches."""
        return with_spheres(self.model, self.all_spheres)

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """Stiffness and damping (nv,) of the joints, zero for the base.

        A joint that moves alone has the inertia 1 / (H⁻¹)ᵢᵢ; light ones get less than the gains of
        the robot, so that explicit control is stable at this step.
        """
        inertia = 1.0 / np.diag(np.linalg.inv(self.model.mass_matrix(self.stance)))
        kp = np.minimum(self.robot.kp, 0.6 * inertia / DT**2)
        kd = np.minimum(self.robot.kd, 0.3 * inertia / DT)
        kp[:6] = kd[:6] = 0.0
        return kp, kd

    @property
    def weight(self) -> float:
        """[N]."""
        return float(self.model.total_mass * np.linalg.norm(self.model.gravity))

    @cached_property
    def standing(self) -> Array:
        """The reference (nq,) that holds the stance."""
        rows = self._reference(standing(self.legged).reference.sample(np.zeros(1)))
        return np.asarray(rows[0, 0])

    @cached_property
    def period(self) -> Array:
        """References (steps, nq) of a period of the walk, the second one."""
        plan = self.robot.walk
        controller = walking(self.legged, plan, plan.start + 3.0 * plan.period)
        times = plan.start + plan.period + DT * np.arange(round(plan.period / DT), dtype=float)
        return np.asarray(self._reference(controller.reference.sample(times))[0])

    def _reference(self, commands: Array) -> Array:
        """Return references (…, nq) for commands (…, nq + 2 nv)."""
        nq, nv = self.model.nq, self.model.nv
        q, v, tau = np.split(commands, [nq, nq + nv], axis=-1)
        kp, kd = (gain[6:] for gain in self.gains)
        found = np.array(q)
        found[..., 7:] += (kd * v[..., 6:] + tau[..., 6:]) / kp
        return found


def controller_of(walker: Walker, model: ts.Model, reference: Array | None) -> ts.control.PD | None:
    """Return control along references (B, nq), or (B, steps, nq) one for each step; or none."""
    if reference is None:
        return None
    kp, kd = walker.gains
    steps = reference.shape[1] if reference.ndim == 3 else 1
    if steps == 1:
        return ts.control.PD(model, kp, kd, reference.reshape(len(reference), -1))
    times = DT * np.arange(steps)
    still = np.zeros((steps, model.nv))
    return ts.control.PD(model, kp, kd, ts.control.Table(model, times, reference, v=still))

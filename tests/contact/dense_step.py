"""An independent oracle: one step of a mechanism in contact, with dense matrices in NumPy.

Mass matrices, bias forces and Jacobians come from `tarsus.Model`, whose own tests hold them to
account. The rest is written from the definitions: a step of semi-implicit Euler with joint
damping taken implicitly, loops by a basis of the velocities that they allow, contacts, joint
stops and dry friction by one complementarity problem.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cone_problem import Array, Block, ConeProblem
from contact_geometry import FAR, Candidate, candidates
from contact_worlds import World
from control_oracle import Control
from penalty_oracle import Bristles
from scipy.linalg import null_space
from turning_bases import carried, in_new_axes, moved

import tarsus as ts
from tarsus.model.loops import n_rows

LOOP_FEEDBACK = 0.2
"""The part of a loop's gap that is closed in a step."""
TOUCHING = 1e-10
"""Smaller gaps [m] are none."""
JOINT_AT_REST = 1e-3
"""Stiction acts on joints that are slower [rad/s, m/s]."""


@dataclass(frozen=True)
class Posed:
    """The problem of one step.

    `M` takes impulses to velocities, `implicit` is the mass matrix with what damping and gains
    add to it, `unbound` and `free` are the velocities without contacts, without and with loops.
    Rows of `J` belong to contacts (three each, of the candidates `touching`), brakes and stops.
    `ground` holds forces (3,) [N] of penalty contact by candidate.
    """

    q: Array
    v: Array
    mass: Array
    implicit: Array
    M: Array
    unbound: Array
    free: Array
    J: Array
    problem: ConeProblem
    touching: list[int]
    seen: list[Candidate]
    control: tuple[Array, Array]
    ground: dict[int, Array]

    def after(self, p: Array) -> Array:
        """Return the velocity (nv,) after the impulses."""
        return np.asarray(self.free + self.M @ (self.J.T @ p))

    def torque(self, v: Array) -> Array:
        """Return what the controller did in the step, v being the velocity after it."""
        tau, gain = self.control
        return np.asarray(tau - gain * (v - self.v))

    def loop_impulse(self, p: Array) -> Array:
        """Return the impulse (nv,) of loops outside of clusters."""
        return np.asarray(self.implicit @ (self.after(p) - self.unbound) - self.J.T @ p)


@dataclass
class DenseStep:
    """The mechanics of one world, for one state at a time."""

    world: World
    model: ts.Model = field(init=False)
    control: Control = field(init=False)
    bristles: Bristles = field(init=False)

    def __post_init__(self) -> None:
        self.model = self.world.scaled_model()
        self.control = Control(self.world, self.world.model)
        self.bristles = Bristles(self.world)

    # --- smooth mechanics ---------------------------------------------------------------------

    def of_joints(self, name: str) -> Array:
        """Return a parameter of all joints (Σ nv,)."""
        return np.concatenate([np.zeros(0), *(getattr(j, name) for j in self.model.joints)])

    def damping_matrix(self, q: Array) -> Array:
        """Return Gᵀ D G (nv, nv) of the dampers of all joints, also of those that follow."""
        G, d = self.model.coupling_matrix(q), self.of_joints("damping")
        return np.asarray(G.T @ (d[:, None] * G))

    def spring_forces(self, q: Array) -> Array:
        """Return the forces (nv,) of joint springs: passive forces at rest have no others."""
        return np.asarray(self.model.passive_forces(q, np.zeros(self.model.nv)))

    def constraint_gaps(self, q: Array) -> Array:
        """Return how far the loops outside of clusters are open (rows,)."""
        outside = {constraint.name for constraint in self.model.constraints}
        loops = self.model.description.loops
        kept = [np.full(n_rows(loop.kind), loop.name in outside) for loop in loops]
        return np.asarray(self.model.loop_gaps(q)[np.concatenate([np.zeros(0, bool), *kept])])

    def loops(self, q: Array) -> tuple[Array, Array]:
        """Return a basis (nv, n) of what loops outside of clusters allow, and what they ask for."""
        rows = self.model.constraint_jacobian(q)
        if not len(rows):
            return np.eye(self.model.nv), np.zeros(self.model.nv)
        wish = -LOOP_FEEDBACK / self.world.dt * self.constraint_gaps(q)
        return null_space(rows, rcond=1e-10), np.linalg.pinv(rows, rcond=1e-10) @ wish

    # --- rows ---------------------------------------------------------------------------------

    def candidates(self, q: Array) -> list[Candidate]:
        """Return all places where something may touch."""
        return candidates(self.world, self.model, q)

    def contact_rows(self, q: Array, found: Candidate) -> Array:
        """Return the rows (3, nv) of a candidate: normal and tangents, first body less second."""
        rows = np.zeros((3, self.model.nv))
        for sign, body in ((1.0, found.body), (-1.0, found.other)):
            if body < 0:
                continue
            name = self.model.body_names[body]
            pose = self.model.frame_pose(q, name)
            J = self.model.frame_jacobian(q, name, reference="local_world_aligned")
            arm = found.point - pose[:3, 3]
            rows += sign * (J[:3] - np.cross(arm[:, None], J[3:], axisa=0, axisb=0, axisc=0))
        return np.asarray(found.axes @ rows)

    def brakes(self, q: Array, v: Array) -> tuple[list[Array], list[float]]:
        """Return rows and bounds [N·s] of dry friction in the joints."""
        rows: list[Array] = []
        bounds: list[float] = []
        if not self.world.joint_friction:
            return rows, bounds
        G, coulomb = self.model.coupling_matrix(q), self.of_joints("friction")
        stiction = np.zeros(len(coulomb))
        if self.world.stiction is not None:
            for joint in self.model.joints:
                own = np.arange(*joint.velocity_slice.indices(len(coulomb)))
                stiction[own[list(joint.own_velocities)]] = self.world.stiction[joint.v_slice]
        resting = np.abs(G @ v) < JOINT_AT_REST
        for k, bound in enumerate(np.where(resting, np.maximum(coulomb, stiction), coulomb)):
            if bound > 0.0:
                rows.append(G[k])
                bounds.append(self.world.dt * float(bound))
        return rows, bounds

    def stops(self, q: Array) -> tuple[list[Array], list[float]]:
        """Return rows of joint limits, and how far each is from its stop."""
        rows: list[Array] = []
        gaps: list[float] = []
        if not self.world.joint_limits:
            return rows, gaps
        G, x = self.model.coupling_matrix(q), self.model.joint_positions(q)
        for joint in self.model.joints:
            if joint.nq != joint.nv or joint.kind == "planar":
                continue  # only where rates of positions are velocities
            for k in range(joint.nq):
                row, at = G[joint.velocity_slice.start + k], x[joint.position_slice.start + k]
                for sign, limit in ((1.0, joint.lower[k]), (-1.0, joint.upper[k])):
                    if np.isfinite(limit):
                        rows.append(sign * row)
                        gaps.append(float(sign * (at - limit)))
        return rows, gaps

    # --- the step -----------------------------------------------------------------------------

    def pose(self, q: Array, v: Array, command: Array) -> Posed:
        """Return the problem of a step from a state; the controller sees it."""
        dt, dampers = self.world.dt, self.damping_matrix(q)
        tau, gain = self.control.forces(q, v, command)
        mass = self.model.mass_matrix(q)
        implicit = mass + dt * dampers + dt * np.diag(gain)
        seen = self.candidates(q)
        ground = self.ground_forces(q, v, seen)
        push = tau + self.spring_forces(q) - self.model.bias_forces(q, v) - dampers @ v
        for k, force in ground.items():
            push = push + self.contact_rows(q, seen[k]).T @ (seen[k].axes @ force)
        unbound = v + dt * (np.linalg.solve(implicit, push) + carried(self.model, v))
        N, wish = self.loops(q)
        M = N @ np.linalg.solve(N.T @ implicit @ N, N.T)
        free = wish + M @ (implicit @ (unbound - wish))
        rows, offsets, blocks, touching = self.rows(q, v, free, seen)
        J = np.array(rows).reshape(-1, self.model.nv)
        problem = ConeProblem(J @ M @ J.T, J @ free - np.array(offsets), tuple(blocks))
        return Posed(
            *(q, v, mass, implicit, M, unbound, free, J, problem, touching, seen),
            control=(tau, gain),
            ground=ground,
        )

    def ground_forces(self, q: Array, v: Array, seen: list[Candidate]) -> dict[int, Array]:
        """Return the forces (3,) [N] of penalty contact by candidate, in the world."""
        found = {}
        for k, place in enumerate(seen if self.world.law == "penalty" else []):
            velocity = place.axes.T @ (self.contact_rows(q, place) @ v)
            if (force := self.bristles.force(k, place, velocity)) is not None:
                found[k] = force
        return found

    def rows(
        self, q: Array, v: Array, free: Array, seen: list[Candidate]
    ) -> tuple[list[Array], list[float], list[Block], list[int]]:
        """Return rows, least velocities and blocks of all that takes part, and what touches."""
        world, dt = self.world, self.world.dt
        rows: list[Array] = []
        offsets: list[float] = []
        blocks: list[Block] = []
        touching = []
        for k, found in enumerate(seen if world.law != "penalty" else []):
            if found.gap > FAR:
                continue
            J = self.contact_rows(q, found)
            start, n = J @ v, len(rows)
            # what bounces does so in the step that is nearest to the impact
            share = 0.5 if self.bounces(float(start[0])) else 1.0
            if not self.active(found.gap, share * float(J[0] @ free)):
                continue
            slack = dt * world.viscous * float(np.linalg.norm(start[1:]))
            blocks.append(Block("contact", (n, n + 1, n + 2), world.friction, slack))
            rows += list(J)
            offsets += [self.target(found.gap, float(start[0])), 0.0, 0.0]
            touching.append(k)
        for row, bound in zip(*self.brakes(q, v), strict=True):
            blocks.append(Block("brake", (len(rows),), slack=bound))
            rows.append(row)
            offsets.append(0.0)
        for row, gap in zip(*self.stops(q), strict=True):
            if self.active(gap, float(row @ free)):
                blocks.append(Block("stop", (len(rows),)))
                rows.append(row)
                offsets.append(-gap / dt if gap > TOUCHING else 0.0)
        return rows, offsets, blocks, touching

    @property
    def ahead(self) -> bool:
        """Whether contacts are made before they are reached."""
        return bool(self.world.law_numbers.get("ahead", 1.0))

    def bounces(self, speed: float) -> bool:
        """Whether a contact with this normal velocity before the step comes back."""
        return self.world.restitution > 0.0 and speed < -self.world.rest_speed

    def active(self, gap: float, speed: float) -> bool:
        """Whether a contact or stop takes part, `speed` being that of the free motion."""
        return gap <= 0.0 or (self.ahead and gap + self.world.dt * speed < 0.0)

    def target(self, gap: float, speed: float) -> float:
        """Return the least normal velocity after the step, `speed` being that before."""
        if self.bounces(speed):
            return -self.world.restitution * speed
        return -gap / self.world.dt if gap > TOUCHING and self.ahead else 0.0

    def before_turning(self, v: Array, recorded: Array) -> Array:
        """Return the velocity after a step from v in the axes of its start, as it was recorded."""
        step = self.world.dt * (v if self.world.explicit else recorded)
        return in_new_axes(self.model, recorded, -step)

    def arrive(self, q: Array, v: Array, after: Array) -> tuple[Array, Array]:
        """Return the configuration after a step, and the velocity in its axes."""
        step = self.world.dt * (v if self.world.explicit else after)
        return moved(self.model, q, step), in_new_axes(self.model, after, step)

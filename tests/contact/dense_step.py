"""An independent oracle: one step of a mechanism in contact, with dense matrices in NumPy.

Mass matrices, bias forces and Jacobians come from `tarsus.Model`, whose own tests hold them to
account. The rest is written from the definitions: a step of semi-implicit Euler with joint
damping taken implicitly, loops by a basis of the velocities that they allow, contacts, joint
stops and dry friction by one complementarity problem. What the velocities after its impulses
would enter joins it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from cone_problem import Array, ConeProblem
from contact_geometry import Candidate, candidates
from contact_worlds import World
from control_oracle import Control
from dense_rows import Members, RowMaker, Rows, Start
from gyration import over_step
from penalty_oracle import Bristles
from scipy.linalg import null_space
from turning_bases import carried, in_new_axes, moved

import tarsus as ts
from tarsus.model.loops import n_rows

LOOP_FEEDBACK = 0.2
"""The part of a loop's gap that is closed in a step."""


@dataclass(frozen=True)
class Posed:
    """The problem of one step.

    `M` takes impulses to velocities, `implicit` is the mass matrix with what damping and gains
    add to it, `unbound` and `free` are the velocities without contacts, without and with loops.
    `rows` are those of the contacts and stops that are `members`, and of all brakes. `ground`
    holds forces (3,) [N] of penalty contact by candidate.
    """

    at: Start
    mass: Array
    implicit: Array
    M: Array
    unbound: Array
    free: Array
    rows: Rows
    members: Members
    control: tuple[Array, Array]
    ground: dict[int, Array]

    @property
    def q(self) -> Array:
        """Configuration (nq,) at the start."""
        return self.at.q

    @property
    def v(self) -> Array:
        """Velocity (nv,) at the start."""
        return self.at.v

    @cached_property
    def problem(self) -> ConeProblem:
        """The problem of the rows' impulses."""
        J = self.rows.J
        return ConeProblem(J @ self.M @ J.T, J @ self.free - self.rows.target, self.rows.blocks)

    def after(self, p: Array) -> Array:
        """Return the velocity (nv,) after the impulses."""
        return np.asarray(self.free + self.M @ (self.rows.J.T @ p))

    def pushed(self, p: Array) -> Members:
        """Return the contacts and stops on which impulses act."""
        stops = sorted(k for kind, k in self.members if kind == "stop")
        members = [*(("contact", k) for k in self.rows.touching), *(("stop", k) for k in stops)]
        return frozenset(
            member for member, row in zip(members, self.rows.first, strict=True) if p[row] > 0.0
        )

    def torque(self, v: Array) -> Array:
        """Return what the controller did in the step, v being the velocity after it."""
        tau, gain = self.control
        return np.asarray(tau - gain * (v - self.v))

    def loop_impulse(self, p: Array) -> Array:
        """Return the impulse (nv,) of loops outside of clusters."""
        return np.asarray(self.implicit @ (self.after(p) - self.unbound) - self.rows.J.T @ p)


@dataclass
class DenseStep:
    """The mechanics of one world, for one state at a time."""

    world: World
    model: ts.Model = field(init=False)
    control: Control = field(init=False)
    bristles: Bristles = field(init=False)
    maker: RowMaker = field(init=False)

    def __post_init__(self) -> None:
        self.model = self.world.scaled_model()
        self.control = Control(self.world, self.world.model)
        self.bristles = Bristles(self.world)
        self.maker = RowMaker(self.world, self.model)

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

    # --- the step -----------------------------------------------------------------------------

    def pose(self, q: Array, v: Array, command: Array, pushed: Members = frozenset()) -> Posed:
        """Return the problem of a step from a state; the controller sees it.

        What was pushed in the last step and is still near belongs to it in any case.
        """
        dt, dampers = self.world.dt, self.damping_matrix(q)
        tau, gain = self.control.forces(q, v, command)
        mass = self.model.mass_matrix(q)
        implicit = mass + dt * dampers + dt * np.diag(gain)
        seen = candidates(self.world, self.model, q)
        ground = self.ground_forces(q, v, seen)
        push = tau + self.spring_forces(q) - self.model.bias_forces(q, v) - dampers @ v
        for k, force in ground.items():
            push = push + self.maker.contact(q, seen[k]).T @ (seen[k].axes @ force)
        change, later = over_step(self.model, q, v, dt, implicit, push)
        unbound = v + change + dt * carried(self.model, v, later)
        N, wish = self.loops(q)
        M = N @ np.linalg.solve(N.T @ implicit @ N, N.T)
        free = wish + M @ (implicit @ (unbound - wish))
        at = Start(q, v, seen)
        near = self.maker.near(at, pushed)
        members = near | self.maker.touching(at) | self.maker.entered(at, free).keys()
        return Posed(
            *(at, mass, implicit, M, unbound, free, self.maker.make(at, members), members),
            control=(tau, gain),
            ground=ground,
        )

    def ground_forces(self, q: Array, v: Array, seen: list[Candidate]) -> dict[int, Array]:
        """Return the forces (3,) [N] of penalty contact by candidate, in the world."""
        found = {}
        for k, place in enumerate(seen if self.world.law == "penalty" else []):
            velocity = place.axes.T @ (self.maker.contact(q, place) @ v)
            if (force := self.bristles.force(k, place, velocity)) is not None:
                found[k] = force
        return found

    def joined(self, posed: Posed, others: Members) -> Posed:
        """Return the problem with other contacts and stops in it, too."""
        members = posed.members | others
        return replace(posed, members=members, rows=self.maker.make(posed.at, members))

    def resolve(self, posed: Posed, solve: Callable[[Posed], Array]) -> tuple[Posed, Array]:
        """Return the problem after all that would be entered has joined it, and its impulses."""
        while True:
            p = solve(posed)
            others = self.maker.entered(posed.at, posed.after(p)).keys() - posed.members
            if not others or not self.maker.ahead or self.world.law == "penalty":
                return posed, p
            posed = self.joined(posed, frozenset(others))

    def before_turning(self, q: Array, q_next: Array, v_next: Array) -> Array:
        """Return the velocity after a step in the axes of its start, as it was recorded."""
        return in_new_axes(self.model, v_next, -self.model.difference(q, q_next))

    def arrive(self, posed: Posed, after: Array, shift: Array) -> tuple[Array, Array]:
        """Return the configuration after a step, and the velocity in its axes."""
        step = self.world.dt * (posed.v if self.world.explicit else after) + shift
        return moved(self.model, posed.q, step), in_new_axes(self.model, after, step)

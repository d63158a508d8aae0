"""The rows of a step's problem, dense: contacts, brakes and stops, and which of them take part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cone_problem import Array, Block
from contact_geometry import FAR, Candidate
from contact_worlds import World

import tarsus as ts

SLOWEST = 0.1
"""Slower velocities [m/s] do not decide how precisely a world is solved."""
TOUCHING = 1e-10
"""Smaller gaps [m] are none."""
JOINT_AT_REST = 1e-3
"""Stiction acts on joints that are slower [rad/s, m/s], and they do not bounce at stops."""

Members = frozenset[tuple[str, int]]
"""Contacts and stops by their numbers."""


@dataclass(frozen=True)
class Rows:
    """Rows J (n, nv) with their blocks, those of contacts first.

    `target` is the least velocity (n,) of first rows, `bounce` the part of it that a bounce asks
    for; `gap` tells of each block how far it is from what it must not enter, nan for brakes.
    `touching` lists the candidates of the contacts.
    """

    J: Array
    blocks: tuple[Block, ...]
    target: Array
    bounce: Array
    gap: Array
    touching: list[int]

    @property
    def first(self) -> list[int]:
        """First rows of contacts and stops."""
        return [
            block.rows[0]
            for block, gap in zip(self.blocks, self.gap, strict=True)
            if np.isfinite(gap)
        ]


@dataclass(frozen=True)
class Start:
    """A state at the start of a step, and all candidates there."""

    q: Array
    v: Array
    seen: list[Candidate]


class RowMaker:
    """Rows of one world."""

    def __init__(self, world: World, model: ts.Model) -> None:
        self.world, self.model = world, model
        self.ahead = bool(world.law_numbers.get("ahead", 1.0))

    def contact(self, q: Array, found: Candidate) -> Array:
        """Return the rows (3, nv) of a candidate: normal and tangents, first body less second."""
        rows = np.zeros((3, self.model.nv))
        for sign, pose, J in self._bodies(q, found):
            arm = found.point - pose[:3, 3]
            rows += sign * (J[:3] - np.cross(arm[:, None], J[3:], axisa=0, axisb=0, axisc=0))
        return np.asarray(found.axes @ rows)

    def turns(self, q: Array, found: Candidate) -> Array:
        """Return the rows (0, 1 or 3, nv) of moments: about the normal, and about the tangents."""
        rows = sum((sign * J[3:] for sign, _, J in self._bodies(q, found)), np.zeros(()))
        count = 3 if self.world.rolling_friction else 1 if self.world.torsional_friction else 0
        return np.asarray(found.axes @ rows)[:count]

    def _bodies(self, q: Array, found: Candidate) -> list[tuple[float, Array, Array]]:
        names = [
            (sign, self.model.body_names[body])
            for sign, body in ((1.0, found.body), (-1.0, found.other))
            if body >= 0
        ]
        kind = "local_world_aligned"
        return [
            (s, self.model.frame_pose(q, n), self.model.frame_jacobian(q, n, reference=kind))
            for s, n in names
        ]

    def brakes(self, q: Array, v: Array) -> tuple[list[Array], list[float]]:
        """Return rows and bounds [N·s] of dry friction in the joints."""
        rows: list[Array] = []
        bounds: list[float] = []
        if not self.world.joint_friction:
            return rows, bounds
        G, joints = self.model.coupling_matrix(q), self.model.joints
        coulomb = np.concatenate([np.zeros(0), *(joint.friction for joint in joints)])
        stiction = np.zeros(len(coulomb))
        if self.world.stiction is not None:
            for joint in joints:
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

    # --- who takes part -----------------------------------------------------------------------

    def touching(self, at: Start) -> Members:
        """Return contacts and stops that are reached already."""
        gaps = self.stops(at.q)[1]
        seen = at.seen if self.world.law != "penalty" else []
        return frozenset(
            {("contact", k) for k, found in enumerate(seen) if found.gap <= 0.0}
            | {("stop", k) for k, gap in enumerate(gaps) if gap <= 0.0}
        )

    def near(self, at: Start, members: Members) -> Members:
        """Return those that slow velocities would close within the step."""
        stops = self.stops(at.q)[1]
        gaps = {m: at.seen[m[1]].gap if m[0] == "contact" else stops[m[1]] for m in members}
        return frozenset(m for m, gap in gaps.items() if gap < SLOWEST * self.world.dt)

    def entered(self, at: Start, after: Array) -> dict[tuple[str, int], float]:
        """Return what a velocity would enter within the step, and how deep [m].

        What bounces does so in the step that is nearest to the impact.
        """
        ends = {}
        for k, found in enumerate(at.seen if self.ahead and self.world.law != "penalty" else []):
            if found.gap > FAR:
                continue
            row = self.contact(at.q, found)[0]
            share = 0.5 if self.bounces(float(row @ at.v)) else 1.0
            ends["contact", k] = found.gap + share * self.world.dt * float(row @ after)
        for k, (row, gap) in enumerate(zip(*self.stops(at.q), strict=True)):
            ends["stop", k] = gap + self.world.dt * float(row @ after)
        return {key: -end for key, end in ends.items() if end < -TOUCHING}

    def bounces(self, speed: float) -> bool:
        """Whether a contact with this normal velocity before the step comes back."""
        return self.world.restitution > 0.0 and speed < -self.world.rest_speed

    def target(self, kind: str, gap: float, speed: float) -> tuple[float, float]:
        """Return the least velocity of a first row after the step, and the bounce's part of it.

        `speed` is that before the step. What lies ahead may be closed but not entered.
        """
        world = self.world
        ahead = kind == "stop" or self.ahead
        least = -gap / world.dt if gap > TOUCHING and ahead else 0.0
        back = world.restitution if self.bounces(speed) else 0.0
        if kind == "stop":
            back = world.limit_restitution if speed < -JOINT_AT_REST else 0.0
        return (-back * speed, -back * speed - least) if back else (least, 0.0)

    def make(self, at: Start, members: Members) -> Rows:
        """Return the rows of the contacts and stops that take part, and of all brakes."""
        world = self.world
        rows: list[Array] = []
        target, bounce, gaps = [], [], []
        blocks: list[Block] = []

        def add(kind: str, own: Array, gap: float) -> None:
            least = self.target(kind, gap, float(own[0] @ at.v))
            target.extend([least[0]] + [0.0] * (len(own) - 1))
            bounce.extend([least[1]] + [0.0] * (len(own) - 1))
            rows.extend(own)

        touching = sorted(k for kind, k in members if kind == "contact")
        for k in touching:
            found, n = at.seen[k], len(rows)
            J = self.contact(at.q, found)
            slack = world.dt * world.viscous * float(np.linalg.norm(J[1:] @ at.v))
            blocks.append(Block("contact", (n, n + 1, n + 2), world.friction, slack))
            gaps.append(found.gap)
            add("contact", np.vstack([J, turns := self.turns(at.q, found)]), found.gap)
            if len(turns) > 0:
                blocks.append(Block("disc", (n + 3,), world.torsional_friction, normal=n))
            if len(turns) > 1:
                blocks.append(Block("disc", (n + 4, n + 5), world.rolling_friction, normal=n))
            gaps += [np.nan] * (len(blocks) - len(gaps))
        for row, bound in zip(*self.brakes(at.q, at.v), strict=True):
            blocks.append(Block("brake", (len(rows),), slack=bound))
            gaps.append(np.nan)
            rows.append(row)
            target.append(0.0)
            bounce.append(0.0)
        for k, (row, gap) in enumerate(zip(*self.stops(at.q), strict=True)):
            if ("stop", k) in members:
                blocks.append(Block("stop", (len(rows),)))
                gaps.append(gap)
                add("stop", row[None], gap)
        J = np.array(rows).reshape(-1, self.model.nv)
        return Rows(J, tuple(blocks), np.array(target), np.array(bounce), np.array(gaps), touching)

"""States on compliant surfaces, block by block: what the core moves, and what it tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.acting import Acting
from tarsus.simulation.contact.compliant import Compliant
from tarsus.simulation.integrators.smooth_motion import linkages

DEFORMATION = 8
"""Numbers of a contact's deformation: θ, x, y, z of both surfaces."""
RECORD = 18
"""Numbers of a candidate's record: gap, point, normal, force, moment, speed, stored, losses …"""
GAP, POINT, NORMAL, FORCE = 0, slice(1, 4), slice(4, 7), slice(7, 10)
SPEED, STORED, SLIPS = 13, 14, 17
LOSSES = 4
"""What contacts lost: across surfaces, along them, and at resets; and how often surfaces met."""

TOUCHING = 1e-10
"""[m] Gaps below are none at the start."""
LONGEST = 0.02
"""[s] No step is longer: nothing passes through a body unseen."""
MOST_EVENTS, MOST_STEPS = 100_000, 100_000
"""At the start, and so many more in each second; what has more hardly moves on."""
NUMBERS = 1 << 22
"""Numbers of samples that are kept at once."""

EVENTS, TOO_SHORT, NOT_FINITE, DIVERGED, FOREVER, STEPS, INTERRUPTED = range(2, 9)
CAUSES = {
    EVENTS: f"there were more than {MOST_EVENTS} events a second: contacts chatter",
    TOO_SHORT: "the steps became too short: forces jump, or grow without bound",
    NOT_FINITE: "the state is not finite any more: forces or gains are far too large",
    DIVERGED: "the motion diverged (a velocity is above 1e10)",
    FOREVER: "contacts touch and part without time in between",
    STEPS: f"there were more than {MOST_STEPS} steps a second: contacts are too stiff",
}
"""Why the core could not go on, as it counts."""
ROUGH = (
    "dry friction of joints jumps where they rest, which takes very short steps: try "
    "joint_friction=False, or damping instead"
)


@dataclass(frozen=True)
class Layout:
    """Where things are in x = (velocities, deformations, works, losses, switches)."""

    nv: int
    parts: int
    candidates: int

    @property
    def deformation(self) -> slice:
        """Eight numbers of each candidate."""
        return slice(self.nv, self.nv + DEFORMATION * self.candidates)

    @property
    def works(self) -> slice:
        """Of efforts, damping and dry friction (3 nv), and of parts."""
        start = self.deformation.stop
        return slice(start, start + 3 * self.nv + self.parts)

    @property
    def losses(self) -> slice:
        """Of all contacts, and how often surfaces met."""
        return slice(self.works.stop, self.works.stop + LOSSES)

    @property
    def on(self) -> slice:
        """Whether candidates touch, 1 or 0."""
        return slice(self.losses.stop, self.losses.stop + self.candidates)

    @property
    def size(self) -> int:
        """All of them."""
        return int(self.on.stop)


class CompliantSteps:
    """Moves states (B, nq), (B, size) from one time to another."""

    def __init__(
        self,
        model: Model,
        law: Compliant,
        element: _core.Compliant,
        world: _core.World,
        parameters: Array,
        *,
        dt: float,
        friction: bool,
        threads: int,
        acting: Acting | None,
    ) -> None:
        self.model, self.law, self.element, self.world = model, law, element, world
        self.parameters = parameters
        self.dt, self.friction, self.threads, self.acting = dt, friction, threads, acting
        parts = 0 if acting is None else len(acting.parts.core)
        self.layout = Layout(model.nv, parts, world.n_candidates)
        of_q, of_v = linkages(model)
        self._linkage = [*of_q.tolist(), *of_v.tolist()]

    @property
    def rough(self) -> bool:
        """Whether joints have dry friction, and it acts."""
        return self.friction and any(np.any(joint.friction) for joint in self.model.joints)

    def start(self, q: Array, v: Array) -> Array:
        """Return x (B, size) of states at the start; what is pressed there is deformed."""
        at = self.layout
        x = np.zeros((len(q), at.size))
        x[:, : at.nv] = v
        if not at.candidates:
            return x
        gaps = self.world.contacts(q)[..., 0]
        share = self.law.numbers["share"]
        own = np.zeros((len(q), at.candidates, DEFORMATION))
        depth = np.where(gaps <= TOUCHING, gaps, 0.0)
        own[..., 3], own[..., 7] = share * depth, (1.0 - share) * depth
        x[:, at.deformation] = own.reshape(len(q), -1)
        x[:, at.on] = gaps <= TOUCHING
        return x

    def block(
        self,
        states: NDArray[np.int64],
        q: Array,
        x: Array,
        memory: Array | None,
        step: int,
        steps: int,
        end: int,
        tau: Array,
        effort: Callable[..., Array] | None,
        every: int = 1,
    ) -> Iterator[tuple[NDArray[np.int64], Mapping[str, Array]]]:
        """Yield what the core returns of some states over a number of times dt, group by group.

        There is a sample each `every` dt. Steps end after `end` dt in all, where efforts may
        jump, and not where blocks end: `memory` (B, n) is what the last block returned.
        """
        most = max(1, NUMBERS // (steps // every * (self.layout.size + self.model.nq)))
        several = self.acting is not None and len(self.acting.numbers) > 1
        size = 1 if several else most
        for some in np.split(states, range(size, len(states), size)):
            numbers = None
            if self.acting is not None:
                numbers = self.acting.numbers[int(some[0]) if several else 0]
            rows = some if len(self.parameters) > 1 else np.zeros(len(some), np.int64)
            held = np.concatenate([tau[some], self.parameters[rows, :2]], axis=1)
            yield (
                some,
                self.element.run(
                    *(q[some], x[some], held),
                    None if memory is None else memory[some],
                    None if self.acting is None else self.acting.parts.core,
                    numbers,
                    self._linkage,
                    friction=self.friction,
                    efforts=effort,
                    dt=self.dt,
                    first=step,
                    last=step + steps,
                    end=end,
                    every=every,
                    rtol=self.law.rtol,
                    atol=self.law.atol,
                    longest_step=LONGEST,
                    most_events=MOST_EVENTS,
                    most_steps=MOST_STEPS,
                    threads=self.threads,
                ),
            )

    def samples(self, found: Mapping[str, Array], steps: int) -> tuple[Array, Array]:
        """Return q (n, steps, nq) and x at the samples of a block; what ended stays."""
        n = len(found["status"])
        q, x = (np.repeat(found[name][:, None], steps, axis=1) for name in ("q", "v"))
        counts = np.bincount(found["samples"][:, 0].astype(np.int64), minlength=n)
        first = 0
        for k, each in enumerate(counts):
            those = slice(first, first + int(each))
            for to, name in ((q, "sample_q"), (x, "sample_v")):
                rows = found[name][those]
                to[k, : len(rows)] = rows
            first += int(each)
        return q, x

    def records(self, states: NDArray[np.int64], q: Array, x: Array) -> Array:
        """Return records (n, candidates, 18) of rows (n, …) that belong to these states."""
        at = self.layout
        rows = self.parameters
        if len(rows) > 1:
            rows = rows[states]
        found = self.element.forces(
            np.ascontiguousarray(rows),
            *(np.ascontiguousarray(each) for each in (q, x[:, : at.nv])),
            *(np.ascontiguousarray(x[:, each]) for each in (at.deformation, at.on)),
        )[2]
        return np.asarray(found).reshape(len(q), at.candidates, RECORD)


def cause_of(code: int, rough: bool) -> str:
    """Return why a motion ended before its time; `rough`: joints have dry friction."""
    cause = CAUSES.get(code, f"the core reports {code}")
    if rough and code in (TOO_SHORT, STEPS):
        cause += f"; {ROUGH}"
    return cause

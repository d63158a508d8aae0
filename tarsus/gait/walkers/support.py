"""Phases with several feet on the ground, and double support of two legs.

One foot is the root of the machine, as where it stands alone (`stance.py`). Those beside it are
planted where they landed, on spots that belong to the state (`tarsus.events.planted`). A strike
takes the machine to its new root by momenta, with left and right exchanged, and then lets it fall
onto the feet beside that, too: projections onto ever fewer motions are one onto the fewest, so that
this is the impact onto all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, resets
from tarsus.events.phase import Efforts
from tarsus.events.planted import Planted
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.landing import strike_slopes
from tarsus.gait.walkers.stance import Stance
from tarsus.model import Model
from tarsus.model.checks import numbers

LATER = 1e-9
"""How much deeper a foot is that struck although the other would leave [m]."""
NEAR = 1e-3
"""Feet that are further from the ground are not about to strike [m]."""
BRIEF = 1e-4
"""Pulls of strikes at feet that stand are none if loads make up for them in less time [s]."""
BOTH = "double support"
"""The phase in which two feet stand."""
KINDS = {"flat": "flat", "line": "point", "point": "point"}
"""What feet are on spots, by how they stand."""


class OfMachine:
    """A controller (t, q, v) → tau of a machine as one of the same with spots, which are pushed by
    none."""

    def __init__(self, efforts: Efforts, machine: Model, model: Model) -> None:
        self.efforts, self.sizes = efforts, (machine.nq, machine.nv, model.nv)
        self.__qualname__ = getattr(efforts, "__qualname__", type(efforts).__name__)
        if hasattr(efforts, "derivative"):
            self.derivative = self._derivative

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        nq, nv, size = self.sizes
        tau = np.zeros(size)
        tau[:nv] = numbers(self.efforts(t, q[:nq], v[:nv]), (nv,), "tau of the controller")
        return tau

    def _derivative(self, t: float, q: Array, v: Array) -> Array:
        nq, nv, size = self.sizes
        own = self.efforts.derivative(t, q[:nq], v[:nv])  # type: ignore[attr-defined]
        own = numbers(own, (nv, 2 * nv + 1), "derivative of the controller")
        found = np.zeros((size, 2 * size + 1))
        found[:nv, :nv], found[:nv, size : size + nv] = own[:, :nv], own[:, nv:-1]
        found[:nv, -1] = own[:, -1]
        return found


@dataclass(frozen=True, eq=False)
class Support:
    """A machine that stands on several feet in some of its phases."""

    stance: Stance
    """It on its root alone; its second foot is the next root."""
    beside: tuple[Foot, ...]
    """Feet that stand beside the root just after a strike."""

    @property
    def model(self) -> Model:
        """The machine that floats."""
        return self.stance.model

    @property
    def heading(self) -> bool:
        """Whether it may head anywhere."""
        return self.stance.heading

    @property
    def sole(self) -> None:
        """None of its feet rolls."""
        return

    @property
    def start(self) -> tuple[Array, Array]:
        """A state (nq,), (nv,) in which it stands still, feet on spots where they are."""
        return self.planted.plant(self.stance.rest), np.zeros(self.planted.nv)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not exact."""
        return self.stance.notes

    @cached_property
    def planted(self) -> Planted:
        """The machine on its root, with the other feet where they landed."""
        return self.on(self.beside)

    def on(self, beside: Sequence[Foot]) -> Planted:
        """Return the machine on its root with these feet on spots."""
        stance = self.stance
        space = any(joint.kind == "free" for joint in stance.model.joints)
        axes, kind = "xyz" if space else "xz", KINDS[stance.stance]
        return Planted(stance.standing, beside, stance.at, axes=axes, kind=kind)

    @property
    def events(self) -> int:
        """How many events a step has."""
        raise NotImplementedError

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the phases of a step, of which the first begins just after its strike."""
        raise NotImplementedError

    def standing(self, phase: str) -> tuple[Foot, ...]:
        """Return the feet that stand beside the root in a phase."""
        raise NotImplementedError

    def swinging(self, phase: str) -> tuple[Foot, ...]:
        """Return the feet that swing in a phase."""
        raise NotImplementedError

    def tree(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states (…, nq), (…, nv) on the root alone, of those with or without spots."""
        m = self.stance.standing
        return q[..., : m.nq], v[..., : m.nv]

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, with feet planted, by momenta, names exchanged."""
        return self.struck(q, v)[:2]

    def struck(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return states after a strike, and impulses on the feet beside the root (…, n, 3)."""
        there, rates = self.stance.landed(*self.tree(q, v))
        return self.planted.strike(there, rates)

    def led(self, controller: Efforts | None, model: Model) -> Efforts | None:
        """Return a controller of the machine on its root as one of a model that has spots, too."""
        return None if controller is None else OfMachine(controller, self.stance.standing, model)

    def load(self, controller: Efforts | None, t: float, q: Array, v: Array) -> float:
        """Return the least of what presses on feet beside the root [N], at q (nq,), v (nv,)."""
        led = self.led(controller, self.planted)
        tau = None if led is None else led(t, q, v)
        return float(self.planted.loads(q, v, tau)[:, 2].min())

    def reset(self, model: Model) -> resets.Function:
        """Return a strike of states of a model as a reset, with its derivatives."""
        after = self.planted
        return resets.Function(
            lambda t, q, v: self.landed(q, v),
            nq=after.nq,
            nv=after.nv,
            derivative=lambda t, q, v: strike_slopes(model, self.landed, q, v, after),
        )

    def ahead(self, q: Array) -> Array:
        """Return how far the next root is ahead of the root [m], q (…, nq) of any phase."""
        return self.stance.ahead(q[..., : self.stance.standing.nq])


@dataclass(frozen=True, eq=False)
class DoubleSupport(Support):
    """Two feet, of which the rear one stays where the other strikes, until nothing presses it."""

    @property
    def events(self) -> int:
        """A strike and a lift-off."""
        return 2

    def standing(self, phase: str) -> tuple[Foot, ...]:
        """Return the rear foot, in double support."""
        return self.beside if phase == BOTH else ()

    def swinging(self, phase: str) -> tuple[Foot, ...]:
        """Return the same foot, after it lifted off."""
        return () if phase == BOTH else self.beside

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return double support, which begins with a strike, and the swing that follows it."""
        m, alone = self.planted, self.stance.standing
        lift_off = Exit(
            guards.Function(lambda t, q, v: self.load(controller, t, q, v)),
            to="swing",
            reset=resets.Linear(np.eye(alone.nq, m.nq), None, np.eye(alone.nv, m.nv)),
            name="lift-off",
        )
        led = self.led(controller, m)
        both = Phase(m, (lift_off, self.stance.fall()), name=BOTH, controller=led)
        swing = self.stance.phase(controller, to=both.name)
        strike, fell = swing.exits  # type: ignore[misc]
        counts: tuple[guards.Guard, ...] = strike.when  # type: ignore[assignment]
        stays = guards.Function(lambda t, q, v: self.stays(controller, t, q, v))
        kept = Exit(
            strike.guard,
            to=both.name,
            when=(*counts, stays),
            reset=self.reset(alone),
            name="strike",
        )
        # a little later, so that it is another event
        lost = Exit(strike.guard + LATER, when=counts, name="strike that the rear foot leaves")
        return (both, Phase(alone, (kept, lost, fell), name="swing", controller=controller))

    def stays(self, controller: Efforts | None, t: float, q: Array, v: Array) -> float:
        """Return what presses on the rear foot if the other strikes now, just after that [N].

        Below zero where the ground would pull, then or by the impulse of the strike.
        """
        foot = self.stance.second_foot(q)[:3, 3] @ self.stance.at[:3, 2]
        if abs(foot) > NEAR:  # nobody asks yet, and this takes long
            return 1.0
        q, v, impulses = self.struck(q, v)
        load = self.load(controller, t, q, v)
        return min(load, load + float(impulses[0, 2]) / BRIEF)

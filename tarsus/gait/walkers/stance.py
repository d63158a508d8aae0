"""Stance phases of a model on one foot and on several feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarsus._lib.checks import find, numbers
from tarsus._lib.files import Array
from tarsus.events import guards, resets
from tarsus.events.foothold_model import Planted
from tarsus.events.phase import Efforts, Exit, Phase
from tarsus.gait.limb_search import resting
from tarsus.gait.walkers.feet import Foot, RoundSole, half_axes_of
from tarsus.gait.walkers.left_right_map import Relabelling, asymmetry, centre_of, relabelling
from tarsus.gait.walkers.touchdown import ACROSS, rates_on, strike_of, strike_slopes
from tarsus.model.model import Model
from tarsus.model.reroot_map import RootedState
from tarsus.model.rerooted_model import Rooted
from tarsus.spatial import pose, rotation_from_vector

# A phase of walking from a model: it stands on one foot, the other strikes, names are exchanged.
#
# The stance foot is the root of a tree. A strike lets the machine fall onto the other foot, and
# puts it down there with the names of both exchanged.


STANCES = {"flat": "fixed", "line": "revolute", "point": "spherical", "round": "rolling"}
"""How a foot stands, and the joint at the root: welded, on an edge across the way, on a tip, on a
sole that is round and rolls."""
EXACT = 1e-9
"""Inertias that are nearer to their images are images, as parts of themselves."""
UNLIKE = 0.25
"""Those that differ by more are no images."""
SHORTEST = 0.05
"""A foot that is less ahead only scuffs, as a share of the height of the centre of mass."""


@dataclass(frozen=True, eq=False)
class Stance:
    """A machine on its first foot, on a slope [rad] that falls along x."""

    model: Model
    feet: tuple[Foot, Foot]
    stance: str
    sole: RoundSole | None
    """That of round feet, whose lowest points are the origins of the frames `feet`."""
    slope: float

    @cached_property
    def at(self) -> Array:
        """Where the foot is (4, 4): at the origin, on the slope."""
        return pose(rotation=rotation_from_vector((0.0, self.slope, 0.0)))

    @cached_property
    def standing(self) -> Rooted:
        """The machine on its first foot."""
        return self._on(self.feet[0], STANCES[self.stance])

    @cached_property
    def other(self) -> Rooted:
        """The machine on its second foot."""
        return self._on(self.feet[1], STANCES[self.stance])

    @cached_property
    def floating(self) -> Rooted:
        """The machine with a first foot that moves as freely as its base does."""
        base = [joint for joint in self.model.joints if joint.kind == "free"]
        return self._on(self.feet[0], "free" if base else "planar")

    @cached_property
    def rest(self) -> Array:
        """A configuration (nq,) in which the machine could stand on its first foot."""
        return resting(self.standing)

    @cached_property
    def height(self) -> float:
        """How high the centre of mass is over the foot [m], at rest."""
        return float(np.asarray(self.standing.center_of_mass(self.rest)) @ self.at[:3, 2])

    def _on(self, foot: Foot, joint: str) -> Rooted:
        given: dict[str, Any] = {"axis": ACROSS} if joint in ("revolute", "planar") else {}
        placement = foot[1]
        if self.sole is not None and joint == STANCES["round"]:
            (joint, given), placement = self.sole.joint, foot[1] @ self.sole.center
        return self.model.rooted_at(foot[0], joint, placement=placement, at=self.at, **given)

    def second_foot(self, q: Array) -> Array:
        """Return where the second foot is (…, 4, 4), q (…, nq)."""
        name, placement = self.feet[1]
        return np.asarray(self.standing.frame_pose(q, name)) @ placement

    def phase(
        self,
        controller: Efforts | None = None,
        name: str = "swing",
        *,
        to: str | None = None,
        drop: float = 0.0,
    ) -> Phase:
        """Return the phase, which its strike leads back into, or to another.

        The ground of the second foot may `drop` [m].
        """
        stance, swing = (
            guards.Height((frame, placement[:3, 3]), normal=self.at[:3, 0])
            for frame, placement in self.feet
        )
        strike = Exit(
            self._over_ground() + drop,
            to=name if to is None else to,
            when=swing - stance - SHORTEST * self.height,
            reset=strike_of(self),
            name="strike",
        )
        return Phase(self.standing, (strike, self.fall()), name=name, controller=controller)

    @property
    def heading(self) -> bool:
        """Whether it may head anywhere: it stands on points of level ground, in space."""
        space = any(joint.kind == "free" for joint in self.model.joints)
        return self.stance == "point" and self.slope == 0.0 and space

    @property
    def start(self) -> tuple[Array, Array]:
        """A state (nq,), (nv,) in which it stands still."""
        return self.rest, np.zeros(self.standing.nv)

    @property
    def events(self) -> int:
        """How many events a step has: its strike."""
        return 1

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the phases of a step."""
        return (self.phase(controller),)

    def _over_ground(self) -> guards.Guard:
        """Return the guard that is how high the second foot is over the ground [m]."""
        (name, placement), normal = self.feet[1], self.at[:3, 2]
        if self.sole is None:
            return guards.Height((name, placement[:3, 3]), normal=normal)
        if self.sole.is_ball:
            middle = (placement @ self.sole.center)[:3, 3]
            return guards.Height((name, middle), normal=normal) - self.sole.radius
        return guards.Function(lambda t, q, v: float(self.clearance(q)))

    def clearance(self, q: Array) -> Array:
        """Return how high the second foot is over the ground [m], q (…, nq)."""
        foot, normal = self.second_foot(q), self.at[:3, 2]
        lowest = foot[..., :3, 3] if self.sole is None else self.sole.lowest(foot, normal)
        return np.asarray(lowest @ normal)

    def fall(self) -> Exit:
        """Return the exit by which a machine falls: what was highest is half as high."""
        m, bodies = self.standing, self.model.description.bodies
        places = {
            body.name: centre_of(m, self.rest, body.name) @ self.at[:3, 2]
            for body in bodies
            if body.mass > 0.0
        }
        top = max(places, key=lambda name: float(places[name]))
        at = next(body.com for body in bodies if body.name == top)
        over = 0.5 * places[top] * self.at[:3, 2]
        return Exit(guards.Height((top, at), over, self.at[:3, 2]), name="fell")

    def ahead(self, q: Array) -> Array:
        """Return how far the second foot is ahead of the first [m], q (…, nq)."""
        return np.asarray(self.placed(q)[..., 0])

    def placed(self, q: Array) -> Array:
        """Return how far the second foot is ahead and to the left (…, 2) [m], q (…, nq)."""
        return np.asarray(self.below(self.second_foot(q))[..., :3, 3] @ self.at[:3, :2])

    def below(self, foot: Array) -> Array:
        """Return where the root of a foot at poses (…, 4, 4) is: on the slope, below it."""
        place = np.tile(self.at, (*foot.shape[:-2], 1, 1))
        root = foot[..., :3, 3] if self.sole is None else self.sole.root(foot, self.at)
        place[..., :3, 3] = root
        return place

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, q (…, nq), v (…, nv), with names exchanged, by momenta."""
        there = self.set_down(q).q
        rates = rates_on(self.other, there, self.standing, q, v)
        return self.relabelling.configurations(there), rates @ self.names.T

    def set_down(self, q: Array) -> RootedState:
        """Return the machine on its second foot, set down where it is: q (…, nq), and `turn` (…).

        That is by how much the foot has to turn to stand, for instance to be level if flat.
        """
        floats = self.standing.to_original(q).q
        return self.other.from_original(floats, at=self.below(self.second_foot(q)))

    @cached_property
    def relabelling(self) -> Relabelling:
        """What exchanges names."""
        return relabelling(self.standing, self.other, (self.feet[0][0], self.feet[1][0]))

    @property
    def names(self) -> Array:
        """The matrix that exchanges names (nv, nv)."""
        return self.relabelling.rates

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is not exact: sides that are not images of each other."""
        found = asymmetry(self.relabelling)
        if found.inertia < EXACT:
            return ()
        means = "a step of one is nearly one of the other"
        if found.inertia > UNLIKE:
            means = (
                "gaits are those of a machine that stands on its left leg, and then on its image"
            )
        return (
            f"inertias of left and right differ by {found.inertia:.2g} of themselves, at "
            f"{found.joint!r} first: {means}",
        )


Radius = float | Sequence[float]
"""Of a round sole, or half axes (3,) of one that is an ellipsoid [m]."""


def checked_stance(stance: str, radius: Radius, model: Model) -> tuple[str, RoundSole | None]:
    """Return how a foot of a model stands, and its sole if it is round."""
    find(STANCES, stance, "stance")
    if np.any(radius) != (stance == "round"):
        raise ValueError(f"radius is {radius}: soles that are round have one, others have not")
    if stance != "round":
        return stance, None
    in_plane = not any(joint.kind == "free" for joint in model.joints)
    axes = half_axes_of(radius)
    if in_plane and len(set(axes)) > 1:
        raise ValueError(f"radius is {radius}: {model.name!r} walks in the plane, on one radius")
    return stance, RoundSole(axes, in_plane)


# Phases with several feet on the ground, and double support of two legs.
#
# One foot is the root of the machine, as where it stands alone (`stance.py`). Those beside it are
# planted where they landed, on spots that belong to the state
# (`tarsus.events.foothold_model`). A strike takes the machine to its new root by momenta, with left
# and right exchanged, and then lets it fall onto the feet beside that, too: projections onto ever
# fewer motions are one onto the fewest, so that this is the impact onto all of them at once.


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

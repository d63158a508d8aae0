"""The step planner: adaptation to pushes, and the swing foot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.walking.plans.adaptation import FootReach, StepAdaptation
from tarsus.walking.plans.dcm import Supports
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.plans.swing import Swing, Way, bend
from tarsus.walking.plans.zmp_preview import PreviewSupports
from tarsus.walking.references import Aims, Measured, Turning
from tarsus.walking.support_phases import StepPhases

# Walking in cycles: from the measured state to what feet, weight and centre of mass do next.
#
# Each cycle, in the step and the phase that it is in, adapts where and when the swinging foot
# lands, and returns references: the zero moment point that leads the divergent component back,
# heights, the feet, and which of them carry. One walker or many, each in its own phase.


LEFT_RIGHT = np.arange(2)

LOADED = 0.02
"""A foot that has landed may carry all after this time [s]."""
AGILE = 5.0
"""How far feet can be led away from where they stop by themselves, by the square of the time that
is left [m/s²]: a sixth of what they can be accelerated by."""
QUICK = 0.5
"""A foot in the air needs so long to land, in times 1/ω of the pendulum."""
FIRM = 0.03
"""A foot that is so near to the end of its way keeps its landing [s]."""


class Stepping(StepPhases):
    """The cycles of walkers along footsteps.

    `height` [m] is that of the centre of mass over the soles, `half` (2,) [m] half of the length
    and width of a sole in which the zero moment point may be. `gain` [1/s] is how fast errors of
    the divergent component fade, `spare` [m] how much longer legs may be than they are at rest.
    With a `preview` the centre of mass is led by preview control, whose gains are its own.
    """

    changing = (*StepPhases.changing, "pull")

    def __init__(
        self,
        steps: Footsteps,
        supports: Supports,
        *,
        height: float,
        half: Array,
        length: float,
        swing: Swing,
        adaptation: StepAdaptation | None = None,
        preview: PreviewSupports | None = None,
        ground: Terrain | None = None,
        gain: float = 3.0,
        spare: float = 0.0,
        walkers: int = 1,
    ) -> None:
        super().__init__(
            steps,
            supports,
            height=height,
            length=length,
            swing=swing,
            ground=ground,
            walkers=walkers,
        )
        self.adaptation, self.preview = adaptation, preview
        self.half, self.gain, self.spare = half, gain, spare
        self.pull = np.zeros((walkers, 2))
        """The acceleration of the centre of mass along the ground that was asked for (B, 2)."""

    def cycle(self, now: Measured, dt: float) -> Aims:
        """Return what walkers shall do in the next `dt` [s]."""
        xi = now.com + now.velocity / self.supports.omega
        self._change_phases(now)
        if self.adaptation is not None and self.adaptation.limits.stray == np.inf:
            recover(self, xi, now.soles)
        stance = np.minimum(self.step - 1, self.last)
        ahead = self.supports.ahead(self.position, self.step - 1)
        if self.adaptation is not None:
            ahead = self._adapt(xi, stance, ahead)
        wanted, repellent = self._divergent(ahead)
        if self.preview is None:
            asked = (repellent + (1.0 + self.gain / self.supports.omega) * (xi - wanted))[:, :2]
        else:
            wanted[:, :2], asked = self._previewed(self.preview, now, ahead)
        return self._aims(now, wanted, asked, dt)

    def _previewed(
        self, preview: PreviewSupports, now: Measured, ahead: Array
    ) -> tuple[Array, Array]:
        """Return where preview control leads ξ, and the zero moment point it asks for, (B, 2)."""
        to_come = preview.to_come(self.single, self._before(), ahead, self.left, self.long)
        com, velocity = now.com[:, :2], now.velocity[:, :2]
        pull = preview.accelerate(com, velocity, self.pull, to_come)
        return preview.divergent(to_come), com - pull / self.supports.omega**2

    def _divergent(self, ahead: Array) -> tuple[Array, Array]:
        """Return where the divergent component shall be (B, 3), and what repels it (B, 3)."""
        one, _ = self.supports.in_single(ahead, self.left)
        if self.single.all():
            return one.point, one.repellent
        two = self.supports.in_double(self._before(), ahead, self.left, self.long)
        pick = self.single[:, None]
        return np.where(pick, one.point, two.point), np.where(pick, one[2], two[2])

    def _adapt(self, xi: Array, stance: NDArray[np.int64], ahead: Array) -> Array:
        """Move the next footsteps, and the time of the next, by the measured state."""
        assert self.adaptation is not None
        rest = np.maximum(self.left - self.swing.settle, 0.0)
        these = self.single & (rest > FIRM) & (self.step <= self.last)
        if not these.any():
            return ahead
        step = np.minimum(self.step, self.last)
        place = self.planned[self.rows, step]
        if self.adaptation.limits.stray == np.inf:
            # a walker that was pushed aside goes on from where it is
            place = place + self.position[self.rows, stance] - self.planned[self.rows, stance]
        offset = np.where(
            (step == self.last)[:, None],
            self.adaptation.last_offset(ahead[:, 0, :2], place[:, :2]),
            (self.preview or self.supports).offset(ahead)[:, :2],
        )
        found = self.adaptation.adapt(
            xi[:, :2],
            ahead[:, 0, :2],
            self.yaw[self.rows, stance],
            self.side[step],
            self.half,
            place[:, :2],
            offset,
            self.since,
            np.maximum(self.long - self.since, 0.02),
            np.minimum(self.left, QUICK / self.supports.omega),
            FootReach(
                self.moving.position[:, :2], self.moving.velocity[:, :2], AGILE, self.swing.settle
            ),
        )
        moved = np.where(these[:, None], found.place - self.position[self.rows, step, :2], 0.0)
        later = np.arange(len(self.side)) >= step[:, None]
        self.position[..., :2] += np.where(later[..., None], moved[:, None, :], 0.0)
        if self.ground is not None:
            at = self.position[self.rows, step]
            self.position[self.rows, step, 2] = self.ground.height(at[:, 0], at[:, 1])
        self.left = np.where(these, found.left, self.left)
        return self.supports.ahead(self.position, self.step - 1)

    def _aims(self, now: Measured, wanted: Array, asked: Array, dt: float) -> Aims:
        """Return the references, and go on by dt; what is `asked` for (B, 2) is kept on soles."""
        pressure = between_feet(asked, now.soles, self.swings, self.single, self.half)
        self.pull = self.supports.omega**2 * (now.com[:, :2] - pressure)
        self._carry(dt)
        swinging = self.single[:, None] & (self.swings[:, None] == LEFT_RIGHT)
        swing = FootSwing(
            Way(*(part[:, :3] for part in self.moving)),
            self.turn,
            Way(*(part[:, 3:4] for part in self.moving)),
        )
        loads = self._loads()
        self.since, self.left = self.since + dt, self.left - dt
        return Aims(
            pressure,
            Way(*(part[:, 5:] for part in self.moving)),
            *swing.feet(now.soles, swinging),
            loads,
            swinging,
            Way(*(part[:, 4:5] for part in self.moving)),
            wanted,
        )

    def _loads(self) -> Array:
        """Return what feet may carry (B, 2): they take over and leave without a jump."""
        ends = self.step > self.last
        leaving = np.where(
            self.single, 0.0, np.minimum(np.maximum(self.left / self.long, 0.0), 1.0)
        )
        landed = np.minimum(np.maximum(self.since / LOADED, 0.05), 1.0)
        landed = np.where(self.single | (self.step == 2), 1.0, landed)
        # at the end of a walk the foot that has landed is that of the last step
        mine, other = np.where(ends, landed, leaving), np.where(ends, 1.0, landed)
        return np.where(self.swings[:, None] == LEFT_RIGHT, mine[:, None], other[:, None])

    def _carry(self, dt: float) -> None:
        """Move the references of the swinging feet, of the height and of the heading on by dt."""
        if not self.single.any():
            return
        step = np.minimum(self.step, self.last)
        now, target = self.moving.position[:, :3], self.position[self.rows, step]
        end, times = self.swing.aim(now, target, self.top, self.since, self.left)
        # feet, the share of their turn that is done, the heading, and the height over the lower of
        # the feet: the lower leg is stretched as far as it has to spare, then the other bends
        both = (self.yaw[self.rows, step] + self.yaw[self.rows, step - 1]) / 2
        ends = self.position[self.rows, step - 1, 2], self.position[self.rows, step, 2]
        lower, rise = np.minimum(*ends), np.abs(ends[1] - ends[0])
        place, speed, long = np.zeros((3, len(both), 6))
        place[:, :3], place[:, 3], place[:, 4] = end.position, 1.0, both
        place[:, 5] = lower + self.height + np.minimum(rise, self.spare)
        speed[:, :3] = end.velocity
        long[:, :3], long[:, 3] = times, times[:, 0]
        long[:, 4:] = np.maximum(self.left, 0.05)[:, None]
        moved = bend(self.moving, Way(place, speed, np.zeros_like(speed)), long, dt)
        self.moving = moved.where(self.single, self.moving)


# Steps of machines that stand and are pushed: taken when the divergent component leaves the feet.
#
# While ξ is within the soles, ankles lead it back. Beyond them only a step does. It is that of the
# foot which carries less, and a second one brings the feet side by side again; where and when they
# land, adaptation finds as it does in a walk.


BEYOND = 0.01
"""Steps are taken when ξ is further than this from where the zero moment point may be [m]."""
AFTER = 0.1
"""… and so long after the last foot has landed [s]."""
SOON = 0.4
"""The share of double support in which weight is shifted before the first of these steps."""
NEEDED = 4
"""Footsteps that are laid anew: two where the feet are, two to come."""


def recover(walk: Stepping, xi: Array, soles: Array) -> None:
    """Let walkers that have made their steps make more, if they would fall: ξ (B, 3), soles."""
    stands = (walk.step > walk.last) & (walk.since > AFTER)
    if not stands.any() or len(walk.side) < NEEDED:
        return
    can = between_feet(xi[:, :2], soles, walk.swings, walk.single, walk.half)
    falls = stands & (np.linalg.norm(xi[:, :2] - can, axis=1) > BEYOND)
    if not falls.any():
        return
    lifted = 0 if walk.side[-2] > 0 else 1
    apart = np.linalg.norm(soles[:, :, :2, 3] - xi[:, None, :2], axis=-1)
    # the last foot alone steps if the one before carries more
    alone = falls & (apart[:, lifted] < apart[:, 1 - lifted] - walk.half[1])
    _lay(walk, falls, soles, lifted)
    walk.step = np.where(falls, walk.last - 1 + alone, walk.step)
    walk.swings = walk._swings()
    walk._begin(falls, SOON * walk.supports.double)


def _lay(walk: Stepping, these: NDArray[np.bool_], soles: Array, lifted: int) -> None:
    """Put the last footsteps where the feet are, then beside each other."""
    first, second = (soles[these, k, :3, 3] for k in (lifted, 1 - lifted))
    yaw = walk.yaw[these, -1]
    width = np.linalg.norm(walk.planned[these, -1, :2] - walk.planned[these, -2, :2], axis=-1)
    aside = walk.side[-2] * width[:, None] * np.stack([-np.sin(yaw), np.cos(yaw)], axis=-1)
    beside = second.copy()
    beside[:, :2] += aside
    laid = np.stack([first, second, beside, second], axis=1)
    walk.position[these, -NEEDED:] = laid
    walk.planned[these, -NEEDED:] = laid
    walk.yaw[these, -NEEDED:] = yaw[:, None]
    walk.rotation[these, -NEEDED:] = walk.rotation[these, -1:]


# Both feet of walkers in a cycle: the one that swings, and where the weight is between them.


class FootSwing(NamedTuple):
    """The feet that swing (B,): their ways, their turns, and the share (B, 1) that is done."""

    way: Way
    turn: Turning
    share: Way

    def feet(self, soles: Array, swinging: NDArray[np.bool_]) -> tuple[Way, Array, Array, Array]:
        """Return ways, rotations, angular velocities and their rates of both feet, (B, 2, …).

        Those that stand are where `soles` (B, 2, 4, 4) are measured, at rest.
        """
        place, rotation = soles[..., :3, 3], soles[..., :3, :3]
        velocity, acceleration, spin, faster = np.zeros((4, *place.shape))
        at = swinging.nonzero()
        if len(at[0]):
            these, place, rotation = at[0], place.copy(), rotation.copy()
            place[at], velocity[at], acceleration[at] = (part[these] for part in self.way)
            share, rate, more = (part[these] for part in self.share)
            rotation[at], axis = self.turn.at(these, share)
            spin[at], faster[at] = axis * rate, axis * more
        return Way(place, velocity, acceleration), rotation, spin, faster


def between_feet(
    pressure: Array, soles: Array, swings: NDArray[np.int64], single: NDArray[np.bool_], half: Array
) -> Array:
    """Return zero moment points (B, 2) near `pressure` that the feet which carry can have.

    In single support it is within `half` (2,) [m] of the middle of the sole that does not swing,
    in double support within a sole that is moved from one foot to the other.
    """
    rows = np.arange(len(pressure))
    near = soles[rows, 1 - swings, :2]
    turn, middle = near[..., :2], near[..., 3]
    if not single.all():
        way = soles[rows, swings, :2, 3] - middle
        along = ((pressure - middle) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9)
        share = np.where(single, 0.0, np.minimum(np.maximum(along, 0.0), 1.0))
        middle = middle + share[:, None] * way
    local = ((pressure - middle)[:, None] @ turn)[:, 0]
    kept = np.minimum(np.maximum(local, -half), half)
    return np.asarray(middle + (turn @ kept[..., None])[..., 0])

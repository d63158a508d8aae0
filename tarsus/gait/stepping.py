"""Walking in cycles: from the measured state to what feet, weight and centre of mass do next.

Each cycle knows the step and the phase that it is in, adapts where and when the swinging foot
lands, and returns references: the zero moment point that leads the divergent component back,
heights, the feet, and which of them carry. One walker or many, each in its own phase.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.aims import Aims, Measured
from tarsus.gait.foot_swing import FootSwing, between_feet
from tarsus.gait.plans.adaptation import StepAdaptation
from tarsus.gait.plans.foot_reach import FootReach
from tarsus.gait.plans.footsteps import Footsteps, sole_rotation
from tarsus.gait.plans.preview_supports import PreviewSupports
from tarsus.gait.plans.supports import Supports
from tarsus.gait.plans.swing import Swing, Way, bend
from tarsus.gait.recovery import recover
from tarsus.gait.turning import Turning
from tarsus.geometry.terrain import Terrain

Which: TypeAlias = NDArray[np.bool_]
LEFT_RIGHT = np.arange(2)

LOADED = 0.02
"""A foot that has landed may carry all after this time [s]."""
EARLY = 0.6
"""From this share of a swing on a foot that touches has landed."""
AGILE = 5.0
"""How far feet can be led away from where they stop by themselves, by the square of the time that
is left [m/s²]: a sixth of what they can be accelerated by."""
QUICK = 0.5
"""A foot in the air needs so long to land, in times 1/ω of the pendulum."""
FIRM = 0.03
"""A foot that is so near to the end of its way keeps its landing [s]."""
KEPT = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
"""Of what moves: what goes on when the next foot is lifted."""
LATE = 0.25
"""A foot that has not landed so long after its time [s] is taken to stand."""

CHANGING = (
    "position",
    "planned",
    "yaw",
    "rotation",
    "step",
    "single",
    "since",
    "left",
    "long",
    "top",
    "swings",
    "pull",
)
"""Arrays of a walk that its cycles change."""


class Stepping:
    """The cycles of walkers along footsteps.

    `height` [m] is that of the centre of mass over the soles, `half` (2,) [m] half of the length
    and width of a sole in which the zero moment point may be. `gain` [1/s] is how fast errors of
    the divergent component fade, `spare` [m] how much longer legs may be than they are at rest.
    With a `preview` the centre of mass is led by preview control, whose gains are its own.
    """

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
        self.supports, self.swing, self.adaptation = supports, swing, adaptation
        self.preview = preview
        self.ground, self.height, self.half, self.length = ground, height, half, length
        self.gain, self.spare = gain, spare
        n = len(steps.side)
        self.side = steps.side
        self.position = np.array(np.broadcast_to(steps.position, (walkers, n, 3)))
        self.planned = self.position.copy()
        self.yaw = np.array(np.broadcast_to(np.unwrap(steps.yaw), (walkers, n)))
        self.rotation = sole_rotation(self.yaw, np.broadcast_to(steps.normal, (walkers, n, 3)))
        self.rows = np.arange(walkers)
        self.step = np.full(walkers, 2)
        """The step (B,) that is made, or that follows double support."""
        self.single = np.zeros(walkers, bool)
        """Whether only one foot carries (B,)."""
        self.since = np.zeros(walkers)
        self.left = np.full(walkers, supports.start)
        self.long = self.left.copy()
        """Of the phase: time since it began, time to go, and its length as planned (B,) [s]."""
        begin = np.zeros((walkers, 6))
        begin[:, :3] = self.position[:, 0]
        begin[:, 4] = self.yaw[:, :2].mean(axis=1)
        begin[:, 5] = self.position[:, :2, 2].min(axis=1) + height
        self.moving = Way.at_rest(begin)
        """The foot that swings (3), the share of its turn, the heading and the height (B, 6)."""
        self.turn = Turning.from_to(self.rotation[:, 0], self.rotation[:, 0])
        self.top = np.zeros(walkers)
        self.swings = self._swings()
        self.pull = np.zeros((walkers, 2))
        """The acceleration of the centre of mass along the ground that was asked for (B, 2)."""

    @property
    def walkers(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.side) - 1

    @property
    def done(self) -> Which:
        """Which walkers (B,) have made all their steps and shifted their weight to the middle."""
        return np.asarray((self.step > self.last) & (self.left <= 0.0))

    def restart(self, these: Which, start: Stepping) -> None:
        """Let some walkers (B,) begin again as they do in `start`."""
        for name in CHANGING:
            own = getattr(self, name).copy()
            own[these] = getattr(start, name)[these]
            setattr(self, name, own)
        self.moving = start.moving.where(these, self.moving)
        self.turn = start.turn.where(these, self.turn)

    def get_state(self) -> dict[str, Array]:
        """Return what cycles change, by name, each (B, …)."""
        own = {name: getattr(self, name).copy() for name in CHANGING}
        moving = {f"moving.{key}": value.copy() for key, value in self.moving._asdict().items()}
        return (
            own | moving | {f"turn.{key}": value.copy() for key, value in vars(self.turn).items()}
        )

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        for name in CHANGING:
            setattr(self, name, np.array(state[name]))
        self.moving = Way(*(np.array(state[f"moving.{key}"]) for key in Way._fields))
        self.turn = Turning(*(np.array(state[f"turn.{key}"]) for key in vars(self.turn)))

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

    def _before(self) -> Array:
        """Return the supports (B, 3) from which double support leads on."""
        first = self.position[:, :2].mean(axis=1)
        before = self.position[self.rows, self.step - 2]
        return np.asarray(np.where((self.step == 2)[:, None], first, before))

    def _change_phases(self, now: Measured) -> None:
        """Let feet lift and land."""
        lifts = ~self.single & (self.left <= 1e-9) & (self.step <= self.last)
        swinging = self.rows, self.swings
        total = self.since + self.left
        felt = now.touching[swinging] & (self.since > EARLY * total)
        lands = self.single & (felt | (self.left < -LATE))
        if lands.any():
            self._land(lands, now.soles[swinging])
        if lifts.any():
            self._lift(lifts, now.soles[swinging])

    def _swings(self) -> NDArray[np.int64]:
        """Return the feet (B,), 0 or 1, that swing in the present step or will in the next."""
        return np.where(self.side[np.minimum(self.step, self.last)] > 0, 0, 1)

    def _land(self, these: Which, soles: Array) -> None:
        """Put feet down where they are, and begin double support."""
        step = self.step[these]
        self.position[these, step] = soles[these, :3, 3]
        self.step = np.where(these, self.step + 1, self.step)
        self.swings = self._swings()
        self.single = self.single & ~these
        self._begin(these, self.supports.double)

    def _lift(self, these: Which, soles: Array) -> None:
        """Lift feet from where they are, and begin single support."""
        self.single = self.single | these
        self._begin(these, self.supports.single)
        step = np.minimum(self.step, self.last)
        begin = self.moving.position.copy()
        begin[these, :3], begin[these, 3] = soles[these, :3, 3], 0.0
        rates = np.where(these[:, None], KEPT, 1.0)
        self.moving = Way(begin, rates * self.moving.velocity, rates * self.moving.acceleration)
        start = np.where(these[:, None, None], soles[:, :3, :3], self.turn.start)
        self.turn = Turning.from_to(start, self.rotation[self.rows, step])
        end = self.position[self.rows, step]
        top = self.swing.top(self.ground, begin[:, :3], end, self.length)
        self.top = np.where(these, top, self.top)

    def _begin(self, these: Which, long: float) -> None:
        self.since = np.where(these, 0.0, self.since)
        self.left = np.where(these, long, self.left)
        self.long = np.where(these, long, self.long)

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

"""Where walkers are in their steps: which foot swings since when, where feet stand and will.

Feet lift when double support is over, and land where they touch. One walker or many, each in its
own phase; what changes on the way can be kept and taken back.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.walking.plans.dcm import Supports
from tarsus.walking.plans.footsteps import Footsteps, sole_rotation
from tarsus.walking.plans.swing import Swing, Way
from tarsus.walking.references import Measured, Turning

Which: TypeAlias = NDArray[np.bool_]

EARLY = 0.6
"""From this share of a swing on a foot that touches has landed."""
KEPT = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
"""Of what moves: what goes on when the next foot is lifted."""
LATE = 0.25
"""A foot that has not landed so long after its time [s] is taken to stand."""


class StepPhases:
    """Single and double supports of walkers along footsteps, one after the other.

    `height` [m] is that of the centre of mass over the soles, `length` [m] that of a sole.
    """

    changing: tuple[str, ...] = (
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
    )
    """Arrays that cycles change."""

    def __init__(
        self,
        steps: Footsteps,
        supports: Supports,
        *,
        height: float,
        length: float,
        swing: Swing,
        ground: Terrain | None = None,
        walkers: int = 1,
    ) -> None:
        self.supports, self.swing, self.ground = supports, swing, ground
        self.height, self.length = height, length
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

    def restart(self, these: Which, start: StepPhases) -> None:
        """Let some walkers (B,) begin again as they do in `start`."""
        for name in self.changing:
            own = getattr(self, name).copy()
            own[these] = getattr(start, name)[these]
            setattr(self, name, own)
        self.moving = start.moving.where(these, self.moving)
        self.turn = start.turn.where(these, self.turn)

    def get_state(self) -> dict[str, Array]:
        """Return what cycles change, by name, each (B, …)."""
        own = {name: getattr(self, name).copy() for name in self.changing}
        moving = {f"moving.{key}": value.copy() for key, value in self.moving._asdict().items()}
        return (
            own | moving | {f"turn.{key}": value.copy() for key, value in vars(self.turn).items()}
        )

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        for name in self.changing:
            setattr(self, name, np.array(state[name]))
        self.moving = Way(*(np.array(state[f"moving.{key}"]) for key in Way._fields))
        self.turn = Turning(*(np.array(state[f"turn.{key}"]) for key in vars(self.turn)))

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

    def _before(self) -> Array:
        """Return the supports (B, 3) from which double support leads on."""
        first = self.position[:, :2].mean(axis=1)
        before = self.position[self.rows, self.step - 2]
        return np.asarray(np.where((self.step == 2)[:, None], first, before))

"""Encoders of joints, and homing of encoders that do not know their offset.

A reading is gain · x + offset, with x the position of a joint, or of a motor that moves with it. An
absolute encoder of one turn knows its reading only up to multiples of its `period`.

Homing: joints without an absolute encoder find a switch, whose place is known. A switch closes as
the joint comes from one side and opens as it goes back, a little later: the slow approach counts,
always from the same side, and several of them show how well it repeats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import LARGEST, count, expect, flag, number, read_only, reals, suggestion
from tarsus._lib.files import Array
from tarsus.control.controller import checked_model
from tarsus.model.model import Model


class Encoders:
    """Encoders on joints of one coordinate: of the machine, of motors, of members of loops.

    `gains` are readings for a radian or metre, `offsets` the readings where joints are at zero,
    `period` what readings repeat after (None: never), `sigma` the deviation of their noise; one
    number for all, or one for each of `joints`. Without `joints` all independent joints of one
    coordinate have an encoder.
    """

    model: Model
    """The machine."""
    joints: tuple[str, ...]
    """Names of the joints with an encoder, in the order of readings."""
    gains: Array
    """Readings for one radian or metre (joints,)."""
    offsets: Array
    """Readings where the joints are at zero (joints,)."""
    period: Array
    """What readings repeat after (joints,), inf for never."""
    sigma: Array
    """Standard deviations of readings (joints,)."""

    def __init__(
        self,
        model: Model,
        joints: Sequence[str] | None = None,
        *,
        gains: ArrayLike = 1.0,
        offsets: ArrayLike = 0.0,
        period: ArrayLike | None = None,
        sigma: ArrayLike = 0.0,
    ) -> None:
        self.model = checked_model(model, "Encoders")
        if joints is None:
            views = [j for j in model.joints if (j.nq, j.nv) == (1, 1) and j.own_velocities]
            joints = [view.name for view in views]
        model.motor_positions(model.neutral(), motors=joints)  # tells which joints cannot have one
        self.joints = tuple(joints)
        self.gains = self._each(gains, "gains")
        self.offsets = self._each(offsets, "offsets")
        self.period = self._each(np.inf if period is None else period, "period", infinite=True)
        self.sigma = self._each(sigma, "sigma")
        for name, wrong, rule in (
            ("gains", self.gains == 0.0, "not be zero"),
            ("period", self.period <= 0.0, "be positive"),
            ("sigma", self.sigma < 0.0, "not be negative"),
        ):
            if wrong.any():
                k = int(np.argmax(wrong))
                value = float(getattr(self, name)[k])
                raise ValueError(f"{name} of joint {self.joints[k]!r} is {value}, must {rule}")

    def readings(self, q: ArrayLike) -> Array:
        """Return what the encoders read (…, joints) at q, within half a period of zero."""
        found = self.gains * self.model.motor_positions(q, motors=self.joints) + self.offsets
        return self.wrapped(found)

    def positions(self, readings: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return positions (…, joints) of the joints; of several turns those nearest to q."""
        read = self.checked(readings)
        found = (read - self.offsets) / self.gains
        if np.isinf(self.period).all():
            return found
        there = self.model.motor_positions(self._near(q), motors=self.joints)
        return np.asarray(there + self.wrapped((found - there) * self.gains) / self.gains)

    def configuration(self, readings: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return the configuration (…, nq) that the encoders read, near q (the neutral one).

        Coordinates without encoders are those of q.
        """
        near = self._near(q)
        found = self.positions(readings, near)
        return self.model.from_motor_positions(found, near, motors=self.joints)

    def started(self, q: ArrayLike, readings: ArrayLike) -> Self:
        """Return the encoders with offsets at which `readings` (joints,) mean q.

        This is how incremental encoders of motors learn where they are: q comes from the absolute
        encoders of the joints, or from a pose that is known.
        """
        read, there = self.checked(readings), self.model.motor_positions(q, motors=self.joints)
        if read.ndim != 1 or there.ndim != 1:
            raise ValueError(f"one state is needed: readings {read.shape}, q {np.shape(q)}")
        return self.changed(offsets=self.wrapped(read - self.gains * there))

    def changed(self, **fields: Any) -> Self:
        """Return the encoders with other gains, offsets, period or sigma, or of another model."""
        own = {key: getattr(self, key) for key in ("gains", "offsets", "period", "sigma")}
        model = fields.pop("model", self.model)
        return type(self)(model, self.joints, **(own | fields))

    def checked(self, readings: ArrayLike) -> Array:
        """Return finite readings (…, joints), or raise."""
        read, count = reals(readings, "readings"), len(self.joints)
        if read.shape[-1:] != (count,):
            raise ValueError(f"readings has shape {read.shape}, must be (…, {count})")
        if not (np.abs(read) <= LARGEST).all():
            raise ValueError("readings has entries that are not finite")
        return read

    def _near(self, q: ArrayLike | None) -> Array:
        return self.model.neutral() if q is None else reals(q, "q")

    def wrapped(self, readings: Array) -> Array:
        """Return readings within half a period of zero."""
        turn = np.where(np.isinf(self.period), 1.0, self.period)
        turns = np.where(np.isinf(self.period), 0.0, np.round(readings / turn))
        return np.asarray(readings - turns * turn)

    def _each(self, value: ArrayLike, what: str, *, infinite: bool = False) -> Array:
        array, count = reals(value, what), len(self.joints)
        if array.shape not in ((), (count,)):
            raise ValueError(f"{what} has shape {array.shape}, must be () or ({count},)")
        if not ((np.abs(array) <= LARGEST) | (infinite & np.isinf(array))).all():
            raise ValueError(f"{what} has entries that are not finite")
        return read_only(np.array(np.broadcast_to(array, (count,))))

    def __repr__(self) -> str:
        return f"<tarsus.calibration.Encoders of {self.model.name!r}: {', '.join(self.joints)}>"


class HomingSearch:
    """Looks for a switch: quickly there, back, and `repeats` times slowly there again.

    `towards` is +1 or −1, the side of the switch; `fast` and `slow` are speeds of the joint, `back`
    the way [rad or m] it goes back, which must open the switch. Ask `velocity` in each cycle for
    the velocity to command, until `done`; `edges` are the readings at which the switch closed, half
    way between the cycle before and the cycle after. A joint that goes further than `longest`
    without meeting the switch is told.
    """

    def __init__(
        self,
        towards: int,
        *,
        fast: float,
        slow: float,
        back: float,
        longest: float,
        repeats: int = 3,
        gain: float = 1.0,
    ) -> None:
        if towards not in (-1, 1):
            raise ValueError(f"towards is {towards!r}, must be 1 or -1")
        count(repeats, "repeats")
        for name, value in (("fast", fast), ("slow", slow), ("back", back), ("longest", longest)):
            if number(value, name) <= 0.0:
                raise ValueError(f"{name} is {value}, must be positive")
        if number(gain, "gain") == 0.0:
            raise ValueError("gain is 0.0")
        self.towards, self.gain = towards, gain
        self.fast, self.slow, self.back, self.longest = fast, slow, back, longest
        self.repeats = repeats
        self.edges: list[float] = []
        self._phase = "fast"
        self._last: tuple[float, bool] | None = None
        self._begun: float | None = None

    @property
    def done(self) -> bool:
        """Whether all slow approaches have been made."""
        return self._phase == "done"

    def velocity(self, reading: float, closed: bool) -> float:
        """Return the velocity to command [rad/s or m/s] at this reading and state of the switch."""
        here, is_closed = number(reading, "reading"), flag(closed, "closed")
        before, self._last = self._last, (here, is_closed)
        self._begun = here if self._begun is None else self._begun
        way = abs(here - self._begun) / abs(self.gain)
        if self._phase == "back" and not is_closed and way >= self.back:
            self._turn("slow", here)
        elif self._phase in ("fast", "slow") and is_closed:
            if self._phase == "slow" and before is not None:
                self.edges.append(0.5 * (here + before[0]))
            self._turn("done" if len(self.edges) == self.repeats else "back", here)
        elif way > self.longest:
            side = "opened" if self._phase == "back" else "closed"
            raise ArithmeticError(
                f"homing: the switch has not {side} after {way:.3g} from reading {self._begun:.6g}"
            )
        speeds = {"fast": self.fast, "slow": self.slow, "back": -self.fast, "done": 0.0}
        return self.towards * speeds[self._phase]

    def _turn(self, phase: str, here: float) -> None:
        self._phase, self._begun = phase, here


@dataclass(frozen=True, eq=False)
class Homed:
    """Encoders that know where they are, and how well each switch repeats (readings).

    `spread` is the standard deviation of a single approach, NaN for one approach only; `suspects`
    names joints that repeat worse than `tolerance`, if one was given.
    """

    encoders: Encoders
    spread: Mapping[str, float]
    suspects: tuple[str, ...]


def home(
    encoders: Encoders,
    switches: Mapping[str, float],
    edges: Mapping[str, ArrayLike],
    *,
    tolerance: float | None = None,
) -> Homed:
    """Return the encoders with offsets from the places of switches and readings at their edges.

    `switches` are positions of joints [rad or m] at which their switches close, `edges` readings
    there, one or several (n,) of a joint. Other joints keep their offsets.
    """
    expect(encoders, Encoders, "encoders")
    if tolerance is not None and number(tolerance, "tolerance") <= 0.0:
        raise ValueError(f"tolerance is {tolerance}, must be positive")
    offsets, spread = np.array(encoders.offsets), {}
    for joint, read in edges.items():
        for names, what in ((encoders.joints, "an encoder on"), (tuple(switches), "a switch at")):
            if joint not in names:
                raise ValueError(f"there is not {what} joint {joint!r}{suggestion(joint, names)}")
        own, k = _edges(read, joint), encoders.joints.index(joint)
        place = number(switches[joint], f"switches[{joint!r}]")
        offsets[k] = own.mean() - encoders.gains[k] * place
        spread[joint] = float(own.std(ddof=1)) if len(own) > 1 else float("nan")
    suspects = [j for j, s in spread.items() if tolerance is not None and s > tolerance]
    return Homed(encoders.changed(offsets=offsets), spread, tuple(suspects))


def _edges(read: ArrayLike, joint: str) -> Array:
    own = np.atleast_1d(reals(read, f"edges[{joint!r}]"))
    if own.ndim != 1 or not own.size or not np.isfinite(own).all():
        raise ValueError(f"edges[{joint!r}] must be finite readings, one or several: {read!r}")
    return own

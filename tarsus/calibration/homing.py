"""Homing: joints without an absolute encoder find a switch, whose place is known.

A switch closes as the joint comes from one side and opens as it goes back, a little later: the
slow approach counts, always from the same side, and several of them tell how well it repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, flag, number, reals, suggestion
from tarsus._lib.files import Array
from tarsus.calibration.encoders import Encoders


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

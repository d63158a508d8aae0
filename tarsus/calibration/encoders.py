"""Encoders: what they read where the joints are, and where the joints are if they read this.

A reading is gain · x + offset, with x the position of a joint, or of a motor that moves with it. An
absolute encoder of one turn knows its reading only up to multiples of its `period`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import LARGEST, read_only, reals
from tarsus._lib.files import Array
from tarsus.control.controller import checked_model
from tarsus.model import Model


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

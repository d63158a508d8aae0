"""Sensors as time goes on, for controllers and environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, reals
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.sensor import Sample, Sensor
from tarsus.sensors.suite import Suite
from tarsus.sensors.touches import Touches

Law = Callable[[float, dict[str, Array]], Any]
"""(t, readings by name) → efforts or controls."""


class Live:
    """Sensors that are read in a loop: readings = live.read(t, q, v), numbers (…, n) by name.

    Accelerations are the mean ones since the last reading, zero in the first. `reset()` begins
    anew. In a run, `live.controlled(law)` is the controller tau = law(t, readings).
    """

    def __init__(
        self, model: Model, sensors: Mapping[str, Sensor], seed: int | None = None
    ) -> None:
        expect(model, Model, "model")
        suite = Suite.of(sensors)
        self.model, self.suite = model, suite if seed is None else Suite(suite, seed)
        self.suite.check(model)
        self.reset()

    def reset(self) -> None:
        """Forget what was, before a new motion."""
        self._readings = self.suite.readings()
        self._before: tuple[float, Array] | None = None

    def read(
        self,
        t: float,
        q: ArrayLike,
        v: ArrayLike,
        *,
        tau: ArrayLike | None = None,
        touches: Touches | None = None,
    ) -> dict[str, Array]:
        """Return what is read at states q (…, nq), v (…, nv) at the time t [s].

        Sensors of contacts need `touches`, as `sim.read(live)` and runs have them, and those of
        efforts `tau`.
        """
        at, speed = reals(q, "q"), reals(v, "v")
        for name, array, size in (("q", at, self.model.nq), ("v", speed, self.model.nv)):
            if array.shape[-1:] != (size,):
                raise ValueError(f"{name} has shape {array.shape}, must be (…, {size})")
        rise = np.zeros_like(speed)
        if self._before is not None:
            then, last = self._before
            if not t > then:
                raise ValueError(
                    f"t is {t} s, must be after the last reading at {then} s; reset() begins anew"
                )
            if last.shape == speed.shape:
                rise = (speed - last) / (t - then)
        self._before = float(t), speed
        sample = Sample(
            self.model, at, speed, rise, None if tau is None else reals(tau, "tau"), touches
        )
        return {
            name: reading.next(float(t), self.suite[name].measure(sample))
            for name, reading in self._readings.items()
        }

    def controlled(self, law: Law, *, period: float | None = None) -> Controlled:
        """Return the controller tau = law(t, readings), called once in `period` [s]."""
        return Controlled(self, law, period)


class Controlled:
    """A controller that knows its machine by sensors alone."""

    def __init__(self, live: Live, law: Law, period: float | None) -> None:
        self.live, self.function, self.period = live, law, period
        self._touches: Touches | None = None

    @property
    def feels(self) -> bool:
        """Whether it wants to know contacts of the last step, by `feel`, before it is called."""
        return "contacts" in self.live.suite.needs

    def feel(self, touches: Touches | None) -> None:
        """Take what touched in the last step."""
        self._touches = touches

    def __call__(self, t: float, q: Array, v: Array) -> Any:
        """Return what the law returns for what is read."""
        return self.function(t, self.live.read(t, q, v, touches=self._touches))

    def reset(self) -> None:
        """Forget what was, before a new motion."""
        self.live.reset()
        if hasattr(self.function, "reset"):
            self.function.reset()

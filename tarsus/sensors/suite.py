"""Sensors of a machine by name, and what they tell along a motion."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

import numpy as np

from tarsus._lib.checks import count, expect, find
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.errors import Readings
from tarsus.sensors.sensor import Sample, Sensor


class Suite(Mapping[str, Sensor]):
    """Sensors by name, with a `seed` for their errors: each name draws numbers of its own."""

    def __init__(self, sensors: Mapping[str, Sensor], seed: int = 0) -> None:
        expect(sensors, Mapping, "sensors")
        for name, sensor in sensors.items():
            expect(sensor, Sensor, f"sensors[{name!r}]")
        count(seed, "seed", 0)
        self._sensors, self.seed = dict(sensors), seed

    @staticmethod
    def of(sensors: Mapping[str, Sensor]) -> Suite:
        """Return sensors as a suite."""
        return sensors if isinstance(sensors, Suite) else Suite(sensors)

    def __getitem__(self, name: str) -> Sensor:
        return find(self._sensors, name, "sensor")

    def __iter__(self) -> Iterator[str]:
        return iter(self._sensors)

    def __len__(self) -> int:
        return len(self._sensors)

    def __repr__(self) -> str:
        kinds = (f"{name!r}: {type(sensor).__name__}" for name, sensor in self._sensors.items())
        return f"<tarsus.sensors.Suite: {', '.join(kinds) or 'nothing'}>"

    def check(self, model: Model) -> None:
        """Raise unless the model has what the sensors sit on."""
        for sensor in self.values():
            sensor.check(model)

    @property
    def needs(self) -> frozenset[str]:
        """What a run must record for them."""
        return frozenset(need for sensor in self.values() for need in sensor.needs)

    def readings(self) -> dict[str, Readings]:
        """Return how each errs, from the beginning."""
        return {
            name: Readings(sensor.errors, (self.seed, zlib.crc32(name.encode())))
            for name, sensor in self.items()
        }

    def along(self, t: Array, sample: Sample) -> dict[str, Array]:
        """Return readings (…, T, n) by name along samples at times (T,)."""
        found = {}
        for name, reading in self.readings().items():
            values = self[name].measure(sample)
            if self[name].errors != type(self[name].errors)():
                each = [reading.next(float(at), values[..., k, :]) for k, at in enumerate(t)]
                values = np.stack(each, axis=-2)
            found[name] = values
        return found


def mean_acceleration(t: Array, v: Array) -> Array:
    """Return accelerations (…, T, nv) since the sample before; the first has the second's."""
    if len(t) < 2:
        return np.zeros_like(v)
    between = np.diff(v, axis=-2) / np.diff(t)[:, None]
    return np.concatenate([between[..., :1, :], between], axis=-2)

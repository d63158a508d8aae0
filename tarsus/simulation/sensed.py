"""What sensors tell along a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tarsus.model import Model
from tarsus.sensors import Sample, Sensor, Suite
from tarsus.sensors.suite import mean_acceleration
from tarsus.simulation.recorder import Record
from tarsus.simulation.trajectory import Trajectory


def check_sensors(model: Model, sensors: Mapping[str, Sensor], record: Record) -> Suite:
    """Return sensors as a suite; raise unless a run with this record has what they need."""
    suite = Suite.of(sensors)
    suite.check(model)
    if record is not True:
        kept = set(record if record else ())
        for name, sensor in suite.items():
            for need in sensor.needs:
                if need not in kept:
                    raise ValueError(
                        f"sensor {name!r} needs {need!r}, which record={record!r} does not keep"
                    )
    return suite


def sensed(run: Trajectory, suite: Suite) -> Trajectory:
    """Return the run with the readings of sensors at all of its samples."""
    contacts = run.touched
    sample = Sample(
        run.model,
        run.q,
        run.v,
        mean_acceleration(run.t, run.v),
        run.recorded.get("tau"),
        None if contacts is None else contacts.as_touches(),
    )
    return replace(run, sensed=suite.along(run.t, sample), sensing=suite)

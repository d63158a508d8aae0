"""What sensors tell along a run, and in an interactive motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.sensors import Sample, Sensor, Suite
from tarsus.sensors.suite import mean_acceleration
from tarsus.simulation.contact_record import GROUND, Contact, Contacts
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
        None if contacts is None else lambda name: wrench_on(contacts, name),
    )
    return replace(run, sensed=suite.along(run.t, sample), sensing=suite)


def wrench_on(contacts: Contacts, name: str | None) -> Array:
    """Return contact wrenches (…, T, 6) on a body or link about the world's origin.

    None stands for all that the ground touches; bodies that cannot touch feel nothing.
    """
    if name is None:
        sign = (contacts.others == GROUND).astype(float)
    else:
        first = (contacts.bodies == name) | (contacts.links == name)
        sign = first.astype(float) - (contacts.others == name)
    rows = np.concatenate([contacts.force, np.cross(contacts.point, contacts.force)], axis=-1)
    total = np.zeros((*(contacts.shape[:-1] or (1,)), contacts.shape[-1], 6))
    np.add.at(total, (contacts.state_index, contacts.sample), sign[:, None] * rows)
    return total.reshape(*contacts.shape, 6)


def wrench_now(states: Sequence[Sequence[Contact]], batched: bool, name: str | None) -> Array:
    """Return the same of the last step of an interactive motion, (6,) or (B, 6)."""
    total = np.zeros((len(states), 6))
    for row, contacts in enumerate(states):
        for each in contacts:
            on = each.other == GROUND if name is None else name in (each.body, each.link)
            sign = float(on) - float(name is not None and each.other == name)
            total[row, :3] += sign * each.force
            total[row, 3:] += sign * np.cross(each.point, each.force)
    return total if batched else total[0]

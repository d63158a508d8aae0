"""The numbers of a run as columns with names and units: `q:knee [rad]`, `v:base.vx [m/s]` …

A coordinate has the name of its joint, and of what it is where a joint has several. Joints that
follow others have no coordinates, and no columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.description import KINDS
from tarsus.simulation.energy import BY_JOINT, STORED, WORKS
from tarsus.simulation.trajectory import Trajectory

QUATERNION = "qx 1, qy 1, qz 1, qw 1"
TURNING = "wx rad/s, wy rad/s, wz rad/s"
COORDINATES = {
    "revolute": (" rad", " rad/s"),
    "prismatic": (" m", " m/s"),
    "screw": (" rad", " rad/s"),
    "cylindrical": ("angle rad, shift m", "angle rad/s, shift m/s"),
    "universal": ("first rad, second rad", "first rad/s, second rad/s"),
    "spherical": (QUATERNION, TURNING),
    "spherical_zyx": ("yaw rad, pitch rad, roll rad", "yaw rad/s, pitch rad/s, roll rad/s"),
    "planar": ("x m, y m, angle rad", "vx m/s, vy m/s, w rad/s"),
    "translation": ("x m, y m, z m", "vx m/s, vy m/s, vz m/s"),
    "free": (f"x m, y m, z m, {QUATERNION}", f"vx m/s, vy m/s, vz m/s, {TURNING}"),
    "knife_edge": ("x m, y m, heading rad", "speed m/s, turn rad/s"),
    "rolling_wheel": ("x m, y m, heading rad, spin rad", "heading rad/s, spin rad/s"),
    "rolling_disc": (
        "x m, y m, heading rad, lean rad, spin rad",
        "heading rad/s, lean rad/s, spin rad/s",
    ),
    "rolling_ball": (f"x m, y m, {QUATERNION}", TURNING),
    "differential_base": (
        "x m, y m, heading rad, left rad, right rad",
        "left rad/s, right rad/s",
    ),
    "rolling_cylinder": (" rad", " rad/s"),
    "rolling": (f"x m, y m, {QUATERNION}", TURNING),
    "fixed": ("", ""),
}
"""Joint kind -> positions and velocities: what each is and its unit."""
EFFORTS = {"m/s": "N", "rad/s": "N m"}

assert COORDINATES.keys() == KINDS.keys()


def position_names(model: Model) -> list[str]:
    """Return a name with its unit for each position (nq,)."""
    names = []
    for joint in model.joints:
        if joint.q_slice.stop > joint.q_slice.start:
            names += [_label(joint.name, *each) for each in _parts(joint.kind, 0)]
    return names


def velocity_names(model: Model, *, efforts: bool = False) -> list[str]:
    """Return a name with its unit for each velocity (nv,), or for each force along it."""
    names = []
    for joint in model.joints:
        parts = _parts(joint.kind, 1)
        for index in joint.own_velocities:
            what, unit = parts[index]
            names.append(_label(joint.name, what, EFFORTS[unit] if efforts else unit))
    return names


def named_columns(run: Trajectory) -> dict[str, Array]:
    """Return all numbers of a run that was recorded, by name, (T,) each, or (B, T) for a batch."""
    return dict(_columns(run))


def data_frame(run: Trajectory) -> Any:
    """Return the columns of a run as a pandas.DataFrame; those of a batch by (state, sample)."""
    try:
        import pandas
    except ModuleNotFoundError:
        message = "to_pandas needs pandas: pip install 'tarsus[log]'"
        raise ModuleNotFoundError(message, name="pandas") from None
    table = pandas.DataFrame({name: np.ravel(x) for name, x in named_columns(run).items()})
    if run.batch is not None:
        counts = [range(run.batch), range(len(run))]
        table.index = pandas.MultiIndex.from_product(counts, names=["state", "sample"])
    return table


def _columns(run: Trajectory) -> Iterator[tuple[str, Array]]:
    model = run.model
    yield (
        "t [s]",
        np.broadcast_to(run.t, run.t.shape if run.batch is None else (run.batch, len(run))),
    )
    efforts = velocity_names(model, efforts=True)
    for key, short, names in (
        ("q", "q", position_names(model)),
        ("v", "v", velocity_names(model)),
        ("tau", "tau", efforts),
        ("limits", "limit", efforts),
    ):
        if key in run.recorded:
            for index, name in enumerate(names):
                yield f"{short}:{name}", run.recorded[key][..., index]
    if "q" in run.recorded:
        places = np.asarray(model.forward_kinematics(run.q))[..., :3, 3]
        for body in model.bodies:
            yield from _vector(f"position:{body.name}", places[..., body.index, :], "m")
    for name, readings in run.sensors.items():
        sensor = run.sensing[name]
        for index, number in enumerate(sensor.parts):
            yield f"sensor:{name}.{number} [{sensor.unit}]", readings[..., index]
    if run.touched is not None:
        yield from _vector("ground_force", run.contacts.ground_force(), "N")
    for name, part in run.parts.items():
        yield f"part:{name}.energy [J]", part.energy
        yield f"part:{name}.work [J]", part.work
        yield from _vector(f"part:{name}.force", part.force, "N")
    if "energy" in run.recorded:
        ledger = run.energy
        for name in (*STORED, *WORKS, *BY_JOINT, "residual"):
            yield f"energy:{name} [J]", getattr(ledger, name)


def _vector(name: str, values: Array, unit: str) -> Iterator[tuple[str, Array]]:
    for index, axis in enumerate("xyz"):
        yield f"{name}.{axis} [{unit}]", values[..., index]


def _parts(kind: str, which: int) -> list[tuple[str, str]]:
    """Return what the coordinates of a kind are, and their units."""
    text = COORDINATES[kind][which]
    pairs = (part.split(" ", 1) for part in text.removeprefix(" ").split(", ")) if text else ()
    return [(pair[0] if len(pair) == 2 else "", pair[-1]) for pair in pairs]


def _label(joint: str, what: str, unit: str) -> str:
    return f"{joint}.{what} [{unit}]" if what else f"{joint} [{unit}]"

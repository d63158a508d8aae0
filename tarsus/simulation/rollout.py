"""Open-loop rollouts: many states, each with its own sequence of efforts or setpoints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, vectors
from tarsus._lib.files import Array
from tarsus.control.controller import ControlLaw
from tarsus.control.joint_control import Actuated
from tarsus.model import Model
from tarsus.simulation.drives import Drive, TableDrive, drive_of
from tarsus.simulation.drives import torques as effort_drive
from tarsus.simulation.external import External, stated
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.recorder import Record
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.stepped import run_drive
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.watch import Until


def rollout(
    simulation: Simulation | Model,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    torques: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    setpoints: ArrayLike | None = None,
    controller: ControlLaw | None = None,
    hold: int = 1,
    until: Until | None = None,
    external: External | None = None,
    record: Record = ("q", "v"),
    mass_scale: MassScale = None,
    threads: int = 1,
) -> Trajectory:
    """Simulate B states under B sequences, each entry held for `hold` steps.

    Either `torques` (B, K, nv), or `controls` (B, K, nu) of the model's actuators, or `setpoints`
    (B, K, nq) for a joint controller such as `ts.control.ImplicitPD`. States q0 (nq,) or (B, nq)
    and sequences (K, n) broadcast. There is a sample at the start and after each entry: `run.q` is
    (B, K + 1, nq), or shorter if all states are ended by `until`. This is as of `Simulation.run`,
    and so is `external`, of which arrays (…, K, n_bodies, 6) are sequences, too. A model stands for
    its simulation in free space with steps of 1 ms.
    """
    if isinstance(simulation, Model):
        simulation = Simulation(simulation)
    expect(simulation, Simulation, "simulation")
    model = simulation.model
    count(hold, "hold")
    if sum(each is not None for each in (torques, controls, setpoints)) != 1:
        raise ValueError("pass either torques, controls or setpoints")
    if setpoints is None and controller is not None:
        what = "torques" if controls is None else "controls"
        raise ValueError(f"{what} take no controller; pass setpoints for it")
    drive: Drive
    if controls is not None and not model.nu:
        raise ValueError(f"{model.name!r} has no actuators to control: pass torques (…, K, nv)")
    if controls is not None:
        values = _sequences(controls, model.nu, "controls")
        drive = _actuated(simulation, values, hold)
    elif setpoints is None:
        values = _sequences(torques, model.nv, "torques")
        drive = effort_drive(model, simulation.effort, values, hold)
    else:
        if not isinstance(controller, ControlLaw) or controller.core_gains is None:
            raise ValueError(
                "setpoints need a controller that runs in the core, such as ts.control.ImplicitPD"
            )
        q = _sequences(setpoints, model.nq, "setpoints")
        values = np.concatenate([q, np.zeros((*q.shape[:2], 2 * model.nv))], axis=-1)
        law = drive_of(model, controller, simulation.dt, simulation.effort)
        drive = TableDrive(law.name, law.steps, law.effort, law.gains, values, hold)
    q0, v0 = vectors(q0, model.nq, "q0"), vectors(v0, model.nv, "v0")
    if len(values) > 1 and q0.ndim == v0.ndim == 1:
        q0 = np.broadcast_to(q0, (len(values), model.nq))
    states = max(len(x) if x.ndim > 1 else 1 for x in (q0, v0))
    if len(values) not in (1, states):
        raise ValueError(f"there are {len(values)} sequences for {states} states")
    return run_drive(
        simulation,
        drive,
        q0,
        v0,
        hold * values.shape[1],
        record=record,
        every=hold,
        until=until,
        external=None if external is None else stated(external, hold * simulation.dt),
        mass_scale=mass_scale,
        threads=threads,
        progress=False,
    )


def _actuated(simulation: Simulation, values: Array, hold: int) -> Drive:
    """Return a drive with controls (B or 1, K, nu): a table of efforts if they feel no state."""
    model = simulation.model
    if not model.actuators_feel:
        efforts = model.actuation(model.neutral(), np.zeros(model.nv), values)
        return effort_drive(model, simulation.effort, efforts, hold)

    def law(t: float, q: Array, v: Array) -> Array:
        entry = min(round(t / simulation.dt) // hold, values.shape[1] - 1)
        return values[:, entry] if q.ndim > 1 else values[0, entry]

    return drive_of(model, Actuated(model, law), simulation.dt, simulation.effort)


def _sequences(value: ArrayLike | None, size: int, name: str) -> Array:
    """Return (B or 1, K, size), contiguous."""
    array = vectors(value, size, name)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or not array.shape[0] or not array.shape[1]:
        raise ValueError(f"{name} has shape {array.shape}, must be (B, K, {size}) or (K, {size})")
    return np.ascontiguousarray(array)

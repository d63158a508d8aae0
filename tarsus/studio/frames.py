"""Frames: the motion as it is asked for, at even times that are met to the bit of a clock.

Frames are made of whole steps of the world. If an accuracy is set they come from Adams' method with
steps of its own instead, as in the Virtual Erector Set, and are read where they were asked for
(P. Schröder, MIT 1990, section 4.4; the thesis read them where the integrator had got to).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.simulation import Simulation
from tarsus.simulation.integrators import Adams, Integration
from tarsus.studio.language import LineError
from tarsus.studio.machine import HAND, Machine
from tarsus.studio.quantities import Seen, values
from tarsus.studio.recording import Moment

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

SAME = 1e-9
"""Frames that differ from whole steps by less, in parts of a step, are whole."""
MOST = 1_000_000
"""Steps that a frame may have."""


def go_on(stage: Stage, count: int) -> str:
    """Make frames, draw each, and return what had to be changed for it."""
    if stage.document.accuracy is not None:
        accurate(stage, count)
        return ""
    told = fit(stage)
    steps = round(stage.document.frame / stage.document.dt)
    # the line itself is noted, so that a take says frames
    noted = stage.take.mark
    for made in range(count):
        if stage.advance(steps) < steps:
            raise LineError(f"stopped after {made} of {count} frames, which are taken back")
        stage.drawing.draw(stage)
    stage.take.back_to(noted)
    return told


def fit(stage: Stage) -> str:
    """Make steps of the world as long as whole parts of a frame, if they are not."""
    frame, dt = stage.document.frame, stage.document.dt
    count = frame / dt
    whole = max(1, math.ceil(count - SAME))
    if whole > MOST:
        raise LineError(f"a frame of {frame:g} s would have {whole} steps of {dt:g} s")
    if abs(count - round(count)) <= SAME and round(count) >= 1:
        return ""
    stage.become(stage.document.but(dt=frame / whole), "step")
    return f"steps are of {frame / whole:.9g} s now, {whole} in a frame"


def accurate(stage: Stage, count: int) -> None:
    """Make frames by Adams' method, from now as a new beginning."""
    check_smooth(stage)
    machine, document = stage.machine, stage.document
    simulation = _smooth(machine)
    run = simulation.run(machine.q, machine.v, duration=count * document.frame, progress=False)
    if len(run.t) != count + 1:
        raise LineError(f"the integrator stopped at t = {stage.t + run.t[-1]:g} s")
    base, model = stage.t, machine.model
    stage.statistics = run.integration
    for k in range(1, count + 1):
        q, v = run.q[k], run.v[k]
        numbers = values(machine, document.charts, Seen(model, q, v))
        moment = Moment(base + k * document.frame, model, q, v, numbers)
        stage.recording.moments.append(moment)
        stage.drawing.draw(stage, moment)
    stage.begin_at(run.q[-1], run.v[-1], base + count * document.frame)


def report(stage: Stage) -> str:
    """Return what the integrator did: steps, calls, order, accuracy."""
    document = stage.document
    done: Integration | None = stage.statistics
    if document.accuracy is None:
        since = round((stage.t - stage.machine.began_at) / document.dt)
        return (
            f"fixed steps, semi-implicit: last step {document.dt:g} s, next step {document.dt:g} s,"
            f" {since} steps and {since} calls since the restart, order 1, no accuracy goals; "
            "sacc -r X -a X lets step integrate with Adams' method"
        )
    relative, absolute = document.accuracy
    goals = f"absolute accuracy {absolute:g}, relative accuracy {relative:g}"
    if done is None:
        return f"Adams' method, no steps yet; {goals}"
    return (
        f"Adams' method: last step {done.last_step:g} s, next step {done.next_step:g} s, "
        f"{done.steps:.0f} steps and {done.rates:.0f} calls since the restart, "
        f"order {done.order:.0f}; {goals}"
    )


def check_smooth(stage: Stage) -> None:
    """Raise where the world is none for Adams' method, because something may touch or stop."""
    machine, document = stage.machine, stage.document
    if document.ground is not None:
        raise LineError("accuracy is for worlds without ground: set ground -on off")
    if machine.simulation.started().worlds.places:
        raise LineError("accuracy is for worlds where nothing touches: add bodies -touches off")
    if document.controller is not None:
        raise LineError("accuracy is for machines without a controller")
    for joint in machine.model.joints:
        if np.isfinite([*np.ravel(joint.lower), *np.ravel(joint.upper)]).any():
            raise LineError(f"accuracy is for joints without limits, {joint.name} has some")


def _smooth(machine: Machine) -> Simulation:
    """Return a simulation of the machine as it is, whose steps are Adams' own."""
    document = machine.document
    assert document.accuracy is not None
    found = Simulation(
        machine.model, dt=document.frame, integrator=Adams(*document.accuracy), forces=()
    )
    for name, handle in machine.simulation.parts.items():
        part: Any = handle.part
        if name == HAND:
            part = replace(part, target=handle.target[:3])
        found.add(part).on = bool(handle.on)
    return found

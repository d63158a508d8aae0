"""Runs in steps of dt, with contacts: from the beginning, or on from a checkpoint."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import count, threads_of
from tarsus._lib.console import progress_of
from tarsus._lib.files import Array
from tarsus.simulation import checkpoint as checkpoints
from tarsus.simulation.contact import Penalty, StabilityWarning
from tarsus.simulation.content import check_same, run_content
from tarsus.simulation.controllers import feels
from tarsus.simulation.convergence import SOLVED, ConvergenceWarning
from tarsus.simulation.drives import Controller, Drive
from tarsus.simulation.external import Stated, put_on
from tarsus.simulation.integrators import ExplicitEuler
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.part_record import pushed_places
from tarsus.simulation.recorder import Record, Recorder, names_of
from tarsus.simulation.runner import Runner
from tarsus.simulation.state import State, landed
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.watch import Until, Watch

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation


def run_drive(
    simulation: Simulation,
    drive: Drive,
    q0: ArrayLike | None,
    v0: ArrayLike | None,
    steps: int,
    *,
    record: Record,
    every: int,
    until: Until | None = None,
    external: Stated | None = None,
    mass_scale: MassScale = None,
    threads: int = 1,
    progress: bool | None = None,
    checkpoint: str | Path | None = None,
    cadence: int = 0,
) -> Trajectory:
    """Simulate a number of steps with efforts from a `Drive`, as `run` and `rollout` do."""
    count(every, "every")
    threads, progress = threads_of(threads), progress_of(progress)
    kept = record if isinstance(record, bool) else list(names_of(record))
    world, state, numbers = simulation.started().prepare(drive, q0, v0, mass_scale)
    state.acting = put_on(simulation.board, external, state.q, state.batched)
    watch = watch_of(simulation, until, state)
    plan = {
        "steps": steps,
        "record": kept,
        "every": operator.index(every),
        "cadence": cadence,
        "drive": drive.name,
        "content": {}
        if checkpoint is None
        else run_content(simulation, drive, steps, watch, external),
    }
    warned = _warn(simulation, world, drive, state)
    runner = _runner(simulation, world, drive, state, numbers, plan, watch, warned)
    runner.threads, runner.progress, runner.checkpoint = threads, progress, checkpoint
    return _told(runner.go())


def resume(
    simulation: Simulation,
    path: str | Path,
    controller: Controller | None,
    until: Until | None,
    external: Stated | None,
    threads: int,
    progress: bool | None,
) -> Trajectory:
    """Go on with a run from its last checkpoint, if nothing else has changed."""
    if simulation.worlds is None:
        raise ValueError(f"{simulation.integrator.name!r} writes no checkpoints")
    starts = simulation.started()
    threads, progress = threads_of(threads), progress_of(progress)
    saved = checkpoints.read(path)
    drive = starts.drive(controller)
    if drive.name != saved.plan["drive"]:
        raise ValueError(
            f"{path} was written with a controller of the kind {saved.plan['drive']!r}; pass "
            f"the same one, not {controller!r}"
        )
    watch = watch_of(simulation, until, saved.state)
    own = run_content(simulation, drive, saved.plan["steps"], watch, external)
    check_same(path, saved.plan["content"], own)
    try:
        drive.set_state(dict(saved.controller))
    except (KeyError, TypeError, ValueError) as error:
        message = f"{path} does not hold the memory of {controller!r}: {error!r}"
        raise ValueError(message) from error
    world = simulation.worlds.get(drive)
    checkpoints.check_fits(path, saved, simulation.model, world)
    acting = put_on(simulation.board, external, saved.state.q, saved.state.batched)
    if acting is not None:
        acting.numbers, acting.memory = checkpoints.parts_of(path, saved, acting)
        saved.state.acting = acting
    if watch is not None:
        watch.step, watch.which = checkpoints.ended_of(path, saved, len(watch.conditions))
    runner = _runner(simulation, world, drive, saved.state, saved.parameters, saved.plan, watch, ())
    runner.threads, runner.progress, runner.checkpoint = threads, progress, path
    return _told(runner.go())


def _runner(
    simulation: Simulation,
    world: _core.World,
    drive: Drive,
    state: State,
    numbers: Array,
    plan: Mapping[str, Any],
    watch: Watch | None,
    warned: tuple[str, ...],
) -> Runner:
    assert simulation.worlds is not None
    model, every = simulation.model, plan["every"]
    steps = plan["steps"] - every * (state.step // every)
    needs = () if watch is None else watch.needs
    if feels(getattr(drive, "controller", None)):
        needs = tuple(dict.fromkeys((*needs, "contacts")))
    pushed = {} if state.acting is None else pushed_places(state.acting.parts)
    return Runner(
        model,
        world,
        simulation.ground,
        simulation.worlds.places,
        drive,
        state,
        numbers,
        Recorder(plan["record"], every, world, model, state, steps, needs),
        simulation.dt,
        plan,
        {**simulation.settings, "every": every, "pushed": pushed, "warnings": list(warned)},
        watch,
    )


def watch_of(simulation: Simulation, until: Until | None, state: State) -> Watch | None:
    """Return who looks for the end of a run, checked."""
    if until is None:
        return None
    places = () if simulation.worlds is None else simulation.worlds.places
    return Watch(until, simulation.model, places, len(state.q), state.batched)


def _warn(
    simulation: Simulation, world: _core.World, drive: Drive, state: State
) -> tuple[str, ...]:
    """Warn of what will explode, before it does."""
    assert simulation.worlds is not None
    model, law, dt = simulation.model, simulation.contact, simulation.dt
    found: tuple[str, ...] = ()
    if isinstance(law, Penalty) and simulation.worlds.places and simulation.ground is not None:
        found += law.check(world, landed(model, world, state.q[0]), dt)
    if isinstance(simulation.integrator, ExplicitEuler):
        found += simulation.integrator.check(model, getattr(drive, "controller", None), dt)
    for message in found:
        warnings.warn(message, StabilityWarning, stacklevel=5)
    return found


def _told(run: Trajectory) -> Trajectory:
    """Return the run, after a warning about what was not solved in it."""
    if run.unsolved is not SOLVED and run.unsolved.total:
        warnings.warn(run.settings["warnings"][-1], ConvergenceWarning, stacklevel=5)
    return run

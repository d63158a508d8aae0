"""`tarsus.Simulation`: a model, a ground and a contact law, ready to run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus.geometry import Collision, Space, Terrain
from tarsus.model import Model
from tarsus.model.checks import expect, number
from tarsus.model.description import Array
from tarsus.simulation import checkpoint as checkpoints
from tarsus.simulation.contact import ContactLaw, Penalty, StabilityWarning, law_of
from tarsus.simulation.contact.numbers import count, positive
from tarsus.simulation.convergence import SOLVED, ConvergenceWarning
from tarsus.simulation.drives import Controller, Drive, drive_of, restart
from tarsus.simulation.integrators import (
    RK4,
    DormandPrince,
    ExplicitEuler,
    Integrator,
    integrator_of,
)
from tarsus.simulation.live import Live
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.recorder import Record, Recorder, names_of
from tarsus.simulation.runner import Runner
from tarsus.simulation.smooth import SmoothRun
from tarsus.simulation.state import State, check_configuration, check_masses, landed, start
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.worlds import Worlds


class Simulation(Live):
    """Motion of a model with contacts.

    `ground` is a `Ground`, `Steps`, `Profile` or `HeightField`; a `Space` is free space where
    bodies rub and bounce on each other, and None is one with the usual numbers. What touches is in
    `collision`, all collision shapes of the model unless stated. `contact` is the name of a
    law ("exact", "lemke", "penalty") or a law with its numbers, such as `ts.contact.Penalty(…)`.
    `dt` [s] is the step. `integrator` is "semi_implicit", "explicit", or for free space "rk4" or
    "dormand_prince" (which also takes longer or shorter steps and has samples each dt). Dry
    friction, stiction (nv,) and limits of joints are part of the contact problem. Efforts beyond
    the model's limits are cut unless `effort_limits` is False. `strict` makes a step whose contacts
    could not be solved a failure; otherwise it is counted in `run.unsolved`, with a warning. Joints
    bounce off their limits with `limit_restitution` of their speed.
    """

    def __init__(
        self,
        model: Model,
        *,
        ground: Terrain | None = None,
        collision: Collision | None = None,
        contact: str | ContactLaw = "exact",
        dt: float = 1e-3,
        integrator: str | Integrator = "semi_implicit",
        joint_friction: bool = True,
        joint_limits: bool | None = None,
        stiction: ArrayLike | None = None,
        effort_limits: bool = True,
        max_contacts: int | None = None,
        limit_restitution: float = 0.0,
        strict: bool = False,
    ) -> None:
        expect(model, Model, "model")
        if ground is not None:
            expect(ground, Terrain, "ground")
        if collision is not None:
            expect(collision, Collision, "collision")
        self.model, self.collision = model, collision
        self.surface: Terrain = Space() if ground is None else ground
        """How things rub and bounce; the ground, if there is one."""
        self.ground = None if isinstance(ground, Space) else ground
        self.contact = law_of(contact)
        self.integrator = integrator_of(integrator)
        self.dt = number(dt, "dt")
        positive(self.dt, "dt")
        self.joint_friction = bool(joint_friction)
        self.effort: Array = model.effort_limit if effort_limits else np.full(model.nv, np.inf)
        self.worlds: Worlds | None = None
        if isinstance(self.integrator, (RK4, DormandPrince)):
            if ground is not None or collision is not None or joint_limits:
                raise ValueError(
                    f"integrator {self.integrator.name!r} is for smooth motions, without ground, "
                    "collision and joint_limits; use 'semi_implicit' for those"
                )
            return
        self.collision = Collision.from_model(model) if collision is None else collision
        self.worlds = Worlds(
            model,
            self.surface,
            self.collision,
            self.contact,
            dt=self.dt,
            explicit=isinstance(self.integrator, ExplicitEuler),
            joint_friction=self.joint_friction,
            joint_limits=joint_limits is None or bool(joint_limits),
            stiction=stiction,
            max_contacts=max_contacts,
            limit_restitution=limit_restitution,
            strict=bool(strict),
        )

    def run(
        self,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        duration: float,
        controller: Controller | None = None,
        record: Record = True,
        every: int = 1,
        mass_scale: MassScale = None,
        threads: int = 1,
        progress: bool | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: float | None = None,
    ) -> Trajectory:
        """Simulate `duration` [s] from q0 (nq,) and v0 (nv,), or from B states at once.

        `controller` is one of `ts.control`, which then runs in the core, or any function
        (t, q, v) → tau; efforts are held over its `period` [s] if it has one, else over one step.
        `record` is True, False (only the first and the last state), or names of "q", "v", "tau",
        "contacts", "energy", "statistics", "limits"; there is a sample every `every` steps.
        `mass_scale` multiplies masses and inertias of bodies: a number, (n_bodies,), (B, n_bodies),
        or numbers by names of bodies. A `progress` bar is shown when it takes long, unless told
        otherwise. Every `checkpoint_every` [s] a `checkpoint` file is written, for `resume`.

        Ctrl-C returns what was simulated until then. A failure raises `SimulationError`, which
        has it, too; in a batch the other states go on, and `run.failures` lists those that could
        not.
        """
        positive(number(duration, "duration"), "duration", zero=True)
        steps = round(duration / self.dt)
        if self.worlds is None:
            if mass_scale is not None or checkpoint is not None:
                raise ValueError(f"{self.integrator.name!r} takes no mass_scale and no checkpoint")
            return self._run_smooth(q0, v0, steps, controller, record, every)
        restart(controller)
        drive = self._drive(controller)
        cadence = 0
        if checkpoint is not None:
            seconds = duration / 10 if checkpoint_every is None else checkpoint_every
            positive(number(seconds, "checkpoint_every"), "checkpoint_every")
            cadence = max(1, round(seconds / self.dt))
        return self.run_drive(
            drive,
            q0,
            v0,
            steps,
            record=record,
            every=every,
            mass_scale=mass_scale,
            threads=threads,
            progress=progress,
            checkpoint=checkpoint,
            cadence=cadence,
        )

    def run_drive(
        self,
        drive: Drive,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        steps: int,
        *,
        record: Record,
        every: int,
        mass_scale: MassScale = None,
        threads: int = 1,
        progress: bool | None = None,
        checkpoint: str | Path | None = None,
        cadence: int = 0,
    ) -> Trajectory:
        """Simulate a number of steps with efforts from a `Drive`, as `run` and `rollout` do."""
        count(every, "every")
        world, state, numbers = self.prepare(drive, q0, v0, mass_scale)
        plan = {
            "steps": steps,
            "record": record if isinstance(record, bool) else list(names_of(record)),
            "every": every,
            "cadence": cadence,
            "simulation": self.settings,
            "drive": drive.name,
        }
        warned = self._warn(world, drive, state)
        runner = self._runner(world, drive, state, numbers, plan, warned)
        runner.threads, runner.progress, runner.checkpoint = threads, progress, checkpoint
        return _told(runner.go(), stacklevel=4)

    def resume(
        self,
        path: str | Path,
        controller: Controller | None = None,
        *,
        threads: int = 1,
        progress: bool | None = None,
    ) -> Trajectory:
        """Go on with a run from its last checkpoint, to the same bits as without a break.

        The simulation and the controller must be as they were; a controller with a memory is
        asked for it by its `get_state` and gets it back by `set_state`. Samples start at the
        checkpoint.
        """
        saved = checkpoints.read(path)
        if saved.plan["simulation"] != self.settings:
            raise ValueError(
                f"{path} is of another simulation: {saved.plan['simulation']}, this is "
                f"{self.settings}"
            )
        drive = self._drive(controller)
        if drive.name != saved.plan["drive"]:
            raise ValueError(
                f"{path} was written with a controller of the kind {saved.plan['drive']!r}; pass "
                f"the same one, not {controller!r}"
            )
        drive.set_state(dict(saved.controller))
        assert self.worlds is not None
        world = self.worlds.get(drive)
        runner = self._runner(world, drive, saved.state, saved.parameters, saved.plan, ())
        runner.threads, runner.progress, runner.checkpoint = threads, progress, path
        return _told(runner.go(), stacklevel=3)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What the simulation was made with, as plain values."""
        return {
            "model": self.model.name,
            "dt": self.dt,
            "contact": {"name": self.contact.name, **self.contact.numbers},
            "integrator": {"name": self.integrator.name, **asdict(self.integrator)},
            "ground": repr(self.surface),
            "options": {} if self.worlds is None else dict(self.worlds.options),
        }

    def _drive(self, controller: Controller | None) -> Drive:
        if controller is None:
            return self._limp
        kept = self._kept
        if kept is not None and kept[0].is_of(controller):
            return kept[0]
        return drive_of(self.model, controller, self.dt, self.effort)

    def _runner(
        self,
        world: _core.World,
        drive: Drive,
        state: State,
        numbers: Array,
        plan: Mapping[str, Any],
        warned: tuple[str, ...],
    ) -> Runner:
        assert self.worlds is not None
        every = plan["every"]
        steps = plan["steps"] - every * (state.step // every)
        recorder = Recorder(plan["record"], every, world, self.model, len(state.q), steps)
        return Runner(
            self.model,
            world,
            self.ground,
            self.worlds.places,
            drive,
            state,
            numbers,
            recorder,
            self.dt,
            plan,
            {**self.settings, "every": every, "warnings": list(warned)},
        )

    def _warn(self, world: _core.World, drive: Drive, state: State) -> tuple[str, ...]:
        """Warn of what will explode, before it does."""
        assert self.worlds is not None
        found: tuple[str, ...] = ()
        if isinstance(self.contact, Penalty) and self.worlds.places and self.ground is not None:
            q = landed(self.model, world, state.q[0])
            found += self.contact.check(world, q, self.dt)
        if isinstance(self.integrator, ExplicitEuler):
            controller = getattr(drive, "controller", None)
            found += self.integrator.check(self.model, controller, self.dt)
        for message in found:
            warnings.warn(message, StabilityWarning, stacklevel=4)
        return found

    def _run_smooth(
        self,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        steps: int,
        controller: Controller | None,
        record: Record,
        every: int,
    ) -> Trajectory:
        assert isinstance(self.integrator, (RK4, DormandPrince))
        count(every, "every")
        names = names_of(record)
        state = start(self.model, q0, v0, 0)
        check_configuration(self.model, state.q)
        check_masses(self.model, state.q)
        run = SmoothRun(
            self.model,
            self.integrator,
            controller,
            self.effort,
            dt=self.dt,
            friction=self.joint_friction,
        ).go(state, steps, max(steps, 1) if record is False else every)
        kept = {name: array for name, array in run.recorded.items() if name in names}
        return replace(run, recorded=kept, settings={**self.settings, "every": every})

    def __repr__(self) -> str:
        where = "free space" if self.ground is None else repr(self.ground)
        return (
            f"<tarsus.Simulation of {self.model.name!r} on {where}: {self.contact.name}, "
            f"{self.integrator.name}, dt = {self.dt:g} s>"
        )


def _told(run: Trajectory, stacklevel: int) -> Trajectory:
    """Return the run, after a warning about what was not solved in it."""
    if run.unsolved is not SOLVED and run.unsolved.total:
        warnings.warn(run.settings["warnings"][-1], ConvergenceWarning, stacklevel=stacklevel)
    return run

"""`tarsus.Simulation`: a model, a ground and a contact law, ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import COUNTED, expect, flag, number, positive, read_only
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.embedded_shapes import without_buried
from tarsus.geometry.grounds import Space, Terrain
from tarsus.model import Model
from tarsus.model.assembly.state_transfer import Carried
from tarsus.model.diagnosis import Diagnosis
from tarsus.model.name_references import Force
from tarsus.sensors import Sensor
from tarsus.simulation.board import Board
from tarsus.simulation.compliant import run_compliant
from tarsus.simulation.constraint_rows import diagnosis
from tarsus.simulation.contact import Compliant, ContactLaw, Event, law_of, refuse_law
from tarsus.simulation.content import run_content
from tarsus.simulation.controllers import restart
from tarsus.simulation.drives import Controller, Drive
from tarsus.simulation.edited import edited
from tarsus.simulation.external import External, stated
from tarsus.simulation.integrators import (
    SMOOTH,
    ExplicitEuler,
    Integrator,
    integrator_of,
    refuse,
)
from tarsus.simulation.interactive import Interactive
from tarsus.simulation.located import run_located
from tarsus.simulation.pacing import cadence_of
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.pickled import Pickled, remade
from tarsus.simulation.recorder import Record
from tarsus.simulation.sensed import check_sensors, sensed
from tarsus.simulation.smooth import run_smooth
from tarsus.simulation.starts import Starts
from tarsus.simulation.stepped import resume, run_drive
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.watch import Until
from tarsus.simulation.worlds import Worlds, with_ignored

SHORTEST = 1e-12
"""The shortest step [s]: forces are impulses divided by it."""


class Simulation(Interactive):
    """Motion of a model with contacts; immutable, but for the motion that `reset` and `step` make.

    `ground`: `Ground`, `Steps`, `Profile`, `HeightField`, `SmoothGround`; `Space` is space where
    bodies rub and bounce on each other, and None is one with the usual numbers. What touches is in
    `collision`, all collision shapes of the model unless stated. `contact` is the name of a
    law ("exact", "lemke", "penalty", "event", "compliant") or a law with its numbers, such as
    `ts.contact.Penalty(…)`; "event" locates impacts, releases and slips, "compliant" lets surfaces
    deform, both with steps of their own and samples each dt. `dt` [s] is the step. `integrator` is
    "semi_implicit", "explicit", or for free space "rk4" or "gauss" (steps of dt), "dormand_prince",
    "radau" or "adams" (steps of their own, samples each dt), or one of
    `ts.integrators` with its numbers. Dry friction, stiction (nv,) and limits of joints are part of
    the contact problem. Efforts beyond the model's limits
    are cut unless `effort_limits` is False. `strict` makes a step whose contacts could not be
    solved a failure; otherwise it is counted in `run.unsolved`, with a warning. Joints bounce off
    their limits with `limit_restitution` of their speed. `forces` (`ts.forces`) act from the start,
    those of the model unless stated; `add` and `remove` put parts on and off later. Pickled it
    takes its parts and its motion along, and goes on elsewhere to the same bits.
    """

    _made = False

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
        forces: Iterable[Force] | None = None,
    ) -> None:
        self.stated: Mapping[str, Any] = {
            "ground": ground,
            "collision": collision,
            "contact": contact,
            "dt": dt,
            "integrator": integrator,
            "joint_friction": joint_friction,
            "joint_limits": joint_limits,
            "stiction": stiction,
            "effort_limits": effort_limits,
            "max_contacts": max_contacts,
            "limit_restitution": limit_restitution,
            "strict": strict,
        }
        """What it was made with, but for the model and its forces."""
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
        if self.dt < SHORTEST:
            raise ValueError(f"dt is {self.dt:g} s, must be at least {SHORTEST:g} s")
        self.joint_friction = flag(joint_friction, "joint_friction")
        limited = flag(effort_limits, "effort_limits")
        self.effort: Array = model.effort_limit if limited else read_only(np.full(model.nv, np.inf))
        stops = joint_limits is None or flag(joint_limits, "joint_limits")
        strict = flag(strict, "strict")
        self.board = Board(model, forces)
        """The parts that act on it: `add`, `remove`."""
        self.worlds: Worlds | None = None
        self.starts: Starts | None = None
        if isinstance(self.integrator, SMOOTH):
            refuse(
                self.integrator,
                ground=ground is not None,
                collision=collision is not None,
                contact=contact != "exact",
                joint_limits=bool(joint_limits),
                stiction=stiction is not None,
                max_contacts=max_contacts is not None,
                limit_restitution=number(limit_restitution, "limit_restitution") != 0.0,
                strict=strict,
            )
            self._made = True
            return
        if isinstance(self.contact, Compliant):
            self.contact.fit(self.surface)
            refuse_law(
                self.contact,
                integrator=integrator != "semi_implicit",
                joint_limits=bool(joint_limits),
                stiction=stiction is not None,
                max_contacts=max_contacts is not None,
                limit_restitution=number(limit_restitution, "limit_restitution") != 0.0,
                strict=strict,
            )
            stops = False
        if isinstance(self.contact, Event):
            surface = self.surface
            refuse_law(
                self.contact,
                integrator=integrator != "semi_implicit",
                strict=strict,
                torsion=surface.torsion > 0.0,
                rolling=surface.rolling > 0.0,
            )
        touching = Collision.from_model(model) if collision is None else collision
        free = without_buried(model, touching, self.surface)
        self.collision = with_ignored(free, self.contact)
        self.worlds = Worlds(
            model,
            self.surface,
            self.collision,
            self.contact,
            dt=self.dt,
            explicit=isinstance(self.integrator, ExplicitEuler),
            joint_friction=self.joint_friction,
            joint_limits=stops,
            stiction=stiction,
            max_contacts=max_contacts,
            limit_restitution=limit_restitution,
            strict=strict,
        )
        if not isinstance(self.contact, Compliant):
            self.starts = Starts(model, self.surface, self.worlds, self.effort, self.dt)
        self._made = True

    def run(
        self,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        duration: float,
        controller: Controller | None = None,
        until: Until | None = None,
        external: External | None = None,
        sensors: Mapping[str, Sensor] | None = None,
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
        `until` ends the run at the first sample at which it holds, kept or not: a function
        (t, q, v) → bool, a condition of `ts.until`, or a list of these. `run.ended` tells when and
        why; states of a batch end on their own and then stand still. `external` wrenches are a
        `ts.Push` or a list of them, or wrenches (n_bodies, 6) as `Model.forward_dynamics` takes
        them: constant, a table (times, wrenches), or a function (t, q, v). `sensors` (`ts.sensors`)
        are read at each sample: `run.sensors["imu"]`.
        `mass_scale` multiplies masses and inertias of bodies: a number, (n_bodies,), (B, n_bodies),
        or numbers by names of bodies. A `progress` bar is shown when it takes long, unless told
        otherwise. Every `checkpoint_every` [s] a `checkpoint` file is written, for `resume`.

        Ctrl-C returns what was simulated until then. A failure raises `SimulationError`, which
        has it, too; in a batch the other states go on, and `run.failures` lists those that could
        not.
        """
        suite = None if sensors is None else check_sensors(self.model, sensors, record)
        run = self._run(
            *(q0, v0, duration, controller, until, external, record, every, mass_scale),
            *(threads, progress, checkpoint, checkpoint_every),
        )
        return run if suite is None else sensed(run, suite)

    def _run(
        self,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        duration: float,
        controller: Controller | None,
        until: Until | None,
        external: External | None,
        record: Record,
        every: int,
        mass_scale: MassScale,
        threads: int,
        progress: bool | None,
        checkpoint: str | Path | None,
        checkpoint_every: float | None,
    ) -> Trajectory:
        """Simulate by the engine of the contact law and the integrator."""
        positive(number(duration, "duration"), "duration", zero=True)
        steps = round(duration / self.dt)
        if steps > COUNTED:
            raise ValueError(
                f"duration is {duration:g} s, must be at most {COUNTED * self.dt:.3g} s: more "
                "steps of dt cannot be counted"
            )
        if self.worlds is None:
            refuse(
                self.integrator,
                mass_scale=mass_scale is not None,
                external=external is not None,
                checkpoint=checkpoint is not None,
                checkpoint_every=checkpoint_every is not None,
            )
            return run_smooth(
                *(self, q0, v0, steps, controller, until),
                *(record, every, threads, progress),
            )
        if isinstance(self.contact, Compliant):
            refuse_law(
                self.contact,
                mass_scale=mass_scale is not None,
                external=external is not None,
                checkpoint=checkpoint is not None,
                checkpoint_every=checkpoint_every is not None,
            )
            return run_compliant(
                *(self, q0, v0, steps, controller, until),
                *(record, every, threads, progress),
            )
        if isinstance(self.contact, Event):
            refuse_law(
                self.contact,
                external=external is not None,
                checkpoint=checkpoint is not None,
                checkpoint_every=checkpoint_every is not None,
            )
            return run_located(
                *(self, q0, v0, steps, controller, until, record),
                *(every, mass_scale, threads, progress),
            )
        cadence = cadence_of(checkpoint, checkpoint_every, duration, self.dt)
        restart(controller)
        return run_drive(
            self,
            self.started().drive(controller),
            q0,
            v0,
            steps,
            record=record,
            every=every,
            until=until,
            external=None if external is None else stated(external),
            mass_scale=mass_scale,
            threads=threads,
            progress=progress,
            checkpoint=checkpoint,
            cadence=cadence,
        )

    def resume(
        self,
        path: str | Path,
        controller: Controller | None = None,
        *,
        until: Until | None = None,
        external: External | None = None,
        threads: int = 1,
        progress: bool | None = None,
    ) -> Trajectory:
        """Go on with a run from its last checkpoint, to the same bits as without a break.

        The simulation, the controller, `until` and `external` must be as they were, by content:
        model, ground, what touches, contact law, options, gains and reference. What a Python
        function computes cannot be compared. A controller with a memory is asked for it by its
        `get_state` and gets it back by `set_state`. Samples start at the checkpoint.
        """
        pushes = None if external is None else stated(external)
        return resume(self, path, controller, until, pushes, threads, progress)

    def edited(
        self, model: Model, controller: Controller | None = None
    ) -> tuple[Simulation, Carried]:
        """Go on with another model: a body more, a mass changed, a joint cut (`ts.Editor`).

        Returns a simulation of `model` whose interactive motion is where this one is, at the same
        time, with the state carried over by names (`ts.carry`), and a report of what became of it.
        Parts that find their places go along, with their targets; others are told by a warning.
        """
        return edited(self, model, controller)

    def diagnose(self, q: ArrayLike | None = None) -> Diagnosis:
        """Return which constraints at q (nq,), or of the motion, repeat or contradict each other.

        By their names, in the metric of the masses: `print(sim.diagnose())`.
        """
        return diagnosis(self, q)

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

    def started(self) -> Starts:
        """Return what runs and motions that make steps of dt with contacts start from."""
        if self.starts is None:
            raise ValueError(
                "contact 'compliant' is for whole runs: use run"
                if isinstance(self.contact, Compliant)
                else "this integrator is for whole smooth runs in free space: use run"
            )
        if isinstance(self.contact, Event):
            raise ValueError(
                "contact 'event' is for whole runs from event to event: use run, or "
                "contact='exact' for interactive motions, rollouts and checkpoints"
            )
        return self.starts

    def content(self, drive: Drive, steps: int) -> dict[str, str]:
        """Return hashes of all that a motion of so many steps depends on, by name."""
        return run_content(self, drive, steps)

    def __reduce__(self) -> tuple[Any, ...]:
        return remade, (Pickled.of(self),)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._made:
            raise AttributeError(
                f"a Simulation is immutable: cannot set {name!r}; make a new one with ts.Simulation"
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Simulation is immutable: cannot delete {name!r}")

    def __repr__(self) -> str:
        where = "free space" if self.ground is None else repr(self.ground)
        if isinstance(self.contact, Compliant):
            return f"<tarsus.Simulation of {self.model.name!r} on {where}: compliant>"
        return (
            f"<tarsus.Simulation of {self.model.name!r} on {where}: {self.contact.name}, "
            f"{self.integrator.name}, dt = {self.dt:g} s>"
        )

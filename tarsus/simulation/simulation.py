"""`tarsus.Simulation`: a model, a ground and a contact law, ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry import Collision, Space, Terrain
from tarsus.model import Model
from tarsus.model.checks import COUNTED, expect, flag, number, read_only
from tarsus.model.forces import Force
from tarsus.parts import Part
from tarsus.simulation.board import Board
from tarsus.simulation.contact import ContactLaw, law_of
from tarsus.simulation.contact.numbers import positive
from tarsus.simulation.contact_record import Contact
from tarsus.simulation.controllers import restart
from tarsus.simulation.drives import Controller
from tarsus.simulation.integrators import (
    RK4,
    DormandPrince,
    ExplicitEuler,
    Integrator,
    integrator_of,
    refuse,
)
from tarsus.simulation.motion import Motion
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.part_handle import PartHandle
from tarsus.simulation.recorder import Record
from tarsus.simulation.runner import cadence_of
from tarsus.simulation.smooth import run_smooth
from tarsus.simulation.starts import Starts
from tarsus.simulation.stepped import resume, run_drive
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.worlds import Worlds

SHORTEST = 1e-12
"""The shortest step [s]: forces are impulses divided by it."""


class Simulation:
    """Motion of a model with contacts; immutable, but for the motion that `reset` and `step` make.

    `ground` is a `Ground`, `Steps`, `Profile` or `HeightField`; a `Space` is free space where
    bodies rub and bounce on each other, and None is one with the usual numbers. What touches is in
    `collision`, all collision shapes of the model unless stated. `contact` is the name of a
    law ("exact", "lemke", "penalty") or a law with its numbers, such as `ts.contact.Penalty(…)`.
    `dt` [s] is the step. `integrator` is "semi_implicit", "explicit", or for free space "rk4" or
    "dormand_prince" (which also takes longer or shorter steps and has samples each dt). Dry
    friction, stiction (nv,) and limits of joints are part of the contact problem. Efforts beyond
    the model's limits are cut unless `effort_limits` is False. `strict` makes a step whose contacts
    could not be solved a failure; otherwise it is counted in `run.unsolved`, with a warning. Joints
    bounce off their limits with `limit_restitution` of their speed. `forces` (`ts.forces`) act from
    the start, those of the model unless stated; `add` and `remove` put parts on and off later.
    """

    _made = False
    _motion: Motion | None = None
    """The interactive motion, which is no setting."""

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
        self.board = Board(model, model.forces if forces is None else forces)
        """The parts that act on it: `add`, `remove`."""
        self.worlds: Worlds | None = None
        self.starts: Starts | None = None
        if isinstance(self.integrator, (RK4, DormandPrince)):
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
                forces=bool(self.board.parts.parts),
            )
            self._made = True
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
            joint_limits=stops,
            stiction=stiction,
            max_contacts=max_contacts,
            limit_restitution=limit_restitution,
            strict=strict,
        )
        self.starts = Starts(model, self.surface, self.worlds, self.effort, self.dt)
        self._made = True

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
        if steps > COUNTED:
            raise ValueError(
                f"duration is {duration:g} s, must be at most {COUNTED * self.dt:.3g} s: more "
                "steps of dt cannot be counted"
            )
        if self.worlds is None:
            refuse(
                self.integrator,
                mass_scale=mass_scale is not None,
                checkpoint=checkpoint is not None,
                checkpoint_every=checkpoint_every is not None,
            )
            return run_smooth(self, q0, v0, steps, controller, record, every, threads, progress)
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
        threads: int = 1,
        progress: bool | None = None,
    ) -> Trajectory:
        """Go on with a run from its last checkpoint, to the same bits as without a break.

        The simulation and the controller must be as they were, by content: model, ground, what
        touches, contact law, options, gains and reference. What a Python function computes cannot
        be compared. A controller with a memory is asked for it by its `get_state` and gets it back
        by `set_state`. Samples start at the checkpoint.
        """
        return resume(self, path, controller, threads, progress)

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        controller: Controller | None = None,
        mass_scale: MassScale = None,
        threads: int = 1,
    ) -> None:
        """Start an interactive motion from q (nq,) and v (nv,), or from B states at once.

        `controller` is as of `run`: those that the core knows are part of its steps, contacts and
        all. Without one, `step` takes efforts.
        """
        starts = self.started()
        restart(controller)
        drive = starts.drive(controller)
        world, state, numbers = starts.prepare(drive, q, v, mass_scale)
        motion = Motion(
            self.model,
            world,
            starts.worlds.places,
            None if controller is None else drive,
            state,
            numbers,
            dt=self.dt,
            threads=threads,
        )
        self.board.motion = None  # until the new one has its parts
        acting = self.board.on(state.q)
        if acting is not None:
            motion.take(acting)
        self.board.motion = motion
        vars(self)["_motion"] = motion

    def step(self, command: Any = None, steps: int = 1) -> tuple[Array, Array]:
        """Make steps of the interactive motion, and return q and v.

        Without a controller `command` is efforts (nv,) or (B, nv), none unless stated. With one it
        is a setpoint for these steps: positions (nq,) or (B, nq), also (q, v) or (q, v, added); or
        what else the controller's `reference` may be at a time. Unless stated, the controller
        follows its own reference.
        """
        return self._moving().step(command, steps)

    @property
    def q(self) -> Array:
        """The configuration of the interactive motion, (nq,) or (B, nq)."""
        return self._moving().core.q

    @property
    def v(self) -> Array:
        """The velocity of the interactive motion, (nv,) or (B, nv)."""
        return self._moving().core.v

    @property
    def t(self) -> float:
        """The time since `reset` [s]."""
        return self._moving().t

    def contacts_now(self, state: int = 0) -> list[Contact]:
        """Return the contacts in the last step of the interactive motion."""
        return self._moving().contacts(state)

    def add(self, part: Part) -> PartHandle:
        """Put a constraint or a force on, also while a motion goes on, and return its handle.

        The handle has `on`, `target`, `force`, `gap` and the numbers of the part, in a batch one
        a state. Runs and motions that start later have the part, too.
        """
        refuse(self.integrator, parts=isinstance(self.integrator, (RK4, DormandPrince)))
        return self.board.add(part)

    def remove(self, part: PartHandle | str) -> None:
        """Take a part off, by its handle or its name; nothing else changes."""
        self.board.remove(part)

    @property
    def parts(self) -> Mapping[str, PartHandle]:
        """The handles of all parts by name."""
        return {each.name: self.board.handle(each.name) for each in self.board.parts.parts}

    def _moving(self) -> Motion:
        if self._motion is None:
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        return self._motion

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
        """Return what runs and motions with contacts start from."""
        if self.starts is None:
            raise ValueError("this integrator is for whole smooth runs in free space: use run")
        return self.starts

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
        return (
            f"<tarsus.Simulation of {self.model.name!r} on {where}: {self.contact.name}, "
            f"{self.integrator.name}, dt = {self.dt:g} s>"
        )

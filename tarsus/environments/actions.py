"""What an action does: it moves setpoints of joints, or it is their efforts, or controls.

A kind of action is a frozen dataclass with `size`, `drive`, which says how the core makes efforts,
`write`, which turns actions (B, n) in −1 … 1 into commands, and `steps`, for which these are held.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import not_negative
from tarsus._lib.files import Array
from tarsus.control.joint_control import ImplicitPD
from tarsus.environments.lanes import Lanes
from tarsus.model import Model
from tarsus.simulation import Simulation
from tarsus.simulation.drives import Drive, LawDrive, torques


class Action(Protocol):
    """What environments ask of a kind of action."""

    def size(self, model: Model) -> int:
        """Return how many numbers an action has."""

    def steps(self, model: Model, hold: int) -> int:
        """Return for how many steps of a period of `hold` steps commands are held."""

    def drive(self, simulation: Simulation, stance: Array) -> Drive:
        """Return how efforts come about in the core."""

    def write(self, commands: Array, action: Array, robots: Lanes) -> None:
        """Put actions (B, n) into the commands (B, size) of the core."""


@dataclass(frozen=True)
class OfJoints:
    """Actions of joints, all that have a drive unless `joints` names some."""

    joints: tuple[str, ...] | None = field(default=None, kw_only=True)

    def size(self, model: Model) -> int:
        """Return how many numbers an action has: one for each joint that it moves."""
        return len(moved_joints(model, self.joints))

    def steps(self, model: Model, hold: int) -> int:
        """Return all steps of a period."""
        return hold


@dataclass(frozen=True)
class JointTargets(OfJoints):
    """Setpoints of joints: the stance, and up to `reach` [rad, m] around it.

    The core holds joints at their setpoints with `kp` [N m/rad] and `kd` [N m s/rad] by implicit
    control, which is stable at any gains. Robots with a name have gains of their own.
    """

    kp: float | None = None
    kd: float | None = None
    reach: float = 0.4

    def __post_init__(self) -> None:
        for name in ("kp", "kd"):
            if getattr(self, name) is not None:
                not_negative(getattr(self, name), name)
        not_negative(self.reach, "reach")

    def drive(self, simulation: Simulation, stance: Array) -> Drive:
        """Return the law that holds the setpoints."""
        model = simulation.model
        if self.kp is None or self.kd is None:
            raise ValueError(
                f"JointTargets has kp {self.kp} and kd {self.kd}: state both, in the task's "
                "acts=JointTargets(kp=…, kd=…)"
            )
        moved = np.zeros(model.nv)
        moved[model.rate_index[moved_joints(model, self.joints)]] = 1.0
        controller = ImplicitPD(model, self.kp * moved, self.kd * moved, stance)
        return LawDrive(controller, simulation.dt, controller.effort)

    def write(self, commands: Array, action: Array, robots: Lanes) -> None:
        """Move the setpoints, which come first in the commands."""
        model, stance = robots.model, robots.stance
        places = moved_joints(model, self.joints)
        commands[:, : model.nq] = stance
        commands[:, places] = stance[places] + self.reach * action


@dataclass(frozen=True)
class JointEfforts(OfJoints):
    """Efforts of joints, up to `share` of their limits, or of `most` [N m, N] if it is stated."""

    share: float = 1.0
    most: float | None = None

    def __post_init__(self) -> None:
        not_negative(self.share, "share")
        if self.most is not None:
            not_negative(self.most, "most")

    def drive(self, simulation: Simulation, stance: Array) -> Drive:
        """Return efforts that are commands themselves."""
        model = simulation.model
        for place in moved_joints(model, self.joints):
            if self.most is None and not np.isfinite(model.effort_limit[model.rate_index[place]]):
                raise ValueError(f"joints of {model.name!r} have no limits: state most [N m]")
        return torques(model, simulation.effort)

    def write(self, commands: Array, action: Array, robots: Lanes) -> None:
        """Scale the efforts."""
        model = robots.model
        places = model.rate_index[moved_joints(model, self.joints)]
        limit = model.effort_limit[places] if self.most is None else self.most
        commands[:, places] = self.share * limit * action


@dataclass(frozen=True)
class ActuatorControls:
    """Controls u of the model's actuators: −1 … 1 is their range, or `most` if they have none.

    Actuators that feel positions or velocities are asked again in each step of the simulation.
    """

    most: float | None = None

    def __post_init__(self) -> None:
        if self.most is not None:
            not_negative(self.most, "most")

    def size(self, model: Model) -> int:
        """Return how many actuators there are."""
        return model.nu

    def steps(self, model: Model, hold: int) -> int:
        """Return all steps of a period, or one if actuators feel the state."""
        return 1 if model.actuators_feel else hold

    def drive(self, simulation: Simulation, stance: Array) -> Drive:
        """Return efforts that are commands themselves."""
        model = simulation.model
        if model.nu == 0:
            raise ValueError(f"{model.name!r} has no actuators: ActuatorControls needs some")
        for actuator in model.actuators:
            if actuator.control_range is None and self.most is None:
                raise ValueError(f"actuator {actuator.name!r} has no range of controls: state most")
        return torques(model, simulation.effort)

    def write(self, commands: Array, action: Array, robots: Lanes) -> None:
        """Ask the actuators for the forces of the controls."""
        usual = (0.0, 0.0) if self.most is None else (-self.most, self.most)
        ranges = [each.control_range for each in robots.model.actuators]
        low, high = np.array([usual if each is None else each for each in ranges]).T
        u = 0.5 * (low + high) + 0.5 * (high - low) * action
        commands[:] = robots.model.actuation(robots.q, robots.v, u)


def moved_joints(model: Model, names: tuple[str, ...] | None) -> NDArray[np.int64]:
    """Return the places in q (n,) of joints by name, of all that have a drive if None."""
    rate = model.rate_index
    if names is None:
        return np.asarray(np.flatnonzero((rate >= 0) & model.driven[rate]))
    found: list[int] = []
    for name in names:
        joint = model.joint(name)
        places = np.arange(model.nq)[joint.q_slice]
        if not len(places) or (rate[places] < 0).any():
            raise ValueError(f"joint {name!r} has no positions whose rates are its velocities")
        found += places.tolist()
    return np.array(found, np.int64)

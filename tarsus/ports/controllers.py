"""Springs and dampers as controllers, and a check of passivity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import checked_period, elapsed, expect, find, gain_matrix, poses
from tarsus._lib.files import Array
from tarsus.control.joint_control import PD, ImplicitPD
from tarsus.model.model import Model
from tarsus.ports.mechanical import mechanical
from tarsus.ports.port_system import Hamiltonian, System
from tarsus.ports.structure import Port, PortError, Structure
from tarsus.simulation.trajectory import Trajectory
from tarsus.spatial import (
    inverse,
    pose,
    pose_step,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
    step_rate_matrix,
    twist_from_pose,
)

# Controllers that are physics: springs and dampers with a port (Duindam 2006, section 1.2.2).
#
# A PD controller of a joint is a spring and a damper between the joint and where it should be;
# impedance control of a frame is the same in space. As parts with ports they store ½ eᵀ K e, lose
# vᵀ D v, and can make no energy, whatever they are connected to.


def spring_damper(
    stiffness: ArrayLike,
    damping: ArrayLike,
    domain: str = "rotation",
    *,
    size: int = 1,
    passive: bool = True,
    name: str = "spring",
) -> System:
    """Return a spring and a damper side by side: PD control of a joint, as a part with a port.

    Its port "end" takes the velocity and gives the force that holds against it, K x + D v; its
    state is the displacement x, at the start q − q_ref. Numbers, diagonals or matrices; with
    `passive=False` the damping may be negative.
    """
    K = gain_matrix(stiffness, size, "stiffness")
    D = (
        gain_matrix(damping, size, "damping")
        if passive
        else np.atleast_2d(np.asarray(damping, float))
    )
    names = ["x"] if size == 1 else [f"x{k}" for k in range(size)]
    port = Port("end", domain, "flow", size)
    return System(K, names, G=np.eye(size), S=D, ports=[port], passive=passive, name=name)


class SpatialSpring(Hamiltonian):
    """A spring and a damper in space: impedance control of a frame, as a part with a port.

    With the step e of SE(3) from the reference to the frame, ė = A w, it stores ½ eᵀ K e and gives
    the wrench Aᵀ K e + D w in the axes of the frame, linear first. Its port "frame" takes the
    twist w; its state is the frame's place in the reference, position and quaternion.
    """

    constant = True

    def __init__(self, stiffness: ArrayLike, damping: ArrayLike, *, name: str = "spring") -> None:
        self.K, self.D = gain_matrix(stiffness, 6, "stiffness"), gain_matrix(damping, 6, "damping")
        self.name, self.n = name, 6
        self.states = ("x", "y", "z", "qx", "qy", "qz", "qw")
        self.example = np.array([0.0] * 6 + [1.0])
        self._set_ports((Port("frame", "spatial", "flow", 6),))
        none = np.zeros((6, 6))
        self._structure = Structure(none, none, np.eye(6), none, none, self.D)

    def start(self, frame: ArrayLike, reference: ArrayLike) -> Array:
        """Return the state (7,) of a frame and its reference, poses (4, 4) in the world."""
        step = inverse(poses(reference, "reference")) @ poses(frame, "frame")
        return np.concatenate([step[:3, 3], quaternion_from_rotation(step[:3, :3])])

    def error(self, x: Array) -> Array:
        """Return the step e (6,) from the reference to the frame [m, rad]."""
        return twist_from_pose(pose(x[:3], rotation_from_quaternion(x[3:])))

    def energy(self, x: Array) -> float:
        """Return ½ eᵀ K e [J]."""
        e = self.error(x)
        return float(0.5 * e @ self.K @ e)

    def gradient(self, x: Array) -> Array:
        """Return Aᵀ K e (6,), the wrench of the spring in the axes of the frame."""
        e = self.error(x)
        return np.asarray(step_rate_matrix("free", e).T @ self.K @ e)

    def structure(self, x: Array) -> Structure:
        """Return the matrices: twists are the rates, damping is at the port."""
        return self._structure

    def lift(self, x: Array, rate: Array) -> Array:
        """Return the rates (7,) of position and quaternion of a twist (6,)."""
        turning = quaternion_product(x[3:], np.array([*rate[3:], 0.0])) / 2.0
        return np.concatenate([rotation_from_quaternion(x[3:]) @ rate[:3], turning])

    def retract(self, x: Array) -> Array:
        """Return the state with a unit quaternion."""
        return np.concatenate([x[:3], x[3:] / np.linalg.norm(x[3:])])


# `ts.ports.Controller`: parts with ports as the controller of a simulation, and its own account.
#
# At each call the parts are told how far their joints and frames have moved since the last, and
# their forces are held until the next. A force that is held is not quite that of a spring. What is
# given in a period is the held force times the mean of the velocities at both ends, as the ledger
# counts it; so the controller knows what it has produced (B. Hannaford, J.-H. Ryu, "Time-domain
# passivity control of haptic interfaces", IEEE Transactions on Robotics and Automation 18(1),
# 2002).


Start: TypeAlias = ArrayLike | Callable[[Array], ArrayLike]
"""The state of a part at the start, or a function of the configuration then."""


class Controller:
    """Parts at joints and frames of a model: tau = controller(t, q, v).

    `parts` has for names of joints or frames a part with one port that takes the velocity, such as
    `spring_damper` or `SpatialSpring`; `start` the state that each begins with: numbers, or a
    function of q. The output is held over `period` [s], one step of the simulation unless stated.
    """

    remembers = True

    def __init__(
        self,
        model: Model,
        parts: Mapping[str, Hamiltonian],
        start: Mapping[str, Start],
        *,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        joints = [name for name in parts if name in model.joint_names]
        frames = [name for name in parts if name not in joints]
        self.model, self.parts, self.period = model, dict(parts), checked_period(period)
        self._whole = mechanical(model, joints=joints, frames=frames)
        self._start = {name: find(start, name, "start of a part") for name in parts}
        for name, part in parts.items():
            _check_port(self._whole.port(name), name, part)
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next call is the start."""
        self.x: dict[str, Array] = {}
        self.given = 0.0
        """Work on the machine since the start, as far as the last call [J]."""
        self.had = 0.0
        """What was stored at the start [J]."""
        self.produced = 0.0
        """The most that was given beyond what the parts had and were given [J]."""
        self._last: tuple[float, Array, Array, Array] | None = None

    @property
    def stored(self) -> float:
        """What the parts store [J]."""
        return sum(part.energy(self.x[name]) for name, part in self.parts.items() if self.x)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return efforts (nv,) at the time t [s] for a state q (nq,), v (nv,)."""
        q, v = np.asarray(q, float), np.asarray(v, float)
        if q.ndim != 1:
            raise PortError(f"q has shape {q.shape}: parts with ports control one state, no batch")
        if self._last is None:
            for name, stated in self._start.items():
                begin = stated(q) if callable(stated) else stated
                self.x[name] = self.parts[name].state(begin)
            self.had = self.stored
        else:
            self._go_on(t, q, v)
        B = self._whole.input_matrix(q)
        tau = np.zeros(self.model.nv)
        for name, part in self.parts.items():
            columns = B[:, self._whole.at(name)]
            tau -= columns @ part.outputs(self.x[name], columns.T @ v)
        self._last = float(t), q.copy(), v.copy(), tau.copy()
        return tau

    def get_state(self) -> dict[str, Any]:
        """Return what the next call depends on."""
        parts = {name: x.copy() for name, x in self.x.items()}
        return {"x": parts, "last": self._last, "works": (self.given, self.had, self.produced)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` returned."""
        self.x = {name: np.array(x) for name, x in state["x"].items()}
        self._last = state["last"]
        self.given, self.had, self.produced = state["works"]

    def _go_on(self, t: float, q: Array, v: Array) -> None:
        assert self._last is not None
        before, place, speed, tau = self._last
        dt = elapsed(before, t)
        if dt == 0.0:
            return
        way = np.asarray(self.model.difference(place, q))
        self.given += dt * float(tau @ (speed + v)) / 2.0
        for name, part in self.parts.items():
            u = self._moved(name, place, q, way) / dt
            # a midpoint step: for springs of constant stiffness it is the whole way
            x = self.x[name]
            half = part.retract(x + dt / 2.0 * part.rates(x, u))
            self.x[name] = part.retract(x + dt * part.rates(half, u))
        self.produced = max(self.produced, self.given + self.stored - self.had)

    def _moved(self, name: str, place: Array, q: Array, way: Array) -> Array:
        if name in self.model.joint_names:
            return way[self.model.joint(name).v_slice]
        return pose_step(self.model.frame_pose(place, name), self.model.frame_pose(q, name))

    def __repr__(self) -> str:
        return f"<tarsus.ports.Controller of {self.model.name!r}: {', '.join(self.parts)}>"


def _check_port(theirs: Any, name: str, part: Hamiltonian) -> None:
    if not isinstance(part, Hamiltonian) or len(part.ports) != 1:
        raise PortError(f"the part at {name!r} must be a port-Hamiltonian system with one port")
    (port,) = part.ports
    if port.domain != theirs.domain or port.size != theirs.size or port.takes != "flow":
        raise PortError(
            f"{name!r} gives {theirs.answer} ({theirs.domain}, {theirs.size}), the part takes "
            f"{port.quantity} ({port.domain}, {port.size})"
        )


# Whether a controller of a simulation is passive: what it gave, beside what it can have stored.
#
# A passive controller with the storage E ≥ 0 gives at most what it had: with the work W(t) that it
# has done on the machine, W(t) + E(t) ≤ E(0) at all times. What is above that, it produced
# (Duindam 2006, section 1.2.2).


Stored: TypeAlias = Callable[[Array, Array], ArrayLike] | ArrayLike | PD | ImplicitPD | None


@dataclass(frozen=True, eq=False)
class Passivity:
    """What a controller did and stored in a run [J], each (T,)."""

    t: Array
    given: Array
    """Work on the machine since the start."""
    stored: Array

    @property
    def excess(self) -> Array:
        """What it gave and has beyond what it had (T,): at most zero if it is passive."""
        return np.asarray(self.given + self.stored - self.stored[0])

    @property
    def produced(self) -> float:
        """The most that it had given beyond what it was given, and had at the start [J]."""
        return float(max(0.0, self.excess.max()))

    def passive(self, tolerance: float = 1e-6) -> bool:
        """Whether it produced at most `tolerance` of the energy that it moved."""
        moved = float(np.ptp(self.given) + np.ptp(self.stored))
        return self.produced <= tolerance * moved

    def __str__(self) -> str:
        gave, had = float(self.given.max()), float(self.stored[0])
        verdict = "passive" if self.passive() else f"not passive: it produced {self.produced:.4g} J"
        return (
            f"{verdict}; it gave up to {gave:.4g} J, had {had:.4g} J at the start "
            f"and {float(self.stored[-1]):.4g} J at the end"
        )


def passivity(run: Trajectory, stored: Stored = None) -> Passivity:
    """Return whether the controller of a run is passive, and if not how much energy it produced.

    `stored` is the energy that it has: a function of (q, v), numbers (T,), or a `PD` or
    `ImplicitPD` with a constant reference, whose springs store ½ eᵀ kp e. Without it the
    controller stores nothing, and may only brake.
    """
    if run.batch is not None:
        raise ValueError(f"this run has {run.batch} states: choose one, as in passivity(run[0])")
    return Passivity(run.t, run.energy.work("supplied"), _stored(run, stored))


def _stored(run: Trajectory, stored: Stored) -> Array:
    if stored is None:
        return np.zeros(len(run.t))
    if isinstance(stored, (PD, ImplicitPD)):
        target = stored.reference.at(0.0)
        later = stored.reference.at(float(run.t[-1]))
        if any(not np.array_equal(a, b) for a, b in zip(target, later, strict=True)):
            raise PortError(
                "the reference moves: then it is not the spring that works; give stored="
            )
        e = run.model.difference(run.q, target[0])
        return np.asarray(0.5 * (stored.kp * np.square(e)).sum(axis=-1))
    if callable(stored):
        values = np.array([stored(q, v) for q, v in zip(run.q, run.v, strict=True)], float)
    else:
        values = np.asarray(stored, float)
    if values.shape != (len(run.t),):
        raise PortError(f"stored has shape {values.shape}, must be ({len(run.t)},)")
    return values

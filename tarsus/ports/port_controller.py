"""`ts.ports.Controller`: parts with ports as the controller of a simulation, and its own account.

At each call the parts are told how far their joints and frames have moved since the last, and
their forces are held until the next. A force that is held is not quite that of a spring. What is
given in a period is the held force times the mean of the velocities at both ends, as the ledger
counts it; so the controller knows what it has produced (B. Hannaford, J.-H. Ryu, "Time-domain
passivity control of haptic interfaces", IEEE Transactions on Robotics and Automation 18(1), 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import checked_period, elapsed
from tarsus.model import Model
from tarsus.model.checks import expect, find
from tarsus.ports.domains import PortError
from tarsus.ports.mechanical import mechanical
from tarsus.ports.port_system import Hamiltonian
from tarsus.spatial import pose_step

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

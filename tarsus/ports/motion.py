"""Simulation of port-Hamiltonian systems with an energy balance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, suggestion
from tarsus._lib.files import Array
from tarsus.ports.port_system import PortSystem
from tarsus.ports.structure import PortError
from tarsus.simulation.errors import EnergyError, SimulationError

# Motions of systems with ports: integrated by SciPy, with the works beside the state.
#
# Powers are integrated with the state, by the same steps; so the residual of the ledger, energy at
# the end minus energy at the start minus works, is the error of the integration and nothing else.


Inputs: TypeAlias = Mapping[str, Any] | Callable[[float, Array], ArrayLike] | ArrayLike | None
"""By port: numbers or functions of (t, x); or all of u; or none: the values of the ports."""
Method: TypeAlias = Literal["DOP853", "RK45", "Radau"]
METHODS: tuple[Method, ...] = get_args(Method)
"""SciPy's solvers whose state can be corrected between steps."""

LARGEST_STEPS = 1_000_000
"""After so many steps an integration gives up."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion: times (T,), states x (T, nx), inputs u and outputs y (T, m), and the ledger."""

    system: PortSystem
    t: Array
    x: Array
    u: Array
    y: Array
    ledger: PortLedger

    def __getitem__(self, name: str) -> Array:
        """Return a state (T,) by its name, or a port's output (T, size)."""
        if name in self.system.states:
            return self.x[:, self.system.states.index(name)]
        names = [port.name for port in self.system.ports]
        if name in names:
            return self.y[:, self.system.at(name)]
        raise PortError(
            f"there is no state or port {name!r}{suggestion(name, (*self.system.states, *names))}"
        )


def simulate(
    system: PortSystem,
    x0: ArrayLike,
    duration: float,
    u: Inputs = None,
    *,
    samples: int | ArrayLike = 201,
    method: Method = "DOP853",
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> Motion:
    """Return the motion of a system from x0 (nx,) over a duration [s].

    `u` has inputs by name of port, as numbers or functions (t, x); or is a function or an array of
    all of them. `samples` is how many times are kept, or which. `method` is one of SciPy's.
    """
    x, inputs = system.state(x0), input_function(system, u)
    times = _times(samples, number(duration, "duration"))
    count = system.nx
    names = list(_powers(system, x, inputs(0.0, x)))

    def rates(t: float, both: Array) -> Array:
        x = both[:count]
        here = inputs(t, x)
        if not (np.isfinite(x).all() and np.isfinite(here).all()):
            raise SimulationError(_lost(system, x, here), time=t)
        powers = _powers(system, x, here)
        return np.concatenate([system.rates(x, here), [powers[name] for name in names]])

    start = np.concatenate([x, np.zeros(len(names))])
    found = _integrated(system, rates, start, times, method, rtol, atol)
    xs, works = found[:, :count], dict(zip(names, found[:, count:].T, strict=True))
    us = np.array([inputs(t, x) for t, x in zip(times, xs, strict=True)]).reshape(len(times), -1)
    return _motion(system, times, xs, us, works)


def audit(system: PortSystem, t: ArrayLike, x: ArrayLike, u: ArrayLike | None = None) -> Motion:
    """Return a motion that was found elsewhere, with its ledger: t (T,), x (T, nx), u (T, m).

    Powers at the samples are integrated by a cubic spline: the residual has its error, too.
    """
    from scipy import interpolate  # slow to import, and only needed here

    times, xs = np.asarray(t, float), np.asarray(x, float)
    if xs.shape != (len(times), system.nx):
        raise PortError(f"x has shape {xs.shape}, must be ({len(times)}, {system.nx})")
    us = np.array([system.inputs(None)] * len(times)) if u is None else np.asarray(u, float)
    us = us.reshape(len(times), -1)
    rows = [_powers(system, system.state(a), system.inputs(b)) for a, b in zip(xs, us, strict=True)]
    works = {
        name: interpolate.CubicSpline(times, [row[name] for row in rows]).antiderivative()(times)
        for name in rows[0]
    }
    return _motion(system, times, xs, us, works)


def input_function(system: PortSystem, u: Inputs) -> Callable[[float, Array], Array]:
    """Return the inputs (m,) as a function of (t, x)."""
    if isinstance(u, Mapping):
        parts = [(name, system.at(name), value) for name, value in u.items()]

        def by_port(t: float, x: Array) -> Array:
            found = system.inputs(None)
            for name, at, value in parts:
                given = np.asarray(value(t, x) if callable(value) else value, float)
                size = at.stop - at.start
                if given.shape not in ((), (size,)):
                    raise PortError(
                        f"port {name!r} is given the shape {given.shape}, takes ({size},)"
                    )
                found[at] = given
            return found

        return by_port
    if callable(u):
        return lambda t, x: system.inputs(u(t, x))
    constant = system.inputs(u)
    return lambda t, x: constant


def _lost(system: PortSystem, x: Array, u: Array) -> str:
    """Return which number is none any more."""
    ports = [port.name for port in system.ports for _ in range(port.size)]
    bad = [
        f"the input at port {name!r}"
        for name, value in zip(ports, u, strict=True)
        if not np.isfinite(value)
    ]
    bad += [
        f"the state {name!r}"
        for name, value in zip(system.states, x, strict=True)
        if not np.isfinite(value)
    ]
    return f"{system.name!r} could not go on: {bad[0]} is not finite"


def _powers(system: PortSystem, x: Array, u: Array) -> dict[tuple[str, str], float]:
    y = system.outputs(x, u)
    found = {("supplied", name): power for name, power in system.intakes(u, y).items()}
    found |= {("lost", name): power for name, power in system.losses(x, u).items()}
    return found | {("exchanged", name): p for name, p in system.exchanges(x, u).items()}


def _motion(
    system: PortSystem, t: Array, x: Array, u: Array, works: Mapping[tuple[str, str], Array]
) -> Motion:
    stores = [system.stores(row) for row in x]
    ledger = PortLedger(
        t,
        {name: np.array([row[name] for row in stores]) for name in stores[0]},
        *(
            {name: work for (kind, name), work in works.items() if kind == wanted}
            for wanted in ("supplied", "lost", "exchanged")
        ),
    )
    y = np.array([system.outputs(a, b) for a, b in zip(x, u, strict=True)]).reshape(len(t), -1)
    return Motion(system, t, x, u, y, ledger)


def _times(samples: int | ArrayLike, duration: float) -> Array:
    if duration <= 0.0:
        raise ValueError(f"duration is {duration} s, must be positive")
    if isinstance(samples, int):
        return np.linspace(0.0, duration, max(samples, 2))
    times = np.asarray(samples, float)
    if times.ndim != 1 or (np.diff(times) <= 0.0).any() or times[0] < 0.0 or times[-1] > duration:
        raise ValueError(f"samples must rise from 0 or more to at most the duration, {duration} s")
    return times


def _integrated(
    system: PortSystem,
    rates: Callable[[float, Array], Array],
    start: Array,
    times: Array,
    method: str,
    rtol: float,
    atol: float,
) -> Array:
    """Return the states (T, n) at times; after each step the state is on its manifold again."""
    if method not in METHODS:
        raise ValueError(f"there is no method {method!r}{suggestion(method, METHODS)}")
    # works must be as good as the ledger says, not as good as a state that goes on from them
    allowed = np.full(len(start), atol)
    allowed[system.nx :] = max(atol, rtol)
    from scipy import integrate  # slow to import, and only needed here

    solver = getattr(integrate, method)(rates, 0.0, start, times[-1], rtol=rtol, atol=allowed)
    found = np.empty((len(times), len(start)))
    found[0], done = start, int(times[0] == 0.0)
    for _ in range(LARGEST_STEPS):
        if solver.status != "running":
            break
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            cause = message or "the state is not finite any more"
            raise SimulationError(f"{system.name!r} could not go on: {cause}", time=solver.t)
        last = int(np.searchsorted(times, solver.t, side="right"))
        if last > done:  # a step between samples asks for no interpolation
            found[done:last] = solver.dense_output()(times[done:last]).T
            for row in found[done:last]:
                row[: system.nx] = system.retract(row[: system.nx])
            done = last
        whole = system.retract(solver.y[: system.nx])
        if not np.array_equal(whole, solver.y[: system.nx]):
            solver.y = np.concatenate([whole, solver.y[system.nx :]])
            solver.f = rates(solver.t, solver.y)
    else:
        raise SimulationError(f"{system.name!r} took {LARGEST_STEPS} steps", time=solver.t)
    return found


# The ledger of a motion of ports: what is stored, supplied and lost, and whether it is passive.


@dataclass(frozen=True, eq=False)
class PortLedger:
    """Energies and works of a motion [J], each (T,) and counted from the start.

    stored(t) − stored(0) = Σ supplied(t) − Σ lost(t) + residual(t)
    """

    t: Array
    stores: Mapping[str, Array]
    """What each part stores."""
    supplied: Mapping[str, Array]
    """What each port has brought in."""
    lost: Mapping[str, Array]
    """What each part has dissipated; falls while it makes energy."""
    exchanged: Mapping[str, Array]
    """What the ports inside a connected system have brought into their own part."""

    @property
    def stored(self) -> Array:
        """The sum over all parts."""
        return np.asarray(np.sum([np.zeros_like(self.t), *self.stores.values()], axis=0))

    @property
    def residual(self) -> Array:
        """What the integration makes from nothing (positive) or loses."""
        works = [np.zeros_like(self.t), *self.supplied.values(), *(-x for x in self.lost.values())]
        return np.asarray(self.stored - self.stored[0] - np.sum(works, axis=0))

    @property
    def flow(self) -> float:
        """How much energy was moved: ranges of what is stored, supplied and lost."""
        changes = (*self.stores.values(), *self.supplied.values(), *self.lost.values())
        return float(sum(np.ptp(change) for change in changes))

    @property
    def relative_residual(self) -> float:
        """The largest residual divided by the flow, or by 1e-9 of what is stored if that is more.

        So where nothing moves it is not rounding divided by rounding.
        """
        return float(np.abs(self.residual).max() / self._scale)

    @property
    def _scale(self) -> float:
        stored = sum(float(np.abs(each).max()) for each in self.stores.values())
        return max(self.flow, 1e-9 * stored) or 1.0

    def produced(self, part: str | None = None) -> float:
        """Return the energy [J] that one part, or all together, gave beyond all they were given.

        A passive part has lost something at all times: what is missing to that is produced.
        """
        parts = self.lost.values() if part is None else [self.lost[part]]
        total = np.sum([np.zeros_like(self.t), *parts], axis=0)
        return float(max(0.0, -total.min()))

    def passive(self, tolerance: float = 1e-9) -> bool:
        """Whether no part produced more than `tolerance` of the energy that flowed."""
        return all(self.produced(part) <= tolerance * self._scale for part in self.lost)

    def check(self, tolerance: float = 1e-6) -> None:
        """Raise `EnergyError` if the residual is above `tolerance`, or a part is not passive."""
        if not self.relative_residual <= tolerance:
            worst = int(np.argmax(np.abs(self.residual)))
            raise EnergyError(
                f"the residual at t = {self.t[worst]:.6g} s is {self.residual[worst]:.3g} J, "
                f"{self.relative_residual:.2g} of the energy that flowed; at most "
                f"{tolerance:.2g} is allowed"
            )
        for part in self.lost:
            if self.produced(part) > tolerance * self._scale:
                raise EnergyError(
                    f"{part!r} is not passive: it produced {self.produced(part):.3g} J"
                )

    def table(self) -> str:
        """Return the ledger as text: energies at start and end, mean powers, who is passive."""
        span = float(self.t[-1] - self.t[0]) or 1.0

        def line(kind: str, name: str, values: Array, note: str = "") -> str:
            change = float(values[-1] - values[0])
            return f"{kind:10}{name:24}{change:14.6g}{change / span:14.6g}{note}"

        lines = [f"{'':10}{'':24}{'energy [J]':>14}{'power [W]':>14}"]
        lines += [line("supplied", name, x) for name, x in self.supplied.items()]
        lines += [
            line("lost", name, x, f"   produced {made:.3g} J" if made else "")
            for name, x in self.lost.items()
            for made in [self._made(name)]
        ]
        lines += [line("stored", name, x) for name, x in self.stores.items()]
        lines.append(line("residual", "", self.residual))
        return "\n".join(lines)

    def _made(self, part: str) -> float:
        made = self.produced(part)
        return made if made > 1e-9 * self._scale else 0.0

    def __str__(self) -> str:
        return self.table()

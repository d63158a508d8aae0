"""`penalty_map`: where springs at contacts work, over stiffness, damping, step and integrator.

Each cell is a run. The line is where a single point on a spring and a damper becomes unstable,

    semi-implicit Euler    K λ⁻¹ dt² + 2 D λ⁻¹ dt = 4    or    D λ⁻¹ dt = 2,
    explicit Euler         2 D λ⁻¹ dt − K λ⁻¹ dt² = 4    or    K dt = D,

with the largest inverse inertia λ⁻¹ of the points that touch at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Terrain
from tarsus.model.model import Model
from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.penalty import Penalty
from tarsus.simulation.drives import Controller, torques
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.state import landed
from tarsus.view.figures import INK, new_figure, style_axes, write_figure
from tarsus_lab.contact_study import LawOutcome, outcome_of

STIFFNESS = tuple(float(10**power) for power in np.arange(4.0, 8.1, 0.5))
DAMPING = tuple(float(10**power) for power in np.arange(2.0, 5.1, 0.5))


@dataclass(frozen=True, eq=False)
class PenaltyMap:
    """Outcomes over integrators, steps, stiffnesses and dampings: arrays (I, N, K, D)."""

    integrators: tuple[str, ...]
    dt: Array
    """Steps (N,) [s]."""
    stiffness: Array
    """(K,) [N/m]."""
    damping: Array
    """(D,) [N s/m]."""
    penetration: Array
    """Deepest penetration [m]."""
    impulse: Array
    """Largest normal impulse of the ground within 50 ms [N s]."""
    stable: NDArray[np.bool_]
    """Whether the run came to its end and contacts added no energy."""
    mobility: float
    """Largest inverse inertia of the points that touch at the start [1/kg]."""
    exact: tuple[LawOutcome, ...]
    """Exact contact at each step, with semi-implicit Euler: the reference."""

    @property
    def bound(self) -> Array:
        """How close the rule is to its limits (I, N, K, D): 1 is the limit."""
        steps = [
            [_bound(name, self.mobility, step, self.stiffness, self.damping) for step in self.dt]
            for name in self.integrators
        ]
        return np.array(steps)

    def table(self) -> str:
        """Return a line for each integrator and step, and one for exact contact."""
        lines = [f"{'contact':28}{'dt s':>9}{'stable':>12}{'depth mm':>20}{'impulse N s':>22}"]
        for n, step in enumerate(self.dt):
            each = self.exact[n]
            depth, push = f"{1e3 * each.penetration:.3g}", f"{each.impulse:.4g}"
            word = "yes" if each.stable else "no"
            lines.append(f"{'exact':28}{step:9.2g}{word:>12}{depth:>20}{push:>22}")
            for i, name in enumerate(self.integrators):
                good = self.stable[i, n]
                share = f"{good.sum()} of {good.size}"
                depth = _range(1e3 * self.penetration[i, n][good])
                push = _range(self.impulse[i, n][good])
                title = f"penalty, {name}"
                lines.append(f"{title:28}{step:9.2g}{share:>12}{depth:>20}{push:>22}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the penetration of all stable runs, and the bound of the rule."""
        rows, columns = len(self.integrators), len(self.dt)
        figure = new_figure(1.6 + 3.3 * columns, 0.9 + 2.7 * rows)
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        depth = np.where(self.stable, 1e3 * self.penetration, np.nan)
        shades = _shades(depth[self.stable])
        for i, name in enumerate(self.integrators):
            for n, step in enumerate(self.dt):
                picture = self._draw(grid[i, n], depth[i, n], shades)
                self._draw_bound(grid[i, n], name, step)
                exact = 1e3 * self.exact[n].penetration
                title = f"{name}, dt = {1e3 * step:g} ms (exact: {exact:.2g} mm)"
                style_axes(grid[i, n], title, "")
                grid[i, n].grid(visible=False)
        for axes in grid[-1]:
            axes.set_xlabel("stiffness [N/m]", fontsize=8)
        for axes in grid[:, 0]:
            axes.set_ylabel("damping [N s/m]", fontsize=8)
        bar = figure.colorbar(picture, ax=grid, shrink=0.8)
        bar.set_label("penetration [mm]; ×: unstable; line: bound of one point", fontsize=8)
        if path is not None:
            write_figure(figure, path)
        return figure

    def _draw(self, axes: Any, depth: Array, shades: Any) -> Any:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set(xlim=_edges(self.stiffness), ylim=_edges(self.damping))
        k, d = self.stiffness, self.damping
        picture = axes.pcolormesh(k, d, depth.T, cmap="YlGnBu", norm=shades)
        at_k, at_d = np.nonzero(np.isnan(depth))
        axes.plot(k[at_k], d[at_d], "x", color="#b3262e", ms=4)
        return picture

    def _draw_bound(self, axes: Any, integrator: str, step: float) -> None:
        (k0, k1), (d0, d1) = _edges(self.stiffness), _edges(self.damping)
        k, d = np.geomspace(k0, k1, 200), np.geomspace(d0, d1, 200)
        bound = _bound(integrator, self.mobility, step, k, d)
        if bound.min() < 1.0 < bound.max():
            axes.contour(k, d, bound.T, [1.0], colors=INK, linewidths=1.4)

    def __str__(self) -> str:
        return self.table()


def penalty_map(
    model: Model,
    ground: Terrain,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    duration: float = 0.5,
    controller: Controller | None = None,
    stiffness: Sequence[float] = STIFFNESS,
    damping: Sequence[float] = DAMPING,
    dt: Sequence[float] = (1e-3, 2.5e-4),
    integrators: Sequence[str] = ("semi_implicit", "explicit"),
    collision: Collision | None = None,
) -> PenaltyMap:
    """Simulate the same motion with every combination, and with exact contact as a reference."""
    for name, values in (("stiffness", stiffness), ("damping", damping), ("dt", dt)):
        if len(values) == 0:
            raise ValueError(f"{name} is empty")
    for integrator in integrators:
        if integrator not in ("semi_implicit", "explicit"):
            raise ValueError(f"integrator {integrator!r} must be semi_implicit or explicit")

    def simulate(law: Exact | Penalty, step: float, integrator: str) -> LawOutcome:
        simulation = Simulation(
            model, ground=ground, contact=law, dt=step, integrator=integrator, collision=collision
        )
        return outcome_of(simulation, q0, v0, duration, controller)

    shape = len(integrators), len(dt), len(stiffness), len(damping)
    penetration, impulse, stable = np.zeros(shape), np.zeros(shape), np.zeros(shape, bool)
    for place in np.ndindex(shape):
        i, n, k, d = place
        found = simulate(Penalty(stiffness[k], damping[d]), dt[n], integrators[i])
        penetration[place], impulse[place] = found.penetration, found.impulse
        stable[place] = found.stable
    return PenaltyMap(
        tuple(integrators),
        np.array(dt),
        np.array(stiffness),
        np.array(damping),
        penetration,
        impulse,
        stable,
        _mobility(model, ground, q0, collision),
        tuple(simulate(Exact(), step, "semi_implicit") for step in dt),
    )


def _mobility(model: Model, ground: Terrain, q0: ArrayLike, collision: Collision | None) -> float:
    """Return the largest inverse inertia of points that are next to touch [1/kg]."""
    simulation = Simulation(model, ground=ground, contact="penalty", collision=collision)
    assert simulation.worlds is not None and isinstance(simulation.contact, Penalty)
    world = simulation.worlds.get(torques(model, simulation.effort))
    q = landed(simulation.model, world, np.asarray(q0, np.float64))
    found = simulation.contact.stability(world, q, simulation.dt)
    # without friction, nothing acts along the ground
    slippery = np.all(np.asarray(ground.friction) == 0.0)
    return max(each.mobility for each in found if each.direction == "normal" or not slippery)


def _bound(integrator: str, mobility: float, step: float, k: Array, d: Array) -> Array:
    """Return the larger of both numbers of a rule, divided by their limits (K, D)."""
    stiff, damped = mobility * k[:, None] * step**2, mobility * d * step
    if integrator == "explicit":
        return np.maximum(2 * damped / (4 + stiff), stiff / np.maximum(damped, 1e-300))
    return np.maximum((stiff + 2 * damped) / 4, damped / 2)


def _edges(values: Array) -> tuple[float, float]:
    """Return limits of an axis half a cell beyond the first and the last value."""
    steps = np.diff(np.log10(values)) if len(values) > 1 else np.ones(1)
    low, high = values[0] / 10 ** (steps[0] / 2), values[-1] * 10 ** (steps[-1] / 2)
    return float(low), float(high)


def _shades(depth: Array) -> Any:
    from matplotlib.colors import LogNorm

    low = float(depth.min(initial=np.inf)) if depth.size else 1.0
    return LogNorm(max(low, 1e-6), max(float(depth.max(initial=0.0)), 10 * low, 1e-5))


def _range(values: Array) -> str:
    return f"{values.min():.3g} … {values.max():.3g}" if values.size else "–"

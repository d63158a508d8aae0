"""What walkers survive: maps over pushes, friction and masses, all walked at once in lanes.

found = ts.walking.robustness(model, push=[0, 50, 100], friction=[0.3, 0.5, 0.7])
print(found)
found.plot("map.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, expect, number, reals
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model.model import Model
from tarsus.simulation.push import Push
from tarsus.simulation.simulation import Simulation
from tarsus.walking.biped import Biped
from tarsus.walking.settings import Style


@dataclass(frozen=True, eq=False)
class Robustness:
    """Which walkers stayed on their feet: axes of the map, and results (P, F, M) over them."""

    name: str
    """Of the machine."""
    push: Array
    """Forces (P,) [N]."""
    friction: Array
    """Coefficients of the ground (F,)."""
    mass: Array
    """Factors of masses (M,)."""
    time: Array
    """When walkers fell, or could not go on (P, F, M) [s]; infinite for those who did not."""
    distance: Array
    """How far their trunks came along the ground (P, F, M) [m]."""
    lasting: float
    """How long pushes act [s]."""
    known: float
    """The friction that walkers count on."""

    @property
    def survived(self) -> NDArray[np.bool_]:
        """Who stayed on their feet (P, F, M)."""
        return np.isinf(self.time)

    @property
    def most(self) -> Array:
        """The largest push (F, M) [N] up to which all are survived; NaN where none is."""
        size = np.abs(self.push)
        order = np.argsort(size)
        so_far = np.logical_and.accumulate(self.survived[order], axis=0)
        best = (so_far * size[order, None, None]).max(axis=0)
        return np.where(so_far.any(axis=0), best, np.nan)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the map, a panel for each mass; `path` writes it to a file."""
        from tarsus.walking.plots import plot_robustness  # figures need Matplotlib

        return plot_robustness(self, path)

    def __str__(self) -> str:
        stood, all_of_them = int(self.survived.sum()), self.time.size
        lines = [f"{self.name}: {stood} of {all_of_them} walkers stayed on their feet"]
        for j, mass in enumerate(self.mass):
            for i, friction in enumerate(self.friction):
                most = self.most[i, j]
                told = "no push" if np.isnan(most) else f"pushes up to {most:.0f} N"
                lines.append(f"masses × {mass:g}, friction {friction:g}: {told}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<tarsus.walking.Robustness {str(self).splitlines()[0]}>"


def robustness(
    model: Model | Anatomy,
    *,
    push: ArrayLike = 0.0,
    friction: ArrayLike = 0.7,
    mass: ArrayLike = 1.0,
    direction: ArrayLike = (0.0, 1.0, 0.0),
    start: float | None = None,
    lasting: float = 0.1,
    body: str | None = None,
    heavier: Sequence[str] | None = None,
    known: float | None = None,
    speed: float = 0.3,
    steps: int = 6,
    ground: Terrain | None = None,
    style: Style | None = None,
    threads: int = 1,
    **simulation: Any,
) -> Robustness:
    """Let walkers be pushed on grounds that rub more or less, with masses that differ, all at once.

    `push` (P,) [N] are forces along `direction` (3,) on `body`, the trunk unless named, from
    `start` [s] for `lasting` [s]; they come in the middle of the third step unless told.
    `friction` (F,) are those of the `ground`, `mass` (M,) factors of the masses of all bodies, or
    of those that are named `heavier`; the controller knows the model as it is, and counts on the
    friction `known`, the lowest one unless given. Walkers walk `steps` at `speed` [m/s], and one
    second more. `threads` share them. What else is named goes to `Simulation`.
    """
    expect(model, (Model, Anatomy), "model")
    anatomy = Anatomy.from_model(model) if isinstance(model, Model) else model
    count(steps, "steps", 1)
    axes = [_axis(push, "push"), _axis(friction, "friction"), _axis(mass, "mass")]
    forces, slips, masses = (each.ravel() for each in np.meshgrid(*axes, indexing="ij"))
    surface = Ground() if ground is None else ground
    expect(surface, Terrain, "ground")
    counted = float(axes[1].min()) if known is None else number(known, "known")
    told, felt = (replace(surface, friction=each) for each in (counted, slips))
    own = Biped.ready(anatomy, style, ground=told)
    plan = own.grounded(own.footsteps(speed, steps=steps), told)
    control = own.controller(plan, told, felt, walkers=len(forces), threads=threads)
    control.notes = False
    settings = {"collision": anatomy.collision(), "dt": 1e-3, **simulation}
    q = own.placed(plan, told, settings["collision"])
    usual = own.supports.start + 2 * own.step_time + own.supports.single / 2
    pushed = Push(
        anatomy.trunk if body is None else body,
        forces[:, None] * _unit(direction),
        start=usual if start is None else start,
        duration=lasting,
    )
    run = Simulation(anatomy.model, ground=felt, **settings).run(
        np.tile(q, (len(forces), 1)),
        duration=own.supports.start + plan.steps * own.step_time + 1.0,
        controller=control,
        external=pushed,
        until=own.fallen(),
        record=False,
        mass_scale=_factors(anatomy.model, heavier, masses),
        threads=threads,
    )
    time = np.array(run.ended.time)
    for failure in run.failures:
        time[failure.state] = failure.time
    way = np.linalg.norm(run.q[:, -1, :2] - run.q[:, 0, :2], axis=-1)
    shape = tuple(len(each) for each in axes)
    return Robustness(
        anatomy.model.name,
        axes[0],
        axes[1],
        axes[2],
        time.reshape(shape),
        way.reshape(shape),
        lasting,
        counted,
    )


def _axis(value: ArrayLike, what: str) -> Array:
    """Return the numbers of an axis (n,)."""
    found = np.atleast_1d(reals(value, what))
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        raise ValueError(f"{what} is {found.tolist()}, must be a finite number or some of them")
    if what != "push" and (found <= 0.0).any():
        raise ValueError(f"{what} is {found.tolist()}, must be positive")
    return found


def _unit(direction: ArrayLike) -> Array:
    found = reals(direction, "direction")
    length = np.linalg.norm(found)
    if found.shape != (3,) or not 0.0 < length < np.inf:
        raise ValueError(f"direction is {found.tolist()}, must be a vector (3,) that is not zero")
    return np.asarray(found / length)


def _factors(model: Model, names: Sequence[str] | None, factors: Array) -> Array:
    """Return factors of masses (B, n_bodies) from one for each state (B,)."""
    if isinstance(names, str):
        raise TypeError(f"heavier is the name {names!r} alone, must be a list of names")
    found = np.ones((len(factors), model.n_bodies))
    which = slice(None) if names is None else [model.body(name).index for name in names]
    found[:, which] = factors[:, None]
    return found

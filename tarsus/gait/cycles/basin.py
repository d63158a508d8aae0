"""`ts.gait.basin`: from which states a walker comes to its gait, and when the others fall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.events.report import ENDS, EVENTS, EXIT
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.return_map import COARSE, residual
from tarsus.model.checks import count, find, numbers
from tarsus.sweep import sweep

CHUNK = 4096
"""As many states go at once."""
NEAR = 1e-3
"""How near to the gait a walker is that came to it [rad, m, rad/s, m/s]."""


@dataclass(frozen=True, eq=False)
class Basin:
    """A map over the values of one, two or more numbers of a gait's section."""

    gait: LimitCycle
    over: dict[str, Array]
    steps: NDArray[np.int64]
    """How many steps each state made, shape of the grid."""
    fell: Array
    """When it fell [s], infinite if it did not."""
    distance: Array
    """How far it is from the nearest state of the gait at last, infinite if it fell."""
    asked: int = field(repr=False)

    @property
    def survived(self) -> NDArray[np.bool_]:
        """Which states made all steps."""
        return np.asarray(np.isinf(self.fell))

    @property
    def attracted(self) -> NDArray[np.bool_]:
        """Which of them are at the gait by then."""
        return np.asarray(self.distance < NEAR)

    @property
    def volume(self) -> float:
        """How much of the grid survives, by the product of its numbers' units."""
        spans = [np.ptp(values) for values in self.over.values()]
        return float(self.survived.mean() * np.prod(spans))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of a map over two numbers: who walks, and after how many steps not."""
        from tarsus.gait.cycles.basin_plot import plot_basin

        return plot_basin(self, path)

    def __repr__(self) -> str:
        shape = " × ".join(map(str, self.steps.shape))
        return (
            f"<Basin of {self.gait.walker.name} over {', '.join(self.over)}: {shape}, "
            f"{self.survived.mean():.1%} made {self.asked} steps, {self.attracted.mean():.1%} "
            "are at the gait>"
        )


def basin(
    gait: LimitCycle,
    over: Mapping[str, ArrayLike],
    *,
    steps: int = 20,
    executor: Literal["threads", "processes", "ray"] = "threads",
    workers: int = 1,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
) -> Basin:
    """Let a walker begin from all states of a grid, `steps` steps each.

    `over` has names of numbers of the walker's section and the values (n,) that they take; the
    others are those of the gait. States go in lanes, whatever their neighbours do, by `ts.sweep`
    with its `executor`, `workers` and `checkpoint`.
    """
    count(steps, "steps")
    section = gait.walker.numbered()
    axes = {}
    for name, values in over.items():
        find(dict.fromkeys(section.names), name, "number of the section")
        axes[name] = np.atleast_1d(np.asarray(values, float))
        numbers(axes[name], (axes[name].size,), name)
    if not axes:
        raise ValueError(f"over is empty, must name some of {', '.join(section.names)}")
    shape = tuple(values.size for values in axes.values())
    found = sweep(
        partial(_walked, gait, axes, steps),
        {"begin": range(0, math.prod(shape), CHUNK)},
        executor=executor,
        workers=workers,
        checkpoint=checkpoint,
        progress=progress,
    )
    made, fell, distance = (
        np.concatenate([each[name] for each in found.results]).reshape(shape)
        for name in ("made", "fell", "away")
    )
    return Basin(gait, axes, made.astype(np.int64), fell, distance, steps)


def _grid(names: Sequence[str], nominal: Array, axes: Mapping[str, Array]) -> Array:
    """Return the numbers of all states of the grid (N, n), the last axis fastest."""
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    found = np.tile(nominal, (mesh[0].size, 1))
    for name, values in zip(axes, mesh, strict=True):
        found[:, names.index(name)] = values.ravel()
    return found


def _walked(
    gait: LimitCycle, axes: Mapping[str, Array], steps: int, begin: int
) -> dict[str, Array]:
    """Return how many steps states make, when they fall, and how far from the gait they are.

    They are a chunk of those of the grid, which begins with a number.
    """
    walker, section = gait.walker, gait.walker.numbered()
    states = _grid(section.names, section.read(*gait.state), axes)[begin : begin + CHUNK]
    q, v = (np.array(x) for x in section.place(states))
    made, lasted = np.zeros(len(q), int), np.zeros(len(q))
    stood = np.ones(len(q), bool)
    at_once = 1 if walker.clocked else steps
    for _ in range(steps // at_once):
        if not stood.any():
            break
        flowed = walker.steps(q[stood], v[stood], at_once, **COARSE._asdict())
        left = np.array([why == ENDS[EXIT] for why in flowed.ended])
        made[stood] += (flowed.n_events - left) // walker.events
        lasted[stood] += flowed.t
        on = np.array([why == ENDS[EVENTS] for why in flowed.ended])
        stood[stood] = on
        nq, nv = q.shape[1], v.shape[1]
        q[stood], v[stood] = flowed.q[on, :nq], flowed.v[on, :nv]
    away = np.full(len(q), np.inf)
    for node_q, node_v in zip(gait.q, gait.v, strict=True):
        node = [np.tile(x, (int(stood.sum()), 1)) for x in (node_q, node_v)]
        off = residual(walker, node[0], node[1], q[stood], v[stood])
        away[stood] = np.minimum(away[stood], np.linalg.norm(off, axis=1))
    return {"made": made, "fell": np.where(stood, np.inf, lasted), "away": away}

"""Drawings of bond graphs and of power flows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import find
from tarsus._lib.files import Array
from tarsus.ports.causality import JUNCTIONS, Bond
from tarsus.ports.structure import DOMAINS, PortError
from tarsus.view.figures import INK, LINES, QUIET, new_figure, write_figure

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph
    from tarsus.ports.power_flow import PowerFlow


# Pictures of bond graphs: half arrows for the direction of power, strokes for causality.


COLORS = dict(zip(DOMAINS, LINES, strict=True))
LEVELS = 300
"""How often places are improved."""


def draw_bond_graph(
    graph: BondGraph,
    path: str | Path | None = None,
    *,
    places: Mapping[str, tuple[float, float]] | None = None,
) -> Any:
    """Return a figure of a bond graph; `path` writes it, `places` says where elements are.

    The half arrow is where positive power goes; the stroke is at the end that is given the effort;
    a double line has several numbers. Colours are domains.
    """
    causality = graph.causality()
    names = list(graph.elements)
    spots = arranged(graph) if places is None else _stated(places, names)
    low, high = spots.min(axis=0), spots.max(axis=0)
    width, height = np.maximum(high - low, 0.6) * 1.25 + (1.4, 1.0)
    figure = new_figure(float(width), float(height) + 0.6)
    axes = figure.add_subplot()
    at = dict(zip(names, spots, strict=True))
    for bond, stroke in zip(graph.bonds, causality.effort_to, strict=True):
        wide = [
            0.12 if graph.elements[x].kind in JUNCTIONS else 0.34 for x in (bond.tail, bond.head)
        ]
        _draw_bond(axes, (at[bond.tail], at[bond.head]), wide, bond, stroke == bond.head)
    for name, element in graph.elements.items():
        junction = element.kind in JUNCTIONS
        own = DOMAINS[element.domains[1]].name
        axes.text(
            *at[name],
            f"{element.label}\n{name}" if junction else f"{element.label} : {name}",
            ha="center",
            va="center",
            fontsize=9 if junction else 8.5,
            color=INK if junction or len(set(element.domains)) > 1 else COLORS[own],
            bbox={"boxstyle": "round,pad=0.18", "fc": "white", "ec": "none"},
            zorder=3,
        )
    used = [name for name in DOMAINS if any(bond.domain == name for bond in graph.bonds)]
    for name in used:
        axes.plot(
            [],
            [],
            color=COLORS[name],
            label=f"{name}: {DOMAINS[name].effort}, {DOMAINS[name].flow}",
        )
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0.0, 0.0))
    figure.suptitle(graph.name, fontsize=10, color=INK, x=0.01, ha="left")
    axes.set_xlim(low[0] - 0.6, high[0] + 0.6)
    axes.set_ylim(low[1] - 0.4, high[1] + 0.4)
    axes.set_aspect("equal")
    axes.axis("off")
    if path is not None:
        write_figure(figure, path)
    return figure


def arranged(graph: BondGraph) -> Array:
    """Return places (elements, 2) whose distances are near the numbers of bonds between them.

    Majorisation of stress: J. de Leeuw, "Convergence of the majorization method for
    multidimensional scaling", Journal of Classification 5, 1988.
    """
    from scipy.sparse.csgraph import shortest_path  # slow to import, and only needed here

    names = {name: i for i, name in enumerate(graph.elements)}
    count = len(names)
    near = np.zeros((count, count))
    for bond in graph.bonds:
        near[names[bond.tail], names[bond.head]] = 1.0
    wanted = shortest_path(near, directed=False)
    reached = np.isfinite(wanted)
    wanted[~reached] = (
        0.5 * wanted[reached].max() + 1.5
    )  # parts that no bond joins stand side by side
    weights = np.divide(1.0, wanted**2, where=wanted > 0.0, out=np.zeros_like(wanted))
    laplacian = np.linalg.pinv(np.diag(weights.sum(axis=0)) - weights)
    spots = _spectral(wanted)
    for _ in range(LEVELS):
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=-1)
        pulls = -weights * np.divide(wanted, gaps, where=gaps > 1e-9, out=np.zeros_like(gaps))
        np.fill_diagonal(pulls, 0.0)
        np.fill_diagonal(pulls, -pulls.sum(axis=1))
        spots = laplacian @ pulls @ spots
    return _lying(spots) * (1.5, 1.1)


def _spectral(wanted: Array) -> Array:
    """Return a first guess: the two largest directions of the squared distances, a little apart."""
    count = len(wanted)
    center = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * center @ wanted**2 @ center)
    apart = 1e-2 * np.random.default_rng(0).normal(size=(count, 2))
    return np.asarray(vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0)) + apart)


def _lying(spots: Array) -> Array:
    """Return places turned so that their longest extent is horizontal."""
    spots = spots - spots.mean(axis=0)
    _, _, axes = np.linalg.svd(spots, full_matrices=False)
    turned = spots @ axes.T
    return np.asarray(turned if turned[0, 0] <= 0.0 else -turned)


def _stated(places: Mapping[str, tuple[float, float]], names: list[str]) -> Array:
    for name in places:
        find(dict.fromkeys(names), name, "element")
    missing = [name for name in names if name not in places]
    if missing:
        raise PortError(f"places has no {missing[0]!r}; it must have all elements")
    return np.array([places[name] for name in names], float)


def _draw_bond(
    axes: Any, ends: tuple[Array, Array], wide: list[float], bond: Bond, stroke_at_head: bool
) -> None:
    tail, head = ends
    along = (head - tail) / np.linalg.norm(head - tail)
    across = np.array([-along[1], along[0]])
    # names are wide and low: lines end where they leave the name
    first, last = (0.17 + each * abs(along[0]) for each in wide)
    a, b, color = tail + first * along, head - last * along, COLORS[bond.domain]
    offsets = (-0.02, 0.02) if bond.size > 1 else (0.0,)
    for offset in offsets:
        axes.plot(*np.transpose([a + offset * across, b + offset * across]), color=color, lw=1.2)
    barb = b - 0.14 * along + 0.1 * across
    axes.plot(*np.transpose([b, barb]), color=color, lw=1.2)
    end = b + 0.015 * along if stroke_at_head else a - 0.015 * along
    axes.plot(*np.transpose([end - 0.1 * across, end + 0.1 * across]), color=color, lw=2.0)


# The picture of a power flow: who gives on the left, who takes on the right, stores below.


SHOWN = 9
"""So many names on a side; the rest is one line."""
WIDEST = 16.0
"""Of the lines [points]."""


def draw_power_flow(flow: PowerFlow, path: str | Path | None = None) -> Any:
    """Return a figure of a power flow; `path` writes it."""
    sides = [_shown(group) for group in (flow.gives, flow.takes)]
    stores = _shown(flow.stored)
    rows = max(3, *(len(side) for side in sides))
    figure = new_figure(9.0, 2.0 + 0.36 * rows)
    axes = figure.add_subplot()
    total = max([1e-300, *(abs(w) for group in (*sides, stores) for w in group.values())])
    for x, side, color in ((-1.0, sides[0], LINES[0]), (1.0, sides[1], LINES[1])):
        for (name, watts), y in zip(side.items(), _spread(len(side)), strict=True):
            _arrow(axes, (x, y), watts / total, color, inward=x < 0.0)
            _name(axes, x, y, name, watts, "right" if x < 0.0 else "left")
    for (name, watts), x in zip(stores.items(), 0.9 * _spread(len(stores)), strict=True):
        _arrow(axes, (x, -1.4), abs(watts) / total, LINES[2], inward=watts < 0.0)
        axes.text(x, -1.47, f"{name}\n{watts:+.3g} W", ha="center", va="top", fontsize=8, color=INK)
    box = {"boxstyle": "round,pad=0.5", "fc": "white", "ec": INK, "lw": 1.2}
    axes.text(
        0.0, 0.0, flow.name, ha="center", va="center", fontsize=10, color=INK, bbox=box, zorder=4
    )
    title = f"{flow.span[0]:g} … {flow.span[1]:g} s: given {sum(flow.gives.values()):.4g} W, "
    title += f"taken {sum(flow.takes.values()):.4g} W, stored {sum(flow.stored.values()):.4g} W, "
    figure.suptitle(
        f"{title}residual {flow.residual:.1e} W", fontsize=9, color=QUIET, x=0.01, ha="left"
    )
    axes.set_xlim(-1.9, 1.9)
    axes.set_ylim(-1.75, 1.15)
    axes.axis("off")
    if path is not None:
        write_figure(figure, path)
    return figure


def _shown(group: Mapping[str, float]) -> dict[str, float]:
    """Return the strongest, and the sum of the rest."""
    ranked = sorted(group.items(), key=lambda each: -abs(each[1]))
    if len(ranked) <= SHOWN:
        return dict(ranked)
    rest = ranked[SHOWN - 1 :]
    return dict(ranked[: SHOWN - 1]) | {f"{len(rest)} others": sum(watts for _, watts in rest)}


def _spread(count: int) -> Any:
    return np.linspace(1.0, -1.0, count) if count > 1 else np.zeros(count)


def _arrow(axes: Any, end: tuple[float, float], share: float, color: str, *, inward: bool) -> None:
    """Draw an arrow between the machine in the middle and an end, as wide as its share."""
    start, stop = (end, (0.0, 0.0)) if inward else ((0.0, 0.0), end)
    tail = max(0.8, WIDEST * share)
    shape = f"simple,tail_width={tail},head_width={tail + 7.0},head_length={0.5 * tail + 6.0}"
    style = {"arrowstyle": shape, "mutation_scale": 1.0, "color": color, "alpha": 0.6, "lw": 0.0}
    style |= {"shrinkA": 2, "shrinkB": 40 if inward else 2}
    axes.annotate("", xy=stop, xytext=start, arrowprops=style, zorder=2)


def _name(axes: Any, x: float, y: float, name: str, watts: float, side: str) -> None:
    shift = -0.04 if side == "right" else 0.04
    axes.text(x + shift, y, f"{name}  {watts:.3g} W", ha=side, va="center", fontsize=8, color=INK)

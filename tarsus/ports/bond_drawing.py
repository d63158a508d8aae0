"""Pictures of bond graphs: half arrows for the direction of power, strokes for causality."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import find
from tarsus.ports.bond_elements import JUNCTIONS, Bond
from tarsus.ports.domains import DOMAINS, PortError
from tarsus.view.figures import INK, LINES, new_figure, write_figure

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph

COLORS = dict(zip(DOMAINS, LINES, strict=True))
LEVELS = 300
"""How often places are improved."""


def draw(
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

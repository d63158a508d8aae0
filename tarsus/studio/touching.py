"""What touches what while a machine is being built: all that does not stick in each other now.

Bodies of different linkages touch. Where an edit leaves two of them in each other, as rods that
cross, they do not, until they are apart when something is edited next. What flies together is one
linkage already: parts could not meet within each other otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from tarsus.arrays import Array
from tarsus.constraint import Joint, PointToPoint, Weld
from tarsus.geometry import Collision
from tarsus.geometry.candidates import GROUND
from tarsus.model import WORLD, Model
from tarsus.parts import place_of
from tarsus.simulation import Simulation
from tarsus.studio.document import Document

Pair = tuple[str, str]


def simulation_of(document: Document, model: Model, q: Array) -> tuple[Simulation, list[Pair]]:
    """Return a simulation without its parts, and the pairs of bodies that may pass each other."""
    simulation = _made(document, model, document.collision)
    if document.collision is not None or simulation.starts is None:
        return simulation, []
    pairs, deep = _pairs(simulation, q)
    linkage = _linkages(document, model)
    apart = [pair for pair in pairs if linkage[pair[0]] != linkage[pair[1]]]
    deep = [pair for pair in deep if pair in apart]
    if len(apart) == len(pairs) and not deep:
        return simulation, []
    touching = [pair for pair in apart if pair not in deep]
    return _made(document, model, Collision.from_model(model, self_collision=touching)), deep


def _linkages(document: Document, model: Model) -> dict[str, int]:
    """Return the linkage of each body; loops and joints that are constraints are of it, too."""
    bodies = [model.body(name) for name in model.body_names]
    pairs = [(body.index, body.parent) for body in bodies]
    for loop in model.description.loops:
        ends = loop.body_a, loop.body_b
        first, second = (place_of(model, body, "loop").body for body in ends)
        pairs.append((first, second))
    for part in document.parts.values():
        if isinstance(part, (Joint, Weld, PointToPoint)):
            first, second = (place_of(model, where, "where").body for where in (part.a, part.b))
            pairs.append((first, second))
    linkage = list(range(len(bodies)))
    for first, second in pairs:
        if min(first, second) >= 0:
            old, new = linkage[first], linkage[second]
            linkage = [new if own == old else own for own in linkage]
    # what is welded to the world touches all, also what is hinged to the world
    return {WORLD: -1} | dict(zip(model.body_names, linkage, strict=True))


def _made(document: Document, model: Model, collision: Collision | None) -> Simulation:
    return Simulation(
        model,
        ground=document.ground,
        collision=collision,
        contact=document.contact,
        dt=document.dt,
        forces=(),
        **document.settings,
    )


def _pairs(simulation: Simulation, q: Array) -> tuple[list[Pair], list[Pair]]:
    """Return all pairs of bodies that could touch, and those that are in each other at q (nq,)."""
    starts = simulation.started()
    world, places = starts.worlds.get(starts.drive(None)), starts.worlds.places
    if not places:
        return [], []
    apart = world.contacts(q[None])[0, :, 0]
    named = [(each.body, each.other) for each in places]
    between = [pair for pair in named if pair[1] != GROUND]
    # what rests on something is a little in it, as deep as a motion may begin
    deep = [
        pair
        for pair, gap in zip(named, apart, strict=True)
        if pair[1] != GROUND and gap < -starts.worlds.start_depth
    ]
    return _unique(between), _unique(deep)


def _unique(pairs: Iterable[Pair]) -> list[Pair]:
    return sorted(set(pairs))

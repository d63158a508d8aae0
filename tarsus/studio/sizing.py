"""Sizes of bodies, and limits of what a document may hold."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.description import Body, Description, Shape
from tarsus.model.model import Model
from tarsus.parts.part import Part, split
from tarsus.robots.load import CALL
from tarsus.studio import editing as setting
from tarsus.studio.adding import SOLIDS
from tarsus.studio.document import Document, carriers
from tarsus.studio.language import Line, LineError

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# Sizes of bodies that are one solid: what they are, and bodies that are made larger or smaller.
#
# A body is stretched about its origin, with its density as it was, and with all that is attached to
# it: a hinge at the end of a rod stays at its end. With the stretch S, the second moments of mass
# Σ = ½ tr(I) 1 − I become det(S) S Σ S, so that any inertia is stretched, also one that was stated.


SIZES = ("-size", "-length", "-radius", "-width", "-scale")
UPRIGHT = 0.999
"""Cosine of the angle to an axis below which a cylinder lies along it."""


@dataclass(frozen=True, eq=False)
class Sized:
    """A body as a solid: what people call it, its sizes [m], and its shape."""

    solid: str
    sizes: dict[str, tuple[float, ...]]
    shape: Shape


def sized(stated: Description, body: str) -> Sized | None:
    """Return the solid that a body is; None if it has several shapes, or none that has a size."""
    shapes = [shape for shape in stated.shapes if shape.body == body]
    if not shapes or any(not _alike(shape, shapes[0]) for shape in shapes):
        return None
    shape = shapes[0]
    size = tuple(float(x) for x in shape.size)
    if shape.kind == "box":
        return Sized("box", {"size": size}, shape)
    if shape.kind == "sphere":
        return Sized("sphere", {"radius": size}, shape)
    if shape.kind == "mesh" and len(set(size)) == 1:
        return Sized("mesh", {"scale": size[:1]}, shape)
    if shape.kind == "cylinder" and abs(shape.placement[1, 2]) > UPRIGHT:
        return Sized("wheel", {"radius": size[:1], "width": size[1:]}, shape)
    if shape.kind in ("cylinder", "capsule"):
        solid = "rod" if shape.kind == "cylinder" else "capsule"
        return Sized(solid, {"length": size[1:], "radius": size[:1]}, shape)
    return None


def _alike(one: Shape, other: Shape) -> bool:
    same = one.kind == other.kind and one.size == other.size
    return same and bool(np.array_equal(one.placement, other.placement))


def resize(stage: Stage, name: str, line: Line, said: str) -> None:
    """Give a body the sizes that a line states."""
    stated = stage.document.description
    now = sized(stated, name)
    chosen = [option for option in SIZES if option in line.options]
    valid = [] if now is None else [f"-{size}" for size in now.sizes]
    for option in chosen:
        if option not in valid:
            told = f"its sizes are {', '.join(valid)}" if valid else "it is not one solid"
            raise LineError(f"{option}: {name} has no such size: {told}", option)
    assert now is not None
    sizes = now.sizes | {option[1:]: _positive(line, option, now) for option in chosen}
    stretch = _stretch(now, sizes)
    model = Model(_stretched(stated, name, now, sizes, stretch), strict=stage.machine.model.strict)
    parts = {key: _moved(part, name, stretch) for key, part in stage.document.parts.items()}
    start = _lifted(stage, model, name)
    setting.rebuilt(stage, stage.document.but(parts=parts), model, said, start)


def _lifted(stage: Stage, model: Model, name: str) -> tuple[Array, Array] | None:
    """Return the state in which a loose body that grew stands on the ground, None if it does."""
    carrier, ground = model.frame(name).body, stage.document.ground
    joint = next((each for each in model.joints if each.child == carrier), None)
    solid = sized(model.description, name)
    if ground is None or solid is None or joint is None or joint.kind != "free":
        return None
    carried = carry(stage.machine.model, model, stage.machine.q, stage.machine.v)
    at = model.frame_pose(carried.q, name) @ solid.shape.placement
    lowest = at[2, 3] - _reach(solid, at[2, :3])
    deep = float(ground.height(at[0, 3], at[1, 3])) - lowest
    if not deep > 0.0:
        return None
    carried.q[joint.q_slice][:3] += joint.placement[:3, :3].T @ [0.0, 0.0, deep]
    return carried.q, carried.v


def _reach(solid: Sized, way: Array) -> float:
    """Return how far a solid reaches along a direction (3,) of its shape [m]; 0 for a mesh."""
    size = np.array(solid.shape.size)
    if solid.shape.kind == "box":
        return float(np.abs(way) @ size / 2)
    if solid.shape.kind == "cylinder":
        return float(size[0] * np.hypot(way[0], way[1]) + abs(way[2]) * size[1] / 2)
    if solid.shape.kind == "capsule":
        return float(size[0] + abs(way[2]) * size[1] / 2)
    return float(size[0]) if solid.shape.kind == "sphere" else 0.0


def _positive(line: Line, option: str, now: Sized) -> tuple[float, ...]:
    found = line.numbers(option, len(now.sizes[option[1:]]))
    if not (found > 0.0).all():
        raise LineError(f"{option} must be positive", option)
    return tuple(found.tolist())


def _stretch(now: Sized, sizes: dict[str, tuple[float, ...]]) -> Array:
    """Return S (3, 3) in axes of the body."""
    if now.solid == "box":
        factors = np.array(sizes["size"]) / now.sizes["size"]
    elif now.solid in ("sphere", "mesh"):
        factors = np.full(3, next(iter(sizes.values()))[0] / next(iter(now.sizes.values()))[0])
    else:
        along = "width" if now.solid == "wheel" else "length"
        across, up = (sizes[key][0] / now.sizes[key][0] for key in ("radius", along))
        factors = np.array([across, across, up])
    axes = now.shape.placement[:3, :3]
    return np.asarray(axes @ np.diag(factors) @ axes.T)


def _stretched(
    stated: Description,
    name: str,
    now: Sized,
    sizes: dict[str, tuple[float, ...]],
    stretch: Array,
) -> Description:
    """Return a description in which a body is stretched, with joints where they were on it."""

    def placed(placement: Array) -> Array:
        found = np.array(placement)
        found[:3, 3] = stretch @ found[:3, 3]
        return found

    def on(element: Any, *ends: tuple[str, str]) -> Any:
        changed = {
            at: placed(getattr(element, at)) for body, at in ends if getattr(element, body) == name
        }
        return replace(element, **changed) if changed else element

    size = _size(now, sizes)
    seats = {carrier for carrier, body in carriers(stated).items() if body == name}
    joints = [
        replace(joint, placement=_seat(joint.placement, stretch))
        if joint.child == name and joint.parent in seats
        else on(joint, ("parent", "placement"))
        for joint in stated.joints
    ]
    ends = ("body_a", "placement_a"), ("body_b", "placement_b")
    return replace(
        stated,
        bodies=[_body(x, now, sizes, stretch) if x.name == name else x for x in stated.bodies],
        joints=joints,
        loops=[on(loop, *ends) for loop in stated.loops],
        frames=[on(frame, ("body", "placement")) for frame in stated.frames],
        shapes=[
            replace(shape, size=size, placement=placed(shape.placement))
            if shape.body == name
            else shape
            for shape in stated.shapes
        ],
    )


def _size(now: Sized, sizes: dict[str, tuple[float, ...]]) -> tuple[float, ...]:
    if now.solid == "mesh":
        return sizes["scale"] * 3
    if now.solid == "box":
        return sizes["size"]
    along = sizes.get("width", sizes.get("length", ()))
    return (*sizes["radius"], *along)


def _seat(placement: Array, stretch: Array) -> Array:
    """Return where a body is on its carrier, whose place on the body is stretched."""
    found = np.array(placement)
    turn = found[:3, :3]
    found[:3, 3] = turn @ stretch @ turn.T @ found[:3, 3]
    return found


def _body(body: Body, now: Sized, sizes: dict[str, tuple[float, ...]], stretch: Array) -> Body:
    """Return a body with the density that it had."""
    if now.solid == "capsule":
        # its ends stay round, so that it is not stretched but made anew
        solid = SOLIDS["capsule"]
        mass = body.mass * solid.volume(**sizes) / solid.volume(**now.sizes)
        axes = now.shape.placement[:3, [2, 0, 1]]
        inertia = mass * axes @ np.diag(solid.inertia(**sizes)) @ axes.T
        return replace(body, mass=mass, com=stretch @ body.com, inertia=inertia)
    share = float(np.linalg.det(stretch))
    second = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    second = share * stretch @ second @ stretch
    inertia = np.trace(second) * np.eye(3) - second
    return replace(body, mass=share * body.mass, com=stretch @ body.com, inertia=inertia)


def _moved(part: Part, name: str, stretch: Array) -> Part:
    """Return a part whose places on a body are where they were on it."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if "Where" not in str(field.type) or isinstance(value, str) or split(value)[0] != name:
            continue
        at = np.array(split(value)[1], float)
        if at.shape == (4, 4):
            at[:3, 3] = stretch @ at[:3, 3]
            changed[field.name] = (name, at)
        else:
            changed[field.name] = (name, tuple((stretch @ at).tolist()))
    return dataclasses.replace(part, **changed) if changed else part


# How large a world may be: what would let people wait for minutes is refused and told.


MOST = {"bodies": 2000, "shapes": 20_000, "joints": 4000, "loops": 1000, "frames": 20_000}
"""Of a description."""
MOST_PARTS, MOST_NAMES, LONGEST_NAME = 2000, 500, 200
"""Forces and constraints; sliders, bindings, charts and groups each; characters of a name."""
MOST_PAIRS = 20_000
"""Of shapes of different linkages, which may touch."""
LARGEST_NUMBER = 2000
"""In calls such as chain(20), so that nobody waits for a chain of millions."""
NUMBER = re.compile(r"0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?")


def check_size(document: Document) -> None:
    """Raise if a document is too large to be played with."""
    stated = document.description
    for what, most in MOST.items():
        _check(len(getattr(stated, what)), most, what)
    _check(len(document.parts), MOST_PARTS, "parts")
    for what in ("sliders", "bindings", "charts", "groups"):
        _check(len(getattr(document, what)), MOST_NAMES, what)
    longest = max([*document.names, *document.groups, *document.sliders, ""], key=len)
    if len(longest) > LONGEST_NAME:
        raise LineError(
            f"a name has {len(longest)} characters, at most {LONGEST_NAME}: {longest[:40]}…", "NAME"
        )
    if document.collision is None:
        _check(_pairs(document), MOST_PAIRS, "pairs of shapes that may touch", "-touches off")


def check_call(word: str) -> None:
    """Raise if a call such as chain(20) has numbers that make machines too large to wait for."""
    call = CALL.fullmatch(word.strip())
    for digits in NUMBER.findall(call["arguments"]) if call is not None else ():
        plain = digits.replace("_", "").lower()
        if (int(plain, 16) if plain.startswith("0x") else float(plain)) > LARGEST_NUMBER:
            raise LineError(f"{word}: {digits} is more than {LARGEST_NUMBER}", "FILE")


def _check(count: int, most: int, what: str, hint: str = "") -> None:
    if count > most:
        way_out = f"; {hint} makes fewer" if hint else ""
        raise LineError(f"the world would have {count} {what}, at most {most}{way_out}")


def _pairs(document: Document) -> int:
    """Return how many pairs there are of collision shapes of linkages that hang on the world."""
    stated = document.description
    above = {joint.child: joint.parent for joint in stated.joints}

    def root(body: str) -> str:
        for _ in above:
            if above.get(body, WORLD) == WORLD:
                break
            body = above[body]
        return body

    roots: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for shape in stated.shapes:
        if shape.role == "collision" and shape.body != WORLD:
            if shape.body not in roots:
                roots[shape.body] = root(shape.body)
            counts[roots[shape.body]] += 1
    total = sum(counts.values())
    return (total * total - sum(each * each for each in counts.values())) // 2

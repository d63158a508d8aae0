"""Chains of bars that drift in space: the experiments of Schröder with three and with four.

P. Schröder, "The Virtual Erector Set", MIT 1990, sections 7.4 and 7.5. Bars are boxes of
10 × 1 × 0.5 m and 1 kg along x, on revolute joints about z, 4 m from their centres. Masses are not
stated there; the sticks of section 7.2, with which the numbers agree, have these. Three bars are
one mechanism in four descriptions, which must move alike. They keep their energy and momentum;
four bars on which a couple acts turn faster and faster, whichever end is nailed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tarsus.constraint import Nail
from tarsus.forces import Wrench
from tarsus.model import WORLD, Builder
from tarsus.model.checks import suggestion
from tarsus.parts import Part
from tarsus.robots import solids
from tarsus.scenes.looks import COLORS, show
from tarsus.scenes.scene import Scene, at_rest

SIZE, MASS, ARM = (10.0, 1.0, 0.5), 1.0, 4.0
"""Size [m], mass [kg], and how far joints are from the centre of a bar [m]."""
RATE = 0.1
"""Of the bar that turns [rad/s]."""
COUPLE = 1.0
"""On the second of four bars [N m]; not stated in the thesis."""

DESCRIPTIONS = {
    "left": (("left", ""), ("middle", "left"), ("right", "middle")),
    "right": (("right", ""), ("middle", "right"), ("left", "middle")),
    "middle": (("middle", ""), ("left", "middle"), ("right", "middle")),
    "middle_reversed": (("middle", ""), ("right", "middle"), ("left", "middle")),
}
"""Bars and those that carry them, in order, by the name of the root."""
PLACES = {"left": -1, "middle": 0, "right": 1}


def three_bars(
    description: Literal["left", "right", "middle", "middle_reversed"] = "middle",
    idle: bool = False,
) -> Scene:
    """Return three bars in line, of which the right one turns; `description` says what is the root.

    `idle` adds a body that does nothing, and must change nothing.
    """
    if description not in DESCRIPTIONS:
        hint = suggestion(description, DESCRIPTIONS)
        raise ValueError(f"unknown description {description!r}{hint}")
    builder = Builder("three_bars", gravity=(0.0, 0.0, 0.0))
    add_bars(builder, DESCRIPTIONS[description], PLACES)
    if idle:
        add_bars(builder, (("idle", ""),), {"idle": 3})
    model = builder.build()
    q0, v0 = model.neutral(), at_rest(model)
    root = model.joint(DESCRIPTIONS[description][0][0])
    q0[root.q_slice.start] = 2 * ARM * PLACES[root.name]
    if root.name == "right":
        v0[root.v_slice] = 0.0, ARM * RATE, 0.0, 0.0, 0.0, RATE
        v0[model.joint("middle").v_slice] = -RATE
    else:
        v0[model.joint("right").v_slice] = RATE
    return Scene("three bars", model, q0, v0, ground=None, duration=60.0, dt=0.01)


def four_bars(nailed: Literal["root", "tip"] | None = None) -> Scene:
    """Return four bars in line, a couple on the second, free or with a bar `nailed` at one end."""
    nails = {None: None, "root": "bar_0", "tip": "bar_3"}
    if nailed not in nails:
        raise ValueError(f"nailed is {nailed!r}, must be 'root', 'tip' or None")
    names = [f"bar_{k}" for k in range(4)]
    builder = Builder("four_bars", gravity=(0.0, 0.0, 0.0))
    places = {name: k for k, name in enumerate(names)}
    add_bars(builder, tuple(zip(names, ["", *names[:-1]], strict=True)), places)
    model = builder.build()
    parts: list[Part] = [Wrench("bar_1", torque=(0.0, 0.0, COUPLE), name="couple")]
    held = nails[nailed]
    if held is not None:
        parts.append(Nail(held, pose=True, name="nail"))
    q0, v0 = model.neutral(), at_rest(model)
    return Scene(
        "four bars", model, q0, v0, ground=None, forces=tuple(parts), duration=15.0, dt=0.01
    )


def add_bars(
    builder: Builder, bars: tuple[tuple[str, str], ...], places: Mapping[str, int]
) -> None:
    """Add bars on those that carry them, "" for none; `places` are theirs in the row."""
    centers: dict[str, float] = {}
    for name, parent in bars:
        side = places[name] - places[parent] if parent else 0
        center = centers[name] = ARM * side
        builder.body(name, MASS, com=(center, 0.0, 0.0), inertia=solids.box(MASS, SIZE))
        if parent:
            at = (centers[parent] + center, 0.0, 0.0)
            builder.joint(name, "revolute", parent, name, position=at)
        else:
            builder.joint(name, "free", WORLD, name)
        builder.frame(f"{name}_center", name, position=(center, 0.0, 0.0))
        color = COLORS[places[name] % len(COLORS)]
        show(builder, name, "box", SIZE, color, (center, 0.0, 0.0))

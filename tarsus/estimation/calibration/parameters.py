"""What may be wrong with a machine: places of joints and frames, offsets and gains of encoders."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus.model.description import Joint
from tarsus.model.model import Model

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
"""Shifts [m] along, and turns [rad] about axes of the joint's or frame's own frame."""


@dataclass(frozen=True)
class Parameter:
    """Errors of one element: a joint's or a frame's place, or an encoder's numbers.

    `names` are those of the single numbers, as they come in results.
    """

    element: str
    what: ClassVar[str] = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (f"{self.element}.{self.what}",)

    def only(self, names: Collection[str]) -> Self | None:
        """Return the parameter with numbers of these names only, None if it has none."""
        return self if self.names[0] in names else None


@dataclass(frozen=True)
class Placed(Parameter):
    """Errors of a place: it is at placement · shift(x, y, z) · turn(rz) · turn(ry) · turn(rx)."""

    components: Sequence[str] = COMPONENTS
    kind: ClassVar[str] = ""

    @property
    def fields(self) -> tuple[str, str]:
        """What the element calls the body that carries it, and its place there."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        for component in self.components:
            if component not in COMPONENTS:
                hint = suggestion(component, COMPONENTS)
                raise ValueError(f"{self.element!r} has no component {component!r}{hint}")
        if len(set(self.components)) != len(self.components) or not self.components:
            raise ValueError(f"components of {self.element!r} are {self.components!r}: each once")

    def only(self, names: Collection[str]) -> Self | None:
        """Return the place with components of these names only, None if it has none."""
        pairs = zip(self.components, self.names, strict=True)
        kept = tuple(component for component, name in pairs if name in names)
        return dataclasses.replace(self, components=kept) if kept else None


class JointError(Placed):
    """Where a joint really is on its parent, for all kinds of joints, fixed ones, too."""

    kind = "joint"

    @property
    def fields(self) -> tuple[str, str]:
        """What of its description is the body, and what the placement."""
        return "parent", "placement"

    @property
    def names(self) -> tuple[str, ...]:
        """What its errors are called, one each."""
        return tuple(f"{self.element}.{component}" for component in self.components)


class FrameError(Placed):
    """Where a frame really is on its body: a tool, a target, the tracker that looks at them."""

    kind = "frame"

    @property
    def fields(self) -> tuple[str, str]:
        """What of its description is the body, and what the placement."""
        return "body", "placement"

    @property
    def names(self) -> tuple[str, ...]:
        """What its errors are called, one each."""
        return tuple(f"frame {self.element}.{component}" for component in self.components)


@dataclass(frozen=True)
class LoopError(Placed):
    """Where the joint of a loop really is on its body a or b (`end`): how long a rod is."""

    end: str = "b"
    kind = "loop"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.end not in ("a", "b"):
            raise ValueError(f"end of loop {self.element!r} is {self.end!r}, must be 'a' or 'b'")

    @property
    def fields(self) -> tuple[str, str]:
        """What of its description is the body, and what the placement."""
        return f"body_{self.end}", f"placement_{self.end}"

    @property
    def names(self) -> tuple[str, ...]:
        """What its errors are called, one each."""
        return tuple(f"loop {self.element}.{self.end}.{c}" for c in self.components)


class EncoderOffset(Parameter):
    """What an encoder reads more than its stated offset [readings]."""

    what = "offset"


class EncoderGain(Parameter):
    """What an encoder reads more for a radian or metre, as a share of its stated gain."""

    what = "gain"


def chain_parameters(
    model: Model,
    frame: str,
    reference: str = WORLD,
    *,
    components: Sequence[str] = COMPONENTS,
    offsets: Sequence[str] = (),
    gains: Sequence[str] = (),
) -> list[Parameter]:
    """Return errors of all moving joints between two frames, and of encoders by name.

    More than measurements can tell apart is no harm: what they do not tell stays zero and is named.
    """
    bodies = [WORLD if f == WORLD else model.frame(f).body for f in (frame, reference)]
    ends = [_above(model, body) for body in bodies]
    between = [j for j in (*ends[1], *ends[0]) if (j in ends[0]) != (j in ends[1])]
    moving = [joint for joint in between if joint in model.joint_names]
    placed: list[Parameter] = [JointError(joint, components) for joint in moving]
    placed += [EncoderOffset(joint) for joint in offsets]
    return placed + [EncoderGain(joint) for joint in gains]


def _above(model: Model, body: str) -> list[str]:
    """Return the joints between the world and a body, from the root on."""
    carried = {joint.child: joint for joint in model.description.joints}
    return [joint.name for joint in joints_above(carried, body)]


def joints_above(carried: dict[str, Joint], body: str) -> list[Joint]:
    """Return the joints between the world and a body, given the joint that carries each body."""
    found = []
    while body in carried:
        found.append(carried[body])
        body = carried[body].parent
    return found[::-1]

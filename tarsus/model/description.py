"""Description of a mechanism: its bodies, joints, couplings, loops and shapes as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeAlias, TypeVar, get_args

import numpy as np

from tarsus import _core
from tarsus._lib.errors import (
    Source,
)
from tarsus._lib.files import Array

# What a mechanism is made of: bodies, joints, couplings, loops, frames, shapes, drives, as data.
#
# A `Description` is the common ground of the builder, the file readers and our own file
# format. It keeps everything as it was stated (fixed joints included), so that it can be
# written and read back without loss. `tarsus.Model` compiles it for the core.
#
# Records cannot be changed, nor can their contents, so that all models and readers share them.
# `dataclasses.replace(body, mass=2.0)` makes a changed copy. Readers and the builder collect
# elements in a `DescriptionDraft`, whose lists grow.


class Record:
    """A dataclass with arrays: equal if the same was stated, wherever it was stated."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        if other is self:
            return True
        names = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)


class FrozenDict(dict[str, Any]):
    """A dictionary that cannot be changed; `dict(it)` is a copy that can."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "a mapping of a description cannot be changed: "
            "make a copy with dict(…), and a new record with dataclasses.replace"
        )

    __setitem__ = __delitem__ = _refuse
    __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(_hashable(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (dict(self),)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenDict:
        return self


def frozen(value: Any) -> Any:
    """Return `value` as something that cannot be changed.

    Lists become tuples, mappings `FrozenDict`, sets frozen sets, arrays read-only copies; so do
    their contents. What is unchangeable already is returned itself, other objects as they are.
    """
    kind = type(value)
    if kind in _UNCHANGEABLE or isinstance(value, FrozenRecord):
        return value
    if isinstance(value, np.ndarray):
        base = value.base
        if not value.flags.writeable and (
            base is None or (isinstance(base, np.ndarray) and not base.flags.writeable)
        ):
            return value
        copy = np.array(value)
        copy.setflags(write=False)
        return copy
    if kind is tuple or kind is list:
        return tuple([frozen(item) for item in value])
    if isinstance(value, Mapping):
        return FrozenDict({key: frozen(item) for key, item in value.items()})
    return frozenset(value) if isinstance(value, set) else value


_UNCHANGEABLE = frozenset({str, float, int, bool, type(None), Source, FrozenDict})


class FrozenRecord(Record):
    """A record that cannot be changed, nor can its contents: read-only arrays, tuples, mappings."""

    _containers: ClassVar[tuple[str, ...]] = ()
    """Its fields that may hold arrays, lists or mappings."""
    _is_checked: ClassVar[bool] = False
    """Whether `tarsus.model.validation` has checked it, on the record itself."""

    def __init_subclass__(cls) -> None:
        cls._containers = tuple(
            name
            for name, kind in cls.__annotations__.items()
            if any(word in kind for word in ("Array", "Mapping", "Sequence", "tuple", "Any"))
        )

    def __post_init__(self) -> None:
        values = self.__dict__
        for name in self._containers:
            value = values[name]
            if value is None:
                continue
            if type(value) is np.ndarray and value.base is None and not value.flags.writeable:
                continue
            values[name] = frozen(value)

    __eq__ = Record.__eq__

    def __hash__(self) -> int:
        names = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return hash((type(self), *(_hashable(getattr(self, name)) for name in names)))

    def __reduce__(self) -> tuple[Any, ...]:
        # by the constructor: arrays are writeable after unpickling
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return type(self), tuple(getattr(self, name) for name in names)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def is_checked(self) -> bool:
        """Whether it has been checked; as it cannot change, that holds for good."""
        return self._is_checked

    def as_checked(self) -> Self:
        """Return the record itself, from now on known as checked."""
        self.__dict__["_is_checked"] = True
        return self


@dataclass(frozen=True, eq=False)
class Body(FrozenRecord):
    """A rigid body: mass [kg], centre of mass [m], inertia about it [kg m²], in body axes."""

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class SurfaceStatement:
    """A smooth surface by its kind and its numbers [m], for joints that roll."""

    kind: str
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Joint(FrozenRecord):
    """A joint that carries `child` on `parent`.

    `placement` (4, 4) is the pose of the child's frame in the parent's frame in the
    neutral configuration. Limits on positions have one entry for each of the nq
    coordinates, everything else one for each of the nv velocities; `None` stands for the
    default (no limit, zero). `rest` is the configuration in which the spring is relaxed.
    `pitch` [m/rad] is for screws, `radius` [m] for wheels, discs, balls and cylinders that roll,
    `track` [m] (the distance of the wheels) for differential bases, `surface` and `ground` (None: a
    plane) for the kind "rolling": surfaces, or mappings with their kind and numbers.
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    axis: Array | None = None
    second_axis: Array | None = None
    pitch: float = 0.0
    radius: float = 0.0
    track: float = 0.0
    surface: Any = None
    ground: Any = None
    lower: Array | None = None
    upper: Array | None = None
    velocity_limit: Array | None = None
    effort_limit: Array | None = None
    damping: Array | None = None
    friction: Array | None = None
    armature: Array | None = None
    stiffness: Array | None = None
    rest: Array | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Coupling(FrozenRecord):
    """Joints that follow others: positions of the followers are a function of the leaders'.

    All these joints have one coordinate. Kinds: "linear" (`matrix` (followers, leaders) and
    `offset` (followers,): gears, mimic joints, belts, differentials), "spindle",
    "tilting_spindle" and "parallel_ankle" (closed forms with `parameters`), "function" (a
    callable that returns value, first, second and perhaps third derivatives; it is not written to
    files).
    `motor` marks followers that are rotors of motors.
    """

    name: str
    kind: str
    leaders: tuple[str, ...]
    followers: tuple[str, ...]
    matrix: Array | None = None
    offset: Array | None = None
    parameters: Mapping[str, Array] = field(default_factory=FrozenDict)
    motor: bool = False
    function: Callable[[Array], tuple[Array, ...]] | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Loop(FrozenRecord):
    """A joint that closes a kinematic loop: frame a on `body_a` meets frame b on `body_b`.

    The axis of a loop joint is z of frame a (and of frame b, for a "universal" one x of frame
    b). `length` [m] is for the kind "distance". `independent` names the joints whose
    coordinates stay; None leaves the choice to the model. `start` gives joint positions near
    which the loop is closed, which chooses the branch. `constraint` True keeps the loop out of
    the clusters, False puts it into one, None lets the model decide.
    """

    name: str
    kind: str
    body_a: str
    body_b: str
    placement_a: Array = field(default_factory=lambda: np.eye(4))
    placement_b: Array = field(default_factory=lambda: np.eye(4))
    length: float = 0.0
    independent: tuple[str, ...] | None = None
    start: Mapping[str, float] = field(default_factory=FrozenDict)
    constraint: bool | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Frame(FrozenRecord):
    """A named frame fixed to a body (or to the world) at `placement` (4, 4)."""

    name: str
    body: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Shape(FrozenRecord):
    """A geometric shape on a body, for looking at (`visual`) or touching (`collision`).

    `size` by kind: box (x, y, z), sphere (radius,), cylinder and capsule (radius, length),
    ellipsoid (x, y, z half axes), torus (radius of its circle about z, radius of its tube), mesh
    (scale x, y, z) with `file` its resolved path. Where they are not None, `friction` is Coulomb's
    coefficient of its surface, `restitution` the share of speed that is left after impacts (0 to
    1), `torsion` and `rolling` [m] bound moments as multiples of the load, and `stiffness` [N/m]
    and `damping` [N·s/m] say how it gives way.
    """

    body: str
    role: str
    kind: str
    size: tuple[float, ...] = ()
    placement: Array = field(default_factory=lambda: np.eye(4))
    file: str | None = None
    color: tuple[float, float, float, float] | None = None
    name: str = ""
    friction: float | None = None
    restitution: float | None = None
    torsion: float | None = None
    rolling: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    source: Source | None = field(default=None, compare=False)


SURFACE_NUMBERS = ("friction", "restitution", "torsion", "rolling", "stiffness", "damping")
"""How surfaces of shapes rub, bounce and give way, as far as they state it."""


@dataclass(frozen=True, eq=False)
class Actuator(FrozenRecord):
    """A drive with a control u that pushes along joints of one coordinate.

    `joints` has the gear of each joint that it moves: its length is l = Σ gear · position, and its
    force f is gear · f at each joint. With `gain` (3,) and `bias` (3,) the force is
    f = (gain · [1, l, l̇]) u + bias · [1, l, l̇], as MuJoCo has it. Controls are cut at
    `control_range` (2,) and forces at `force_range` (2,) [N or N·m at the drive]; None: no limit.
    """

    name: str
    joints: Mapping[str, float]
    gain: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    bias: Array = field(default_factory=lambda: np.zeros(3))
    control_range: Array | None = None
    force_range: Array | None = None
    source: Source | None = field(default=None, compare=False)

    @property
    def kind(self) -> str:
        """What its numbers make it: "motor", "position", "velocity" or "general"."""
        (gain, *slopes), (rest, spring, damper) = self.gain, self.bias
        if any(slopes) or rest:
            return "general"
        if not spring and not damper:
            return "motor"
        if spring == -gain:
            return "position"
        return "velocity" if not spring and damper == -gain else "general"


@dataclass(frozen=True, eq=False)
class Description(FrozenRecord):
    """Everything that was stated about a mechanism, in the order in which it was stated.

    Lists are kept as tuples, mappings cannot be changed. `forces` are elements of `tarsus.forces`.
    """

    name: str
    bodies: Sequence[Body] = ()
    joints: Sequence[Joint] = ()
    couplings: Sequence[Coupling] = ()
    loops: Sequence[Loop] = ()
    frames: Sequence[Frame] = ()
    shapes: Sequence[Shape] = ()
    forces: Sequence[Any] = ()
    actuators: Sequence[Actuator] = ()
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    warnings: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=FrozenDict)


Element = TypeVar("Element", Body, Joint, Coupling, Loop, Frame, Shape, Actuator)


@dataclass(eq=False)
class DescriptionDraft:
    """A description under construction: readers and builders append elements to its lists."""

    name: str
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    forces: list[Any] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    warnings: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, description: Description) -> DescriptionDraft:
        """Return a draft that begins with what a description states."""
        stated = {each.name: getattr(description, each.name) for each in fields(cls)}
        lists = {key: list(value) for key, value in stated.items() if isinstance(value, tuple)}
        return cls(**stated | lists | {"metadata": dict(description.metadata)})

    def build(self) -> Description:
        """Return the description."""
        return Description(**vars(self))

    def change(self, element: Element, **fields: Any) -> Element:
        """Put a copy with other fields in the place of an element, and return the copy."""
        listed: list[Element] = getattr(self, _LISTS[type(element)])
        place = next(k for k, each in enumerate(listed) if each is element)
        listed[place] = replace(element, **fields)
        return listed[place]


_LISTS: Mapping[type, str] = {
    Body: "bodies",
    Joint: "joints",
    Coupling: "couplings",
    Loop: "loops",
    Frame: "frames",
    Shape: "shapes",
    Actuator: "actuators",
}


def _equal(value: Any, other: Any) -> bool:
    if value is other:
        return True
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(value, other)
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_equal(value[k], other[k]) for k in value)
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(value) == len(other) and all(map(_equal, value, other))
    return bool(value == other)


def _hashable(value: Any) -> Any:
    """Return what has the same hash for values that are equal."""
    if isinstance(value, np.ndarray):
        return _hashable(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple([_hashable(item) for item in value])
    if isinstance(value, dict):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, Record) and not isinstance(value, FrozenRecord):
        return type(value), _hashable(vars(value))
    return value


# Kinds of joints and what belongs to them, and kinds of Coriolis matrices.


KINDS: Mapping[str, tuple[int, int]] = {**_core.joint_kinds(), "fixed": (0, 0)}
"""Joint kind -> (nq, nv), the numbers of its configuration and velocity coordinates."""

QUATERNION: Mapping[str, slice] = {
    "spherical": slice(0, 4),
    "free": slice(3, 7),
    "rolling_ball": slice(2, 6),
    "rolling": slice(2, 6),
}
"""Joint kinds with a unit quaternion [x y z w], and where it stands among their coordinates."""

POSITION_FIELDS = ("lower", "upper", "rest")
NON_NEGATIVE_FIELDS = (
    "velocity_limit",
    "effort_limit",
    "damping",
    "friction",
    "armature",
    "stiffness",
)
COORDINATE_FIELDS = POSITION_FIELDS + NON_NEGATIVE_FIELDS
"""What a joint states for each of its positions, or else for each of its velocities."""
LIMIT_FIELDS = ("lower", "upper", "velocity_limit", "effort_limit")

WHEELS = ("rolling_wheel", "rolling_disc", "rolling_ball", "differential_base")
ROLLING = (*WHEELS, "rolling_cylinder")
SIZES: Mapping[str, tuple[str, ...]] = {
    "pitch": ("screw",),
    "radius": ROLLING,
    "track": ("differential_base",),
}
"""Dimensions of joints, and the kinds that need them."""

NONHOLONOMIC = ("knife_edge", *WHEELS, "rolling")
"""Kinds that skate or roll, with more configuration than velocity coordinates."""

QUASI_VELOCITIES = ("spherical", "planar", "free")
"""Kinds on groups, whose velocities are no rates of coordinates; nor are those of what rolls."""

FLOATING = ("free", "planar")
"""Kinds by which a whole machine moves in space or in a plane, without a drive of their own."""

WITHOUT_SPRINGS = ("planar", "free", *NONHOLONOMIC)
"""Kinds whose steps do not add up, so that a spring on each of their velocities has no energy."""

Factorization: TypeAlias = Literal["christoffel", "force", "momentum"]
FACTORIZATIONS: tuple[Factorization, ...] = get_args(Factorization)
"""Coriolis matrices: that of Christoffel symbols is the mean of the two others."""

"""Description of a mechanism: its bodies, joints, couplings, loops and shapes as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

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


class Record:
    """A dataclass with arrays: equal if the same was stated, wherever it was stated."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)


@dataclass(eq=False)
class Body(Record):
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


@dataclass(eq=False)
class Joint(Record):
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


@dataclass(eq=False)
class Coupling(Record):
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
    parameters: dict[str, Array] = field(default_factory=dict)
    motor: bool = False
    function: Callable[[Array], tuple[Array, ...]] | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(eq=False)
class Loop(Record):
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
    start: dict[str, float] = field(default_factory=dict)
    constraint: bool | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(eq=False)
class Frame(Record):
    """A named frame fixed to a body (or to the world) at `placement` (4, 4)."""

    name: str
    body: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    source: Source | None = field(default=None, compare=False)


@dataclass(eq=False)
class Shape(Record):
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


@dataclass(eq=False)
class Actuator(Record):
    """A drive with a control u that pushes along joints of one coordinate.

    `joints` has the gear of each joint that it moves: its length is l = Σ gear · position, and its
    force f is gear · f at each joint. With `gain` (3,) and `bias` (3,) the force is
    f = (gain · [1, l, l̇]) u + bias · [1, l, l̇], as MuJoCo has it. Controls are cut at
    `control_range` (2,) and forces at `force_range` (2,) [N or N·m at the drive]; None: no limit.
    """

    name: str
    joints: dict[str, float]
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


@dataclass(eq=False)
class Description(Record):
    """Everything that was stated about a mechanism, in the order in which it was stated.

    `forces` are elements of `tarsus.forces`.
    """

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


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(value, other)
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_equal(value[k], other[k]) for k in value)
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(value) == len(other) and all(map(_equal, value, other))
    return bool(value == other)


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

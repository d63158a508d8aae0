"""Kinds of joints and what belongs to them, and kinds of Coriolis matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from tarsus import _core

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

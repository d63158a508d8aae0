"""Tendons of a compiled MuJoCo model with springs and dampers: forces of `tarsus.forces`.

MuJoCo pulls a tendon of length l with

    k max(0, l − upper) − k max(0, lower − l) + d l̇

A spatial one from one site to another is a `Spring` if upper is lower, a `Damper` without k, and,
if lower is zero, a `String` with a `Damper` beside it, which damps also when it is slack. A fixed
one is a `JointSpring`. Others are left out, with a warning that names them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from tarsus.forces import Damper, JointSpring, Spring, String
from tarsus.formats.context import listing
from tarsus.model.checks import unused
from tarsus.model.description import Description, ModelError, Source
from tarsus.parts import Part

ASPECTS = {
    "ranges": "tendon_limited",
    "dry frictions": "tendon_frictionloss",
    "armatures": "tendon_armature",
}
"""What of tendons is not taken over, whatever becomes of their springs."""

NONLINEAR = ("tendon_stiffnesspoly", "tendon_dampingpoly")
"""Not in MuJoCo before version 4, as `tendon_springyield`."""


class Tendons:
    """Adds the springs and dampers of the tendons of one model to its description."""

    def __init__(
        self,
        mujoco: Any,
        model: Any,
        description: Description,
        joint_names: Sequence[str],
        site_names: Sequence[str],
        source: Callable[[str, int], Source],
    ) -> None:
        self.model, self.description, self.source = model, description, source
        self.joint_names, self.site_names = joint_names, site_names
        wraps = mujoco.mjtWrap
        self.joint, self.site = int(wraps.mjWRAP_JOINT), int(wraps.mjWRAP_SITE)
        self.fixed = {joint.name for joint in description.joints if joint.kind == "fixed"}
        stated = [str(model.tendon(index).name) for index in range(model.ntendon)]
        self.taken = set(filter(None, stated))
        self.names = [
            name or unused(f"tendon{index}", self.taken) for index, name in enumerate(stated)
        ]

    def read(self) -> list[str]:
        """Append the forces, and return warnings of what is left out."""
        left_out: dict[str, list[str]] = defaultdict(list)
        for index, name in enumerate(self.names):
            reason = self._reason(index)
            if reason:
                left_out[reason].append(name)
            else:
                self.description.forces += self._forces(index)
        warnings = []
        for what, array in ASPECTS.items():
            stated = getattr(self.model, array, [False] * len(self.names))
            found = [name for name, number in zip(self.names, stated, strict=True) if number]
            warnings += _warning(f"{what} of tendons", "", found)
        for reason, found in left_out.items():
            warnings += _warning("tendons", f", {reason}", found)
        return warnings

    def _reason(self, index: int) -> str:
        """Why a tendon becomes no force, empty if it does."""
        model = self.model
        lower, upper = model.tendon_lengthspring[index]
        kinds = [int(kind) for kind in model.wrap_type[self._path(index)]]
        if not (model.tendon_stiffness[index] or model.tendon_damping[index]):
            return "which have no springs and no dampers"
        if any(getattr(model, name)[index].any() for name in NONLINEAR if hasattr(model, name)):
            return "whose springs or dampers are not linear"
        if hasattr(model, "tendon_springyield") and model.tendon_springyield[index]:
            return "whose springs yield"
        if kinds[0] == self.joint and not self.fixed.isdisjoint(self._joints(index)):
            return "which move joints that are fixed"
        if kinds[0] != self.joint and kinds != [self.site] * 2:
            return "whose paths have more than two sites"
        if (
            model.tendon_stiffness[index]
            and lower < upper
            and (lower > 0 or kinds[0] == self.joint)
        ):
            return "which push and pull with a slack between"
        return ""

    def _path(self, index: int) -> slice:
        first = int(self.model.tendon_adr[index])
        return slice(first, first + int(self.model.tendon_num[index]))

    def _joints(self, index: int) -> dict[str, float]:
        """The joints of a fixed tendon with their coefficients."""
        path = self._path(index)
        pairs = zip(self.model.wrap_objid[path], self.model.wrap_prm[path], strict=True)
        return {self.joint_names[joint]: float(ratio) for joint, ratio in pairs}

    def _forces(self, index: int) -> list[Part]:
        model, name, path = self.model, self.names[index], self._path(index)
        stiffness, damping = (
            float(numbers[index]) for numbers in (model.tendon_stiffness, model.tendon_damping)
        )
        lower, upper = (float(length) for length in model.tendon_lengthspring[index])
        tag = "fixed" if model.wrap_type[path][0] == self.joint else "spatial"
        own: Any = {"name": name, "source": self.source(tag, index)}
        try:
            if tag == "fixed":
                return [JointSpring(self._joints(index), stiffness, damping, lower, **own)]
            a, b = (self.site_names[site] for site in model.wrap_objid[path])
            if not stiffness:
                return [Damper(a, b, damping, **own)]
            if lower == upper:
                return [Spring(a, b, stiffness, lower, damping, **own)]
            string = String(a, b, stiffness, upper, **own)
            if not damping:
                return [string]
            own["name"] = unused(f"{name}_damper", self.taken)
            return [string, Damper(a, b, damping, **own)]
        except ValueError as error:
            raise ModelError(f"tendon {name!r}: {error}", own["source"]) from None


def _warning(what: str, reason: str, names: list[str]) -> list[str]:
    if not names:
        return []
    listed = listing(dict.fromkeys(names), limit=10)
    return [f"{what} ({len(names)}) are not taken over{reason}: {listed}"]

"""The keyframes of an MJCF file, by names of joints and actuators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.mjcf_joints import TYPES, reorder
from tarsus.model.checks import unused
from tarsus.model.description import ModelError, Source
from tarsus.spatial import rotation_from_quaternion


@dataclass(frozen=True)
class KeyStatement:
    """What a specification says of one keyframe, read before the keyframes are removed from it."""

    name: str
    qpos: Array
    qvel: Array
    ctrl: Array

    @staticmethod
    def read(key: Any) -> KeyStatement:
        """The statement of a keyframe; what it does not state is empty."""
        return KeyStatement(key.name, *(np.array(list(x)) for x in (key.qpos, key.qvel, key.ctrl)))


class Keyframes:
    """Turns keyframes into poses by name, for joints that are there."""

    def __init__(
        self, model: Any, joint_names: Sequence[str], here: set[str], controls: Mapping[int, str]
    ) -> None:
        self.model, self.joint_names, self.here, self.controls = model, joint_names, here, controls

    def read(self, stated: Sequence[KeyStatement], count: int, source: Source) -> dict[str, Any]:
        """Return all keyframes; the file has `count` actuators."""
        found: dict[str, Any] = {}
        taken: set[str] = set()
        for index, key in enumerate(stated):
            name = unused(key.name or f"key{index}", taken)
            sizes = {"qpos": self.model.nq, "qvel": self.model.nv, "ctrl": count}
            for what, size in sizes.items():
                if len(numbers := getattr(key, what)) not in (0, size):
                    message = f"keyframe {name!r}: {what} has {len(numbers)} numbers, not {size}"
                    raise ModelError(message, source)
                if not np.isfinite(numbers).all():
                    raise ModelError(f"keyframe {name!r}: {what} is not finite", source)
            found[name] = self._pose(key)
        return found

    def _pose(self, key: KeyStatement) -> dict[str, Any]:
        model, qpos = self.model, key.qpos if len(key.qpos) else np.array(self.model.qpos0)
        pose: dict[str, Any] = {"q": self._each(lambda i: self._position(i, qpos))}
        if len(key.qvel) and key.qvel.any():
            pose["v"] = self._each(lambda i: self._velocity(i, qpos, key.qvel))
        if len(key.ctrl):
            pose["u"] = {name: float(key.ctrl[i]) for i, name in self.controls.items()}
        assert model.njnt == len(self.joint_names)
        return pose

    def _each(self, numbers: Callable[[int], Array]) -> dict[str, list[float]]:
        names = enumerate(self.joint_names)
        return {name: numbers(i).tolist() for i, name in names if name in self.here}

    def _position(self, index: int, qpos: Array) -> Array:
        first = int(self.model.jnt_qposadr[index])
        return reorder(qpos[first : first + TYPES[self.model.jnt_type[index]][1]])

    def _velocity(self, index: int, qpos: Array, qvel: Array) -> Array:
        """The velocity of a joint; MuJoCo's free joints have the linear one in world axes."""
        first = int(self.model.jnt_dofadr[index])
        kind, _, nv = TYPES[self.model.jnt_type[index]]
        v = np.array(qvel[first : first + nv])
        if kind == "free":
            quaternion = self._position(index, qpos)[3:]
            turned = rotation_from_quaternion(quaternion / np.linalg.norm(quaternion))
            v[:3] = turned.T @ v[:3]
        return v

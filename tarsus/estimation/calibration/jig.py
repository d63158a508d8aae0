"""Offsets of encoders from poses that a jig holds, and whether the poses agree about them.

M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
Angular Momentum Tracking", TU München 2013, section 3.5: segments are pinned to a stiff frame, so
that the pose is known, and offset = reading − gain · position. Poses agree about the offsets only
where the geometry is as drawn: what they disagree about is the machine, not the encoder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, find, number, reals
from tarsus._lib.files import Array, replacing
from tarsus.estimation.calibration.encoders import Encoders
from tarsus.estimation.observability import chi_square
from tarsus.model.model import Model


class Jig:
    """Poses in which a machine can be pinned, by name: configurations (nq,) with loops closed."""

    def __init__(self, model: Model, poses: Mapping[str, ArrayLike]) -> None:
        expect(model, Model, "model")
        self.model = model
        self.poses = {str(name): self._checked(name, q) for name, q in poses.items()}

    def _checked(self, name: str, q: ArrayLike) -> Array:
        found = reals(q, f"pose {name!r}")
        if found.shape != (self.model.nq,) or not np.isfinite(found).all():
            raise ValueError(
                f"pose {name!r} has shape {found.shape}, must be ({self.model.nq},) finite numbers"
            )
        return np.asarray(self.model.close(found))

    def save(self, path: str | Path) -> None:
        """Write the poses to a file (.json), joint by joint."""
        with replacing(path) as part:
            part.write_text(json.dumps(self._stated(), indent=1), encoding="utf-8")

    def _stated(self) -> dict[str, Any]:
        own = [joint for joint in self.model.joints if joint.q_slice.start < joint.q_slice.stop]
        poses = {
            name: {joint.name: q[joint.q_slice].tolist() for joint in own}
            for name, q in self.poses.items()
        }
        return {"model": self.model.name, "poses": poses}

    @classmethod
    def load(cls, model: Model, path: str | Path) -> Self:
        """Return the poses of a file; joints that it does not name are at neutral."""
        expect(model, Model, "model")
        try:
            poses = json.loads(Path(path).read_text(encoding="utf-8"))["poses"]
            named = [(name, joint, x) for name, own in poses.items() for joint, x in own.items()]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is no file of poses: {error}") from None
        found = {name: model.neutral() for name in poses}
        for name, joint, x in named:
            where = model.joint(joint).q_slice
            value = reals(x, f"{path}: pose {name!r}, joint {joint!r}")
            if value.shape != (where.stop - where.start,):
                count = where.stop - where.start
                raise ValueError(
                    f"{path}: pose {name!r}, joint {joint!r} must have {count} numbers"
                )
            found[name][where] = value
        return cls(model, found)

    def offsets(self, encoders: Encoders, readings: Mapping[str, ArrayLike]) -> JigOffsets:
        """Return offsets from readings (joints,) in each pose; NaN where a joint was not pinned."""
        expect(encoders, Encoders, "encoders")
        if not readings:
            raise ValueError("readings has no pose")
        names, count = list(readings), len(encoders.joints)
        found = np.empty((len(names), count))
        for k, name in enumerate(names):
            q = find(self.poses, name, "pose")
            read = reals(readings[name], f"readings[{name!r}]")
            if read.shape != (count,) or np.isinf(read).any():
                raise ValueError(f"readings[{name!r}] has shape {read.shape}, must be ({count},)")
            found[k] = read - encoders.gains * self.model.motor_positions(q, motors=encoders.joints)
        never = np.isnan(found).all(axis=0)
        if never.any():
            joint = encoders.joints[int(np.argmax(never))]
            raise ValueError(f"joint {joint!r} is pinned in no pose: it has no reading")
        return JigOffsets(encoders, tuple(names), found)


@dataclass(frozen=True)
class Disagreement:
    """A joint whose offsets differ between poses by more than noise explains.

    `pose` is the one furthest from the others, `by` how far from their mean, in readings, and
    `times` the same in standard deviations of such a difference.
    """

    joint: str
    pose: str
    by: float
    times: float

    def __str__(self) -> str:
        return f"{self.joint}: {self.pose!r} is {self.by:+.4g} from the others, {self.times:.1f} σ"


class JigOffsets:
    """Offsets of encoders from several poses, their spread, and which joints disagree."""

    def __init__(self, encoders: Encoders, poses: tuple[str, ...], found: Array) -> None:
        self.poses, self.joints = poses, encoders.joints
        first = found[np.argmin(np.isnan(found), axis=0), np.arange(found.shape[1])]
        around = encoders.wrapped(found - first)  # noise does not jump at the end of a turn
        self.offsets = encoders.wrapped(first + np.nanmean(around, axis=0))
        """The mean over poses (joints,)."""
        self.deviations = around - np.nanmean(around, axis=0)
        """Of each pose from the mean (poses, joints), NaN where a joint was not pinned."""
        self.counts = np.isfinite(around).sum(axis=0)
        """In how many poses a joint was pinned (joints,)."""
        squares = np.nansum(self.deviations**2, axis=0)
        several = np.where(self.counts > 1, self.counts - 1, np.nan)
        self.spread = np.sqrt(squares / several)
        """Standard deviation of a single pose (joints,), NaN for one pose only."""
        self.sigma = np.where(encoders.sigma > 0.0, encoders.sigma, self._typical())
        """What noise alone is expected to do (joints,): as the encoders state, or typical here."""
        self.encoders = encoders.changed(offsets=self.offsets)
        """The encoders with these offsets."""

    def _typical(self) -> float:
        """Return the deviation of the joints' median: a few that disagree do not change it."""
        known = np.isfinite(self.spread)
        if not known.any():
            return np.nan
        middle = chi_square(0.5, self.counts[known] - 1) / (self.counts[known] - 1)
        return float(np.median(self.spread[known] / np.sqrt(middle)))

    def disagreements(self, level: float = 0.01) -> list[Disagreement]:
        """Return the joints that disagree, the worst first; `level` is the share of false alarms.

        The squares of deviations, in units of the noise, are compared with χ² for the number of
        poses, at `level` over the number of joints.
        """
        if not 0.0 < number(level, "level") < 1.0:
            raise ValueError(f"level is {level}, must be between 0 and 1")
        told = []
        for k in np.flatnonzero(self.counts > 1).tolist():
            own, sigma = self.deviations[:, k], self.sigma[k]
            bound = chi_square(1.0 - level / len(self.joints), self.counts[k] - 1)
            if np.nansum(own**2) > bound * sigma**2:
                pose, n = int(np.nanargmax(np.abs(own))), int(self.counts[k])
                by = own[pose] * n / (n - 1)  # from the mean of the others
                scale = sigma * np.sqrt(n / (n - 1))
                times = abs(by) / scale if scale > 0.0 else np.inf
                told.append(Disagreement(self.joints[k], self.poses[pose], float(by), float(times)))
        return sorted(told, key=lambda each: -each.times)

    def __str__(self) -> str:
        width = max(map(len, self.joints))
        head = " ".join(f"{pose[:10]:>11}" for pose in self.poses)
        lines = [f"{'joint':{width}} {'offset':>11} {'spread':>10} {head}"]
        for k, joint in enumerate(self.joints):
            own = " ".join(f"{x:+11.2e}" for x in self.deviations[:, k])
            lines.append(f"{joint:{width}} {self.offsets[k]:+11.6f} {self.spread[k]:10.2e} {own}")
        told = self.disagreements()
        lines += [f"disagrees: {each}" for each in told] or ["all poses agree"]
        return "\n".join(lines)

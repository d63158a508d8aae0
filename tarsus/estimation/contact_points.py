"""Points of a machine that touch the ground: which are said to, and where encoders have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import reals
from tarsus._lib.files import Array
from tarsus.ik.points import ALIGNED
from tarsus.model import Model
from tarsus.spatial import skew


class ContactPoints:
    """Points by name of frame: (3,) or (k, 3) in its axes [m], seen from a frame `imu`."""

    def __init__(self, model: Model, imu: str, contacts: Mapping[str, ArrayLike]) -> None:
        self._model, self._imu = model, imu
        self._listed: list[tuple[str, Array]] = []
        for frame, points in contacts.items():
            model.frame(frame)
            rows = np.atleast_2d(reals(points, f"points of {frame!r}"))
            if rows.ndim != 2 or rows.shape[-1] != 3 or not np.isfinite(rows).all():
                raise ValueError(f"points of {frame!r} have shape {rows.shape}, must be (k, 3)")
            self._listed += [(frame, point) for point in rows]
        if not self._listed:
            raise ValueError("contacts is empty: name the frames that touch the ground")
        frames = [frame for frame, _ in self._listed]
        self.first = [frames.index(frame) for frame in dict.fromkeys(frames)]
        """The first contact of each frame."""
        assert model.base is not None
        self._joints = np.delete(np.arange(model.nv), np.r_[model.base.v_slice])

    def __len__(self) -> int:
        return len(self._listed)

    def flags(
        self, closed: Mapping[str, ArrayLike], lead: tuple[int, ...], what: str
    ) -> NDArray[np.bool_]:
        """Return which contacts (…, contacts) are said to be closed, by the argument `what`."""
        unknown = [name for name in closed if name not in dict(self._listed)]
        if unknown:
            names = ", ".join(dict.fromkeys(frame for frame, _ in self._listed))
            raise ValueError(f"{what} names {unknown[0]!r}, which has no contacts; these: {names}")
        for frame, value in closed.items():
            if np.asarray(value).dtype != bool:
                raise TypeError(f"{what}[{frame!r}] is {value!r}, must be True or False (…)")
            check_lead(np.shape(value), f"{what}[{frame!r}]", lead)
        flags = [np.broadcast_to(closed.get(frame, False), lead) for frame, _ in self._listed]
        return np.stack(flags, axis=-1)

    def seen(self, q: Array) -> Iterator[tuple[Array, Array]]:
        """Yield contacts (…, 3) in axes of the unit, and slopes by joints (…, 3, joints)."""
        unit = self._model.frame_pose(q, self._imu)
        back = np.swapaxes(unit[..., :3, :3], -1, -2)
        frames = dict.fromkeys(frame for frame, _ in self._listed)
        poses = {frame: self._model.frame_pose(q, frame) for frame in frames}
        rows = {frame: self._model.frame_jacobian(q, frame, ALIGNED) for frame in frames}
        for frame, point in self._listed:
            foot, slopes = poses[frame], rows[frame][..., self._joints]
            arm = foot[..., :3, :3] @ point
            way = foot[..., :3, 3] + arm - unit[..., :3, 3]
            moved = slopes[..., :3, :] - skew(arm) @ slopes[..., 3:, :]
            yield (back @ way[..., None])[..., 0], back @ moved


def check_lead(shape: tuple[int, ...], name: str, lead: tuple[int, ...]) -> None:
    """Raise unless leading dimensions broadcast to those of the estimator's states."""
    try:
        fits = np.broadcast_shapes(shape, lead) == lead
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"{name} has leading dimensions {shape}, the states of reset() have {lead}"
        )

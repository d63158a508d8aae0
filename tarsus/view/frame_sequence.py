"""What is drawn in each frame of a picture or film."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array, check_result_size
from tarsus.model.model import Model
from tarsus.parts.part import Where, place_of
from tarsus.view.triangle_meshes import Color, ShownShapes, Surface, surfaces
from tarsus.view.volume_meshes import Shells

if TYPE_CHECKING:
    from tarsus.geometry.distances import Distances
    from tarsus.geometry.grounds import Terrain
    from tarsus.geometry.volumes import Volumes
    from tarsus.simulation.trajectory import Trajectory


# What there is to see of a run or a model: surfaces, their poses, contact forces, the ground.


STATE_COLORS: dict[str, Color] = {
    "open": (0.545, 0.58, 0.62),
    "stick": (0.105, 0.605, 0.47),
    "slip": (0.94, 0.54, 0.115),
    "impact": (0.84, 0.20, 0.425),
}
"""Colours of the states of contacts, as in page/materials.js."""
PUSH = "push"
ARROW_COLORS: dict[str, Color] = {**STATE_COLORS, PUSH: (0.54, 0.31, 0.815)}
"""Colours of arrows: of contacts by what they do, and of pushes."""
DETAIL, FINE = 1 / 60, 1 / 300
"""Size of the parts that meshes keep in films and on pages, as a share of the model's size."""


@dataclass(frozen=True)
class Arrows:
    """Forces at one time: points (m, 3), vectors (m, 3) [m], what the contacts do or that it is a
    push, and the forces themselves (m, 3) [N]. Arrows of pushes end where they act.
    """

    points: Array
    vectors: Array
    states: tuple[str, ...]
    forces: Array


class Stage:
    """A run, or a model that stands still, as a sequence of pictures.

    `times` (T,) are those of the pictures; `poses` (T, bodies, 4, 4) say where the surfaces of a
    body are at each. A model stands at q (nq,), on a ground if one is given. A force as large as
    the weight is drawn half as long as the model is large. `lines` are pairs of places between
    which a string or a spring is drawn. `volumes` are drawn over the model; with distances they
    are coloured, and nearest points are joined. `quantities` are further numbers at all samples of
    a run, by names such as "height [m]", for charts. Meshes keep parts of `detail` times the size.
    """

    def __init__(
        self,
        what: Trajectory | Model,
        *,
        shapes: ShownShapes | None = None,
        fps: float = 25.0,
        speed: float = 1.0,
        q: ArrayLike | None = None,
        ground: Terrain | None = None,
        lines: Sequence[tuple[Where, Where]] = (),
        volumes: Volumes | Distances | None = None,
        quantities: Mapping[str, ArrayLike] | None = None,
        detail: float = DETAIL,
    ) -> None:
        if not (isinstance(what, Model) or hasattr(what, "model")):
            raise TypeError(
                f"this is of type {type(what).__name__}, must be a run or a model; "
                "a configuration is shown by view(model, q=q)"
            )
        self.run = None if isinstance(what, Model) else what
        self.model: Model = what if isinstance(what, Model) else what.model
        self.terrain: Terrain | None = ground if self.run is None else self.run.ground
        self.q, self.times, self.samples = self._chosen(q, fps, speed)
        self.poses: Array = self.model.forward_kinematics(self.q)
        self.size = self._size()
        self.surfaces: list[Surface] = surfaces(self.model, shapes, detail=detail * self.size)
        self.shells = None if volumes is None else Shells(self.model, volumes)
        self._pushes = Pushes(self.run)
        self._lines = [[place_of(self.model, end, "lines") for end in line] for line in lines]
        self.quantities = {
            name: self._quantity(name, values) for name, values in (quantities or {}).items()
        }

    def _chosen(
        self, q: ArrayLike | None, fps: float, speed: float
    ) -> tuple[Array, Array, NDArray[np.int64]]:
        """Return configurations, times and samples of the pictures, evenly spaced."""
        if self.run is None:
            pose = np.array(self.model.initial_configuration if q is None else q, np.float64)
            return pose[None], np.zeros(1), np.zeros(1, np.int64)
        if self.run.q.ndim != 2:
            raise ValueError(
                f"this run has {self.run.q.shape[:-2]} states: choose one, such as run[0]"
            )
        for name, value in (("fps", fps), ("speed", speed)):
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name} is {value!r}, must be positive and finite")
        t = self.run.t
        pictures = 1.0 + float(t[-1] - t[0]) * fps / speed
        check_result_size(
            8 * pictures * (2 + self.model.nq + 16 * (1 + self.model.n_bodies)),
            f"the poses of {pictures:.0f} pictures",
            "use a lower fps, or a higher speed",
        )
        count = round(pictures)
        wanted = np.linspace(t[0], t[-1], count)
        samples = np.searchsorted((t[1:] + t[:-1]) / 2, wanted)  # the nearest
        return self.run.q[samples], t[samples], samples

    def _quantity(self, name: str, values: ArrayLike) -> Array:
        found = np.array(values, np.float64)
        wanted = (0,) if self.run is None else self.run.t.shape
        if found.shape != wanted:
            raise ValueError(f"quantities: {name!r} has shape {found.shape}, must have {wanted}")
        return found

    def _size(self) -> float:
        """Return the largest side of a box around the bodies, at the first time [m]; 1 without."""
        if not self.model.bodies:
            return 1.0
        points = self.poses[0, :, :3, 3]
        radii = [np.cbrt(body.mass / 1000.0) for body in self.model.bodies]
        return float(max(np.ptp(points, axis=0).max(), 2 * max(radii), 1e-3))

    def stand(self, q: ArrayLike) -> None:
        """Put a model that stands still elsewhere, at q (nq,)."""
        self.q = np.array(q, np.float64)[None]
        self.poses = self.model.forward_kinematics(self.q)
        self.__dict__.pop("ground", None)

    @functools.cached_property
    def ground(self) -> Surface | None:
        """The ground around all pictures, or None."""
        if self.terrain is None:
            return None
        return Surface(-1, *self.terrain.mesh(*self._piece()), (0.93, 0.93, 0.91))

    def _piece(self) -> tuple[Array, Array]:
        """Return the corners (2,) of the piece of ground that is shown."""
        path = self.poses[:, :, :2, 3].reshape(-1, 2)
        margin = 5.0 * self.size
        return path.min(axis=0) - margin, path.max(axis=0) + margin

    def ground_lines(self) -> Array:
        """Return a net of lines (n, 2, 3) on the ground."""
        assert self.terrain is not None, "there is no ground"
        low, high = self._piece()
        tile = self.size / 3
        x, y = (np.arange(low[i], high[i], tile) for i in range(2))
        xx, yy = np.meshgrid(x, y, indexing="ij")
        net = np.stack([xx, yy, self.terrain.height(xx, yy) + 2e-3 * self.size], axis=-1)
        along = np.stack([net[:-1], net[1:]], axis=2).reshape(-1, 2, 3)
        across = np.stack([net[:, :-1], net[:, 1:]], axis=2).reshape(-1, 2, 3)
        return np.concatenate([along, across])

    def lines(self, picture: int) -> Array:
        """Return the ends of all lines (n, 2, 3) at a picture."""
        ends = np.zeros((len(self._lines), 2, 3))
        for i, line in enumerate(self._lines):
            for j, end in enumerate(line):
                pose = np.eye(4) if end.body < 0 else self.poses[picture, end.body]
                ends[i, j] = (pose @ end.placement)[:3, 3]
        return ends

    @property
    def line_ends(self) -> list[list[dict[str, Any]]]:
        """The ends of all lines as points of bodies, or of the world (−1)."""
        return [
            [{"body": end.body, "point": end.placement[:3, 3].tolist()} for end in line]
            for line in self._lines
        ]

    def arrows(self, picture: int) -> Arrows:
        """Return the contact forces and the pushes at a picture."""
        touched = None if self.run is None else self.run.touched
        pushed, pushes = self._pushes.at(self.samples[picture], self.poses[picture])
        points, forces, states = np.zeros((0, 3)), np.zeros((0, 3)), list[str]()
        if touched is not None:
            # rows are in the order of time
            k = int(self.samples[picture])
            rows = slice(*np.searchsorted(touched.sample, [k, k + 1]))
            points, forces = touched.point[rows], touched.force[rows]
            states = self._states[rows].tolist()
        drawn = self._drawn(pushes)
        return Arrows(
            np.concatenate([points, pushed - drawn]),
            np.concatenate([self._drawn(forces), drawn]),
            (*states, *[PUSH] * len(pushed)),
            np.concatenate([forces, pushes]),
        )

    def _drawn(self, forces: Array) -> Array:
        """Return forces (m, 3) [N] as lengths [m]."""
        weight = self.model.total_mass * float(np.linalg.norm(self.model.gravity)) or 1.0
        vectors = forces * self.size / (2 * weight)
        # an impact may be hundreds of times as strong: its arrow shall stay in the picture
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors * np.minimum(1.0, self.size / np.maximum(length, 1e-300)))

    @functools.cached_property
    def _states(self) -> NDArray[np.str_]:
        """What all contacts of the run do: words that are made once, not for each picture."""
        assert self.run is not None
        return self.run.contacts.states


# Pushes of a run as its settings and parts tell them: where they act, and with which forces.


class _Push(NamedTuple):
    body: int
    point: Array
    forces: Array


class Pushes:
    """All external wrenches of the run of one state; none where nothing was recorded."""

    def __init__(self, run: Trajectory | None) -> None:
        self._found: list[_Push] = []
        places = {} if run is None else run.settings.get("pushed")
        if run is None or not isinstance(places, dict):
            return
        records = run.parts
        for name, place in places.items():
            known = _place(run.model.body_names, place)
            if name in records and known is not None:
                self._found.append(_Push(*known, records[name].force))

    def at(self, sample: int, poses: Array) -> tuple[Array, Array]:
        """Return points and forces (m, 3) of those that push at a sample; poses (bodies, 4, 4)."""
        acting = [each for each in self._found if each.forces[sample].any()]
        points = [
            poses[each.body, :3, :3] @ each.point + poses[each.body, :3, 3] for each in acting
        ]
        forces = [each.forces[sample] for each in acting]
        return np.reshape(points, (-1, 3)), np.reshape(forces, (-1, 3))


def _place(bodies: tuple[str, ...], place: Any) -> tuple[int, Array] | None:
    """Return the number of a body and a point (3,) of it; None where a file states none."""
    try:
        body, point = bodies.index(place["body"]), np.asarray(place["point"], np.float64)
    except (KeyError, TypeError, ValueError):
        return None
    return (body, point) if point.shape == (3,) and np.isfinite(point).all() else None


# Lines as thin prisms, which bodies hide.


PRISM = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])
"""Triangles of a prism with the corners 0, 1, 2 at one end and 3, 4, 5 at the other."""


def prisms(ends: Array, radius: float) -> Array:
    """Return the corners (6 n, 3) of prisms around lines with ends (n, 2, 3)."""
    along = ends[:, 1] - ends[:, 0]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    # any direction across will do, but the one that is along
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    other = np.cross(along, across)
    angles = np.radians([0.0, 120.0, 240.0])[:, None, None]
    rim = radius * (np.cos(angles) * across + np.sin(angles) * other)  # (3, n, 3)
    return np.asarray((ends.swapaxes(0, 1)[:, None] + rim).transpose(2, 0, 1, 3).reshape(-1, 3))

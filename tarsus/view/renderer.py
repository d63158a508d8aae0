"""Pictures with matplotlib and with the rasterizer, and the camera."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.view.frame_sequence import ARROW_COLORS, PRISM, Stage, prisms
from tarsus.view.rasterizer import laid_over, rasterize
from tarsus.view.triangle_meshes import Surface
from tarsus.view.volume_meshes import OPACITY, Look, draw_bar

# Pictures of a stage with matplotlib: a camera, shaded bodies, their shadows.


SKY, LIGHT_TILE, DARK_TILE = np.array(
    [[0.975, 0.98, 0.985], [0.93, 0.935, 0.94], [0.87, 0.88, 0.89]]
)
SHADOW, INK = (0.74, 0.76, 0.78), "#222b33"
LIGHT = np.array([0.35, -0.45, 0.82])
"""Direction towards the light."""
STRING, THICKNESS = (0.45, 0.33, 0.25), 1 / 200
"""Colour of lines, and their radius as a share of the model's size."""
OPENING = 0.62
"""Height of the picture at distance 1 from the camera."""


class Renderer:
    """Draws the pictures of a stage on one figure, width × height [pixels].

    The camera looks from an azimuth and an elevation [deg] and follows the model.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        width: int = 720,
        height: int = 450,
        azimuth: float = -60.0,
        elevation: float = 18.0,
        zoom: float = 1.0,
    ) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ModuleNotFoundError:
            message = "animations need matplotlib: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name="matplotlib") from None
        self.stage = stage
        self.width, self.height = width, height
        self.view = np.radians(azimuth), np.radians(elevation)
        self.distance = 3.2 * stage.size / zoom
        self.figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=SKY)
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self.axes: Any = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        high, wide = OPENING / 2, OPENING / 2 * width / height
        self.axes.set(xlim=(-wide, wide), ylim=(-high, high))
        self.axes.set_axis_off()
        # axes are slow to make and to clear: what changes is replaced, one by one
        self._bodies: Any = self.axes.add_artist(_pixels(zorder=3))
        self._title = self._label(0.02, 0.96, "", INK, "left")
        self._passing: list[Any] = []
        self._triangles, self._colors = _joined(stage.surfaces, len(stage.lines(0)))

    def picture(self, k: int) -> Array:
        """Return picture k as (height, width, 3) numbers from 0 to 255."""
        while self._passing:
            self._passing.pop().remove()
        target = self._target(k)
        camera = Camera(target, self.distance, *self.view)
        corners, colors = self._corners(k), self._colors
        look = None if self.stage.shells is None else self.stage.shells.look(self.stage.q[k])
        if look is not None:
            corners, colors = self._with_lines(corners, look)
        if self.stage.terrain is not None:
            self._draw_ground(camera, target)
            self._draw_shadow(camera, corners)
        self._bodies.picture = self._bodies_seen(camera, corners, colors)
        if look is not None:
            self._lay_shells_over(camera, corners, colors, look, k)
            if np.isfinite(look.largest):
                self._passing += draw_bar(self.axes, look, self._bar_label)
        self._draw_arrows(camera, k)
        self._title.set_text(_title(self.stage, k, look))
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())[..., :3].copy()

    def _target(self, k: int) -> Array:
        """Return where the camera looks (3,): at the mean of a fifth of the pictures around k."""
        count = len(self.stage.times)
        near = np.clip(np.arange(-(count // 10), count // 10 + 1) + k, 0, count - 1)
        return np.asarray(self.stage.poses[near, :, :3, 3].mean(axis=(0, 1)))

    def _corners(self, k: int) -> Array:
        """Return corners (n, 3, 3) of all triangles in the world."""
        vertices = [np.zeros((0, 3))]
        for surface in self.stage.surfaces:
            pose = np.eye(4) if surface.body < 0 else self.stage.poses[k, surface.body]
            vertices.append(surface.vertices @ pose[:3, :3].T + pose[:3, 3])
        vertices.append(prisms(self.stage.lines(k), THICKNESS * self.stage.size))
        return np.asarray(np.concatenate(vertices)[self._triangles])

    def _with_lines(self, corners: Array, look: Look) -> tuple[Array, Array]:
        """Triangles of bodies and of the lines between nearest points, and their colours."""
        around = prisms(look.lines, 1.5 * THICKNESS * self.stage.size)
        places = PRISM + 6 * np.arange(len(look.lines))[:, None, None]
        colors = np.repeat(look.line_colors, len(PRISM), axis=0)
        return (
            np.concatenate([corners, around[places.reshape(-1, 3)]]),
            np.concatenate([self._colors, colors]),
        )

    def _lay_shells_over(
        self, camera: Camera, corners: Array, colors: Array, look: Look, k: int
    ) -> None:
        """Mix the picture of bodies with one in which volumes hide what is behind them."""
        assert self.stage.shells is not None
        solid, tints = [corners], [colors]
        clear: list[Array] = []
        clear_tints: list[Array] = []
        for surface, color, opaque in zip(
            self.stage.shells.surfaces, look.colors, look.opaque, strict=True
        ):
            pose = np.eye(4) if surface.body < 0 else self.stage.poses[k, surface.body]
            placed = surface.vertices @ pose[:3, :3].T + pose[:3, 3]
            parts, tint = (solid, tints) if opaque else (clear, clear_tints)
            parts.append(placed[surface.triangles])
            tint.append(np.tile(color, (len(surface.triangles), 1)))
        behind = self._bodies_seen(camera, np.concatenate(solid), np.concatenate(tints))
        before = self._bodies_seen(
            camera, np.concatenate([*solid, *clear]), np.concatenate([*tints, *clear_tints])
        )
        self._bodies.picture = laid_over(behind, before, OPACITY)

    def _bodies_seen(self, camera: Camera, corners: Array, colors: Array) -> Array:
        """Return a picture (height, width, 4) of shaded triangles (n, 3, 3)."""
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        centers = corners.mean(axis=1)
        facing = np.einsum("ni,ni->n", normals, camera.eye - centers) > 0.0
        light = 0.62 + 0.38 * np.clip(normals[facing] @ LIGHT, -0.4, 1.0)
        shaded = np.clip(colors[facing] * light[:, None], 0.0, 1.0)
        flat, depth = camera.project(corners[facing])
        seen = (depth > camera.near).all(axis=1)
        pixels = flat[seen] * self.height / OPENING + np.array([self.width, self.height]) / 2
        size = self.width, self.height
        return np.asarray(rasterize(pixels, depth[seen], shaded[seen], *size), np.float64)

    def _draw_ground(self, camera: Camera, target: Array) -> None:
        """Draw tiles of the ground around the target that fade into the distance."""
        assert self.stage.terrain is not None
        tile, count = _round_number(self.stage.size / 3), 14
        parts = 1 if self.stage.terrain.kind == "plane" else 3  # of a tile's side
        middle = parts * np.round(target[:2] / tile).astype(int)
        lines = np.arange(-parts * count, parts * count + 1)
        i, j = np.meshgrid(middle[0] + lines, middle[1] + lines, indexing="ij")
        points = self._on_ground(tile * i / parts, tile * j / parts)
        patches = np.stack(
            [points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2
        ).reshape(-1, 4, 3)
        dark = ((i // parts + j // parts) % 2)[:-1, :-1].reshape(-1, 1) == 1
        away = np.linalg.norm(patches.mean(axis=1)[:, :2] - target[:2], axis=1) / (tile * count)
        fade = np.clip(1.4 * away - 0.3, 0.0, 1.0)[:, None]
        normals = np.cross(patches[:, 2] - patches[:, 0], patches[:, 3] - patches[:, 1])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        # level ground keeps its colour
        light = np.clip(0.5 + 0.5 * normals @ LIGHT / LIGHT[2], 0.0, 1.1)[:, None]
        colors = (1 - fade) * light * np.where(dark, DARK_TILE, LIGHT_TILE) + fade * SKY
        seen = away < 1.0
        self._fill(camera, patches[seen], np.clip(colors[seen], 0.0, 1.0))

    def _draw_shadow(self, camera: Camera, corners: Array) -> None:
        """Draw what the surfaces cover of the ground, seen from straight above."""
        below = self._on_ground(corners[..., 0], corners[..., 1])
        self._fill(camera, below, np.tile(SHADOW, (len(below), 1)))

    def _on_ground(self, x: Array, y: Array) -> Array:
        assert self.stage.terrain is not None
        return np.stack([x, y, self.stage.terrain.height(x, y)], axis=-1)

    def _draw_arrows(self, camera: Camera, k: int) -> None:
        arrows = self.stage.arrows(k)
        tails, _ = camera.project(arrows.points)
        heads, _ = camera.project(arrows.points + arrows.vectors)
        for tail, head, state in zip(tails, heads, arrows.states, strict=True):
            style = {"arrowstyle": "-|>", "color": ARROW_COLORS[state], "lw": 2.2}
            self._passing.append(
                self.axes.annotate(
                    "", head, tail, arrowprops={**style, "shrinkA": 0, "shrinkB": 0}, zorder=5
                )
            )
        for place, state in enumerate(sorted(set(arrows.states))):
            label = self._label(0.98, 0.96 - 0.05 * place, state, ARROW_COLORS[state], "right")
            self._passing.append(label)

    def _bar_label(self, x: float, y: float, text: str, side: str) -> Any:
        return self._label(x, y, text, INK, side)

    def _label(self, x: float, y: float, text: str, color: Any, side: str) -> Any:
        where = self.axes.transAxes
        return self.axes.text(
            x, y, text, transform=where, ha=side, va="top", fontsize=10, color=color
        )

    def _fill(self, camera: Camera, polygons: Array, colors: Array) -> None:
        """Fill polygons (n, corners, 3) from far to near."""
        from matplotlib.collections import PolyCollection

        flat, depth = camera.project(polygons)
        order = np.argsort(-depth.mean(axis=1))
        order = order[(depth[order] > camera.near).all(axis=1)]
        # edges of the same colour close the gaps that smoothing leaves between neighbours
        outlines: Any = flat[order]
        filled = PolyCollection(
            outlines, facecolors=colors[order], edgecolors=colors[order], lw=0.4
        )
        self._passing.append(self.axes.add_collection(filled, autolim=False))


def _title(stage: Stage, k: int, look: Look | None) -> str:
    """Return the words over a picture: the model, the time, and the smallest distance."""
    words = f"{stage.model.name}   t = {stage.times[k]:.2f} s"
    if look is None or not look.pair:
        return words
    return f"{words}   {1e3 * look.gap:.0f} mm between {look.pair}"


def _pixels(zorder: int) -> Any:
    """Return something to draw whose `picture` (height, width, 4), 0 … 1, has the figure's size."""
    from matplotlib.artist import Artist

    class Pixels(Artist):
        picture: Array

        def draw(self, renderer: Any) -> None:
            # images of matplotlib would be resampled, though each pixel is in its place
            context = renderer.new_gc()
            renderer.draw_image(context, 0, 0, np.uint8(255 * self.picture[::-1] + 0.5))
            context.restore()

    pixels = Pixels()
    pixels.set_zorder(zorder)
    return pixels


def _joined(surfaces: Sequence[Surface], lines: int) -> tuple[NDArray[np.int64], Array]:
    """Return triangles (n, 3) of all surfaces, then of lines, and their colours (n, 3)."""
    triangles, colors, before = [np.zeros((0, 3), np.int64)], [np.zeros((0, 3))], 0
    for surface in surfaces:
        triangles.append(surface.triangles + before)
        colors.append(np.tile(surface.color, (len(surface.triangles), 1)))
        before += len(surface.vertices)
    for k in range(lines):
        triangles.append(PRISM + before + 6 * k)
        colors.append(np.tile(STRING, (len(PRISM), 1)))
    return np.concatenate(triangles), np.concatenate(colors)


def _round_number(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, near a value: a length that people can count."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - value)))


# A camera: from points in the world to places in a picture.


class Camera:
    """A camera that looks at a target (3,) from a direction, z up."""

    def __init__(self, target: Array, distance: float, azimuth: float, elevation: float) -> None:
        back = np.array(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.sin(elevation),
            ]
        )
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        self.eye = target + distance * back
        self.axes = np.array([right, np.cross(back, right), -back])
        self.near = 0.05 * distance

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return positions (…, 2) in the picture and depths (…) of points (…, 3)."""
        seen = (points - self.eye) @ self.axes.T
        depth = seen[..., 2]
        return seen[..., :2] / np.maximum(depth, self.near)[..., None], depth

"""Pictures of a model or a run in NumPy: bodies, the ground, shadows, arrows and words.

All surfaces go through one depth buffer (`rasterizer`), so the ground hides what is below and
behind it. The page in the browser draws the same `Stage` with WebGL, where it can be turned.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.grounds import Ground, Space, Terrain
from tarsus.view.frame_sequence import ARROW_COLORS, PRISM, Stage, prisms
from tarsus.view.rasterizer import (
    SAMPLES,
    Pixels,
    averaged,
    covered,
    drawn,
    laid_over,
    rasterize,
    visible,
)
from tarsus.view.triangle_meshes import Color, Surface
from tarsus.view.volume_meshes import OPACITY, Look, bar_labels, bar_triangles

SKY: Pixels = np.array([0.975, 0.98, 0.985], np.float32)
LIGHT_TILE: Pixels = np.array([0.93, 0.935, 0.94], np.float32)
DARK_TILE: Pixels = np.array([0.87, 0.88, 0.89], np.float32)
SHADOW: Pixels = np.array([0.74, 0.76, 0.78], np.float32)
INK: Color = (0.133, 0.169, 0.2)
LIGHT = np.array([0.35, -0.45, 0.82])
"""Direction towards the light."""
STRING, THICKNESS = (0.45, 0.33, 0.25), 1 / 200
"""Color of lines, and their radius as a share of the model's size."""
TILES = 14
"""From the middle of the ground to where it ends."""
PARTS = 3
"""Of a tile's side, on ground that is not a plane."""
COPLANAR = 1e-5
"""Bodies that touch the ground are in front of it: by this share of the depth."""
FARTHEST = 1e9
"""Bodies beyond it are not looked at [m]."""
SHADOWS = 100.0
"""Bodies that are farther away throw no shadow, in distances of the camera."""
FONT, LETTERS = "mpl-data/fonts/ttf/DejaVuSans.ttf", 14
"""The font within matplotlib, and its size [px]."""
SHAFT, HEAD, BARB = 3.0, 12.0, 4.5
"""Of arrows: width, length of the head, and half its width [px]."""


class Renderer:
    """Draws the pictures of a stage, width × height [pixels].

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
        self.stage = stage
        self.width, self.height = width, height
        self.view = np.radians(azimuth), np.radians(elevation)
        self.distance = 3.2 * stage.size / zoom
        self._words = _Words()
        self._triangles, self._colors = _joined(stage.surfaces, len(stage.lines(0)))

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Return picture k as (height, width, 3) numbers from 0 to 255."""
        # bodies of a run that diverged are at infinity or nowhere: they are left out
        with np.errstate(over="ignore", invalid="ignore"):
            return self._drawn(k)

    def _drawn(self, k: int) -> NDArray[np.uint8]:
        target = self._target(k)
        camera = Camera(target, self.distance, *self.view, self.width, self.height)
        corners, colors = self._corners(k), self._colors
        look = None if self.stage.shells is None else self.stage.shells.look(self.stage.q[k])
        if look is not None:
            corners, colors = self._with_lines(corners, look)
        picture, behind = np.tile(SKY, (self.height, self.width, 1)), None
        if self.stage.terrain is not None and not isinstance(self.stage.terrain, Space):
            picture, behind = self._ground(camera, target)
            self._lay_shadow(picture, camera, behind, corners)
        if look is None:
            self._paint(picture, *self._facing(camera, corners, colors), behind)
        else:
            _lay_over(picture, self._with_shells(camera, corners, colors, look, k, behind))
        words = [(0.02, 0.96, _title(self.stage, k, look), "left", INK)]
        words += self._lay_arrows(picture, camera, k)
        if look is not None and np.isfinite(look.largest):
            triangles, tints = bar_triangles(look)
            self._lay_flat(picture, triangles * [self.width, self.height], tints)
            words += [(*label, INK) for label in bar_labels(look)]
        picture *= 255.0
        picture += 0.5
        return self._words.written(picture.astype(np.uint8), words)

    def _target(self, k: int) -> Array:
        """Return where the camera looks (3,): at the mean of a fifth of the pictures around k."""
        count = len(self.stage.times)
        near = np.clip(np.arange(-(count // 10), count // 10 + 1) + k, 0, count - 1)
        places = self.stage.poses[near, :, :3, 3].reshape(-1, 3)
        # what a run that diverged has thrown away is not looked for
        places = places[(np.abs(places) < FARTHEST).all(axis=1)]
        return np.asarray(places.mean(axis=0)) if len(places) else np.zeros(3)

    def _corners(self, k: int) -> Array:
        """Return corners (n, 3, 3) of all triangles in the world."""
        vertices = [np.zeros((0, 3))]
        for surface in self.stage.surfaces:
            pose = np.eye(4) if surface.body < 0 else self.stage.poses[k, surface.body]
            vertices.append(surface.vertices @ pose[:3, :3].T + pose[:3, 3])
        vertices.append(prisms(self.stage.lines(k), THICKNESS * self.stage.size))
        return np.asarray(np.concatenate(vertices)[self._triangles])

    def _with_lines(self, corners: Array, look: Look) -> tuple[Array, Array]:
        """Triangles of bodies and of the lines between nearest points, and their colors."""
        around = prisms(look.lines, 1.5 * THICKNESS * self.stage.size)
        places = PRISM + 6 * np.arange(len(look.lines))[:, None, None]
        colors = np.repeat(look.line_colors, len(PRISM), axis=0)
        return (
            np.concatenate([corners, around[places.reshape(-1, 3)]]),
            np.concatenate([self._colors, colors]),
        )

    def _with_shells(
        self,
        camera: Camera,
        corners: Array,
        colors: Array,
        look: Look,
        k: int,
        behind: Pixels | None,
    ) -> Pixels:
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
        size = self.width, self.height
        seen = self._facing(camera, np.concatenate(solid), np.concatenate(tints))
        far = rasterize(*seen, *size, behind)
        solid, tints = [*solid, *clear], [*tints, *clear_tints]
        seen = self._facing(camera, np.concatenate(solid), np.concatenate(tints))
        return laid_over(far, rasterize(*seen, *size, behind), OPACITY)

    def _facing(self, camera: Camera, corners: Array, colors: Array) -> tuple[Array, Array, Array]:
        """Return pixels (m, 3, 2), depths and shaded colors of triangles that face the camera."""
        pixels, depth = camera.project(corners)
        (x, y), (u, v) = (pixels[:, 1] - pixels[:, 0]).T, (pixels[:, 2] - pixels[:, 0]).T
        seen = (x * v > y * u) & (depth > camera.near).all(axis=1)
        corners = corners[seen]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        light = 0.62 + 0.38 * np.clip(normals @ LIGHT, -0.4, 1.0)
        shaded = np.clip(colors[seen] * light[:, None], 0.0, 1.0)
        return pixels[seen], depth[seen], shaded

    def _paint(
        self,
        picture: Pixels,
        pixels: Array,
        depth: Array,
        colors: Array,
        behind: Pixels | None = None,
    ) -> None:
        """Draw triangles on a picture, in place."""
        where, layer = drawn(pixels, depth, colors, self.width, self.height, behind)
        _lay_over(picture[where], layer)

    # --- the ground -------------------------------------------------------------------------------

    def _ground(self, camera: Camera, target: Array) -> tuple[Pixels, Pixels]:
        """Return a picture of tiles around the target, and how near the ground is at samples."""
        assert self.stage.terrain is not None
        tile = _round_number(self.stage.size / 3)
        if isinstance(self.stage.terrain, Ground):
            return _plane(camera, self.stage.terrain, tile, target)
        patches, colors = _patches(self.stage.terrain, tile, target)
        triangles = patches[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 3)
        pixels, depth = camera.project(triangles)
        seen = (depth > camera.near).all(axis=1)
        front, behind = visible(pixels[seen], 1.0 / depth[seen], self.width, self.height)
        # where there is no triangle, the last color is seen
        colors = np.concatenate([np.repeat(colors, 2, axis=0)[seen], [SKY]])
        picture = np.ascontiguousarray(averaged(front, colors)[..., :3])
        return picture, behind * np.float32(1.0 - COPLANAR)

    def _lay_shadow(self, picture: Pixels, camera: Camera, behind: Pixels, corners: Array) -> None:
        """Darken the ground where bodies are straight above it."""
        flat = corners[..., :2]
        flat = flat[(np.abs(flat - camera.eye[:2]) < SHADOWS * self.distance).all(axis=(1, 2))]
        if not len(flat):
            return
        low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
        # finer than the picture where the camera looks
        pitch = max(0.7 * self.distance / camera.scale, float((high - low).max()) / 2000)
        low = low - 2 * pitch
        width, height = np.ceil((high - low) / pitch).astype(int) + 2
        shares = covered((flat - low) / pitch, width, height)
        # the first of a pixel's samples stands for the pixel
        rows, columns = self._window(camera, low, low + pitch * np.array([width, height]))
        near = behind[::SAMPLES, ::SAMPLES][rows, columns]
        ways = camera.ways(rows, columns, 0.5 / SAMPLES)
        x, y = (
            ways[i] / np.maximum(np.float32(pitch) * near, np.float32(1e-12))
            + np.float32((camera.eye[i] - low[i]) / pitch - 0.5)
            for i in range(2)
        )
        lit = (near > 0.0) & (x >= 0) & (y >= 0) & (x < width - 1) & (y < height - 1)
        share = _between(shares, x[lit], y[lit])[:, None]
        part = picture[::-1][rows, columns]
        part[lit] += share * (SHADOW - part[lit])

    def _window(self, camera: Camera, low: Array, high: Array) -> tuple[slice, slice]:
        """Return rows from the bottom and columns of pixels that see a part of a plane."""
        rows, columns = slice(0, self.height), slice(0, self.width)
        if not isinstance(self.stage.terrain, Ground):
            return rows, columns
        x, y = np.array([[low[0], high[0], high[0], low[0]], [low[1], low[1], high[1], high[1]]])
        pixels, depth = camera.project(np.stack([x, y, self.stage.terrain.height(x, y)], axis=-1))
        if (depth <= camera.near).any():
            return rows, columns
        left, bottom = np.maximum(np.floor(pixels.min(axis=0)), 0).astype(int)
        right, top = np.maximum(np.ceil(pixels.max(axis=0)), 0).astype(int)
        return slice(bottom, min(top, self.height)), slice(left, min(right, self.width))

    # --- what is drawn over it --------------------------------------------------------------

    def _lay_flat(self, picture: Pixels, triangles: Array, colors: Array) -> None:
        """Lay triangles (n, 3, 2) [px] over a picture, the last in front."""
        depth = np.linspace(2.0, 1.0, len(triangles))[:, None] * np.ones(3)
        self._paint(picture, triangles, depth, colors)

    def _lay_arrows(
        self, picture: Pixels, camera: Camera, k: int
    ) -> list[tuple[float, float, str, str, Color]]:
        """Draw forces over everything, and return the words for what they are."""
        arrows = self.stage.arrows(k)
        ends = np.stack([arrows.points, arrows.points + arrows.vectors], axis=1)
        pixels, depth = camera.project(ends)
        seen = (depth > camera.near).all(axis=1) & np.isfinite(pixels).all(axis=(1, 2))
        states = [arrows.states[k] for k in np.flatnonzero(seen)]
        if states:
            colors = np.array([ARROW_COLORS[state] for state in states])
            self._lay_flat(picture, _arrows(pixels[seen]), np.repeat(colors, 3, axis=0))
        return [
            (0.98, 0.96 - 0.05 * place, state, "right", ARROW_COLORS[state])
            for place, state in enumerate(sorted(set(arrows.states)))
        ]


def _lay_over(picture: Pixels, layer: Pixels) -> None:
    """Lay a layer (height, width, 4), covered in the last, over a picture, in place."""
    picture += layer[..., 3:] * (layer[..., :3] - picture)


def _arrows(pixels: Array) -> Array:
    """Return triangles (3 n, 3, 2) of arrows with tails and tips (n, 2, 2) [px]."""
    tail, tip = pixels[:, 0], pixels[:, 1]
    length = np.linalg.norm(tip - tail, axis=1, keepdims=True)
    along = (tip - tail) / np.maximum(length, 1e-9)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    # the head of a short arrow is smaller
    size = np.minimum(1.0, length / HEAD)
    neck = tip - size * HEAD * along
    side, barb = SHAFT / 2 * np.minimum(1.0, 2 * size) * across, size * BARB * across
    corners = [
        *(tail - side, tail + side, neck + side),
        *(tail - side, neck + side, neck - side),
        *(neck - barb, neck + barb, tip),
    ]
    return np.stack(corners, axis=1).reshape(-1, 3, 2)


def _title(stage: Stage, k: int, look: Look | None) -> str:
    """Return the words over a picture: the model, the time, and the smallest distance."""
    words = f"{stage.model.name}   t = {stage.times[k]:.2f} s"
    if look is None or not look.pair:
        return words
    return f"{words}   {1e3 * look.gap:.0f} mm between {look.pair}"


class _Words:
    """Writes on pictures, with pillow and the font that comes with matplotlib."""

    def __init__(self) -> None:
        try:
            self._image, self._draw, font = map(
                importlib.import_module, ("PIL.Image", "PIL.ImageDraw", "PIL.ImageFont")
            )
        except ModuleNotFoundError:
            message = "pictures need pillow: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name="PIL") from None
        # the package is not imported: it takes longer than a picture
        package = importlib.util.find_spec("matplotlib")
        if package is None or package.origin is None:
            message = "pictures need the font of matplotlib: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name="matplotlib")
        self._font: Any = font.truetype(str(Path(package.origin).parent / FONT), LETTERS)

    def written(
        self, picture: NDArray[np.uint8], words: Sequence[tuple[float, float, str, str, Color]]
    ) -> NDArray[np.uint8]:
        """Return a picture with words at x, y in shares of it, left or right of there."""
        height, width, _ = picture.shape
        image = self._image.fromarray(picture)
        draw = self._draw.Draw(image)
        for x, y, text, side, color in words:
            at, fill = (x * width, (1.0 - y) * height), tuple(round(255 * part) for part in color)
            draw.text(at, text, fill=fill, font=self._font, anchor="la" if side == "left" else "ra")
        return np.array(image)


def _joined(surfaces: Sequence[Surface], lines: int) -> tuple[NDArray[np.int64], Array]:
    """Return triangles (n, 3) of all surfaces, then of lines, and their colors (n, 3)."""
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


# The ground: tiles around a place, that fade into the distance.


def _plane(camera: Camera, ground: Ground, tile: float, target: Array) -> tuple[Pixels, Pixels]:
    """Return a picture of a plane, and how near it is at samples.

    The inverse of its depth is linear in the picture, and a ray gives the place under each pixel.
    """
    normal, offset = ground.numbers[:3], ground.numbers[3]
    away = float(offset - normal @ camera.eye)
    away = away if abs(away) > 1e-9 * camera.distance else 1e-9 * camera.distance
    slopes = camera.axes @ normal / away
    everything = slice(0, camera.height), slice(0, camera.width)
    across, up = camera.places(*everything, SAMPLES, 0.5 / SAMPLES)
    near = (1.0 - COPLANAR) * slopes
    behind = _outer(near[0] * across, near[1] * up + near[2])
    picture = np.tile(SKY, (camera.height, camera.width, 1))
    across, up = camera.places(*everything)
    rise = slopes[1] * up + slopes[2]
    rows = slice(*_range(rise + np.abs(slopes[0] * across).max() > 0.0))
    depth = _outer(slopes[0] * across, rise[rows])
    np.maximum(depth, np.float32(1e-4 / camera.distance), out=depth)
    np.divide(np.float32(1.0), depth, out=depth)
    column = camera.width // 2
    shown, dark = np.zeros(depth.shape, np.float32), np.full(depth.shape, -0.5, np.float32)
    for i, way in enumerate(camera.ways(rows, everything[1])[:2]):
        way *= depth
        # how far neighboring pixels are apart on the ground, for all of a row
        steps = camera.axes[:2, i] - way[:, [column]] * slopes[:2]
        blur = np.abs(steps).sum(axis=1) * depth[:, column] / (camera.scale * tile)
        sharpness = (2.0 / np.maximum(blur, 1e-6)).astype(np.float32)[:, None]
        shown += (way + np.float32(camera.eye[i] - target[i])) ** 2
        # the distance from the edge of a tile, by which its color goes over into the next
        way *= np.float32(1.0 / tile)
        way += np.float32(camera.eye[i] / tile % 2.0 + 0.5)
        way -= 2.0 * np.floor(np.float32(0.5) * way) + np.float32(1.0)
        np.abs(way, out=way)
        np.subtract(np.float32(0.5), way, out=way)
        way *= sharpness
        dark *= np.clip(way, -1.0, 1.0, out=way)
    dark += np.float32(0.5)
    np.sqrt(shown, out=shown)
    shown *= np.float32(-1.4 / (tile * TILES))
    shown += np.float32(1.3)
    np.clip(shown, 0.0, 1.0, out=shown)
    level = float(np.clip(0.5 + 0.5 * normal @ LIGHT / LIGHT[2], 0.0, 1.1))
    light_tile, dark_tile = (np.minimum(level * color, 1.0) for color in (LIGHT_TILE, DARK_TILE))
    part = picture[::-1][rows]
    for k in range(3):
        part[..., k] += shown * (light_tile[k] - SKY[k] + dark * (dark_tile[k] - light_tile[k]))
    return picture, behind


def _patches(terrain: Terrain, tile: float, target: Array) -> tuple[Array, Array]:
    """Return corners (n, 4, 3) of pieces of tiles around a target, and their colors (n, 3)."""
    middle = PARTS * np.round(target[:2] / tile).astype(int)
    lines = np.arange(-PARTS * TILES, PARTS * TILES + 1)
    i, j = np.meshgrid(middle[0] + lines, middle[1] + lines, indexing="ij")
    x, y = tile * i / PARTS, tile * j / PARTS
    points = np.stack([x, y, terrain.height(x, y)], axis=-1)
    patches = np.stack(
        [points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2
    ).reshape(-1, 4, 3)
    dark = ((i // PARTS + j // PARTS) % 2)[:-1, :-1].reshape(-1, 1) == 1
    away = np.linalg.norm(patches.mean(axis=1)[:, :2] - target[:2], axis=1) / (tile * TILES)
    fade = np.clip(1.4 * away - 0.3, 0.0, 1.0)[:, None]
    normals = np.cross(patches[:, 2] - patches[:, 0], patches[:, 3] - patches[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    # level ground keeps its color
    light = np.clip(0.5 + 0.5 * normals @ LIGHT / LIGHT[2], 0.0, 1.1)[:, None]
    colors = (1 - fade) * light * np.where(dark, DARK_TILE, LIGHT_TILE) + fade * SKY
    seen = (away < 1.0) & np.isfinite(patches).all(axis=(1, 2))
    return patches[seen], np.clip(colors[seen], 0.0, 1.0)


def _outer(row: Array, column: Array) -> Pixels:
    """Return the sums (n, m) of the numbers of a row (m,) and of a column (n,)."""
    return np.add(row.astype(np.float32), column.astype(np.float32)[:, None])


def _range(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first place at which a mask is true, and the one after the last."""
    places = np.flatnonzero(mask)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)


def _between(values: Pixels, x: Pixels, y: Pixels) -> Pixels:
    """Return values (height, width) between their places, at x and y from 0 on."""
    i, j = y.astype(np.int32), x.astype(np.int32)
    up, right = y - i, x - j
    width = values.shape[1]
    first, flat = width * i + j, values.ravel()
    a, b, c, d = (flat.take(first + offset) for offset in (0, 1, width, width + 1))
    below, above = a + right * (b - a), c + right * (d - c)
    return np.asarray(below + up * (above - below))


# A camera: from points in the world to places in a picture.


OPENING = 0.62
"""Height of the picture at distance 1 from the camera."""


class Camera:
    """A camera that looks at a target (3,) from a direction, z up."""

    def __init__(
        self,
        target: Array,
        distance: float,
        azimuth: float,
        elevation: float,
        width: int,
        height: int,
    ) -> None:
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
        self.distance, self.near = distance, 0.05 * distance
        self.width, self.height = width, height
        self.scale = height / OPENING
        """Pixels that something as large as its distance has."""

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return pixels (…, 2) from the lower left and depths (…) of points (…, 3)."""
        seen = (points - self.eye) @ self.axes.T
        depth = seen[..., 2]
        middle = np.array([self.width, self.height]) / 2
        return self.scale * seen[..., :2] / np.maximum(depth, self.near)[..., None] + middle, depth

    def places(
        self, rows: slice, columns: slice, samples: int = 1, inset: float = 0.5
    ) -> tuple[Array, Array]:
        """Return how far pixels' samples are right of and above the middle, at depth 1.

        Rows and columns are from the lower left. Each side of a pixel has `samples`; the first is
        `inset` from the pixel's edge.
        """
        sides = []
        for part, size in ((columns, self.width), (rows, self.height)):
            numbers = np.arange(samples * part.start, samples * part.stop)
            sides.append((numbers / samples + inset - size / 2) / self.scale)
        return sides[0], sides[1]

    def ways(self, rows: slice, columns: slice, inset: float = 0.5) -> list[Pixels]:
        """Return x, y and z (rows, columns) from the eye to depth 1 behind pixels."""
        across, up = self.places(rows, columns, 1, inset)
        right, above, ahead = self.axes
        return [_outer(right[i] * across, above[i] * up + ahead[i]) for i in range(3)]

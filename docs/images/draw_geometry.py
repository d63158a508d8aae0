"""Draw geometry.png: `python docs/images/draw_geometry.py`.

A quadruped on stairs with the places that can touch, the corners that stand for a mesh, and the
four kinds of ground.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import tarsus as ts
from tarsus.geometry import (
    Collision,
    Ground,
    HeightField,
    Profile,
    Steps,
    Terrain,
    height_over_ground,
    stand,
)
from tarsus.geometry.meshes import mesh_corners
from tarsus.view.triangle_meshes import surfaces

INK, SKIN, EARTH, POINT, RIM = "#222b33", "#7fa8c9", "#d9d2c5", "#c8641e", "#1f5f8b"
ROOT = Path(__file__).parents[2]


def patch(axes: Any, vertices: Any, triangles: Any, color: str, alpha: float = 1.0) -> None:
    """Draw triangles with a little shade."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    good = np.linalg.norm(normals, axis=1) > 0
    axes.add_collection3d(
        Poly3DCollection(
            corners[good],
            facecolors=color,
            edgecolors=color,
            linewidths=0.3 if alpha == 1.0 else 0.0,
            alpha=alpha,
            shade=True,
            clip_on=False,
            lightsource=LightSource(250, 50),
        )
    )


def circle(center: NDArray[np.float64], axis: NDArray[np.float64], radius: float) -> Any:
    """Return points around a circle."""
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    angle = np.linspace(0, 2 * np.pi, 40)[:, None]
    return center + radius * (np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))


def frame(axes: Any, low: Any, high: Any, view: tuple[float, float], zoom: float) -> None:
    """Show the box from low to high in equal scales, without axes."""
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(np.subtract(high, low), zoom=zoom)
    axes.view_init(*view)
    axes.set_axis_off()


def draw_robot(axes: Any) -> None:
    """Draw a quadruped that stands on stairs, and what of it can touch."""
    m = ts.load(ROOT / "examples" / "quadruped.urdf", base="free")
    stairs = Steps(rise=0.07, depth=0.26, count=3, start=-0.05)
    q = m.neutral()
    for joint in m.joints[1:]:
        q[joint.q_slice] = {"hip": 0.75, "knee": -1.4}.get(joint.name.split("_")[-1], 0.0)
    q[m.joint("root_joint").q_slice][3:] = [0, -np.sin(0.14), 0, np.cos(0.14)]
    q = stand(m, q, stairs)
    print(f"lowest point of the quadruped: {height_over_ground(m, q, stairs):.1e} m")
    patch(axes, *stairs.mesh((-0.5, -0.3), (0.65, 0.3)), EARTH)
    poses = m.forward_kinematics(q)
    for each in surfaces(m, "collision"):
        pose = poses[each.body]
        placed = each.vertices @ pose[:3, :3].T + pose[:3, 3]
        patch(axes, placed, each.triangles, SKIN, 0.35)
    arrays = Collision.from_model(m).arguments
    pose = poses[arrays["point_body"]]
    points = np.einsum("nij,nj->ni", pose[:, :3, :3], arrays["point_position"]) + pose[:, :3, 3]
    axes.scatter(*points.T, color=POINT, s=16, depthshade=False)
    rings = []
    for body, center, axis, radius in zip(
        *(arrays[f"ring_{key}"] for key in ("body", "position", "axis", "radius")), strict=True
    ):
        turn, place = poses[body][:3, :3], poses[body][:3, 3]
        rings.append(circle(turn @ center + place, turn @ axis, radius))
    axes.add_collection3d(Line3DCollection(rings, colors=RIM, lw=1.8))
    frame(axes, (-0.5, -0.3, 0.0), (0.65, 0.3, 0.55), (18, -112), 1.2)
    axes.set_title("points and rims on the outlines of the bodies", color=INK, fontsize=10, y=1.0)


def draw_mesh(axes: Any) -> None:
    """Draw the hull of a torso, and the corners that stand for it."""
    file = next(
        str(file.locate())
        for file in metadata.files("example-robot-data") or ()
        if file.name == "talos_reduced.urdf"
    )
    m = ts.load(file, base="free")
    shape = next(s for s in m.shapes if s.role == "collision" and s.body == "torso_2_link")
    corners = mesh_corners(shape) @ shape.placement[:3, :3].T + shape.placement[:3, 3]
    found = Collision.from_model(m).arguments
    kept = found["point_position"][found["point_body"] == m.body("torso_2_link").index]
    axes.plot_trisurf(
        *corners.T, triangles=ConvexHull(corners).simplices, color=SKIN, alpha=0.25, lw=0
    )
    few = ConvexHull(kept)
    axes.add_collection3d(
        Line3DCollection([kept[[*t, t[0]]] for t in few.simplices], colors=RIM, lw=0.7, alpha=0.7)
    )
    axes.scatter(*corners.T, color=INK, s=1.5, alpha=0.5)
    axes.scatter(*kept.T, color=POINT, s=18, depthshade=False)
    frame(axes, corners.min(axis=0), corners.max(axis=0), (18, 35), 1.05)
    title = f"{len(kept)} of {len(corners)} corners of a hull"
    axes.set_title(title, color=INK, fontsize=10, y=1.0)


def draw_ground(axes: Any, ground: Terrain, name: str) -> None:
    """Draw a piece of a ground."""
    low, high = (-1.0, -0.6), (1.0, 0.6)
    patch(axes, *ground.mesh(low, high), EARTH)
    frame(axes, (*low, -0.35), (*high, 0.35), (28, -122), 1.15)
    axes.set_title(name, color=INK, fontsize=9, family="monospace", y=0.93)


def main() -> None:
    """Draw all parts."""
    figure = plt.figure(figsize=(11, 6.2), dpi=130)
    grid = figure.add_gridspec(
        2, 4, height_ratios=(2.1, 1), left=0, right=1, bottom=0, top=0.95, wspace=0, hspace=0.02
    )
    draw_robot(figure.add_subplot(grid[0, :2], projection="3d", computed_zorder=False))
    draw_mesh(figure.add_subplot(grid[0, 2:], projection="3d", computed_zorder=False))
    grounds = {
        "Ground(slope=-0.25)": Ground(slope=-0.25),
        "Profile(points)": Profile([[-0.6, 0], [-0.3, 0.15], [0.1, -0.1], [0.1, 0.2], [0.6, 0.1]]),
        "Steps(rise=0.1)": Steps(rise=0.1, depth=0.35, count=4, start=-0.6),
        "HeightField(heights, 0.1)": HeightField.from_function(
            lambda x, y: 0.12 * np.sin(4 * x) * np.cos(5 * y), (-1, -1), (1, 1), 0.05
        ),
    }
    for column, (name, ground) in enumerate(grounds.items()):
        draw_ground(
            figure.add_subplot(grid[1, column], projection="3d", computed_zorder=False),
            ground,
            name,
        )
    figure.savefig(Path(__file__).with_name("geometry.png"))


if __name__ == "__main__":
    main()

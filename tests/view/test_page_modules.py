"""Modules of the pages against NumPy and SciPy: rays, normals, poses, the camera, closed solids."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation, Slerp

from tarsus._lib.files import Array
from tarsus.view.frame_sequence import ARROW_COLORS
from tarsus.view.page import bundle
from tarsus.view.triangle_meshes import PALETTE

CANVAS = "<canvas style='width: 400px; height: 300px'></canvas>"


@pytest.fixture(scope="module")
def page(chromium: Any) -> Any:
    """A page that has all modules, each under its name with a line before it."""
    opened = chromium.new_page()
    opened.set_content(CANVAS)
    opened.add_script_tag(content=bundle("viewer.js").split("const _viewer =")[0])
    return opened


def ask(page: Any, expression: str, **values: Any) -> Any:
    """Return what JavaScript makes of some values, as NumPy knows it."""
    names = ", ".join(values)
    given = {name: np.asarray(x).tolist() for name, x in values.items()}
    return page.evaluate(f"({{{names}}}) => {expression}", given)


def random_pose(rng: np.random.Generator) -> tuple[Array, Array]:
    """Return a rotation and a pose of three rows."""
    turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
    return turn, np.column_stack([turn, rng.normal(size=3)])


def nearest_hit(corners: Array, start: Array, way: Array) -> float:
    """Return the distance to the nearest triangle (n, 3, 3), by linear systems, or infinity."""
    best = np.inf
    for a, b, c in corners:
        try:
            t, u, v = np.linalg.solve(np.column_stack([-way, b - a, c - a]), start - a)
        except np.linalg.LinAlgError:
            continue
        if t > 0.0 and u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            best = min(best, t)
    return best


def test_rays_hit_what_linear_systems_say(page: Any) -> None:
    rng = np.random.default_rng(3)
    points = np.float32(rng.normal(size=(3, 12, 3)))
    faces = [ConvexHull(each).simplices for each in points]
    _, poses = zip(*(random_pose(rng) for _ in points), strict=True)
    placed = [p @ pose[:, :3].T + pose[:, 3] for p, pose in zip(points, poses, strict=True)]
    corners = np.concatenate([p[f] for p, f in zip(placed, faces, strict=True)])
    body = np.repeat(np.arange(3), [len(f) for f in faces])
    hits = 0
    for _ in range(60):
        start, aim = 8 * rng.normal(size=3), placed[rng.integers(3)].mean(axis=0)
        way = aim + rng.normal(size=3) - start
        way /= np.linalg.norm(way)
        distances = [nearest_hit(corners[body == k], start, way) for k in range(3)]
        found = page.evaluate(
            """([points, faces, poses, from, way]) =>
            _picking.pick({from, way}, points.map((p, k) =>
            ({body: k, mesh: _meshes.meshOf(p, faces[k]), pose: poses[k].flat()})))""",
            [
                *([x.tolist() for x in group] for group in (points, faces, poses)),
                *map(list, (start, way)),
            ],
        )
        if not np.isfinite(min(distances)):
            assert found is None
            continue
        hits += 1
        assert found["body"] == int(np.argmin(distances))
        assert found["distance"] == pytest.approx(min(distances), rel=1e-5)
        assert found["point"] == pytest.approx(start + min(distances) * way, abs=1e-4)
        pose = poses[found["body"]]
        assert pose[:, :3] @ found["local"] + pose[:, 3] == pytest.approx(found["point"], abs=1e-5)
        assert np.dot(found["normal"], way) <= 0.0
    print(f"{hits} of 60 rays hit")
    assert hits > 20


def test_normals_are_smooth_on_balls_and_sharp_on_boxes(page: Any) -> None:
    def normals(solid: str) -> tuple[Array, Array]:
        found = page.evaluate(f"(m => [[...m.points], [...m.normals]])({solid})")
        points, directions = (np.array(x).reshape(-1, 3) for x in found)
        return points, directions

    points, found = normals("_solids.ball(2)")
    assert np.abs(found - points / 2).max() < 0.09
    _, found = normals("_solids.box([1, 2, 3])")
    assert np.sort(np.abs(found), axis=1) == pytest.approx(np.tile([0, 0, 1], (36, 1)))


SOLIDS = {
    "_solids.ball(1)": 4 / 3 * np.pi,
    "_solids.cylinder(1, -1, 2)": 3 * np.pi,
    "_solids.cone(1, 0, 3)": np.pi,
    "_solids.pipe(2, 1, 0, 1)": 3 * np.pi,
    "_solids.box([1, 2, 3])": 48.0,
    "_solids.tube([[0, 0, 0], [0, 0, 5]], 1, 28)": 5 * np.pi,
    "_solids.plate(Array(64).fill(2), 1, 0, 1)": 3 * np.pi,
    "_solids.gearWheel(20, 0.3)": None,
}


@pytest.mark.parametrize("solid", SOLIDS)
def test_solids_are_closed_and_turned_outwards(page: Any, solid: str) -> None:
    """Each edge belongs to two faces, once in each direction; the volume is that of the books."""
    corners = np.array(page.evaluate(f"[...{solid}.points]")).reshape(-1, 3, 3)
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    _, names = np.unique(np.round(corners.reshape(-1, 3), 5), axis=0, return_inverse=True)
    faces = names.reshape(-1, 3)
    edges = np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)])
    there, back = (sorted(map(tuple, each.tolist())) for each in (edges, edges[:, ::-1]))
    assert there == back
    assert volume > 0.0
    known = SOLIDS[solid]
    if known is not None:
        assert volume == pytest.approx(known, rel=0.03)


def test_poses_and_quaternions(page: Any) -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        (turn, a), (_, b) = random_pose(rng), random_pose(rng)
        x = rng.normal(size=3)
        q = np.array(ask(page, "_vectors.quaternionOfPose(a.flat())", a=a))
        wanted = Rotation.from_matrix(turn).as_quat()[[3, 0, 1, 2]]
        assert np.abs(q @ wanted) == pytest.approx(1.0)
        assert ask(page, "_vectors.applyPose(a.flat(), x)", a=a, x=x) == pytest.approx(
            turn @ x + a[:, 3]
        )
        assert ask(
            page, "_vectors.undoPose(a.flat(), _vectors.applyPose(a.flat(), x))", a=a, x=x
        ) == pytest.approx(x)
        product = ask(page, "[..._vectors.composePoses(a.flat(), b.flat())]", a=a, b=b)
        four = [np.vstack([p, [0, 0, 0, 1]]) for p in (a, b)]
        assert np.reshape(product, (3, 4)) == pytest.approx((four[0] @ four[1])[:3], abs=1e-6)
        middle = np.reshape(
            ask(page, "[..._vectors.poseBetween(a.flat(), b.flat(), 0.5)]", a=a, b=b), (3, 4)
        )
        way = Slerp([0, 1], Rotation.from_matrix([a[:, :3], b[:, :3]]))
        assert middle[:, :3] == pytest.approx(way(0.5).as_matrix(), abs=1e-5)
        assert middle[:, 3] == pytest.approx((a[:, 3] + b[:, 3]) / 2, abs=1e-6)


def test_the_camera_sees_as_a_pinhole_and_frames_all(page: Any) -> None:
    """Places on the canvas are those of a pinhole; all corners of a framed box are on it."""
    rng = np.random.default_rng(7)
    make = "window.eye ??= new _camera.Camera(document.querySelector('canvas'))"
    page.evaluate(make)
    for inset in (
        {"left": 0, "right": 0, "top": 0, "bottom": 0},
        {"left": 0, "right": 120, "top": 40, "bottom": 90},
    ):
        for _ in range(20):
            low = rng.normal(size=3)
            high = low + rng.uniform(0.1, 3.0, 3)
            azimuth, elevation = rng.uniform(-3, 3), rng.uniform(-0.4, 1.5)
            seen = page.evaluate(
                """([low, high, azimuth, elevation, inset]) => { Object.assign(eye.inset, inset)
                Object.assign(eye.goal, {azimuth, elevation}); eye.frame({low, high}); eye.jump()
                const at = k => [0, 1, 2].map(i => (k >> i) & 1 ? high[i] : low[i])
                const places = [0, 1, 2, 3, 4, 5, 6, 7].map(k => eye.place(at(k)))
                return [eye.now.target, eye.now.distance, ...places] }""",
                [low.tolist(), high.tolist(), azimuth, elevation, inset],
            )
            target, distance, places = np.array(seen[0]), seen[1], np.array(seen[2:])
            width, height = 400 - inset["right"], 300 - inset["top"] - inset["bottom"]
            assert (places >= [0, inset["top"]]).all()
            assert (places <= [width, inset["top"] + height]).all()
            back = np.array(
                [
                    np.cos(elevation) * np.cos(azimuth),
                    np.cos(elevation) * np.sin(azimuth),
                    np.sin(elevation),
                ]
            )
            right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
            axes = np.stack([right, np.cross(back, right), back])
            corners = np.array(
                [[(high if k >> i & 1 else low)[i] for i in range(3)] for k in range(8)]
            )
            local = (corners - target) @ axes.T - [0, 0, distance]
            wanted = local[:, :2] / -local[:, 2:] * 2.5 * 150 * [1, -1]
            wanted += [width / 2, inset["top"] + height / 2]
            assert places == pytest.approx(wanted, abs=0.01)
            # neither is the machine lost in the picture
            assert np.ptp(places, axis=0).max() > 0.35 * min(width, height)


def test_python_and_pages_have_the_same_colours_and_states(page: Any) -> None:
    assert page.evaluate("_materials.PALETTE") == pytest.approx(np.array(PALETTE), abs=0.005)
    assert page.evaluate("Object.keys(_materials.STATES)") == list(ARROW_COLORS)
    for name, color in ARROW_COLORS.items():
        shown = page.evaluate(f"_materials.STATES[{json.dumps(name)}].color")
        assert shown == pytest.approx(np.array(color), abs=0.005)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0.1, "lines 1 cm and 0.1 m apart"),
        (0.5, "lines 0.1 m and 1 m apart"),
        (1.8, "lines 0.1 m and 1 m apart"),
        (12.0, "lines 1 m and 10 m apart"),
    ],
)
def test_the_net_on_the_ground_says_its_scale(page: Any, size: float, words: str) -> None:
    assert page.evaluate(f"_ground.scaleWords({size})") == words


def test_a_plane_is_picked_where_it_is_seen(page: Any) -> None:
    normal = np.array([np.sin(0.2), 0.0, np.cos(0.2)])
    found = page.evaluate(
        """normal => { const scene = new _scene.Scene(document.querySelector("canvas"))
        scene.setMachine({bodies: [], ground: {height: 0.3, normal}, size: 1})
        scene.frame({jump: true}); scene.render(16)
        const hits = [[200, 200], [120, 250]].map(([x, y]) => [scene.pick(x, y), [x, y]])
        const seen = hits.map(([hit, at]) => [hit.body, hit.point, scene.place(hit.point), at])
        const sky = scene.pick(200, 2)
        scene.close(); return [seen, sky] }""",
        normal.tolist(),
    )
    for body, point, place, at in found[0]:
        assert body == -1 and place == pytest.approx(at, abs=0.01)
        assert normal @ (np.array(point) - [0.0, 0.0, 0.3]) == pytest.approx(0.0, abs=1e-6)
    assert found[1] is None


def test_every_icon_and_arrow_can_be_drawn_and_wrong_ones_are_told(page: Any) -> None:
    complaint = page.evaluate(
        """() => { const canvas = document.querySelector("canvas"), scene = new _scene.Scene(canvas)
        const [from, vector] = [[0, 0, 0], [0, 0, 1]]
        scene.setIcons(_icons3d.KINDS.map((kind, k) =>
          ({kind, body: -1, size: 0.2, from: [k, 0, 0], to: [k, 0, 1], rest: 2})))
        const states = ["open", "stick", "slip", "impact", undefined]
        scene.setArrows([...Object.keys(_materials.VECTORS), "cone"].flatMap(kind =>
          states.map(state => ({kind, state, from, vector}))))
        scene.setLines([{points: [[0, 0, 0], [1, 1, 1]], color: [1, 0, 0], dash: 4}])
        scene.select(0); scene.frame({jump: true})
        if (!scene.render(16)) return "nothing was drawn"
        const code = scene.renderer.gl.getError()
        if (code) return `WebGL error ${code}`
        for (const [act, word] of [
          [() => scene.setIcons([{kind: "hook"}]), "hinge, slider"],
          [() => scene.setArrows([{kind: "wish", from, vector}]), "force, torque"],
          [() => scene.setArrows([{state: "glued", from, vector}]), "open, stick"],
          [() => scene.setTheme("pink"), "light, dark"],
          [() => scene.setPoses([1, 2]), "must have 12"],
        ]) {
          try { act() } catch (error) {
            if (error.message.includes(word)) continue
            return error.message
          }
          return `${act} was accepted`
        }
        scene.close()
        return "" }"""
    )
    assert complaint == ""

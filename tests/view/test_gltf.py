"""Runs as .glb files, read back by hand and by trimesh, and compared with the poses of bodies."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from made_up_runs import hopper, made_up_run
from scipy.spatial.transform import Rotation, Slerp

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.view.films import animate

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


class Glb:
    """A file as its format says, with nothing of the writer's."""

    def __init__(self, file: Path) -> None:
        data = file.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        assert size % 4 == 0
        self.document: dict[str, Any] = json.loads(data[20 : 20 + size])
        rest = data[20 + size :]
        count, kind = struct.unpack_from("<I4s", rest)
        assert kind == b"BIN\0"
        assert count == len(rest) - 8 == self.document["buffers"][0]["byteLength"]
        self.binary = rest[8:]

    def numbers(self, index: int) -> Array:
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        width, kind = WIDTHS[accessor["type"]], {5126: "<f4", 5125: "<u4"}
        found = np.frombuffer(
            self.binary,
            kind[accessor["componentType"]],
            accessor["count"] * width,
            view["byteOffset"],
        ).reshape(-1, width)
        assert found.nbytes == view["byteLength"]
        if "min" in accessor:
            np.testing.assert_array_equal(found.min(axis=0), accessor["min"])
            np.testing.assert_array_equal(found.max(axis=0), accessor["max"])
        return found

    def motion(self, name: str) -> tuple[Array, Array, Array]:
        """Return times, translations and quaternions of a node."""
        numbers = {node["name"]: k for k, node in enumerate(self.document["nodes"])}
        (animation,) = self.document["animations"]
        found = {}
        for channel in animation["channels"]:
            if channel["target"]["node"] == numbers[name]:
                sampler = animation["samplers"][channel["sampler"]]
                assert sampler["interpolation"] == "LINEAR"
                times = self.numbers(sampler["input"])[:, 0]
                found[channel["target"]["path"]] = self.numbers(sampler["output"])
        return times, found["translation"], found["rotation"]


def spinning() -> ts.Trajectory:
    """A top that turns more than ten times, in steps that are not the pictures'."""
    b = ts.Builder("top <&>")
    b.body("rotor", mass=1.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.02))
    b.joint("point", "spherical", "world", "rotor", position=(0, 0, 0.5))
    b.body("arm", mass=0.1, inertia=(1e-3, 1e-3, 1e-3))
    b.joint("hinge", "revolute", "rotor", "arm", position=(0.1, 0, 0), axis="x")
    b.shape("rotor", "cylinder", (0.1, 0.02), color=(0.9, 0.1, 0.1, 1.0))
    b.shape("arm", "box", (0.1, 0.02, 0.02))
    model = b.build()
    return ts.Simulation(model, dt=3e-3).run(v0=[3.0, 0, 40.0, 5.0], duration=2.0)


def test_bodies_move_as_they_did(tmp_path: Path) -> None:
    run = spinning()
    animate(run, tmp_path / "top.glb", fps=60)
    glb = Glb(tmp_path / "top.glb")
    poses = run.model.forward_kinematics(run.q)
    for index, name in enumerate(run.model.body_names):
        times, places, turns = glb.motion(name)
        assert (np.diff(times) > 0).all()
        assert times[0] == 0.0
        assert times[-1] == pytest.approx(run.t[-1])
        samples = np.searchsorted(run.t, times - 1e-5)
        np.testing.assert_allclose(places, poses[samples, index, :3, 3], atol=1e-6)
        found = Rotation.from_quat(turns).as_matrix()
        np.testing.assert_allclose(found, poses[samples, index, :3, :3], atol=1e-6)
        assert (np.einsum("ti,ti->t", turns[1:], turns[:-1]) > 0.0).all()
        # between keys a player turns by the shortest way
        between = Slerp(times, Rotation.from_quat(turns))(run.t[1:-1])
        angle = (between.inv() * Rotation.from_matrix(poses[1:-1, index, :3, :3])).magnitude()
        assert angle.max() < 0.05  # keys are 0.7 rad apart


def test_slow_motion_has_later_keys(tmp_path: Path) -> None:
    animate(made_up_run(), tmp_path / "run.glb", fps=20, speed=0.5)
    times, _, _ = Glb(tmp_path / "run.glb").motion("trunk")
    assert times[-1] == pytest.approx(2.0)


def test_more_pictures_than_samples_are_keys_once(tmp_path: Path) -> None:
    animate(made_up_run(samples=11), tmp_path / "run.glb", fps=100)
    times, _, _ = Glb(tmp_path / "run.glb").motion("trunk")
    np.testing.assert_allclose(times, np.linspace(0, 1, 11), atol=1e-6)


def test_trimesh_sees_the_first_picture_with_y_up(tmp_path: Path) -> None:
    run = made_up_run()
    animate(run, tmp_path / "run.glb")
    scene = trimesh.load_scene(tmp_path / "run.glb")
    names = {name: scene.graph.get(name)[0] for name in ("trunk", "shin", "ground")}
    poses = run.model.forward_kinematics(run.q[0])
    for index, name in enumerate(("trunk", "shin")):
        np.testing.assert_allclose(names[name][:3, 3], Z_TO_Y @ poses[index, :3, 3], atol=1e-6)
        np.testing.assert_allclose(names[name][:3, :3], Z_TO_Y @ poses[index, :3, :3], atol=1e-6)
    trunk = scene.geometry[scene.graph.get("trunk")[1]]
    np.testing.assert_allclose(np.ptp(trunk.vertices, axis=0), [0.3, 0.2, 0.1], atol=1e-6)
    assert trunk.is_watertight
    assert trunk.volume == pytest.approx(0.3 * 0.2 * 0.1)


def test_colours_are_light(tmp_path: Path) -> None:
    animate(spinning(), tmp_path / "top.glb")
    materials = Glb(tmp_path / "top.glb").document["materials"]
    red = materials[0]["pbrMetallicRoughness"]["baseColorFactor"]
    assert red == pytest.approx([0.787412, 0.0100228, 0.0100228, 1.0], rel=1e-4)


def test_a_model_that_stands_still_has_no_animation(tmp_path: Path) -> None:
    animate(hopper(), tmp_path / "still.glb")
    document = Glb(tmp_path / "still.glb").document
    assert "animations" not in document
    assert document["nodes"][1]["name"] == "trunk"
    assert not [key for key, value in document.items() if value == []]


def test_a_scene_has_no_camera(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a scene is turned as it plays: leave out azimuth"):
        animate(hopper(), tmp_path / "still.glb", azimuth=10)


@pytest.mark.parametrize("robot", ["solo12", "panda"])
def test_meshes_of_robots_are_whole(robot: str, tmp_path: Path) -> None:
    from tarsus.robots.load import example
    from tarsus.view.triangle_meshes import surfaces

    model = example(robot)
    animate(model, tmp_path / "robot.glb")
    glb = Glb(tmp_path / "robot.glb")
    counts = [
        glb.document["accessors"][part["indices"]]["count"] // 3
        for mesh in glb.document["meshes"]
        for part in mesh["primitives"]
    ]
    assert sum(counts) == sum(len(each.triangles) for each in surfaces(model))

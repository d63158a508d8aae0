"""The five SDF files of Cassie: a graph with loops, springs and gearboxes."""

from __future__ import annotations

from collections import Counter
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from poses import body_poses, gap, joint_of, transform
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.formats.sdf import read_sdf
from tarsus.ik import middle
from tarsus.model.description import Description

FILES = sorted(
    Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".sdf")
)
# loops and their kinds, springs, gearboxes
EXPECTED = {
    "cassie.sdf": ({"prismatic": 2, "revolute": 2, "spherical": 2}, 4, 10),
    "cassie_reduced.sdf": ({"spherical": 4}, 4, 0),
    "cassie_simple.sdf": ({"revolute": 2, "spherical": 2}, 4, 0),
    "cassie_v2.sdf": ({"spherical": 4}, 4, 0),
    "cassie_wo_gearbox_spring.sdf": ({"revolute": 2, "spherical": 2}, 4, 0),
}

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def numbers(element: ElementTree.Element | None) -> list[float]:
    assert element is not None and element.text is not None
    return [float(word) for word in element.text.split()]


def test_there_are_five_files() -> None:
    assert [file.name for file in FILES] == sorted(EXPECTED)


@each_file
def test_loops_springs_and_gearboxes(file: Path) -> None:
    description = read_sdf(file)
    kinds, springs, gears = EXPECTED[file.name]
    assert Counter(loop.kind for loop in description.loops) == kinds
    assert sum(joint.stiffness is not None for joint in description.joints) == springs
    assert len(description.couplings) == gears
    root = description.joints[0]
    assert root.child == "pelvis" and root.parent == "world"
    stated = ElementTree.parse(file).getroot().findall(".//joint")
    used = {joint.name for joint in description.joints} | {loop.name for loop in description.loops}
    gearboxes = {joint.get("name") for joint in stated if joint.get("type") == "gearbox"}
    assert {joint.get("name") for joint in stated} - gearboxes <= used


@each_file
def test_links_stand_and_weigh_as_stated(file: Path) -> None:
    description = read_sdf(file, base=None if "static" in file.read_text() else "fixed")
    poses = body_poses(description)
    masses = {body.name: body.mass for body in description.bodies}
    for link in ElementTree.parse(file).getroot().findall(".//link"):
        place = numbers(link.find("pose"))
        expected = transform(Rotation.from_euler("xyz", place[3:]).as_matrix(), place[:3])
        name = str(link.get("name"))
        np.testing.assert_allclose(poses[name], expected, atol=1e-12)
        assert masses.pop(name) == numbers(link.find("inertial/mass"))[0]
    assert not any(masses.values())


@each_file
def test_loops_are_closed_at_neutral(file: Path) -> None:
    description = read_sdf(file)
    poses = body_poses(description)
    gaps = [np.abs(gap(loop, poses) - np.eye(4)).max() for loop in description.loops]
    print(f"{file.name}: largest gap {max(gaps):.1e}")
    assert max(gaps) < 1e-14


@each_file
def test_meshes_are_found(file: Path) -> None:
    description = read_sdf(file)
    assert not any("mesh files" in warning for warning in description.warnings)
    files = [shape.file for shape in description.shapes if shape.kind == "mesh"]
    assert files and all(Path(str(path)).is_file() for path in files)


def cassie() -> Description:
    return read_sdf(next(file for file in FILES if file.name == "cassie.sdf"))


def test_springs_are_where_cassie_has_them() -> None:
    description = cassie()
    for side in ("left", "right"):
        assert joint_of(description, f"{side}-knee-shin-joint").stiffness == [1500]
        assert joint_of(description, f"{side}-tarsus-spring-joint").stiffness == [1250]


def test_rotors_turn_against_their_joints() -> None:
    ratios = {}
    for coupling in cassie().couplings:
        assert coupling.motor and coupling.matrix is not None
        (follower,), (leader,) = coupling.followers, coupling.leaders
        assert follower.replace("-ip", "-op") == leader
        ratios[leader.partition("-")[2]] = coupling.matrix.item()
    expected = {"roll": -25, "yaw": -25, "pitch": -16, "knee": -16, "foot": -50}
    assert ratios == {f"{name}-op": pytest.approx(ratio) for name, ratio in expected.items()}


@each_file
def test_models_run(file: Path) -> None:
    model = ts.load(file)
    q = model.neutral()
    v, tau = np.random.default_rng(5).normal(size=(2, model.nv))
    gaps = np.abs(model.loop_gaps(q)).max()
    back = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
    print(f"{file.name}: gap {gaps:.1e}, round trip {np.abs(back - tau).max():.1e}")
    assert gaps < 1e-10
    np.testing.assert_allclose(back, tau, atol=1e-9)


@each_file
def test_springs_store_energy(file: Path) -> None:
    model = ts.load(file)
    q = model.integrate(model.neutral(), np.full(model.nv, 1e-3))
    positions = model.joint_positions(q)
    stiffness = {"knee-shin": 1500.0, "tarsus-spring": 1250.0}
    expected = 0.0
    for side in ("left", "right"):
        for name, k in stiffness.items():
            joint = model.joint(f"{side}-{name}-joint")
            expected += 0.5 * k * positions[joint.position_slice].item() ** 2
    assert expected > 0
    np.testing.assert_allclose(model.elastic_energy(q), expected, rtol=1e-10)


def test_motors_turn_with_their_joints() -> None:
    model = ts.load(next(file for file in FILES if file.name == "cassie.sdf"))
    q = model.neutral()
    v = np.zeros(model.nv)
    v[model.joint("left-roll-op").v_slice] = 1.0
    turning = dict(zip(model.motors, model.motor_velocities(q, v), strict=True))
    assert len(turning) == 10
    assert turning.pop("left-roll-ip") == pytest.approx(-25)
    np.testing.assert_allclose(list(turning.values()), 0, atol=1e-12)


def test_motors_tell_the_configuration() -> None:
    """Through gears, and through the rods of knees and feet, on the branch of the start."""
    model = ts.load(next(file for file in FILES if file.name == "cassie.sdf"))
    rng, start = np.random.default_rng(0), middle(model)  # the linkages of feet are flat neutral
    moved = model.motor_matrix(start).any(axis=0)
    q = model.integrate(start, rng.uniform(-0.2, 0.2, (50, model.nv)) * moved)
    positions = model.motor_positions(q)
    found = model.from_motor_positions(positions, start)
    error = np.abs(model.motor_positions(found) - positions).max()
    there = np.abs(model.difference(found, q)).max()
    print(f"motors {error:.1e}, q {there:.1e}")
    assert error < 1e-12 and there < 1e-10


@each_file
def test_images_of_legs_have_images_of_coordinates(file: Path) -> None:
    """The parallelogram of a foot is nearly flat: rounding chose the crank left, the foot right."""
    model = ts.load(file)
    names = [each.independent for each in model.clusters if "loop" in each.kind]
    left, right = names[: len(names) // 2], names[len(names) // 2 :]
    image = [tuple(name.replace("left", "right") for name in each) for each in left]
    assert image == right


def test_coordinates_stay_on_another_root() -> None:
    model = ts.load(next(file for file in FILES if file.name == "cassie.sdf"), base="free")
    own = {name for each in model.clusters if "loop" in each.kind for name in each.independent}
    for side in ("left", "right"):
        rooted = model.rooted_at(f"{side}-foot", "spherical")
        loops = [each for each in rooted.clusters if "loop" in each.kind]
        assert {name for each in loops for name in each.independent} == own

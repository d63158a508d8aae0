"""Loops, couplings and rotors as elements of a URDF."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from poses import body_of, body_poses, gap, joint_of

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.formats.urdf import read_urdf
from tarsus.model.description import Coupling, Description, Loop

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"
TEXT = (DATA / "loops.urdf").read_text()


@pytest.fixture(scope="module")
def loops() -> Description:
    return read_urdf(DATA / "loops.urdf")


def test_a_loop_has_its_axis_along_z(loops: Description) -> None:
    (loop,) = loops.loops
    assert (loop.name, loop.kind, loop.body_a, loop.body_b) == (
        ("closure", "revolute", "rod", "rocker")
    )
    for placement, place in ((loop.placement_a, [2, 0, 0]), (loop.placement_b, [0, 0, 1])):
        np.testing.assert_allclose(placement[:3, 2], [0, 1, 0], atol=1e-15)
        np.testing.assert_array_equal(placement[:3, 3], place)
    np.testing.assert_allclose(gap(loop, body_poses(loops)), np.eye(4), atol=1e-15)
    turned = body_poses(loops, {"crank_joint": 0.4, "rod_joint": -0.4, "rocker_joint": 0.4})
    relative = gap(loop, turned)
    np.testing.assert_allclose(relative[:3, 3], 0, atol=1e-15)
    np.testing.assert_allclose(relative[:3, 2], [0, 0, 1], atol=1e-15)


def test_joints_say_whose_coordinates_stay(loops: Description) -> None:
    assert loops.loops[0].independent == ("crank_joint",)


def test_without_a_word_the_model_chooses(write: Write) -> None:
    text = TEXT.replace(' independent="False"', "")
    assert read_urdf(write(text)).loops[0].independent == ("crank_joint",)
    text = TEXT.replace(' independent="true"', "").replace(' independent="false"', "")
    assert read_urdf(write(text)).loops[0].independent == ("crank_joint", "rod_joint")
    text = text.replace(' independent="False"', "")
    assert read_urdf(write(text)).loops[0].independent is None


def belt(description: Description) -> Coupling:
    return next(coupling for coupling in description.couplings if coupling.name == "belt")


def test_a_coupling_adds_up_the_joints_on_the_way(loops: Description) -> None:
    # pulley = 6 (rocker + foot)
    coupling = belt(loops)
    assert coupling.followers == ("pulley_joint",)
    assert coupling.leaders == ("rocker_joint", "foot_joint")
    np.testing.assert_allclose(coupling.matrix, [[6, 6]])
    assert coupling.motor


def test_a_joint_that_may_not_stay_follows(write: Write) -> None:
    # rocker = pulley / 6 − foot
    coupling = belt(read_urdf(write(TEXT.replace(' independent="0"', ""))))
    assert coupling.followers == ("rocker_joint",)
    assert coupling.leaders == ("foot_joint", "pulley_joint")
    np.testing.assert_allclose(coupling.matrix, [[-1, 1 / 6]])


def test_by_default_the_last_joint_to_the_successor_follows(write: Write) -> None:
    text = TEXT.replace(' independent="False"', "").replace(' independent="0"', "")
    assert belt(read_urdf(write(text))).followers == ("pulley_joint",)


def test_rotors(loops: Description) -> None:
    crank = next(c for c in loops.couplings if c.followers == ("crank_rotor_joint",))
    assert crank.leaders == ("crank_joint",) and crank.motor
    np.testing.assert_array_equal(crank.matrix, [[-9]])
    coaxial, mounted = (joint_of(loops, name) for name in ("crank_rotor_joint", "foot_rotor_joint"))
    assert (coaxial.kind, coaxial.parent, coaxial.child) == ("revolute", "base", "crank_rotor")
    np.testing.assert_array_equal(coaxial.axis, [0, 1, 0])
    assert mounted.parent == "base"
    np.testing.assert_array_equal(mounted.axis, [1, 0, 0])
    np.testing.assert_array_equal(mounted.placement[:3, 3], [0, 0, -1])
    assert body_of(loops, "crank_rotor").mass == 0.2
    assert list(loops.warnings) == []


def read_loop(write: Write, kind: str, inner: str = "") -> Loop:
    text = TEXT.replace('name="closure" type="revolute"', f'name="closure" {kind}')
    return read_urdf(write(text.replace("</loop>", f"{inner}</loop>"))).loops[0]


@pytest.mark.parametrize(
    ("stated", "kind"),
    [("fixed", "weld"), ("ball", "spherical"), ("continuous", "revolute"), ("planar", "planar")],
)
def test_types_of_loops(write: Write, stated: str, kind: str) -> None:
    assert read_loop(write, f'type="{stated}"').kind == kind


def test_a_universal_loop_has_two_axes(write: Write) -> None:
    loop = read_loop(write, 'type="universal"', '<axis2 xyz="0 0 2"/>')
    np.testing.assert_allclose(loop.placement_b[:3, 0], [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(loop.placement_a[:3, 2], [0, 1, 0], atol=1e-15)
    assert np.linalg.det(loop.placement_a) == pytest.approx(1)


def test_a_distance_has_a_length(write: Write) -> None:
    assert read_loop(write, 'type="distance" length="0.3"').length == 0.3


def test_a_loop_to_the_world(write: Write) -> None:
    text = TEXT.replace('"base"', '"world"')
    text = text.replace('<predecessor link="rod"', '<predecessor link="world"')
    assert read_urdf(write(text)).loops[0].body_a == "world"
    free = read_urdf(write(text), base="free")
    assert free.loops[0].body_a == "world_link"
    assert joint_of(free, "crank_rotor_joint").parent == "world_link"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type="revolute"', 'type="bolt"', "loop 'closure' has the unknown type 'bolt'"),
        ('<predecessor link="rod"', '<predecessor link="no"', "unknown link 'no'.*base, crank"),
        ('<successor link="pulley"/>', "", "coupling 'belt' has no <successor>"),
        ('<ratio value="6"/>', "", "coupling 'belt' has no <ratio>"),
        ('link="pulley"/>\n    <ratio', 'link="foot"/>\n    <ratio', "no joint that could follow"),
        ('independent="False"', 'independent="fasle"', "must be true or false, not 'fasle'"),
        ('joint="crank_joint"', 'joint="no"', "gear 'crank_rotor_joint': there is no joint 'no'"),
        ('<origin xyz="0 0 -1"/>', "", "gear 'foot_rotor_joint': .* not coaxial .* needs a place"),
        (
            '<axis xyz="1 0 0"/>',
            "",
            "gear 'foot_rotor_joint': .* needs a place .* and an axis",
        ),
        ('name="foot_joint" type="continuous"', 'name="foot_joint" type="planar"', "planar"),
        ('ratio="-9"', 'ratio="x"', "attribute 'ratio' must be a number"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="0 0 0"/>', "has no direction"),
    ],
)
def test_mistakes_name_the_element(write: Write, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ModelError, match=rf"robot.urdf:\d+: .*{message}"):
        read_urdf(write(TEXT.replace(old, new)))


def test_axes_of_a_universal_loop_are_perpendicular(write: Write) -> None:
    with pytest.raises(ModelError, match="not perpendicular"):
        read_loop(write, 'type="universal"', '<axis2 xyz="0 1 1"/>')


def test_the_model_runs(write: Write) -> None:
    """Links with masses; the foot is carried by the rocker, which the loop moves."""
    inertial = (
        '<inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    text = re.sub(r'<link name="(\w+)"/>', rf'<link name="\1">{inertial}</link>', TEXT)
    model = ts.load(write(text))
    assert model.nv == 2
    rng = np.random.default_rng(6)
    q = model.integrate(model.neutral(), [0.3, 0.2])
    v, tau = rng.normal(size=(2, model.nv))
    assert np.abs(model.loop_gaps(q)).max() < 1e-10
    back = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
    print(f"round trip {np.abs(back - tau).max():.1e}")
    np.testing.assert_allclose(back, tau, atol=1e-10)

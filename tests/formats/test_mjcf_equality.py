"""Equality constraints of MJCF as loops and couplings, compared with MuJoCo's residuals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
from poses import body_poses, gap, joint_of
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.formats.mjcf import read_mjcf
from tarsus.model.description import Coupling, Description

Write = Callable[..., Path]

BODIES = """<mujoco><compiler angle="radian"/><worldbody>
<site name="post" pos="3 0.2 0" euler="0 0.1 0.2"/>
<body name="a"><freejoint name="flight"/><geom size="0.1"/></body>
<body name="b" pos="1 0 0" euler="0.1 0.2 0.3"><geom size="0.1"/>
<joint name="hinge" axis="0 1 0" pos="0 0 0.2" ref="0.3"/>
<site name="hook" pos="0.1 0.2 0" euler="0 0.3 0.2"/></body>
<body name="c" pos="0 1 0"><joint name="slide" type="slide" ref="0.4"/><geom size="0.1"/>
<body name="d"><joint name="first"/><geom size="0.1"/></body>
<body name="e"><joint name="second" ref="-0.2"/><geom size="0.1"/></body></body>
</worldbody><equality>
{}
</equality></mujoco>"""


def equalities(write: Write, text: str) -> tuple[Description, mujoco.MjModel]:
    path = write(BODIES.format(text), "model.xml")
    return read_mjcf(path), mujoco.MjModel.from_xml_path(str(path))


def random_state(model: mujoco.MjModel) -> tuple[mujoco.MjData, dict[str, Array]]:
    """A state of MuJoCo, and the same coordinates joint by joint."""
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, np.random.default_rng(3).normal(size=model.nv), 1.0)
    mujoco.mj_forward(model, data)
    q = {model.joint(i).name: np.array(data.joint(i).qpos) for i in range(model.njnt)}
    q["flight"] = np.concatenate([q["flight"][:3], np.roll(q["flight"][3:], -1)])
    return data, q


def residual(data: mujoco.MjData, number: int) -> Array:
    """What MuJoCo says a constraint is off by."""
    own = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    return np.array(data.efc_pos[own & (data.efc_id == number)])


CONNECTS = [
    '<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>',
    '<connect body1="a" anchor="0.1 0.2 0.3"/>',
    '<connect site1="post" site2="hook"/>',
]
WELDS = [
    '<weld body1="a" body2="b"/>',
    '<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>',
    '<weld body1="b" relpose="1 2 3 0.5 0.5 -0.5 0.5"/>',
    '<weld body1="a" body2="b" anchor="0.1 0.2 0.3" relpose="1 2 3 0.5 0.5 -0.5 0.5"/>',
    '<weld site1="post" site2="hook"/>',
]


@pytest.mark.parametrize("text", CONNECTS + WELDS)
def test_loops_are_off_by_what_mujoco_says(write: Write, text: str) -> None:
    description, model = equalities(write, text)
    (loop,) = description.loops
    assert loop.kind == ("spherical" if "connect" in text else "weld")
    data, q = random_state(model)
    poses = body_poses(description, q)
    relative = gap(loop, poses)
    stated = residual(data, 0)
    np.testing.assert_allclose(
        np.linalg.norm(relative[:3, 3]), np.linalg.norm(stated[:3]), atol=1e-12
    )
    if loop.kind == "weld":
        # MuJoCo's rows are the vector part of the quaternion
        turn = Rotation.from_matrix(relative[:3, :3]).as_quat()[:3]
        np.testing.assert_allclose(np.linalg.norm(turn), np.linalg.norm(stated[3:]), atol=1e-12)


@pytest.mark.parametrize("text", [CONNECTS[0], CONNECTS[1], WELDS[0], WELDS[1]])
def test_loops_are_closed_where_the_file_starts(write: Write, text: str) -> None:
    description, _ = equalities(write, text)
    (loop,) = description.loops
    start = {
        name: np.array(value)
        for name, value in description.metadata["initial_configuration"].items()
    }
    np.testing.assert_allclose(gap(loop, body_poses(description, start))[:3, 3], 0, atol=1e-14)
    around = {"hinge": 0.3} if "body2" in text else {}
    assert loop.start == around
    assert loop.source is not None and loop.source.line == 11


@pytest.mark.parametrize("other", ['joint2="slide"', ""])
def test_joints_around_a_loop_may_follow_or_be_held(write: Write, other: str) -> None:
    """Such joints have no start, wherever their constraints are in the file."""
    loop, joint = CONNECTS[0], f'<joint joint1="hinge" {other}/>'
    for text in (loop + joint, joint + loop):
        description, _ = equalities(write, text)
        assert description.loops[0].start == {}
        model = ts.Model(description, strict=False)
        assert len(model.constraints) == 1


def test_a_weld_without_torque_is_spherical(write: Write) -> None:
    description, _ = equalities(write, '<weld body1="a" body2="b" torquescale="0"/>')
    assert description.loops[0].kind == "spherical"


def value(coupling: Coupling, leader: float) -> float:
    if coupling.function is not None:
        return coupling.function(np.array([leader]))[0].item()
    assert coupling.matrix is not None and coupling.offset is not None
    return coupling.matrix.item() * leader + coupling.offset.item()


@pytest.mark.parametrize("factors", ["0.1 2 0 0 0", "0.1 2 0.3 -0.4 0.5", "0.1 0 0 0 0"])
def test_couplings_are_off_by_what_mujoco_says(write: Write, factors: str) -> None:
    text = f'<joint name="link" joint1="hinge" joint2="slide" polycoef="{factors}"/>'
    description, model = equalities(write, text)
    (coupling,) = description.couplings
    assert (coupling.name, coupling.leaders, coupling.followers) == (
        ("link", ("slide",), ("hinge",))
    )
    data, q = random_state(model)
    off = q["hinge"].item() - value(coupling, q["slide"].item())
    np.testing.assert_allclose(off, residual(data, 0), atol=1e-14)


def test_a_polynomial_has_its_derivatives(write: Write) -> None:
    text = '<joint joint1="hinge" joint2="slide" polycoef="0.1 2 0.3 -0.4 0.5"/>'
    description, _ = equalities(write, text)
    function = description.couplings[0].function
    assert function is not None and description.couplings[0].kind == "function"
    step, y = 1e-4, np.array([0.7])
    after, before = function(y + step), function(y - step)
    found = function(y)
    assert [part.shape for part in found] == [(1,) * (order + 1) for order in range(4)]
    for order in (1, 2, 3):
        expected = (after[order - 1] - before[order - 1]) / (2 * step)
        np.testing.assert_allclose(found[order][0], expected, rtol=1e-7)
    assert list(description.warnings) == [
        "equality constraint 'equality0' is a polynomial: our own files cannot keep it"
    ]


def test_a_joint_alone_is_held(write: Write) -> None:
    text = '<joint joint1="hinge" polycoef="0.2 0 0 0 0"/>'
    description, model = equalities(write, text)
    hinge = joint_of(description, "hinge")
    assert (hinge.kind, hinge.axis) == ("fixed", None)
    data, _ = random_state(model)
    data.joint("hinge").qpos = 0.5  # the reference, and 0.2 more
    mujoco.mj_kinematics(model, data)
    poses = body_poses(description)
    np.testing.assert_allclose(poses["b"][:3, 3], data.body("b").xpos, atol=1e-14)
    np.testing.assert_allclose(poses["b"][:3, :3].ravel(), data.body("b").xmat, atol=1e-14)
    assert list(description.warnings) == ["joint 'hinge' is fixed by an equality constraint"]
    assert "hinge" not in description.metadata["initial_configuration"]


def test_chains_and_reversed_couplings(write: Write) -> None:
    text = """<joint joint1="hinge" joint2="slide" polycoef="0.1 2 0 0 0"/>
<joint joint1="first" joint2="hinge"/>
<joint joint1="hinge" joint2="second" polycoef="0.3 4 0 0 0"/>"""
    description, model = equalities(write, text)
    pairs = [(coupling.followers[0], coupling.leaders[0]) for coupling in description.couplings]
    assert pairs == [("hinge", "slide"), ("first", "hinge"), ("second", "hinge")]
    data, q = random_state(model)
    last = description.couplings[2]
    # second = (hinge − 0.3 − 0.3) / 4 − 0.2
    np.testing.assert_allclose(value(last, 1.0), (1.0 - 0.6) / 4 - 0.2, atol=1e-15)
    off = q["hinge"].item() - 0.3 - 0.3 - 4 * (q["second"].item() + 0.2)
    np.testing.assert_allclose(off, residual(data, 2), atol=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        '<joint joint1="first" joint2="second"/><joint joint1="second" joint2="first"/>',
        '<joint joint1="first" joint2="second"/><joint joint1="first" joint2="second"/>',
        '<joint joint1="first" joint2="second" polycoef="0 1 1 0 0"/>'
        '<joint joint1="second" joint2="slide" polycoef="0 0 1 0 0"/>',
        '<joint joint1="first" joint2="second"/>'
        '<joint joint1="slide" joint2="first" polycoef="0 0 1 0 0"/>',
        '<joint joint1="first" joint2="second"/><joint joint1="first"/>',
    ],
)
def test_constraints_that_cannot_be_kept_are_listed(write: Write, text: str) -> None:
    description, _ = equalities(write, text)
    assert len(description.couplings) == 1
    message = "equality constraints of joints that others hold already (1) are not taken over"
    assert message in description.warnings


def test_what_is_not_active_or_of_tendons_is_listed(write: Write) -> None:
    text = '<connect body1="a" anchor="0 0 0" active="false"/><tendon tendon1="t"/>'
    tendon = '<tendon><fixed name="t"><joint joint="hinge" coef="1"/></fixed></tendon>'
    path = write(BODIES.format(text).replace("<equality>", f"{tendon}<equality>"), "model.xml")
    description = read_mjcf(path)
    assert not description.loops and not description.couplings
    assert list(description.warnings) == [
        "equality constraints that are not active (1) are not taken over",
        "equality constraints of tendons and flexible bodies (1) are not taken over",
        "tendons (1) are not taken over, which have no springs and no dampers: t",
    ]


FOUR_BAR = """<mujoco><worldbody>
<body name="crank"><joint name="crank" axis="0 1 0"/><geom size="0.1" pos="0 0 0.5"/>
<body name="rod" pos="0 0 1"><joint name="rod" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/></body>
</body><body name="rocker" pos="2 0 0"><joint name="rocker" axis="0 1 0" ref="20"/>
<geom size="0.1" pos="0 0 0.5"/></body></worldbody>
<equality><connect body1="rod" body2="rocker" anchor="2 0 0"/></equality></mujoco>"""


def test_a_four_bar_runs(write: Write) -> None:
    model = ts.load(write(FOUR_BAR, "bar.xml"))
    assert model.nv == 1
    q = model.integrate(model.neutral(), [0.3])
    assert np.abs(model.loop_gaps(q)).max() < 1e-10
    # a parallelogram: the rocker turns like the crank, from its reference on
    positions = model.joint_positions(q)
    crank, rocker = (positions[model.joint(n).position_slice] for n in ("crank", "rocker"))
    np.testing.assert_allclose(rocker - crank, np.radians(20), atol=1e-10)
    back = model.inverse_dynamics(q, [0.5], model.forward_dynamics(q, [0.5], [0.7]))
    np.testing.assert_allclose(back, [0.7], atol=1e-12)


def test_couplings_run(write: Write) -> None:
    text = """<joint joint1="hinge" joint2="slide" polycoef="0.1 2 0.3 0 0"/>
<joint joint1="first" joint2="second" polycoef="0.3 4 0 0 0"/>"""
    model = ts.load(write(BODIES.format(text), "model.xml"))
    assert model.nv == 6 + 2
    rng = np.random.default_rng(8)
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    back = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
    print(f"round trip {np.abs(back - tau).max():.1e}")
    np.testing.assert_allclose(back, tau, atol=1e-10)


def test_states_convert_to_mujoco_and_back(write: Write) -> None:
    path = write(FOUR_BAR, "bar.xml")
    model, peer = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    q = model.integrate(model.neutral(), [0.3])
    qpos, qvel = ts.convert.to_mujoco(model, q, [0.5], peer=peer)
    data = mujoco.MjData(peer)
    data.qpos, data.qvel = qpos, qvel
    mujoco.mj_forward(peer, data)
    np.testing.assert_allclose(residual(data, 0), 0, atol=1e-10)
    np.testing.assert_allclose(data.efc_vel[:3], 0, atol=1e-10)
    q_back, v_back = ts.convert.from_mujoco(model, qpos, qvel, peer=peer)
    np.testing.assert_allclose(q_back, q, atol=1e-14)
    np.testing.assert_allclose(v_back, [0.5], atol=1e-14)

"""Layouts of other libraries: the same state must put the same bodies in the same places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import tarsus as ts
from tarsus.model.description import KINDS, NONHOLONOMIC

ROBOTS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
URDFS = {
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",  # has continuous joints
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
}
UNKNOWN = (*NONHOLONOMIC, "rolling_cylinder")
EVERY_KIND = tuple(kind for kind in KINDS if kind not in UNKNOWN)
MUJOCO_KINDS = tuple(kind for kind in EVERY_KIND if kind not in ("screw", "free"))
LIBRARIES = ("pinocchio", "mujoco", "drake")


def random_state(model: ts.Model, shape: tuple[int, ...] = (7,)) -> tuple[Any, Any]:
    """Return a random configuration and velocity, angles within (−π, π)."""
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, shape)
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in ("revolute", "universal", "spherical_zyx", "planar"):
            q[..., joint.q_slice] = np.clip(rng.normal(size=(*shape, joint.nq)), -1.5, 1.5)
    return q, rng.normal(size=(*shape, model.nv))


def quaternion_matrix(w: float, x: float, y: float, z: float) -> Any:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.array([w, x, y, z]))
    return matrix.reshape(3, 3)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("robot", URDFS)
def test_pinocchio_puts_all_frames_in_the_same_place(robot: str, base: Any) -> None:
    path = ROBOTS / URDFS[robot]
    ours = ts.load(path, base)
    root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
    theirs = pin.buildModelFromUrdf(str(path), *root)
    q, v = random_state(ours)
    for peer in (theirs, None):
        q_pin, v_pin = ts.convert.to_pinocchio(ours, q, v, peer=peer)
        assert q_pin.shape[-1] == theirs.nq
        residual = max(
            _pinocchio_residual(ours, theirs, *state)
            for state in zip(q, v, q_pin, v_pin, strict=True)
        )
        print(f"{robot}, {base}: {residual:.1e}")
        assert residual < 1e-11


def _pinocchio_residual(
    ours: ts.Model, theirs: Any, q: Any, v: Any, q_pin: Any, v_pin: Any
) -> float:
    data = theirs.createData()
    pin.forwardKinematics(theirs, data, q_pin, v_pin)
    pin.updateFramePlacements(theirs, data)
    residual = 0.0
    for name in ours.frame_names:
        frame = theirs.getFrameId(name, pin.FrameType.BODY)
        velocity = pin.getFrameVelocity(theirs, data, frame, pin.ReferenceFrame.LOCAL).vector
        pose_error = ours.frame_pose(q, name) - data.oMf[frame].homogeneous
        velocity_error = ours.frame_velocity(q, v, name) - velocity
        residual = max(residual, np.abs(pose_error).max(), np.abs(velocity_error).max())
    return residual


PINOCCHIO_KINDS = {
    "revolute": pin.JointModelRZ,
    "prismatic": pin.JointModelPZ,
    "spherical": pin.JointModelSpherical,
    "spherical_zyx": pin.JointModelSphericalZYX,
    "planar": pin.JointModelPlanar,
    "translation": pin.JointModelTranslation,
    "free": pin.JointModelFreeFlyer,
}


def test_pinocchio_agrees_for_every_kind_of_joint_that_it_has() -> None:
    ours = ts.robots.random_mechanism(3, 14, list(PINOCCHIO_KINDS), axes=False, limits=True)
    theirs = pin.Model()
    ids = {"world": 0}
    for name in ours.joint_names:
        joint = ours.joint(name)
        kind = PINOCCHIO_KINDS[joint.kind]()
        ids[joint.child] = theirs.addJoint(ids[joint.parent], kind, pin.SE3(joint.placement), name)
        theirs.addBodyFrame(joint.child, ids[joint.child], pin.SE3.Identity(), 0)
    for name in ours.frame_names:
        frame = ours.frame(name)
        if frame.name not in ours.body_names:
            theirs.addBodyFrame(name, ids[frame.body], pin.SE3(frame.placement), 0)
    q, v = random_state(ours)
    q_pin, v_pin = ts.convert.to_pinocchio(ours, q, v, peer=theirs)
    np.testing.assert_array_equal(q_pin, ts.convert.to_pinocchio(ours, q))
    states = zip(q, v, q_pin, v_pin, strict=True)
    residual = max(_pinocchio_residual(ours, theirs, *state) for state in states)
    print(f"every kind: {residual:.1e}")
    assert residual < 1e-12


MJCF = """
<mujoco model="zoo">
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30"><freejoint/>
      <geom size="0.1" mass="1"/>
      <body name="arm" pos="0 0 0.4" euler="0 40 0"><joint name="ball" type="ball"/>
        <geom size="0.1" mass="1"/>
        <body name="hand" pos="0 0.3 0.4" euler="0 0 50">
          <joint name="slide" type="slide" axis="1 1 0"/>
          <joint name="hinge" type="hinge" axis="0 1 1" pos="0.1 0 0" ref="20"/>
          <geom size="0.1" mass="1"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_mujoco_puts_all_bodies_in_the_same_place(tmp_path: Path) -> None:
    path = tmp_path / "zoo.xml"
    path.write_text(MJCF)
    _check_mujoco(ts.load(path), mujoco.MjModel.from_xml_path(str(path)))


def test_mujoco_agrees_for_kinds_made_of_several_joints(tmp_path: Path) -> None:
    """Planar, universal, Euler, cylindrical and translation joints as hinges and slides."""
    kinds = {
        "planar": [("slide", "1 0 0"), ("slide", "0 1 0"), ("hinge", "0 0 1")],
        "universal": [("hinge", "1 0 0"), ("hinge", "0 1 0")],
        "spherical_zyx": [("hinge", "0 0 1"), ("hinge", "0 1 0"), ("hinge", "1 0 0")],
        "cylindrical": [("hinge", "0 0 1"), ("slide", "0 0 1")],
        "translation": [("slide", "1 0 0"), ("slide", "0 1 0"), ("slide", "0 0 1")],
        "spherical": [("ball", "0 0 1")],
    }
    builder, xml, parent = ts.Builder("kinds"), "", "world"
    for kind, joints in kinds.items():
        builder.body(kind, 1.0, inertia=(1, 1, 1))
        builder.joint(kind, kind, parent, kind, position=(0.1, 0.2, 0.3))
        parent = kind
        xml += f'<body name="{kind}" pos="0.1 0.2 0.3"><geom size="0.1"/>'
        for i, (joint, axis) in enumerate(joints):
            name = kind if i == 0 else f"{kind}_{i}"
            xml += f'<joint name="{name}" type="{joint}" axis="{axis}"/>'
    xml = f"<mujoco><worldbody>{xml}{'</body>' * len(kinds)}</worldbody></mujoco>"
    _check_mujoco(builder.build(), mujoco.MjModel.from_xml_string(xml))


def _check_mujoco(ours: ts.Model, theirs: Any) -> None:
    q, v = random_state(ours)
    qpos, qvel = ts.convert.to_mujoco(ours, q, v, peer=theirs)
    np.testing.assert_array_equal(qpos, ts.convert.to_mujoco(ours, q))
    data = mujoco.MjData(theirs)
    residual = 0.0
    for i in range(len(q)):
        data.qpos[:], data.qvel[:] = qpos[i], qvel[i]
        mujoco.mj_forward(theirs, data)
        for body in range(1, theirs.nbody):
            name = theirs.body(body).name
            pose = ours.frame_pose(q[i], name)
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 1)
            errors = (
                pose[:3, 3] - data.xpos[body],
                pose[:3, :3] - data.xmat[body].reshape(3, 3),
                ours.frame_velocity(q[i], v[i], name) - np.roll(velocity, 3),
            )
            residual = max(residual, *(float(np.abs(error).max()) for error in errors))
    print(f"{ours.name}: {residual:.1e}")
    assert residual < 1e-12


def free_body() -> ts.Model:
    builder = ts.Builder("free").body("b", 1.0, inertia=(1, 1, 1))
    return builder.joint("j", "free", "world", "b", position=(1, 2, 3), rotation=(1, 0, 2)).build()


def test_drake_free_joint() -> None:
    """QuaternionFloatingJoint: q = [qw qx qy qz, x y z], v = [angular, linear], in the world."""
    model = free_body()
    q, v = random_state(model, ())
    q_drake, v_drake = ts.convert.to_drake(model, q, v)
    pose = model.frame_pose(q, "b")
    velocity = model.frame_velocity(q, v, "b", reference="local_world_aligned")
    np.testing.assert_allclose(q_drake[4:], pose[:3, 3], atol=1e-14)
    np.testing.assert_allclose(quaternion_matrix(*q_drake[:4]), pose[:3, :3], atol=1e-14)
    np.testing.assert_allclose(v_drake, np.roll(velocity, 3), atol=1e-14)


@pytest.mark.parametrize("kind", ["spherical", "spherical_zyx"])
def test_drake_ball_joint(kind: str) -> None:
    """BallRpyJoint: q = [roll pitch yaw], v = angular velocity on the parent."""
    model = ts.Builder("b").body("b", 1.0).joint("j", kind, "world", "b").build()
    q, v = random_state(model, ())
    q_drake, v_drake = ts.convert.to_drake(model, q, v)
    pose = model.frame_pose(q, "b")
    velocity = model.frame_velocity(q, v, "b", reference="local_world_aligned")
    expected = pin.rpy.rpyToMatrix(q_drake)
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-14)
    np.testing.assert_allclose(v_drake, velocity[3:], atol=1e-14)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9])
def test_drake_ball_joint_where_yaw_is_not_defined(pitch: float) -> None:
    model = ts.Builder("b").body("b", 1.0).joint("j", "spherical", "world", "b").build()
    expected = pin.rpy.rpyToMatrix(np.array([0.3, pitch, 0.4]))
    q = pin.Quaternion(expected).coeffs()
    found = pin.rpy.rpyToMatrix(ts.convert.to_drake(model, q))
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_drake_planar_joint() -> None:
    """PlanarJoint: q = [x, y, angle], v = their rates."""
    model = ts.Builder("p").body("b", 1.0).joint("j", "planar", "world", "b").build()
    q, v = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])
    q_drake, v_drake = ts.convert.to_drake(model, q, v)
    rates = (model.integrate(q, 1e-6 * v) - model.integrate(q, -1e-6 * v)) / 2e-6
    np.testing.assert_array_equal(q_drake, q)
    np.testing.assert_allclose(v_drake, rates, atol=1e-9)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
def test_there_and_back(library: str, shape: tuple[int, ...]) -> None:
    kinds = MUJOCO_KINDS if library == "mujoco" else EVERY_KIND
    model = ts.robots.random_mechanism(2, 22, kinds)
    q, v = random_state(model, shape)
    to_other = getattr(ts.convert, f"to_{library}")
    to_ours = getattr(ts.convert, f"from_{library}")
    q_back, v_back = to_ours(model, *to_other(model, q, v))
    assert q_back.shape == q.shape
    np.testing.assert_allclose(model.difference(q, q_back), 0.0, atol=1e-13)
    np.testing.assert_allclose(v_back, v, atol=1e-12)
    np.testing.assert_array_equal(to_ours(model, to_other(model, q)), q_back)


@pytest.mark.parametrize("kind", UNKNOWN)
@pytest.mark.parametrize("library", LIBRARIES)
def test_rolling_joints_are_refused(library: str, kind: str) -> None:
    model = ts.robots.random_mechanism(2, 1, [kind])
    with pytest.raises(ValueError, match=rf"joint '{kind}_0': other libraries have no {kind}"):
        getattr(ts.convert, f"to_{library}")(model, model.neutral())


def test_free_joint_with_a_placement_there_and_back() -> None:
    model = free_body()
    q, v = random_state(model)
    for library in ("mujoco", "drake"):
        other = getattr(ts.convert, f"to_{library}")(model, q, v)
        q_back, v_back = getattr(ts.convert, f"from_{library}")(model, *other)
        np.testing.assert_allclose(model.difference(q, q_back), 0.0, atol=1e-13)
        np.testing.assert_allclose(v_back, v, atol=1e-13)


def test_one_velocity_for_many_configurations() -> None:
    model = free_body()
    q, _ = random_state(model, (5,))
    _, v = ts.convert.to_drake(model, q, np.arange(6.0))
    assert v.shape == (5, 6)


def test_unbounded_joints_of_pinocchio() -> None:
    model = ts.Builder("w").body("b", 1.0).joint("j", "revolute", "world", "b").build()
    np.testing.assert_allclose(ts.convert.to_pinocchio(model, [0.3]), [np.cos(0.3), np.sin(0.3)])
    assert ts.convert.to_pinocchio(model, [0.3], unbounded="angle").tolist() == [0.3]
    assert ts.convert.from_pinocchio(model, [0.0, 1.0]).tolist() == [np.pi / 2]


def test_errors() -> None:
    model = free_body()
    with pytest.raises(ValueError, match=r"q has shape \(3,\), must be \(…, 7\)"):
        ts.convert.to_mujoco(model, np.zeros(3))
    with pytest.raises(ValueError, match=r"v has shape"):
        ts.convert.from_drake(model, np.zeros(7), np.zeros(7))
    with pytest.raises(ValueError, match="q is not finite"):
        ts.convert.to_drake(model, np.full(7, np.nan))
    with pytest.raises(ValueError, match="unbounded is 'x'"):
        ts.convert.to_pinocchio(model, model.neutral(), unbounded="x")  # type: ignore[call-overload]
    with pytest.raises(ts.UnknownNameError, match="Pinocchio's model has no joint 'j'"):
        ts.convert.to_pinocchio(model, model.neutral(), peer=pin.Model())
    peer = pin.Model()
    peer.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "j")
    with pytest.raises(ValueError, match=r"nq=7, nv=6 .* nq=1, nv=1"):
        ts.convert.to_pinocchio(model, model.neutral(), peer=peer)


def test_an_angle_needs_a_cosine_or_a_sine() -> None:
    model = ts.robots.chain(2)
    with pytest.raises(ValueError, match="joint 'joint_1': cosine and sine"):
        ts.convert.from_pinocchio(model, [1.0, 0.0, 0.0, 0.0])
    builder = ts.Builder("a").body("a", 1.0).joint("glide", "planar", "world", "a")
    with pytest.raises(ValueError, match="joint 'glide': cosine and sine"):
        ts.convert.from_pinocchio(builder.build(), [1.0, 2.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "function", [getattr(ts.convert, name) for name in ts.convert.__all__], ids=ts.convert.__all__
)
def test_something_else_than_a_model(function: Any) -> None:
    with pytest.raises(TypeError, match=r"model is of type int, must be a tarsus\.Model"):
        function(3, [0.0])


def test_a_wrong_peer() -> None:
    model = free_body()
    with pytest.raises(TypeError, match=r"peer is of type str, must be a pinocchio\.Model"):
        ts.convert.to_pinocchio(model, model.neutral(), peer="panda")
    with pytest.raises(TypeError, match=r"peer is of type Model, must be a mujoco\.MjModel"):
        ts.convert.from_mujoco(model, model.neutral(), peer=pin.Model())


def test_what_mujoco_does_not_have() -> None:
    builder = ts.Builder("a").body("a", 1.0).joint("thread", "screw", "world", "a", pitch=0.1)
    model = builder.build()
    with pytest.raises(ValueError, match="'thread': MuJoCo has no screw joint"):
        ts.convert.to_mujoco(model, [0.0])
    builder = ts.Builder("a").body("a", 1.0).joint("j", "revolute", "world", "a")
    model = builder.body("b", 1.0).joint("loose", "free", "a", "b").build()
    with pytest.raises(ValueError, match="'loose': a free joint of MuJoCo hangs on the world"):
        ts.convert.to_mujoco(model, model.neutral())


def test_names_of_joints_are_not_kinds() -> None:
    builder = (
        ts.Builder("names").body("a", 1.0, inertia=(1, 1, 1)).body("b", 1.0, inertia=(1, 1, 1))
    )
    builder.joint("planar", "revolute", "world", "a", lower=-1, upper=1)
    model = builder.joint("revolute", "revolute", "a", "b").build()
    q, v = [0.3, 0.4], [1.0, 2.0]
    found, rates = ts.convert.to_pinocchio(model, q, v)
    np.testing.assert_allclose(found, [0.3, np.cos(0.4), np.sin(0.4)])
    np.testing.assert_array_equal(rates, v)
    for convert in (ts.convert.to_mujoco, ts.convert.to_drake):
        np.testing.assert_array_equal(convert(model, q, v), (q, v))


def test_the_length_of_a_quaternion_does_not_matter() -> None:
    builder = ts.Builder("ball").body("a", 1.0, inertia=(1, 1, 1))
    model = builder.joint("base", "free", "world", "a").build()
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(rng), rng.normal(size=6)
    longer = q.copy()
    longer[3:] *= 2.0
    for convert in (ts.convert.to_mujoco, ts.convert.to_drake, ts.convert.to_pinocchio):
        np.testing.assert_allclose(
            convert(model, longer, v)[1], convert(model, q, v)[1], atol=1e-14
        )

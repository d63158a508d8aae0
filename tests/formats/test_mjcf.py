"""Reading of MJCF, compared with MuJoCo: poses, inertias, dynamics, springs."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.formats import mjcf_compile
from tarsus.formats.mjcf import read_mjcf
from tarsus.formats.readers import load
from tarsus.model.description import Body, Description, Joint

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
MODELS = [DATA / "mixed.xml", *sorted(ASSETS.glob("*.xml"))]
each_model = pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)


@pytest.fixture(scope="module")
def mixed() -> Description:
    return read_mjcf(DATA / "mixed.xml")


def joint(description: Description, name: str) -> Joint:
    return next(joint for joint in description.joints if joint.name == name)


def body(description: Description, name: str) -> Body:
    return next(body for body in description.bodies if body.name == name)


def compiled(file: Path) -> mujoco.MjModel:
    """MuJoCo's own model; through a specification, since warnings then are Python's."""
    with warnings.catch_warnings(action="ignore"):
        return mujoco.MjSpec.from_file(str(file)).compile()


def random_state(model: mujoco.MjModel) -> mujoco.MjData:
    """A random configuration, velocity and acceleration."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(2)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    data.qvel, data.qacc = rng.normal(size=(2, model.nv))
    mujoco.mj_kinematics(model, data)
    return data


def transform(rotation: Array, position: Array) -> Array:
    """A pose (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = rotation
    result[:3, 3] = position
    return result


def motion(kind: str, axis: Array | None, q: Array) -> Array:
    """The pose (4, 4) of a joint's child, from the definition of the joint."""
    if kind == "fixed":
        return np.eye(4)
    if kind == "free":
        return transform(Rotation.from_quat(q[3:]).as_matrix(), q[:3])
    if kind == "spherical":
        return transform(Rotation.from_quat(q).as_matrix(), np.zeros(3))
    assert axis is not None
    if kind == "prismatic":
        return transform(np.eye(3), axis * q[0])
    assert kind == "revolute"
    return transform(Rotation.from_rotvec(axis * q[0]).as_matrix(), np.zeros(3))


def body_poses(description: Description, q: dict[str, Array]) -> dict[str, Array]:
    """The pose (4, 4) of every body, for the coordinates of each joint."""
    poses = {WORLD: np.eye(4)}
    for joint in description.joints:
        moved = motion(joint.kind, joint.axis, np.asarray(q.get(joint.name, ())))
        poses[joint.child] = poses[joint.parent] @ joint.placement @ moved
    return poses


def joints_of(model: mujoco.MjModel) -> Iterator[tuple[int, slice, slice]]:
    """The number of each joint, and where its coordinates and velocities are."""
    for i in range(model.njnt):
        nq, nv = [(7, 6), (4, 3), (1, 1), (1, 1)][model.jnt_type[i]]
        q, v = model.jnt_qposadr[i], model.jnt_dofadr[i]
        yield i, slice(q, q + nq), slice(v, v + nv)


def our_coordinates(model: mujoco.MjModel, qpos: Array) -> list[Array]:
    """The coordinates of each joint with quaternions as [x y z w]."""
    result = []
    for i, q, _ in joints_of(model):
        split = {0: 3, 1: 0}.get(model.jnt_type[i], 1)
        result.append(np.concatenate([qpos[q][:split], np.roll(qpos[q][split:], -1)]))
    return result


def velocity_map(model: mujoco.MjModel, qpos: Array) -> Array:
    """The matrix (nv, nv) from our velocities to MuJoCo's, which differ for free joints."""
    result = np.eye(model.nv)
    for i, q, v in joints_of(model):
        if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_FREE:
            turn = Rotation.from_quat(np.roll(qpos[q][3:], -1)).as_matrix()
            result[v, v][:3, :3] = turn
    return result


@each_model
def test_bodies_stand_where_mujoco_has_them(file: Path) -> None:
    model = compiled(file)
    data = random_state(model)
    description = read_mjcf(file)
    moving = [joint.name for joint in description.joints if joint.kind != "fixed"]
    poses = body_poses(
        description, dict(zip(moving, our_coordinates(model, data.qpos), strict=True))
    )
    names = [body.name for body in description.bodies]
    for i in range(1, model.nbody):
        name = model.body(i).name or f"body{i}"
        assert name in names
        np.testing.assert_allclose(poses[name][:3, 3], data.xpos[i], atol=1e-12)
        np.testing.assert_allclose(poses[name][:3, :3].ravel(), data.xmat[i], atol=1e-12)


@each_model
def test_masses_and_inertias_are_those_of_mujoco(file: Path) -> None:
    model = compiled(file)
    description = read_mjcf(file)
    for i in range(1, model.nbody):
        own = body(description, model.body(i).name or f"body{i}")
        assert own.mass == model.body_mass[i]
        np.testing.assert_array_equal(own.com, model.body_ipos[i])
        np.testing.assert_allclose(
            np.linalg.eigvalsh(own.inertia), np.sort(model.body_inertia[i]), rtol=1e-12
        )
    total = sum(body.mass for body in description.bodies)
    assert total == pytest.approx(model.body_mass[1:].sum(), rel=1e-15)


@each_model
def test_dynamics_are_those_of_mujoco(file: Path) -> None:
    import tarsus as ts

    model, peer = ts.Model(read_mjcf(file)), compiled(file)
    # what the reader leaves out, and contacts, must not act in the comparison
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    peer.opt.density = peer.opt.viscosity = 0.0
    peer.dof_damping[:] = 0.0
    peer.jnt_stiffness[:] = 0.0
    data = random_state(peer)
    q = np.concatenate(our_coordinates(peer, data.qpos))
    to_peer = velocity_map(peer, data.qpos)
    v, a = np.linalg.solve(to_peer, np.stack([data.qvel, data.qacc], axis=1)).T
    # MuJoCo differentiates the linear velocity of a free joint in the world, we in the body
    for i, _, dof in joints_of(peer):
        if peer.jnt_type[i] == mujoco.mjtJoint.mjJNT_FREE:
            a[dof][:3] -= np.cross(v[dof][3:], v[dof][:3])
    mass = np.zeros((peer.nv, peer.nv))
    mujoco.mj_forward(peer, forward := mujoco.MjData(peer))
    forward.qpos, forward.qvel = data.qpos, data.qvel
    mujoco.mj_forward(peer, forward)
    mujoco.mj_fullM(peer, forward, mass)
    forward.qacc = data.qacc
    mujoco.mj_inverse(peer, forward)
    scale = np.abs(mass).max()
    np.testing.assert_allclose(
        model.mass_matrix(q), to_peer.T @ mass @ to_peer, rtol=1e-10, atol=1e-10 * scale
    )
    expected = to_peer.T @ forward.qfrc_inverse
    np.testing.assert_allclose(
        model.inverse_dynamics(q, v, a), expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max()
    )


def test_springs_and_dampers_are_those_of_mujoco() -> None:
    import tarsus as ts

    file = DATA / "mixed.xml"
    description, peer = read_mjcf(file), compiled(file)
    # dry friction is a constraint in MuJoCo, not a passive force
    joints = [dataclasses.replace(joint, friction=None) for joint in description.joints]
    description = dataclasses.replace(description, joints=joints)
    data = random_state(peer)
    q = np.concatenate(our_coordinates(peer, data.qpos))
    to_peer = velocity_map(peer, data.qpos)
    v = np.linalg.solve(to_peer, data.qvel)
    mujoco.mj_forward(peer, data)
    passive = ts.Model(description).passive_forces(q, v)
    np.testing.assert_allclose(passive, to_peer.T @ data.qfrc_passive, atol=1e-12)


def test_chains_of_joints_on_one_body(mixed: Description) -> None:
    kinds = [(joint.kind, joint.parent, joint.child) for joint in mixed.joints]
    assert kinds[:5] == [
        ("free", "world", "torso"),
        ("revolute", "torso", "waist.waist_z"),
        ("revolute", "waist.waist_z", "waist.waist_y"),
        ("fixed", "waist.waist_y", "waist"),
        ("spherical", "waist", "hip.hip_ball"),
    ]
    assert body(mixed, "waist.waist_z").mass == 0


def test_ranges_springs_and_armature(mixed: Description) -> None:
    turn = joint(mixed, "waist_y")
    np.testing.assert_allclose([turn.lower, turn.upper], np.radians([[-75], [30]]))
    np.testing.assert_allclose(turn.rest, np.radians([20]))
    assert (turn.stiffness, turn.friction) == ([12], [0.4])
    assert (turn.damping, turn.armature) == ([0.3], [0.02])
    slide = joint(mixed, "cart_x")
    assert (slide.lower, slide.upper) == ([-1], [2])
    assert joint(mixed, "body7_joint").effort_limit == [8]
    ball = joint(mixed, "hip_ball")
    np.testing.assert_array_equal(ball.stiffness, [5, 5, 5])
    np.testing.assert_array_equal(ball.rest, [0, 0, 0, 1])


def test_gravity_name_and_initial_configuration(mixed: Description) -> None:
    assert mixed.name == "mixed"
    np.testing.assert_array_equal(mixed.gravity, [0.3, 0.1, -9.7])
    initial = mixed.metadata["initial_configuration"]
    assert initial["root"][:3] == (0.1, 0.2, 1.4)
    assert initial["cart_x"] == (0.4,)


def test_other_suffixes_are_refused(write: Write) -> None:
    with pytest.raises(ModelError, match=r"fixed.mjcf: .*end in .xml"):
        read_mjcf(write(FIXED, "fixed.mjcf"))


def test_gravity_can_be_switched_off(write: Write) -> None:
    off = '<mujoco><option><flag gravity="disable"/></option></mujoco>'
    np.testing.assert_array_equal(read_mjcf(write(off, "off.xml")).gravity, [0, 0, 0])


def test_sites_become_frames_with_names_of_their_own(mixed: Description) -> None:
    imu, torso = mixed.frames
    assert (imu.name, imu.body) == ("imu", "torso")
    np.testing.assert_array_equal(imu.placement[:3, 3], [0.1, 0, 0.2])
    assert (torso.name, torso.body) == ("torso_2", "torso")


def test_geoms_become_shapes(mixed: Description) -> None:
    by_kind = {shape.kind: shape for shape in mixed.shapes}
    post = next(shape for shape in mixed.shapes if shape.name == "post")
    assert (post.body, post.size, post.role) == ("world", (0.2, 0.4, 0.6), "collision")
    assert by_kind["sphere"].role == "visual"
    assert by_kind["sphere"].color == pytest.approx((0.2, 0.4, 0.6, 1))
    assert by_kind["capsule"].size == pytest.approx((0.03, 0.3))
    assert by_kind["cylinder"].size == (0.02, 0.4)
    assert by_kind["ellipsoid"].size == (0.05, 0.06, 0.2)


def test_a_mesh_stands_where_its_file_says(mixed: Description) -> None:
    mesh = next(shape for shape in mixed.shapes if shape.kind == "mesh")
    assert mesh.file == str(DATA / "wedge.obj")
    assert mesh.size == (0.1, 0.1, 0.1)
    np.testing.assert_allclose(mesh.placement[:3, 3], [0.1, 0, 0], atol=1e-12)
    turn = Rotation.from_euler("y", 45, degrees=True).as_matrix()
    np.testing.assert_allclose(mesh.placement[:3, :3], turn, atol=1e-12)


def test_what_is_left_out_is_listed_and_nothing_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert list(read_mjcf(DATA / "mixed.xml").warnings) == [
        "plane geoms (1) are not taken over",
        "tendons (1) are not taken over, which have no springs and no dampers: tendon0",
    ]
    assert capfd.readouterr() == ("", "")


def test_elements_know_file_and_line(mixed: Description) -> None:
    for element in [*mixed.bodies, *mixed.joints, *mixed.frames, *mixed.shapes]:
        assert element.source is not None
    lines = (DATA / "mixed.xml").read_text().splitlines()
    for name in ("root", "waist_z", "cart_turn"):
        source = joint(mixed, name).source
        assert source is not None and source.line is not None
        assert f'name="{name}"' in lines[source.line - 1]
    included = joint(mixed, "limb_slide").source
    assert included is not None
    assert (Path(included.file).name, included.line) == ("mixed_limb.xml", 3)


def test_a_free_base_can_be_fixed() -> None:
    fixed = read_mjcf(DATA / "mixed.xml", base="fixed")
    root = fixed.joints[0]
    assert (root.name, root.kind, root.parent) == ("torso_fixed", "fixed", "world")
    np.testing.assert_array_equal(root.placement[:3, 3], [0.1, 0.2, 1.4])


FIXED = """<mujoco><worldbody><body name="base" pos="1 2 3"><geom size="0.1"/>
<body name="arm"><joint name="j"/><geom size="0.1"/></body></body></worldbody></mujoco>"""


def test_a_fixed_base_can_be_set_free(write: Write) -> None:
    description = read_mjcf(write(FIXED, "fixed.xml"), base="free")
    root = description.joints[0]
    assert (root.name, root.kind, root.child) == ("root_joint", "free", "base")
    assert description.metadata["initial_configuration"]["root_joint"][:3] == (1, 2, 3)
    humanoid = read_mjcf(ASSETS / "humanoid.xml", base="free")
    assert [joint.kind for joint in humanoid.joints].count("free") == 1


def test_what_cannot_be_set_free_is_an_error(write: Write) -> None:
    with pytest.raises(ModelError, match="already moves on rootx, rootz"):
        read_mjcf(ASSETS / "hopper.xml", base="free")
    two = FIXED.replace("</worldbody>", '<body name="b"><geom size="1"/></body></worldbody>')
    with pytest.raises(ModelError, match="there are base, b"):
        read_mjcf(write(two, "two.xml"), base="free")
    with pytest.raises(ValueError, match="base must be None, 'fixed' or 'free'"):
        read_mjcf(DATA / "mixed.xml", base="loose")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco>\n<worldbody>\n</mujoco>", "model.xml:3: malformed XML: mismatched tag"),
        ("<robot/>", "model.xml:1: the root element is <robot>, not <mujoco>"),
        ('<mujoco>\n<worldbody>\n<geom type="egg"/></worldbody></mujoco>', "model.xml:3: .*egg"),
        ("<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>", "model.xml:2: .*mass"),
        ("<mujoco><worldbody/><nonsense/></mujoco>", "model.xml:1: .*nonsense"),
        (
            '<mujoco>\n<worldbody><geom name="g" pos="0 NaN 0"/></worldbody></mujoco>',
            "model.xml:2: geom 'g' attribute 'pos' must be a number, not '0 NaN 0'",
        ),
        ('<mujoco><asset><mesh file="no.stl"/></asset></mujoco>', "model.xml.*no.stl"),
        ('<mujoco><include file="no.xml"/></mujoco>', "model.xml.*no.xml"),
        (
            '<mujoco><worldbody><replicate count="1000"><replicate count="1000"/></replicate>'
            "</worldbody></mujoco>",
            "<replicate> asks for more than 10000 elements",
        ),
    ],
)
def test_mistakes_name_file_and_line(
    write: Write, text: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ModelError, match=message):
        read_mjcf(write(text, "model.xml"))
    assert capfd.readouterr() == ("", "")


def test_without_mujoco_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ImportError, match=r"pip install 'tarsus\[io\]'"):
        read_mjcf(DATA / "mixed.xml")


def test_geoms_that_touch_and_are_seen_are_shown_beside_those_for_looks() -> None:
    """As MuJoCo's viewer: groups 0 to 2, whatever collides; one geom for looks hides no others."""
    text = """
    <mujoco><worldbody><body name="b"><freejoint/>
      <geom name="seen" type="sphere" size=".1"/>
      <geom name="hidden" type="sphere" size=".2" group="3"/>
      <geom name="clear" type="sphere" size=".3" rgba="1 0 0 0"/>
      {looks}
    </body></worldbody></mujoco>
    """
    looks = '<geom name="hull" type="sphere" size=".4" contype="0" conaffinity="0" group="2"/>'
    shapes = load(text.format(looks=looks)).shapes
    sizes = {x.role: [y.size[0] for y in shapes if y.role == x.role] for x in shapes}
    assert sizes == {"visual": [0.1, 0.4], "collision": [0.1, 0.2, 0.3]}
    alone = load(text.format(looks=""))
    assert [x.role for x in alone.shapes] == ["collision"] * 3


def test_a_free_base_beside_a_marker_is_as_it_is() -> None:
    marker = '<body name="marker" mocap="true"><geom size=".1" contype="0" conaffinity="0"/></body>'
    body = f"{marker}<body name='b'>{{}}<geom size='.1'/></body>"
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    for root in ("<freejoint/>", ""):
        model = load(text.format(root), base="free")
        assert model.nv == 6 and model.base is not None and model.base.child == "b"


def test_priorities_are_told() -> None:
    text = "<mujoco><worldbody><geom size='.1' priority='2'/><geom size='.1'/></worldbody></mujoco>"
    assert "priorities of geoms (1) are not taken over" in load(text).warnings


def test_lines_of_included_and_attached_files(write: Write) -> None:
    write('<mujocoinclude>\n\n<geom size="1" mass="x"/></mujocoinclude>', "geom.xml")
    write(
        '<mujoco>\n<worldbody><body name="b">\n<joint/><geom size="1"/></body></worldbody>'
        "</mujoco>",
        "part.xml",
    )
    text = (
        '<mujoco><asset><model name="p" file="part.xml"/></asset><worldbody>\n\n\n'
        '<attach model="p" body="b" prefix="p_"/>\n<body name="c">{}</body></worldbody></mujoco>'
    )
    description = read_mjcf(write(text.format('<joint/>\n<geom size="1"/>'), "model.xml"))
    sources = [(Path(each.source.file).name, each.source.line) for each in description.joints]
    assert sources == [("part.xml", 3), ("model.xml", 5)]
    with pytest.raises(ModelError, match=r"geom\.xml:3: .*bad format in attribute.*, line 3"):
        read_mjcf(write(text.format('<joint/>\n<include file="geom.xml"/>'), "model.xml"))


PLUGINS = {
    "mesh": '<asset><mesh name="m" file="a.obj"><plugin/></mesh></asset>',
    "geom": '<worldbody><geom size="1"><plugin plugin="x"/></geom></worldbody>',
    "body": '<worldbody><body><plugin instance="i"/></body></worldbody>',
    "flexcomp": "<worldbody><flexcomp><plugin/></flexcomp></worldbody>",
    "sensor": '<sensor><plugin plugin="x" objtype="body" objname="b"/></sensor>',
    "extension": '<extension><plugin plugin="x"><instance name="i"/></plugin></extension>',
}


@pytest.mark.parametrize("inside", PLUGINS.values(), ids=PLUGINS)
def test_plugins_are_ignored(write: Write, inside: str) -> None:
    write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", "a.obj")
    description = read_mjcf(write(f"<mujoco>{inside}</mujoco>", "model.xml"))
    ignored = {"flexcomp": "flexible bodies", "extension": None}
    what = next((name for key, name in ignored.items() if key in inside), "plugins")
    assert list(description.warnings) == (
        [] if what is None else [f"{what} (1) are not taken over"]
    )


def test_a_mesh_made_by_a_plugin_is_an_error(write: Write) -> None:
    text = '<mujoco><asset>\n<mesh name="m"><plugin plugin="x"/></mesh></asset></mujoco>'
    with pytest.raises(ModelError, match=r"model\.xml:2: mesh 'm' has its shape from a plugin"):
        read_mjcf(write(text, "model.xml"))


def test_actuators_with_plugins_keep_their_numbers(write: Write) -> None:
    text = """<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
    <actuator><plugin name="pid" plugin="mujoco.pid" joint="j"><config key="kp" value="1"/></plugin>
    <motor name="m" joint="j"/></actuator><keyframe><key ctrl="1 2"/></keyframe></mujoco>"""
    description = read_mjcf(write(text, "model.xml"))
    assert description.metadata["keyframes"]["key0"]["u"] == {"m": 2.0}
    assert list(description.warnings) == [
        "controls of actuators (1) are not taken over, whose forces are not affine: pid"
    ]


CONE = """<mujoco><asset><mesh name="m" builtin="cone" params="9 .2"/></asset><worldbody><body>
<joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


def test_rare_elements_are_compiled_in_another_process_first(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(CONE, "model.xml")
    assert len(read_mjcf(file).bodies) == 1
    monkeypatch.setattr(mjcf_compile, "CODE", "import os; os.kill(os.getpid(), 11)")
    with pytest.raises(ModelError, match=r"model\.xml: MuJoCo crashed .* \(signal 11\)"):
        read_mjcf(file)
    monkeypatch.setattr(mjcf_compile, "CODE", "raise SystemExit('no such thing')")
    with pytest.raises(ModelError, match=r"\(exit code 1: no such thing\)"):
        read_mjcf(file)
    monkeypatch.setattr(mjcf_compile, "CODE", "import time; time.sleep(60)")
    monkeypatch.setattr(mjcf_compile, "TIMEOUT_S", 0.1)
    with pytest.raises(ModelError, match=r"did not compile this file within 0\.1 s"):
        read_mjcf(file)
    monkeypatch.setattr(mjcf_compile.spawn, "get_executable", lambda: None)
    with pytest.raises(ModelError, match=r"state it with multiprocessing\.set_executable"):
        read_mjcf(file)


def test_errors_of_rare_elements_have_their_line(write: Write) -> None:
    text = CONE.replace('mesh="m"', 'size="x"')
    with pytest.raises(ModelError, match=r"model\.xml:2: .*bad format"):
        read_mjcf(write(text, "model.xml"))


def test_ordinary_robots_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_compile, "CODE", "raise SystemExit('not needed')")
    monkeypatch.setattr(mujoco, "__version__", "4.0.0")
    for file in (DATA / "mixed.xml", *sorted(ASSETS.glob("*.xml"))):
        read_mjcf(file)
    monkeypatch.setattr(mujoco, "__version__", "3.3.7")  # which has not been tested so far
    with pytest.raises(ModelError, match="not needed"):
        read_mjcf(DATA / "mixed.xml")


def test_a_scale_beyond_all_sizes_is_an_error(write: Write) -> None:
    text = (
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1e300 1 1"/></asset>'
        '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    with pytest.raises(ModelError, match=r"model\.xml: a number is out of range"):
        read_mjcf(write(text, "model.xml"))

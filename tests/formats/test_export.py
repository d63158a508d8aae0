"""Models in other formats: what is said is the same when read again, what is not is told."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from round_trips import Match, close, saved

import tarsus as ts
from tarsus.formats.export.export import ExportWarning, LeftOut, export

SUFFIXES = (".urdf", ".sdf", ".xml")
FORMATS = {".urdf": "urdf", ".sdf": "sdf", ".xml": "mjcf"}
SIZES = {
    "chain": (5,),
    "tree": (7, 2),
    "dill": (3,),
    "four_bar_chain": (3,),
    "rotor_chain": (4,),
    "rotor_tree": (6, 2),
}
LOST = {  # by robot and format, what keeps a machine from being the same
    ("differential", "*"): "coupling",  # of two leaders
    ("five_bodies", "*"): "coupling",  # a function
    ("lola", "*"): "coupling",  # spindles
    ("rolling_disc", "*"): "joint",
    ("snakeboard", "*"): "joint",
    ("simplest_walker", ".urdf"): "gravity",  # it is 1
    ("vergence", ".sdf"): "loop",  # of constant distance
    ("vergence", ".xml"): "loop",
}
EVERYWHERE = ["revolute", "prismatic", "fixed", "universal", "cylindrical", "screw"]
EVERYWHERE += ["spherical_zyx", "translation"]
KINDS = {
    ".urdf": [*EVERYWHERE, "planar", "free"],
    ".sdf": [*EVERYWHERE, "spherical"],
    ".xml": [*EVERYWHERE, "spherical"],
}

each_suffix = pytest.mark.parametrize("suffix", SUFFIXES)


@each_suffix
@pytest.mark.parametrize("name", [n for n in ts.robots.names() if n != "random_mechanism"])
def test_our_robots_are_the_same_or_it_is_told(name: str, suffix: str, tmp_path: Path) -> None:
    model = getattr(ts.robots, name)(*SIZES.get(name, ()))
    other, left_out = saved(model, tmp_path / f"robot{suffix}", shapes=True)
    lost = LOST.get((name, suffix), LOST.get((name, "*")))
    if lost is not None:
        assert lost in {thing.what for thing in left_out}
        return
    assert {"coupling", "joint"}.isdisjoint(thing.what for thing in left_out)
    looped = bool(model.description.loops)
    Match(model, other, left_out, shifted=looped and suffix != ".xml").check()


@each_suffix
@pytest.mark.parametrize("seed", range(5))
def test_joints_are_the_same_or_chains_that_move_alike(
    seed: int, suffix: str, tmp_path: Path
) -> None:
    model = ts.robots.random_mechanism(
        seed, 14, kinds=KINDS[suffix], armature=suffix == ".xml", limits=True
    )
    if suffix == ".urdf":
        model = ts.Model(dataclasses.replace(model.description, gravity=np.array([0, 0, -9.81])))
    other, left_out = saved(model, tmp_path / f"robot{suffix}")
    # balls of MuJoCo have one armature for all axes, planes of URDF no limits
    told = {".xml": {"armature of joint"}, ".urdf": {"limits of joint"}, ".sdf": set()}
    assert {thing.what for thing in left_out} <= told[suffix]
    model = without_armatures_of_balls(model)
    Match(model, other, left_out, shifted=False).check(seed)
    kept = [joint for joint in model.joints if joint.kind != "planar" or suffix != ".urdf"]
    stated = np.sort(np.concatenate([joint.lower for joint in kept]))
    again = np.sort(np.concatenate([joint.lower for joint in other.joints]))
    np.testing.assert_array_equal(again[np.isfinite(again)], stated[np.isfinite(stated)])


def without_armatures_of_balls(model: ts.Model) -> ts.Model:
    joints = [
        replace(joint, armature=None) if joint.kind == "spherical" else joint
        for joint in model.description.joints
    ]
    return ts.Model(replace(model.description, joints=joints))


@pytest.mark.parametrize("suffix", [".sdf", ".xml"])
def test_springs_and_dampers_of_joints_are_the_same(suffix: str, tmp_path: Path) -> None:
    model = ts.robots.random_mechanism(1, 10, kinds=EVERYWHERE, springs=True)
    other, left_out = saved(model, tmp_path / f"robot{suffix}")
    assert left_out == ()
    match, rng = Match(model, other, left_out, shifted=False), np.random.default_rng(0)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    at, rate = match.state(q, v)
    power = model.passive_forces(q, v) @ v
    assert abs(power) > 1.0
    close(other.passive_forces(at, rate) @ rate, power)


def test_what_a_urdf_cannot_say_is_told(tmp_path: Path) -> None:
    b = ts.Builder("machine", gravity=(0, 0, -1.62))
    b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("hand", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("base", "spherical", "world", "arm", damping=[1, 2, 3])
    b.joint("wrist", "revolute", "arm", "hand", armature=0.1, stiffness=2.0)
    b.force(ts.forces.Spring("hand", (1.0, 0.0, 0.0), stiffness=3.0, name="coil"))
    b.shape("hand", "ellipsoid", (0.1, 0.2, 0.3), role="collision")
    told = {(thing.what, thing.name) for thing in export(b.build(), "urdf").left_out}
    assert told == {
        ("joint", "base"),
        ("damping of joint", "base"),
        ("armature of joint", "wrist"),
        ("spring of joint", "wrist"),
        ("force (spring)", "coil"),
        ("gravity", "[0.0, 0.0, -1.62]"),
        ("collision shape of body", "hand"),
    }


def test_saving_warns_returns_and_with_strict_refuses(tmp_path: Path) -> None:
    model, file = ts.robots.four_bar(), tmp_path / "bars.urdf"
    with pytest.raises(ValueError, match=r"does not say all of the model: .*loop"):
        ts.save(model, file, strict=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(ExportWarning, match="few readers know"):
        left_out = ts.save(model, file)
    assert left_out == export(model, "urdf").left_out
    assert file.read_text() == export(model, "urdf").text
    assert isinstance(left_out[0], LeftOut)
    assert "loop" in str(left_out[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ts.save(ts.robots.chain(3), tmp_path / "chain.urdf", strict=True) == ()
        assert ts.save(model, tmp_path / "bars.json", strict=True) == ()


@each_suffix
def test_what_is_written_stays_as_it_is(suffix: str) -> None:
    b = ts.Builder("odd")
    b.body("bell\x07", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("bell\x07", "cylindrical", "world", "bell\x07")
    model = b.build()
    metadata = {"initial_configuration": {"bell\x07": [0.0, 0.0]}}
    stated = replace(model.description, metadata=metadata)
    found = export(stated, FORMATS[suffix])
    assert found.text == export(model, FORMATS[suffix]).text
    assert stated == replace(model.description, metadata=metadata)


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    model = ts.robots.chain(2)
    with pytest.raises(ValueError, match=r"suffix must be one of .*\.urdf, \.sdf, \.xml"):
        ts.save(model, tmp_path / "chain.stl")
    with pytest.raises(ValueError, match=r"format is 'usd'.*valid: urdf, sdf, mjcf"):
        export(model, "usd")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"meshes is 'zip'.*valid: refer, copy"):
        ts.save(model, tmp_path / "chain.urdf", meshes="zip")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"must be a tarsus\.Model"):
        ts.save("chain", tmp_path / "chain.urdf")  # type: ignore[arg-type]


NAMES = ["a \"b\" <c> & 'd'", "Größe", "two\nlines", " blanks ", "a::b", "__own__", "x/../y", "]]>"]


@each_suffix
def test_odd_names_are_kept_or_told(suffix: str, tmp_path: Path) -> None:
    b = ts.Builder("odd <&> names")
    parent = "world"
    for name in [*NAMES, "bell\x07"]:
        b.body(name, mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        b.joint(name, "revolute", parent, name, position=(0, 0, 0.3), axis="y")
        b.frame(f"{name} tip", name, position=(0, 0, 0.1))
        parent = name
    model = b.build()
    other, left_out = saved(model, tmp_path / f"odd{suffix}")
    renamed = {thing.name for thing in left_out}
    # in SDF joints may not be called like links
    assert renamed >= {"bell\x07"}
    if suffix != ".sdf":
        assert renamed == {"bell\x07", "bell\x07 tip"}
        assert set(NAMES) <= set(other.joint_names)
    Match(model, other, left_out, shifted=False).check()


def test_limits_on_one_side_are_kept(tmp_path: Path) -> None:
    b = ts.Builder("stops")
    for name, kind in (("turn", "revolute"), ("slide", "prismatic"), ("open", "prismatic")):
        b.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        limits = {} if name == "open" else {"lower": -0.5}
        b.joint(f"{name}_joint", kind, "world", name, effort_limit=7.0, **limits)
    model = b.build()
    for suffix in SUFFIXES:
        other, left_out = saved(model, tmp_path / f"stops{suffix}")
        assert left_out == ()
        for joint in model.joints:
            again = other.joint(joint.name)
            assert (again.lower, again.upper) == (joint.lower, joint.upper)
            assert again.effort_limit == 7.0


def test_mujoco_starts_with_all_loops_closed(tmp_path: Path) -> None:
    for name in ("four_bar", "four_bar_chain", "strandbeest_leg", "spatial_four_bar"):
        saved(getattr(ts.robots, name)(*SIZES.get(name, ())), tmp_path / "bars.xml")
        peer = mujoco.MjModel.from_xml_path(str(tmp_path / "bars.xml"))
        data = mujoco.MjData(peer)
        mujoco.mj_forward(peer, data)
        assert data.ne >= 3
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12


def test_tendons_of_mujoco_pull_as_our_forces(tmp_path: Path) -> None:
    b = ts.Builder("puppet")
    b.body("arm", mass=1.0, com=(0, 0, -0.3), inertia=(0.1, 0.1, 0.1))
    b.body("hand", mass=0.5, com=(0, 0, -0.1), inertia=(0.01, 0.01, 0.01))
    b.joint("shoulder", "revolute", "world", "arm", axis="y")
    b.joint("elbow", "revolute", "arm", "hand", position=(0, 0, -0.6), axis="y")
    b.frame("tip", "hand", position=(0, 0.02, -0.2))
    b.force(ts.forces.Spring("tip", (0.4, 0.0, 0.1), 30.0, 0.2, 2.0, name="coil"))
    b.force(ts.forces.String("tip", ("arm", (0.3, 0.1, 0.0)), 50.0, 0.1, name="cord"))
    b.force(ts.forces.Damper("tip", (0.0, 1.0, 0.0), 4.0, name="oil"))
    b.force(ts.forces.JointSpring({"shoulder": 1.0, "elbow": -0.5}, 3.0, 0.2, 0.1, name="belt"))
    b.force(ts.forces.Spring("tip", "arm", 30.0, name="unknown length"))
    model = b.build()
    _, left_out = saved(model, tmp_path / "puppet.xml")
    assert [thing.name for thing in left_out] == ["unknown length"]
    stated = model.description
    model = ts.Model(dataclasses.replace(stated, forces=stated.forces[:-1]))
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "puppet.xml"))
    data = mujoco.MjData(peer)
    data.qpos[:], data.qvel[:] = [0.4, -0.7], [1.0, 2.0]
    mujoco.mj_forward(peer, data)
    run = ts.Simulation(model, dt=1e-7).run(data.qpos.copy(), data.qvel.copy(), duration=1e-7)
    close((run.v[1] - run.v[0]) / 1e-7, data.qacc, 1e-5)
    again = ts.load(tmp_path / "puppet.xml")
    assert [force.name for force in again.forces] == [force.name for force in model.forces]


def test_polynomials_of_mjcf_come_back(tmp_path: Path) -> None:
    file = tmp_path / "curve.xml"
    body = (
        '<body name="{0}"><joint name="{0}_joint" axis="0 1 0" ref="{1}"/>'
        '<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>'
    )
    file.write_text(
        '<mujoco><compiler angle="radian"/><worldbody>'
        + body.format("one", 0.3)
        + body.format("two", -0.2)
        + '</worldbody><equality><joint name="curve" joint1="two_joint" joint2="one_joint" '
        'polycoef="0.1 0.5 0.3 -0.2 0.05"/></equality></mujoco>'
    )
    model = ts.load(file)
    other, left_out = saved(model, tmp_path / "again.xml")
    assert left_out == ()
    Match(model, other, left_out, shifted=False).check()


def test_the_world_may_have_shapes_and_frames(tmp_path: Path) -> None:
    b = ts.Builder("room")
    b.shape("world", "box", (1.0, 2.0, 0.1), role="collision", position=(0, 0, -0.05))
    b.frame("corner", "world", position=(0.5, 1.0, 0.0))
    b.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("fall", "free", "world", "ball")
    model = b.build()
    for suffix in SUFFIXES:
        other, _ = saved(model, tmp_path / f"room{suffix}", shapes=True)
        (shape,) = other.shapes
        assert (shape.body, shape.kind, shape.size) == ("world", "box", (1.0, 2.0, 0.1))
        np.testing.assert_allclose(shape.placement[:3, 3], [0, 0, -0.05])
        corner = other.frame_pose(other.neutral(), "corner")
        np.testing.assert_allclose(corner[:3, 3], [0.5, 1.0, 0.0])

"""Actuators and keyframes of MJCF files do what they do in MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus.formats.mjcf import read_mjcf

MACHINE = """
<mujoco model="machine"><compiler angle="radian" autolimits="true"/><option>{option}</option>
<worldbody><body name="trunk" pos="0.1 -0.2 0.7" quat="0.9 0.1 -0.3 0.2"><freejoint name="root"/>
  <geom type="box" size=".2 .1 .05" mass="3"/><site name="chest" pos=".1 0 .02"/>
  <body name="thigh" pos="0 .1 0"><joint name="hip" axis="0 1 0" ref="0.3" range="-1 2"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" mass="1"/>
    <body name="shank" pos="0 0 -.3"><joint name="knee" axis="0 1 0" ref="-.2" range="-2 1"
        actuatorfrcrange="-40 40"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".5"/>
      <body name="toe" pos="0 0 -.3"><joint name="slide" type="slide" axis="0 0 1"/>
        <joint name="ball" type="ball" pos="0 0 .01"/><geom size=".03" mass=".2"/>
        <site name="sole"/></body>
    </body></body></body></worldbody>
<tendon><fixed name="belt"><joint joint="hip" coef="2"/><joint joint="knee" coef="-1.5"/></fixed>
  <spatial name="rope"><site site="chest"/><site site="sole"/></spatial></tendon>
<actuator>{actuators}</actuator><keyframe>{keys}</keyframe></mujoco>"""

DRIVES = {
    "motor": '<motor name="m" joint="hip" gear="7"/>',
    "limits": '<motor joint="hip" gear="-3" ctrlrange="-.5 .4" forcerange="-.2 .3"/>',
    "position": '<position joint="hip" gear="2" kp="30" kv="1.5"/>',
    "damping ratio": '<position joint="knee" kp="30" dampratio="0.7"/>',
    "inherited range": '<position joint="knee" kp="3" inheritrange="0.9"/>',
    "velocity": '<velocity joint="slide" gear="0.5" kv="12"/>',
    "damper": '<damper joint="slide" kv="12" ctrlrange="0 2"/>',
    "general": '<general joint="slide" gaintype="affine" gainprm="2 .3 .4" biastype="affine" '
    'biasprm=".1 .2 .3" gear="1.5"/>',
    "tendon": '<position tendon="belt" kp="11" kv=".2" gear="0.7"/>',
    "in parent": '<motor jointinparent="knee" gear="4"/>',
}


def text(*actuators: str, keys: str = "", option: str = "") -> str:
    return MACHINE.format(actuators="".join(actuators), keys=keys, option=option)


def both(path: Path, source: str) -> tuple[ts.Model, Any]:
    file = path / "machine.xml"
    file.write_text(source)
    return ts.load(file), mujoco.MjModel.from_xml_string(source)


def theirs(model: ts.Model, peer: Any, q: Any, v: Any, u: Any) -> np.ndarray:
    """Forces of MuJoCo's actuators, in our coordinates: the power is the same."""
    data = mujoco.MjData(peer)
    data.qpos[:], data.qvel[:] = ts.convert.to_mujoco(model, q, v, peer=peer)
    data.ctrl[:] = u
    mujoco.mj_forward(peer, data)
    basis = ts.convert.to_mujoco(model, np.tile(q, (model.nv, 1)), np.eye(model.nv), peer=peer)[1]
    return np.asarray(basis @ data.qfrc_actuator)


@pytest.mark.parametrize("drives", [*([each] for each in DRIVES), list(DRIVES)], ids="-".join)
def test_forces_are_those_of_mujoco(tmp_path: Path, drives: list[str]) -> None:
    source = text(*(DRIVES[each] for each in drives)).replace('actuatorfrcrange="-40 40"', "")
    model, peer = both(tmp_path, source)
    assert model.nu == peer.nu == len(drives)
    assert not [each for each in model.warnings if "controls" in each]
    rng = np.random.default_rng(1)
    q, v = model.random_configuration(rng, 9), rng.normal(size=(9, model.nv))
    u = rng.normal(size=(9, model.nu))
    found = model.actuation(q, v, u)
    expected = np.array([theirs(model, peer, *each) for each in zip(q, v, u, strict=True)])
    assert np.abs(expected).max() > 0.01
    print(np.abs(found - expected).max())
    np.testing.assert_allclose(found, expected, atol=1e-10)
    for k in range(9):
        np.testing.assert_array_equal(model.actuation(q[k], v[k], u[k]), found[k])


def test_limits_of_joints_are_kept_by_simulations(tmp_path: Path) -> None:
    model, peer = both(tmp_path, text('<motor joint="knee" gear="100"/>'))
    q, v, u = model.initial_configuration, np.zeros(model.nv), np.array([3.0])
    tau = model.actuation(q, v, u)
    assert tau[model.joint("knee").v_slice] == 300.0
    expected = theirs(model, peer, q, v, u)
    sim = ts.Simulation(model)
    run = sim.run(duration=0.002, controller=ts.control.Actuated(model, u))
    np.testing.assert_allclose(run.tau[1], expected, atol=1e-12)


KINDS = {
    "motor": "motor",
    "position": "position",
    "damping ratio": "position",
    "velocity": "velocity",
    "general": "general",
}


def test_kinds_and_numbers(tmp_path: Path) -> None:
    model, _ = both(tmp_path, text(*(DRIVES[each] for each in KINDS)))
    assert [each.kind for each in model.actuators] == list(KINDS.values())
    assert model.actuator("m").joints == {"hip": 7.0}
    assert model.actuator_names == ("m", "actuator1", "actuator2", "actuator3", "actuator4")
    limits, _ = both(tmp_path, text(DRIVES["limits"]))
    (own,) = limits.actuators
    assert own.control_range is not None and own.force_range is not None
    assert (own.control_range.tolist(), own.force_range.tolist()) == ([-0.5, 0.4], [-0.2, 0.3])


LEFT_OUT = {
    '<position joint="hip" kp="1" timeconst="0.1"/>': "which have a state of their own",
    '<intvelocity joint="hip" kp="1" actrange="-1 1"/>': "which have a state of their own",
    '<muscle joint="hip" lengthrange="0 1"/>': "which have a state of their own",
    '<motor site="chest" gear="1 0 0 0 0 0"/>': "which drive no joints",
    '<motor tendon="rope"/>': "which pull at tendons in space",
    '<motor joint="ball" gear="1 2 3"/>': "which drive joints of several coordinates",
    '<motor joint="root" gear="1 2 3"/>': "which drive joints of several coordinates",
    '<motor joint="hip" gear="0"/>': "whose gears are zero",
}


@pytest.mark.parametrize("actuator", LEFT_OUT)
def test_what_is_left_out_is_told(tmp_path: Path, actuator: str) -> None:
    (tmp_path / "machine.xml").write_text(text(actuator, '<motor joint="knee"/>'))
    stated = read_mjcf(tmp_path / "machine.xml")
    assert [each.name for each in stated.actuators] == ["actuator1"]
    message = f"controls of actuators (1) are not taken over, {LEFT_OUT[actuator]}: actuator0"
    assert message in stated.warnings


def test_what_files_switch_off(tmp_path: Path) -> None:
    clamp = text(DRIVES["limits"], option='<flag clampctrl="disable"/>')
    assert both(tmp_path, clamp)[0].actuators[0].control_range is None
    model, _ = both(tmp_path, text(DRIVES["motor"], option='<flag actuation="disable"/>'))
    assert model.nu == 0
    assert any("which the file switches off: m" in each for each in model.warnings)


KEYS = """<key name="home" qpos="0 0 .6 1 0 0 0 .5 -.6 .01 .8 .2 -.4 .1" ctrl="1 2"/>
<key qvel="1 2 3 .1 .2 .3 4 5 6 .4 .5 .6"/>"""


def test_poses_are_those_of_mujoco(tmp_path: Path) -> None:
    drives = ('<motor joint="hip"/>', '<motor name="k" joint="knee"/>')
    model, peer = both(tmp_path, text(*drives, keys=KEYS))
    data = mujoco.MjData(peer)
    poses = {"": model.initial_configuration}
    poses |= {name: key.q for name, key in model.keyframes.items()}
    assert list(poses) == ["", "home", "key1"]
    for number, q in enumerate(poses.values()):
        if number:
            mujoco.mj_resetDataKeyframe(peer, data, number - 1)
        mujoco.mj_forward(peer, data)
        for name in ("trunk", "thigh", "shank", "toe"):
            found = model.frame_pose(q, name)
            np.testing.assert_allclose(found[:3, 3], data.body(name).xpos, atol=1e-12)
            rotation = data.body(name).xmat.reshape(3, 3)
            np.testing.assert_allclose(found[:3, :3], rotation, atol=1e-12)
    home, moving = model.keyframes["home"], model.keyframes["key1"]
    assert home.v is None and home.u is not None and moving.u is None and moving.v is not None
    assert home.u.tolist() == [1.0, 2.0]
    np.testing.assert_allclose(
        moving.v, ts.convert.from_mujoco(model, data.qpos, data.qvel, peer=peer)[1], atol=1e-12
    )
    with pytest.raises(ts.UnknownNameError, match=r"no keyframe 'hom'.*did you mean 'home'"):
        model.keyframes["hom"]


def test_controls_of_keyframes_find_actuators_that_were_kept(tmp_path: Path) -> None:
    drives = ('<muscle joint="hip" lengthrange="0 1"/>', '<motor name="k" joint="knee"/>')
    (tmp_path / "machine.xml").write_text(text(*drives, keys='<key name="a" ctrl="7 8"/>'))
    u = ts.load(tmp_path / "machine.xml").keyframes["a"].u
    assert u is not None and u.tolist() == [8.0]


def test_keyframes_of_another_size(tmp_path: Path) -> None:
    (tmp_path / "machine.xml").write_text(text(keys='<key name="a" qpos="7 8"/>'))
    with pytest.raises(ts.ModelError, match="keyframe 'a': qpos has 2 numbers, not 14"):
        ts.load(tmp_path / "machine.xml")


@pytest.mark.parametrize("base", ["fixed", None])
def test_runs_start_where_the_file_says(tmp_path: Path, base: str | None) -> None:
    (tmp_path / "machine.xml").write_text(text())
    model = ts.load(tmp_path / "machine.xml", base=base)
    run = ts.Simulation(model).run(duration=0.0)
    np.testing.assert_array_equal(run.q[0], model.initial_configuration)
    assert run.q[0][model.joint("hip").q_slice] == 0.3


def test_what_is_exported_says_the_same(tmp_path: Path) -> None:
    drives = [DRIVES[each] for each in DRIVES if each != "damping ratio"]
    keys = KEYS.replace('ctrl="1 2"', f'ctrl="{" ".join(map(str, range(len(drives))))}"')
    model, _ = both(tmp_path, text(*drives, keys=keys))
    ts.save(model, tmp_path / "again.xml")
    again = ts.load(tmp_path / "again.xml")
    assert again.actuator_names == model.actuator_names
    np.testing.assert_allclose(again.initial_configuration, model.initial_configuration, atol=1e-15)
    rng = np.random.default_rng(1)
    q, v, u = (rng.normal(size=(5, n)) for n in (model.nq, model.nv, model.nu))
    np.testing.assert_allclose(again.actuation(q, v, u), model.actuation(q, v, u), atol=1e-13)
    assert list(again.keyframes) == list(model.keyframes)
    for name, key in model.keyframes.items():
        for mine, other in zip(key, again.keyframes[name], strict=True):
            assert (mine is None) == (other is None)
            if mine is not None and other is not None:
                np.testing.assert_allclose(other, mine, atol=1e-15)


def test_urdf_has_motors_and_tells_of_the_rest(tmp_path: Path) -> None:
    model, _ = both(tmp_path, text(*DRIVES.values(), keys=KEYS.replace('ctrl="1 2"', "")))
    with pytest.warns(ts.ExportWarning):
        told = ts.save(model, tmp_path / "machine.urdf")
    left_out = {(each.what, each.name) for each in told}
    assert {("keyframe", "home"), ("initial position of joint", "hip")} <= left_out
    assert ("actuator", "actuator2") in left_out
    again = ts.load(tmp_path / "machine.urdf")
    assert again.actuator("m").joints == {"hip": 7.0}
    # servos are plugins of Gazebo, called as their joints
    assert again.actuator_names == ("m", "actuator1", "actuator9", "knee", "knee_2")


FOUR_BAR = """<mujoco model="four"><compiler angle="radian"/><worldbody>
<body name="a"><joint name="ja" axis="0 1 0" ref="0.1"/>
  <geom type="capsule" fromto="0 0 0 0 0 .3" size=".01"/>
  <body name="b" pos="0 0 .3"><joint name="jb" axis="0 1 0" ref="-.2"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".01"/></body></body>
<body name="c" pos=".5 0 0"><joint name="jc" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 .3" size=".01"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor=".5 0 0"/></equality>
<keyframe><key name="open" qpos="0.4 -0.45 0.28"/></keyframe></mujoco>"""


def test_loops_are_closed_at_starts_and_keyframes(tmp_path: Path) -> None:
    model, peer = both(tmp_path, FOUR_BAR)
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    q = model.initial_configuration
    assert np.abs(model.loop_gaps(q)).max(initial=0.0) < 1e-9
    for name in ("a", "b", "c"):
        np.testing.assert_allclose(
            model.frame_pose(q, name)[:3, 3], data.body(name).xpos, atol=1e-9
        )
    key = model.keyframes["open"].q
    # a parallelogram: what turns by 0.3 turns all of it; the file closes it only nearly
    assert key[model.joint("ja").q_slice] == pytest.approx(0.4, abs=0.1)
    tips = [model.frame_pose(key, name) for name in ("b", "c")]
    ends = [tips[0] @ [0.5, 0, 0, 1], tips[1] @ [0, 0, 0.3, 1]]
    np.testing.assert_allclose(*ends, atol=1e-9)


@pytest.mark.parametrize("suffix", [".yaml", ".xml"])
def test_sdf_starts_are_kept(tmp_path: Path, suffix: str) -> None:
    source = """<sdf version="1.9"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
    <link name="l"><inertial><mass>1</mass></inertial></link></model></sdf>"""
    (tmp_path / "m.sdf").write_text(source)
    model = ts.load(tmp_path / "m.sdf")
    q = model.initial_configuration
    assert q[:3].tolist() == pytest.approx([1, 2, 3])
    turned = ts.spatial.rotation_from_rpy([0.1, 0.2, 0.3])
    np.testing.assert_allclose(model.frame_pose(q, "l")[:3, :3], turned, atol=1e-12)
    ts.save(model, tmp_path / f"again{suffix}")
    again = ts.load(tmp_path / f"again{suffix}")
    np.testing.assert_allclose(again.initial_configuration, q, atol=1e-12)

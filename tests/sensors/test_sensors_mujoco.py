"""Sensors tell what MuJoCo's tell in the same state."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.sensors import Sample

TEXT = """
<mujoco model="machine"><compiler angle="radian"/>
<option gravity="0.3 -0.2 -9"><flag contact="disable" constraint="disable"/></option>
<worldbody><body name="trunk" pos="0.1 -0.2 0.7"><freejoint name="root"/>
  <geom type="box" size=".2 .1 .05" mass="3"/>
  <site name="chest" pos=".1 .05 .02" quat=".8 .2 .3 -.1"/>
  <body name="thigh" pos="0 .1 0"><joint name="hip" axis="0 1 0" damping="1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" mass="1"/>
    <body name="shank" pos="0 .05 -.3"><joint name="knee" axis="1 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0.1 -.3" size=".02" mass=".5"/>
      <site name="foot" pos="0.02 0 -.3" quat=".5 .2 -.3 .6"/></body></body></body></worldbody>
<sensor><accelerometer site="foot"/><gyro site="foot"/><framepos objtype="site" objname="foot"/>
  <framequat objtype="site" objname="foot"/><framelinvel objtype="site" objname="foot"/>
  <frameangvel objtype="site" objname="foot"/><framelinacc objtype="site" objname="foot"/>
  <frameangacc objtype="site" objname="foot"/><force site="foot"/><torque site="foot"/>
  <jointpos joint="knee"/><jointvel joint="knee"/></sensor></mujoco>"""


@pytest.fixture
def theirs(tmp_path: Path) -> tuple[ts.Model, Sample, dict[str, Array]]:
    (tmp_path / "machine.xml").write_text(TEXT)
    model, peer = ts.load(tmp_path / "machine.xml"), mujoco.MjModel.from_xml_string(TEXT)
    rng = np.random.default_rng(7)
    states, found = [], []
    for _ in range(6):
        q, v = model.random_configuration(rng), rng.normal(size=model.nv)
        data = mujoco.MjData(peer)
        data.qpos[:], data.qvel[:] = ts.convert.to_mujoco(model, q, v, peer=peer)
        data.qfrc_applied[:] = rng.normal(size=peer.nv)
        mujoco.mj_forward(peer, data)
        # MuJoCo's linear acceleration of the base is in world axes: ours turns with the body
        a = np.array(data.qacc)
        turned = model.frame_pose(q, "trunk")[:3, :3]
        a[:3] = turned.T @ a[:3] - np.cross(v[3:6], v[:3])
        states.append((q, v, a))
        found.append(np.array(data.sensordata))
    q, v, a = (np.array(each) for each in zip(*states, strict=True))
    sizes = {peer.sensor(i).type[0]: peer.sensor(i) for i in range(peer.nsensor)}
    names = [mujoco.mjtSensor(kind).name.removeprefix("mjSENS_").lower() for kind in sizes]
    cuts = [int(each.adr[0]) for each in sizes.values()][1:]
    told = dict(zip(names, np.split(np.array(found), cuts, axis=-1), strict=True))
    return model, Sample(model, q, v, a), told


def test_readings_are_those_of_mujoco(theirs: tuple[ts.Model, Sample, dict[str, Array]]) -> None:
    _, sample, told = theirs
    kinds = ts.sensors
    cases = {
        "accelerometer": kinds.Accelerometer("foot").measure(sample),
        "gyro": kinds.Gyroscope("foot").measure(sample),
        "framepos": kinds.FramePose("foot").measure(sample)[..., :3],
        "framelinvel": kinds.FrameVelocity("foot").measure(sample)[..., :3],
        "frameangvel": kinds.FrameVelocity("foot").measure(sample)[..., 3:],
        "frameangacc": kinds.FrameAcceleration("foot").measure(sample)[..., 3:],
        "force": kinds.JointWrench("foot").measure(sample)[..., :3],
        "torque": kinds.JointWrench("foot").measure(sample)[..., 3:],
        "jointpos": kinds.JointPosition(("knee",)).measure(sample),
        "jointvel": kinds.JointVelocity("knee").measure(sample),
    }
    for name, found in cases.items():
        print(name, np.abs(found - told[name]).max())
        np.testing.assert_allclose(found, told[name], atol=1e-10, err_msg=name)
    linear = kinds.FrameAcceleration("foot").measure(sample)[..., :3]
    # MuJoCo's has gravity in it
    np.testing.assert_allclose(linear - sample.model.gravity, told["framelinacc"], atol=1e-10)
    quaternion = kinds.FramePose("foot").measure(sample)[..., 3:]
    same = np.abs((quaternion * ts.spatial.scalar_last(told["framequat"])).sum(axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)
    unit = kinds.IMU("foot").measure(sample)
    np.testing.assert_array_equal(unit[..., 3:], cases["gyro"])
    np.testing.assert_array_equal(unit[..., :3], cases["accelerometer"])


def test_sensors_of_files_are_theirs(theirs: tuple[ts.Model, Sample, dict[str, Array]]) -> None:
    model, sample, told = theirs
    suite = ts.sensors.of(model)
    # MuJoCo's linear acceleration has gravity in it: it is none of ours
    assert list(suite) == [f"sensor{k}" for k in range(12) if k != 6]
    assert "sensors (1) are not taken over: sensor6 (framelinacc)" in model.warnings
    for name, sensor in suite.items():
        kind = list(told)[int(name.removeprefix("sensor"))]
        if kind != "framequat":
            np.testing.assert_allclose(sensor.measure(sample), told[kind], atol=1e-10)
    both = ts.combine(model, model, names=("a", "b"), at=(None, (3, 0, 0)))
    twice = ts.sensors.of(both)
    assert len(twice) == 2 * len(suite)
    run = ts.Simulation(both).run(duration=0.01, sensors=twice)
    np.testing.assert_allclose(run.sensors["a/sensor1"], run.sensors["b/sensor1"], atol=1e-9)
    renamed = ts.Editor(model).change("frame", "foot", name="toe").build()
    assert len(ts.sensors.of(renamed)) == len(suite)
    assert len(ts.sensors.of(model.without(["shank"]))) == 0

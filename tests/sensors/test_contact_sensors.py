"""Sensors of contacts: in controllers what recordings tell, in files and exports what was told."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array

SENSORS = {
    "pad": ts.sensors.Touch("ball"),
    "wrench": ts.sensors.ContactWrench("ball"),
    "press": ts.sensors.CenterOfPressure(),
}


def ball() -> ts.Builder:
    b = ts.Builder("ball").body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    b.joint("root", "free", "world", "ball")
    return b.shape("ball", "sphere", (0.1,), role="collision")


def start(model: ts.Model, height: float = 0.2) -> Array:
    q = model.neutral()
    q[2] = height
    return q


@pytest.mark.parametrize("record", [True, False, ("q", "v")])
@pytest.mark.parametrize("every", [1, 7])
def test_controllers_feel_what_runs_record(record: Any, every: int) -> None:
    model = ball().build()
    told: list[dict[str, Array]] = []
    live = ts.sensors.Live(model, SENSORS)

    def law(t: float, readings: dict[str, Array]) -> Array:
        told.append(readings)
        return np.zeros(model.nv)

    sim = ts.Simulation(model, ground=ts.Ground(), dt=2e-3)
    q = start(model)
    sim.run(q, duration=0.3, controller=live.controlled(law), record=record, every=every)
    run = sim.run(q, duration=0.3, sensors=SENSORS)
    assert len(told) == 150
    for name in SENSORS:
        felt = np.array([each[name] for each in told])
        np.testing.assert_array_equal(felt, run.sensors[name][:-1])
    assert np.isnan(told[0]["press"]).all()  # nothing touches at first
    np.testing.assert_allclose(told[-1]["pad"], 2.0 * 9.81, rtol=1e-6)


def test_a_batch_feels_each_state_by_itself() -> None:
    model = ball().build()
    live = ts.sensors.Live(model, {"pad": ts.sensors.Touch("ball")})
    last: list[Array] = []

    def law(t: float, readings: dict[str, Array]) -> Array:
        last[:] = [readings["pad"]]
        return np.zeros(model.nv)

    q = np.array([start(model, 0.1), start(model, 5.0)])
    ts.Simulation(model, ground=ts.Ground()).run(
        q, duration=0.1, controller=live.controlled(law), every=3
    )
    np.testing.assert_allclose(last[0][:, 0], [2.0 * 9.81, 0.0], rtol=1e-6)


def test_laws_of_actuators_feel_too() -> None:
    b = ball()
    b.body("fin", mass=0.1, inertia=(1e-3, 1e-3, 1e-3))
    b.joint("turn", "revolute", "ball", "fin", axis="z").actuator("motor", "turn")
    model = b.build()
    live = ts.sensors.Live(model, {"pad": ts.sensors.Touch("ball")})
    law = live.controlled(lambda t, told: [1e-3 if told["pad"][0] > 0.0 else 0.0])
    sim = ts.Simulation(model, ground=ts.Ground())
    run = sim.run(start(model, 0.15), duration=0.3, controller=ts.control.Actuated(model, law))
    touched = run.contacts.force_on("ball")[:, 2] > 0.0
    np.testing.assert_array_equal(run.tau[1:, -1], np.where(touched[:-1], 1e-3, 0.0))


def test_where_contacts_are_not_known_that_is_said() -> None:
    model = ball().build()
    live = ts.sensors.Live(model, SENSORS)
    with pytest.raises(ValueError, match="contacts are not known here"):
        live.read(0.0, model.neutral(), np.zeros(model.nv))


def test_files_keep_readings_with_names_and_units(tmp_path: Path) -> None:
    model = ball().build()
    sim = ts.Simulation(model, ground=ts.Ground())
    run = sim.run(np.array([start(model), start(model, 0.1)]), duration=0.05, sensors=SENSORS)
    run.save(tmp_path / "run.npz")
    again = ts.load_run(tmp_path / "run.npz")
    for name, readings in run.sensors.items():
        np.testing.assert_array_equal(again.sensors[name], readings)
        assert (again.sensing[name].parts, again.sensing[name].unit) == (
            (SENSORS[name].parts, SENSORS[name].unit)
        )
    assert "sensor:pad.normal [N]" in again.to_pandas().columns
    with pytest.raises(ValueError, match="its readings only"):
        again.sensing["pad"].measure(None)  # type: ignore[arg-type]


def test_builders_state_sensors_and_all_formats_tell_them(tmp_path: Path) -> None:
    b = ball().frame("mast", "ball", position=(0, 0, 0.3))
    noisy = ts.sensors.Errors(noise=0.1)
    b.sensor("imu", ts.sensors.IMU("mast", errors=noisy)).sensor("pad", ts.sensors.Touch("ball"))
    b.sensor("far", ts.sensors.Distance("mast", "ball")).sensor("zmp", ts.sensors.ZeroMomentPoint())
    model = b.build()
    assert ts.sensors.of(model)["imu"] == ts.sensors.IMU("mast", errors=noisy)
    ts.save(model, tmp_path / "own.yaml")
    assert dict(ts.sensors.of(ts.load(tmp_path / "own.yaml"))) == dict(ts.sensors.of(model))
    both = ts.combine(model, model, names=("a", "b"))
    assert ts.sensors.of(both)["b/far"] == ts.sensors.Distance("b/mast", "b/ball")
    left = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for suffix in (".urdf", ".sdf", ".xml"):
            told = ts.save(model, tmp_path / f"robot{suffix}")
            left[suffix] = {each.name for each in told if each.what == "sensor"}
    assert left == {
        ".urdf": {"imu", "pad", "far", "zmp"},
        ".sdf": {"pad", "far", "zmp"},
        ".xml": {"far", "zmp"},
    }
    there = ts.load(tmp_path / "robot.sdf")
    q = there.random_configuration(0)
    found = ts.sensors.of(there)["imu"]
    assert isinstance(found, ts.sensors.IMU)
    place = there.frame_pose(q, found.frame)
    np.testing.assert_allclose(place, model.frame_pose(q, "mast"), atol=1e-12)


def test_exported_sensors_are_those_of_mujoco(tmp_path: Path) -> None:
    b = ball().frame("mast", "ball", position=(0, 0.1, 0.3), rotation=(0.1, 0.2, 0.3))
    b.sensor("imu", ts.sensors.IMU("mast")).sensor("pad", ts.sensors.Touch("ball"))
    model = b.build()
    ts.save(model, tmp_path / "ball.xml")
    text = (tmp_path / "ball.xml").read_text()
    plane = '<worldbody><geom type="plane" size="9 9 1"/>'
    peer = mujoco.MjModel.from_xml_string(text.replace("<worldbody>", plane))
    data = mujoco.MjData(peer)
    data.qpos[:3] = [0.0, 0.0, 0.1]
    mujoco.mj_step(peer, data, 3000)
    here = dict(zip([peer.sensor(i).name for i in range(3)], peer.sensor_adr, strict=True))
    at = data.sensordata
    run = ts.Simulation(model, ground=ts.Ground()).run(
        start(model, 0.1), duration=0.1, sensors=dict(ts.sensors.of(model))
    )
    felt = at[here["imu_accelerometer"] : here["imu_accelerometer"] + 3]
    np.testing.assert_allclose(felt, run.sensors["imu"][-1, :3], atol=1e-3)
    np.testing.assert_allclose(at[here["pad"]], run.sensors["pad"][-1], rtol=1e-3)


def test_builders_refuse_sensors_on_nothing() -> None:
    with pytest.raises(ValueError, match=r"frame 'bal'.*did you mean 'ball'"):
        ball().sensor("pad", ts.sensors.Touch("bal"))
    with pytest.raises(ts.ModelError, match="must be a sensor such as"):
        ball().sensor("pad", "Touch")
    with pytest.raises(ts.ModelError, match="there is a sensor 'pad' already"):
        ball().sensor("pad", SENSORS["pad"]).sensor("pad", SENSORS["pad"])

"""The car against its oracle: at rest, driving, braking; the stunt, twice and upside down."""

from __future__ import annotations

import car_loads
import numpy as np
import pytest
from car_oracle import Car
from scipy.integrate import solve_ivp
from states import oracle_state

import tarsus as ts
from tarsus.scenes.vehicles import ROLL_OVER, SCRIPT, WHEELS, stunt


@pytest.mark.parametrize("height", [0.0, 0.6])
def test_loads_at_rest(height: float) -> None:
    run = ts.scenes.car(height=height).run(duration=8.0, every=100)
    front, rear, z, pitch = car_loads.balance(height)
    loads = [run.parts[f"support_{name}"].force[-1, 2] for name in WHEELS]
    nose = run.model.forward_kinematics(run.q[-1])[0, :3, 0]
    print(f"loads {np.round(loads, 3)} N, {front:.3f} and {rear:.3f} expected")
    assert loads == pytest.approx([front, front, rear, rear], rel=1e-6)
    assert run.q[-1, 2] == pytest.approx(z, abs=1e-8)
    assert np.arcsin(nose[2]) == pytest.approx(pitch, abs=1e-8)
    if height == 0.0:
        assert loads == pytest.approx([4298.764, 4298.764, 5511.236, 5511.236], abs=1e-3)
        assert pitch == pytest.approx(0.0069863, abs=1e-7)
    assert np.abs(run.energy.relative_residual).max() < 1e-6


@pytest.mark.parametrize(
    ("speed", "motor", "steering", "braking"),
    [(20.0, 0.0, 0.0, True), (10.0, 3000.0, 0.3, False), (15.0, 2000.0, -0.2, True)],
)
def test_drives_are_those_of_a_box_on_supports(
    speed: float, motor: float, steering: float, braking: bool
) -> None:
    car = Car(motor=motor, steering=steering, braking=braking)
    errors = []
    for dt in (2e-3, 1e-3):
        scene = ts.scenes.car(speed, motor=motor, steering=steering, braking=braking)
        run = scene.but(dt=dt).run(duration=1.5)
        start = oracle_state(run.q[0], run.v[0])
        exact = solve_ivp(car.world.slope, (0.0, 1.5), start, rtol=1e-8, atol=1e-8, max_step=0.02)
        away = oracle_state(run.q[-1], run.v[-1]) - exact.y[:, -1]
        errors.append(float(np.abs(away).max()))
    print(f"errors after 1.5 s: {errors}")
    assert errors[0] < 1e-2
    assert errors[1] < 0.6 * errors[0]


def heading(run: ts.Trajectory) -> float:
    """Return by what angle the car has turned [deg]."""
    x = run.model.forward_kinematics(run.q)[:, 0, :3, 0]
    return float(np.degrees(np.unwrap(np.arctan2(x[:, 1], x[:, 0]))[-1]))


def test_the_stunt_ends_in_a_slide_of_a_hundred_degrees() -> None:
    run = stunt()
    up = run.model.forward_kinematics(run.q)[:, 0, 2, 2]
    print(f"turned by {heading(run):.2f}°, leaned by {np.degrees(np.arccos(up.min())):.1f}°")
    assert heading(run) == pytest.approx(100.0, abs=1.0)
    assert up.min() > 0.95
    assert np.abs(run.v[-1]).max() < 0.1
    assert np.array_equal(stunt().q, run.q)  # a take, played again


def test_frames_do_not_change_the_drive_of_a_script() -> None:
    times = tuple((round(4 * at) / 4, action) for at, action in SCRIPT)
    fine, coarse = (stunt(times, frame=frame) for frame in (1 / 40, 1 / 4))
    assert heading(fine) == pytest.approx(heading(coarse), abs=0.1)


def test_a_fast_car_overturns() -> None:
    run = stunt(ROLL_OVER, duration=13.0)
    assert run.model.forward_kinematics(run.q[-1])[0, 2, 2] < -0.99


def test_unknown_actions() -> None:
    with pytest.raises(ValueError, match="unknown action 'brake'; did you mean 'braking'"):
        stunt(((0.0, "brake"),))

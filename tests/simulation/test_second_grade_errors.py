"""Mistakes of the first afternoon are told in words of the user: what, where, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import on_ground, quadruped, standing, stiff
from oracle import Array

import tarsus as ts

FILE = Path(__file__).parents[2] / "examples/quadruped.urdf"


class Tracked:
    """What a tensor of PyTorch does whose derivatives are wanted."""

    requires_grad = True

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def within(model: ts.Model) -> Array:
    """Return the neutral configuration, within the limits of joints."""
    return np.clip(model.neutral(), model.lower, model.upper)


def test_a_forgotten_free_base() -> None:
    model = ts.load(FILE)
    hint = r"the root of 'quadruped' is fixed to the world: base=\"free\" of ts\.load lets it move"
    with pytest.raises(ts.ModelError, match=hint):
        ts.stand(model, model.neutral())
    with pytest.raises(ts.StartError, match=r"quadruped is fixed to the world.*base=\"free\""):
        ts.Simulation(model, ground=ts.Ground()).run(within(model), duration=0.1)


def test_a_free_base_has_no_such_hint() -> None:
    with pytest.raises(ts.StartError) as caught:
        on_ground().run(within(quadruped()), duration=0.1)
    assert "fixed to the world" not in str(caught.value)


def test_controllers_that_return_nothing() -> None:
    with pytest.raises(ts.SimulationError, match="returned None: does it lack a return"):
        on_ground().run(standing(), duration=0.1, controller=lambda t, q, v: None)


@pytest.mark.parametrize("contact", ["exact", "event"])
def test_controllers_of_another_signature(contact: str) -> None:
    def hold(q: Array, v: Array) -> Array:
        return np.zeros(18)

    with pytest.raises(TypeError, match=r"controller hold\(q: .*\) -> .* must take \(t, q, v\)"):
        on_ground(contact=contact).run(standing(), duration=0.1, controller=hold)


def test_controllers_may_take_more() -> None:
    def hold(t: float, *state: Array, gain: float = 0.0) -> Array:
        return np.zeros(quadruped().nv)

    assert on_ground().run(standing(), duration=0.01, controller=hold).duration > 0.0


def test_classes_are_no_controllers() -> None:
    with pytest.raises(TypeError, match=r"controller is the class PD, must be an object of it: PD"):
        on_ground().run(standing(), duration=0.1, controller=ts.control.PD)


def test_tensors_with_grad() -> None:
    sim = on_ground()
    with pytest.raises(TypeError, match=r"q0 is a tensor that requires grad.*\.detach\(\)"):
        sim.run(Tracked(), duration=0.1)
    with pytest.raises(TypeError, match=r"kp is a tensor that requires grad"):
        ts.control.PD(quadruped(), Tracked(), 1.0)
    with pytest.raises(ts.SimulationError, match=r"returned a tensor that requires grad"):
        sim.run(standing(), duration=0.1, controller=lambda t, q, v: Tracked())
    with pytest.raises(TypeError, match="q must be an array of real numbers"):
        quadruped().mass_matrix(Tracked())


@pytest.mark.parametrize("shape", [(5,), (2, 3), (1, 1, 18)])
def test_gains_that_do_not_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"kd has shape .*must be a number, \(18,\) or \(B, 18\)"):
        ts.control.ImplicitPD(quadruped(), 1.0, np.ones(shape))


def test_gains_for_another_batch() -> None:
    gains = np.where(quadruped().driven, 50.0, np.zeros((3, 1)))
    hold = ts.control.ImplicitPD(quadruped(), gains, 1.0, standing())
    with pytest.raises(ValueError, match="3"):
        on_ground().run(np.tile(standing(), (4, 1)), duration=0.1, controller=hold)


def test_configurations_are_no_runs() -> None:
    with pytest.raises(TypeError, match=r"of type ndarray, must be a run or a mod.*view\(model, q"):
        ts.view(standing())


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_quaternions_with_the_scalar_first(sign: float) -> None:
    q = standing()
    q[3:7] = sign, 0.0, 0.0, 0.0
    with pytest.warns(UserWarning, match=r"upside down in q, .* are \[x y z w\]"):
        q = ts.stand(quadruped(), q)
    with pytest.warns(UserWarning, match=r"upside down in q0, with the quaternion \[1 0 0 0\]"):
        on_ground().run(q, duration=0.01)


def test_robots_that_are_turned_over_a_little_less_are_meant_so(
    recwarn: pytest.WarningsRecorder,
) -> None:
    q = standing()
    q[3:7] = ts.spatial.quaternion_from_rotation(np.diag([-1.0, 1.0, -1.0]))  # about y
    ts.stand(quadruped(), q)
    q[3:7] = np.cos(0.01), 0.0, np.sin(0.01), 0.0
    ts.stand(quadruped(), q)
    assert not [each for each in recwarn if "upside" in str(each.message)]


def test_a_four_bar_that_cannot_close() -> None:
    with pytest.raises(ts.ModelError, match=r"rods of 0\.1 m and 0\.1 m do not meet, 0\.9 m apart"):
        ts.robots.four_bar(1.0, 0.1, 0.1, 0.1)


def test_without_a_reference_joints_are_led_to_neutral() -> None:
    assert "neutral" in str(ts.control.PD.__doc__)
    m = quadruped()
    given = ts.control.PD(m, 1.0, 1.0)(0.0, standing(), np.zeros(m.nv))
    stated = ts.control.PD(m, 1.0, 1.0, m.neutral())(0.0, standing(), np.zeros(m.nv))
    np.testing.assert_array_equal(given, stated)
    assert np.abs(given).max() > 0.0
    assert stiff() is not None


def test_efforts_without_the_base_and_controls_are_recognised() -> None:
    q0 = standing()
    with pytest.raises(ts.SimulationError, match=r"\(12,\), must be \(18,\).*tau\[m\.driven\]"):
        on_ground().run(q0, duration=0.1, controller=lambda t, q, v: np.zeros(12))
    with pytest.raises(ts.SimulationError, match=r"shape \(5,\), must be \(18,\)$"):
        on_ground().run(q0, duration=0.1, controller=lambda t, q, v: np.zeros(5))
    b = ts.Builder("arm")
    for name in "ab":
        b.body(name, mass=1.0, inertia=(1, 1, 1))
    b.joint("first", "revolute", "world", "a").joint("second", "revolute", "a", "b")
    arm = b.actuator("motor", "first").build()
    with pytest.raises(ts.SimulationError, match=r"must be \(2,\).*ts\.control\.Actuated"):
        ts.Simulation(arm).run([0, 0], duration=0.1, controller=lambda t, q, v: np.zeros(1))


def test_lists_where_a_mapping_is_expected() -> None:
    imu = ts.sensors.IMU("trunk")
    with pytest.raises(TypeError, match="sensors is of type list, must be a Mapping"):
        on_ground().run(standing(), duration=0.1, sensors=[imu])  # type: ignore[arg-type]


def test_what_stands_for_pushes_states_and_controls_is_told() -> None:
    sim, q0 = on_ground(), standing()
    with pytest.raises(TypeError, match=r"list of pushes: \[ts\.Push\('trunk', …\)\]"):
        sim.run(q0, duration=0.1, external={"trunk": [1.0, 0.0, 0.0]})  # type: ignore[arg-type]
    with pytest.raises(IndexError, match="there is no state 5: this run has 2"):
        sim.run(np.tile(q0, (2, 1)), duration=0.01)[5]
    with pytest.raises(ValueError, match="'quadruped' has no actuators to control: pass torques"):
        ts.rollout(sim, q0, controls=np.zeros((2, 3, 4)))

"""Open-loop rollouts are the runs that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, batch, on_ground, quadruped, standing, stiff
from oracle import Array

from tarsus.control import PD, Cascade
from tarsus.simulation import Simulation, rollout


def test_torques_are_held_as_long_as_stated() -> None:
    sim = Simulation(arm())
    tau = np.random.default_rng(0).normal(size=(3, 8, 4))
    run = rollout(sim, ARM, torques=tau, hold=5, record=("q", "tau"), threads=2)
    assert run.q.shape == (3, 9, 4) and run.t[1] == pytest.approx(5e-3)
    np.testing.assert_array_equal(run.tau[:, 1:], tau)

    for k in range(3):

        def control(t: float, q: Array, v: Array, k: int = k) -> Array:
            return tau[k, int(t / 5e-3 + 1e-6)]

        alone = sim.run(ARM, duration=0.04, controller=control, every=5)
        np.testing.assert_array_equal(alone.q, run.q[k])


def test_setpoints_for_a_batch_in_contact() -> None:
    q, v = batch(4)
    control = stiff()
    targets = np.tile(standing(), (4, 10, 1))
    targets[..., 9:10] -= np.linspace(0.0, 0.2, 40).reshape(4, 10, 1)
    run = rollout(on_ground(), q, v, setpoints=targets, hold=5, controller=control)
    assert run.q.shape == (4, 11, quadruped().nq)

    def moving(t: float) -> Array:
        return targets[2, min(int(t / 1e-2 + 1e-6), 9)]

    own = type(control)(quadruped(), 120.0, 6.0, moving)
    alone = on_ground().run(q[2], v[2], duration=0.1, controller=own, every=5)
    np.testing.assert_array_equal(alone.q, run.q[2])


def test_one_sequence_for_many_and_a_model_for_a_simulation() -> None:
    tau = np.ones((6, 4))
    many = rollout(arm(), np.tile(ARM, (3, 1)), torques=tau)
    assert many.q.shape == (3, 7, 4)
    one = rollout(Simulation(arm()), ARM, torques=tau)
    assert one.q.shape == (7, 4)
    np.testing.assert_array_equal(many.q[1], one.q)


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "nothing": (lambda: rollout(arm(), ARM), ValueError, "either torques, controls or setpoints"),
    "both": (
        lambda: rollout(arm(), ARM, torques=np.ones((2, 4)), setpoints=np.ones((2, 4))),
        ValueError,
        "either torques, controls or setpoints",
    ),
    "shape": (lambda: rollout(arm(), ARM, torques=np.ones(4)), ValueError, "torques has shape"),
    "size": (
        lambda: rollout(arm(), ARM, torques=np.ones((2, 3))),
        ValueError,
        r"torques has shape \(2, 3\), must be \(…, 4\)",
    ),
    "states": (
        lambda: rollout(arm(), np.tile(ARM, (2, 1)), torques=np.ones((3, 2, 4))),
        ValueError,
        "3 sequences for 2 states",
    ),
    "hold": (lambda: rollout(arm(), ARM, torques=np.ones((2, 4)), hold=0), ValueError, "hold is"),
    "controller": (
        lambda: rollout(arm(), ARM, setpoints=np.ones((2, 4))),
        ValueError,
        "need a controller",
    ),
    "torques for a controller": (
        lambda: rollout(arm(), ARM, torques=np.ones((2, 4)), controller=PD(arm(), 1, 1)),
        ValueError,
        "torques take no controller",
    ),
    "another model": (
        lambda: rollout(arm(), ARM, setpoints=np.ones((2, 4)), controller=PD(arm(3), 1, 1)),
        ValueError,
        "the controller is for 'arm', the simulation",
    ),
    "cascade": (
        lambda: rollout(
            arm(),
            ARM,
            setpoints=np.ones((2, 4)),
            controller=Cascade(PD(arm(), 1, 1), PD(arm(), 1, 1), 0.1),  # type: ignore
        ),
        ValueError,
        "need a controller",
    ),
    "model": (lambda: rollout("arm", ARM), TypeError, "simulation is of type str"),  # type: ignore
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rollouts_are_named(case: str) -> None:
    make, error, message = BAD[case]
    with pytest.raises(error, match=message):
        make()

"""The snakeboard drives itself forward: who gives the power, and beside reduced momenta."""

from __future__ import annotations

import numpy as np

import tarsus as ts


def test_the_torso_gives_what_the_board_gains() -> None:
    run = ts.scenes.snakeboard().run()
    assert run.q[-1, 0] > 5.0  # no wheel is driven
    flow = ts.ports.power_flow(run)
    assert flow.gives["drive torso"] > 100.0 * abs(flow.works["drive rear"])
    np.testing.assert_allclose(flow.stored["kinetic"], flow.gives["drive torso"], rtol=0.02)


def test_straight_wheels_go_nowhere() -> None:
    run = ts.scenes.snakeboard(steering=0.0).run(duration=2.0)
    assert np.abs(run.q[:, :2]).max() < 1e-9


def test_beside_reduced_momenta() -> None:
    """The same torques in reduced momenta of the model: the motion that dt → 0 leads to."""
    scene = ts.scenes.snakeboard()
    model, control = scene.model, scene.controller
    system = ts.ports.reduced(model, around=model.neutral())
    at = {port.name: model.joint(port.name).v_slice for port in system.ports}

    def torque(t: float, x: np.ndarray) -> np.ndarray:
        q, p = system.mechanism.split(system.full(x))
        tau = control(t, q, system.mechanism.velocity(q, p))
        return np.concatenate([tau[at[port.name]] for port in system.ports])

    start = system.state_of(scene.q0, scene.v0)
    motion = ts.ports.simulate(system, start, 2.0, torque, samples=5, rtol=1e-8)
    assert motion.ledger.relative_residual < 1e-6
    apart = []
    for dt in (2e-3, 1e-3):
        run = scene.but(dt=dt).run(duration=2.0)
        apart.append(np.abs(run.q[-1] - motion.x[-1, : model.nq]).max())
    print(f"apart {apart} m")
    assert apart[1] < 0.6 * apart[0] < 0.01  # first order

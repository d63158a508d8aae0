"""Joints that are bound to a phase, on machines that lack a drive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle import Array

import tarsus as ts
from tarsus.control import VirtualConstraints
from tarsus.gait.walkers import Walker
from tarsus.gait.walkers.planar import UNSTABLE, compass, start

RNG = np.random.default_rng(4)


def chain(n: int = 4) -> ts.Model:
    """Return a pendulum of n links with springs and dampers; its first joint has no drive."""
    builder = ts.Builder("chain")
    last = "world"
    for k in range(n):
        builder.body(f"link{k}", 1.0, (0.0, 0.0, -0.2), 0.02 * np.eye(3))
        place = (0.0, 0.0, -0.4 if k else 0.0)
        builder.joint(
            *(f"joint{k}", "revolute", last, f"link{k}"),
            axis="y",
            position=place,
            damping=0.1,
            stiffness=0.3,
        )
        last = f"link{k}"
    return builder.build()


def swing(n: int = 4) -> Array:
    """Return samples along which the first joint turns from −1 to 1 rad."""
    first = np.linspace(-1.0, 1.0, 21)
    return np.stack([first, *(np.sin((k + 1) * first) / (k + 1) for k in range(1, n))], axis=-1)


def law(bandwidth: float = 5.0, **settings: float) -> VirtualConstraints:
    others = ["joint1", "joint2", "joint3"]
    return VirtualConstraints(
        chain(), swing(), bandwidth, joints=others, phase="joint0", **settings
    )


def test_offsets_fade_and_the_free_joint_has_no_effort() -> None:
    control, m = law(), chain()
    for q, v in 0.5 * RNG.normal(size=(20, 2, 4)):
        tau = control(0.0, q, v)
        assert tau[0] == 0.0 and np.abs(tau[1:]).max() > 0.0
        a = m.forward_dynamics(q, v, tau + m.passive_forces(q, v))
        h = 1e-4
        (y, rate), there, back = (
            control.offsets(q + x * v + x * x / 2 * a, v + x * a) for x in (0.0, h, -h)
        )
        np.testing.assert_allclose(rate, (there[0] - back[0]) / (2 * h), atol=1e-5)
        second = (there[1] - back[1]) / (2 * h)
        np.testing.assert_allclose(second, -10.0 * rate - 25.0 * y, rtol=1e-3, atol=1e-3)


def test_a_motion_comes_to_its_constraints() -> None:
    control, m = law(10.0), chain()
    q0 = swing()[4] + [0.0, 0.2, -0.1, 0.1]
    flowed = ts.flow(ts.Phase(m, controller=control), q0, duration=2.0, rtol=1e-7, atol=1e-9)
    assert np.abs(control.offsets(flowed.q, flowed.v)[0]).max() < 1e-4
    assert np.abs(control.offsets(q0, np.zeros(4))[0]).max() > 0.05
    shifted = law(10.0, reference=0.2)
    flowed = ts.flow(ts.Phase(m, controller=shifted), q0, duration=2.0, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(shifted.offsets(flowed.q, flowed.v)[0], 0.2, atol=1e-3)


def test_an_unstable_gait_is_kept_by_the_hip_alone() -> None:
    """Its angle bound to that of the stance leg: no effort on the gait, and offsets fade."""
    walker = compass()
    cycle = ts.gait.limit_cycle(walker, start(UNSTABLE))
    m, (q, v) = walker.phases[0].model, cycle.state
    every = cycle.period / 40
    motion = ts.flow(m, q, v, duration=cycle.period + 1e-9, sample=every).samples
    control = VirtualConstraints(m, motion[1], 10.0, joints="hip", phase="lean")
    assert np.abs(control(0.0, motion[1], motion[2])).max() < 5e-3
    led = Walker.from_phases(
        replace(walker.phases[0], controller=control), start=cycle.state, ahead=walker.ahead
    )
    assert len(walker.steps(q, 1.02 * v, 10).events) < 10
    steps = led.steps(q, 1.02 * v, 10, rtol=1e-7, atol=1e-9)
    assert len(steps.events) == 10
    offsets = np.array([np.abs(event.next_v - v).max() for event in steps.events])
    assert offsets[-1] < 0.05 * offsets[0]
    growth = (offsets[4] / offsets[1]) ** (1 / 3)
    assert growth == pytest.approx(0.6905, abs=0.01)


def test_wrong_constraints_are_named() -> None:
    m = chain()
    for arguments, message in (
        ({"samples": swing()[:4]}, "samples has shape"),
        ({"bandwidth": 0.0}, "bandwidth is 0.0, must be positive"),
        ({"joints": ()}, "joints is empty"),
        ({"phase": "joint2", "samples": np.cos(swing())}, "phase does not rise or fall"),
        ({"phase": "hip"}, "hip"),
        ({"phase": "joint1"}, "phase is of bound joints alone"),
        ({"phase": (0.0, 1.0, 0.5, 0.0), "joints": ("joint1", "joint2")}, "bound joints alone"),
        ({"joints": ("joint1", "joint2", "joint1")}, "joints has 'joint1' twice"),
    ):
        settings = {"samples": swing(), "bandwidth": 5.0, "joints": "joint1", "phase": "joint0"}
        with pytest.raises(ValueError, match=message):
            VirtualConstraints(m, **{**settings, **arguments})  # type: ignore[arg-type]

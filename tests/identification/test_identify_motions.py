"""Numbers of machines come back from motions that were recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded import double_pendulum, lower_link, recorded

import tarsus as ts

TRUE = {"mass": 1.3, "center": 0.45, "inertia": 0.06, "damping": 0.12}
GUESS = {"mass": 1.0, "center": 0.35, "inertia": 0.09, "damping": 0.0}


def test_exact_samples_give_exact_numbers() -> None:
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 2.0)
    found = ts.identify(double_pendulum(**GUESS), lower_link(), t, q)
    assert found.converged
    for name, true in TRUE.items():
        assert abs(found[name] - true) < 1e-8
    body = {each.name: each for each in found.model.description.bodies}["lower"]
    assert abs(body.mass - 1.3) < 1e-8
    assert abs(body.com[2] + 0.45) < 1e-8
    assert abs(body.inertia[1, 1] - 0.06) < 1e-8
    assert np.abs(found.q - q).max() < 1e-8


@pytest.mark.parametrize("every", [7, 25, 1000])
def test_nodes_change_nothing_but_the_way(every: int) -> None:
    """With one segment the search must begin nearer: far motions of a double pendulum differ."""
    near = double_pendulum(mass=1.25, center=0.44, inertia=0.065, damping=0.1)
    rng = np.random.default_rng(3)
    t, q, v = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 2.0)
    q, v = q + 1e-3 * rng.normal(size=q.shape), v + 1e-2 * rng.normal(size=v.shape)
    found = [
        ts.identify(
            *(near, lower_link(), t, q, v),
            noise=1e-3,
            rate_noise=1e-2,
            every=k,
        )
        for k in (10, every)
    ]
    shift = (found[0].values - found[1].values) / found[0].deviations
    assert np.abs(shift).max() < 1e-3
    assert np.abs(found[0].covariance / found[1].covariance - 1.0).max() < 1e-3


def test_efforts_tell_what_motion_alone_does_not() -> None:
    """A pendulum with a point mass swings as it does whatever it weighs, unless it is pushed."""
    b = ts.Builder("pendulum").body("bob", 2.0, (0.0, 0.0, -0.5))
    b.joint("pin", "revolute", "world", "bob", axis="y", damping=0.2)
    model = b.build()
    wanted = {"mass": ts.parameters.Mass("bob"), "damping": ts.parameters.Damping("pin")}
    t, q, _ = recorded(model, [1.0], [0.0], 2.0)
    blind = ts.identify(model, wanted, t, q)
    assert blind.observability.rank == 1
    told = blind.observability.combinations[0].shares
    assert set(told) == {"mass", "damping"}
    assert abs(told["damping"] / told["mass"] - 0.1) < 1e-4  # both in the same proportion
    assert np.isinf(blind.deviations).all()
    assert "not told" in str(blind)
    with pytest.raises(ArithmeticError, match="depends on the parameters: mass"):
        free = ts.Editor(model).change("joint", "pin", damping=0.0).build()
        t, q, _ = recorded(free, [1.0], [0.0], 2.0)
        ts.identify(free, {"mass": wanted["mass"]}, t, q)
    tau = 0.8 * np.sin(3.0 * t)[:, None]
    states = [(np.array([1.0]), np.zeros(1))]
    for k in range(len(t) - 1):
        end = ts.flow(model, *states[-1], tau=tau[k], duration=t[1])
        states.append((end.q, end.v))
    pushed = np.array([state[0] for state in states])
    guess = ts.Editor(model).change("body", "bob", mass=1.0).build()
    found = ts.identify(guess, wanted, t, pushed, tau=tau)
    assert abs(found["mass"] - 2.0) < 1e-8
    assert abs(found["damping"] - 0.2) < 1e-8


def test_dry_friction_with_phases_that_say_how_a_joint_turns() -> None:
    def swinging(friction: float, stiffness: float) -> list[ts.Phase]:
        b = ts.Builder("block").body("block", 2.0)
        b.joint(
            *("slide", "prismatic", "world", "block"),
            axis="x",
            friction=friction,
            stiffness=stiffness,
        )
        turn = ts.guards.JointVelocity("slide")
        there = ts.Exit(turn, to="back")
        back = ts.Exit(turn, to="there", crossing="rising")
        return [
            ts.Phase(b.build(), there, name="there", rubbing={"slide": 1}),
            ts.Phase(b.build(), back, name="back", rubbing={"slide": -1}),
        ]

    t, q, _ = recorded(swinging(0.5, 30.0), [-1.0], [0.1], 3.05)
    wanted = {
        "friction": ts.parameters.Friction("slide"),
        "stiffness": ts.parameters.Stiffness("slide"),
    }
    found = ts.identify(swinging(0.3, 28.0), wanted, t, q)
    assert abs(found["friction"] - 0.5) < 1e-8
    assert abs(found["stiffness"] - 30.0) < 1e-7
    # a constant force is a spring that is relaxed elsewhere, in both phases
    pushed = ts.identify(swinging(0.3, 28.0), wanted, t, q + 0.1, tau=np.full((len(t), 1), 3.0))
    assert abs(pushed["friction"] - 0.5) < 1e-8
    assert abs(pushed["stiffness"] - 30.0) < 1e-7


def test_missing_samples_and_bounds() -> None:
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 2.0)
    q[13:19] = np.nan
    q[40, 1] = np.nan
    found = ts.identify(double_pendulum(**GUESS), lower_link(), t, q)
    assert abs(found["damping"] - 0.12) < 1e-8
    assert np.isnan(found.residuals[15]).all()
    held = ts.identify(double_pendulum(**GUESS), lower_link(), t, q, bounds={"damping": (0.0, 0.1)})
    assert held["damping"] == 0.1
    assert held.bounded == ("damping",)
    assert "at its bound" in str(held)


def test_figure(tmp_path: Path) -> None:
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 1.0)
    found = ts.identify(double_pendulum(), lower_link(), t, q)
    figure = found.plot(tmp_path / "found.png")
    assert (tmp_path / "found.png").stat().st_size > 10_000
    estimates = figure.axes[-1]
    assert [label.get_text() for label in estimates.get_xticklabels()] == list(TRUE)


def test_a_start_that_is_known_is_not_looked_for() -> None:
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 1.0)
    rng = np.random.default_rng(0)
    q = q + 1e-3 * rng.normal(size=q.shape)
    start = ([1.2, -0.7], [0.0, 0.0])
    args = (double_pendulum(), lower_link(), t, q)
    known = ts.identify(*args, noise=1e-3, start=start)
    free = ts.identify(*args, noise=1e-3)
    assert (known.observability.deviations < free.observability.deviations).all()
    assert known.freedom == free.freedom + 4


def test_wrong_inputs_are_named() -> None:
    model = double_pendulum()
    t, q, v = recorded(model, [1.2, -0.7], [0.0, 0.0], 1.0)
    wanted = lower_link()
    for match, call in (
        ("q has shape", lambda: ts.identify(model, wanted, t, q[:, :1])),
        ("evenly spaced", lambda: ts.identify(model, wanted, t**2, q)),
        ("rate_noise", lambda: ts.identify(model, wanted, t, q, v, noise=1e-3)),
        ("noise is -1", lambda: ts.identify(model, wanted, t, q, noise=-1)),
        ("parameters", lambda: ts.identify(model, {}, t, q)),
        ("ts.parameters", lambda: ts.identify(model, {"mass": 2.0}, t, q)),
        ("'dampin'", lambda: ts.identify(model, wanted, t, q, bounds={"dampin": (0, 1)})),
        ("'lowr'", lambda: ts.identify(model, {"m": ts.parameters.Mass("lowr")}, t, q)),
        ("start has shapes", lambda: ts.identify(model, wanted, t, q, start=([0.0], [0.0]))),
        ("cut is 2", lambda: ts.identify(model, wanted, t, q, cut=2.0)),
    ):
        with pytest.raises((ValueError, TypeError, KeyError), match=match):
            call()


def test_a_machine_that_turns_freely() -> None:
    """Configurations with quaternions: a top on a ball joint that carries an arm."""

    def top(mass: float, damping: float) -> ts.Model:
        b = ts.Builder("top").body("top", 2.0, (0.05, 0.0, -0.3), inertia=(0.2, 0.25, 0.1))
        b.body("arm", mass, (0.0, 0.1, -0.2), inertia=(0.02, 0.02, 0.01))
        b.joint("ball", "spherical", "world", "top", damping=damping)
        b.joint("hinge", "revolute", "top", "arm", axis="x", position=(0.0, 0.1, -0.3))
        return b.build()

    real = top(0.8, 0.15)
    q0 = real.integrate(real.neutral(), [0.4, -0.3, 0.2, 0.5])
    t, q, _ = recorded(real, q0, [0.5, 1.0, 2.0, -0.5], 1.5)
    wanted = {"mass": ts.parameters.Mass("arm"), "damping": ts.parameters.Damping("ball")}
    found = ts.identify(top(0.6, 0.05), wanted, t, q)
    assert abs(found["mass"] - 0.8) < 1e-8
    assert abs(found["damping"] - 0.15) < 1e-8
    assert found.residuals.shape == (len(t), real.nv)


def test_a_machine_of_another_kind_does_not_fit() -> None:
    """Without the damper that it has no number explains the motion; with it noise does."""
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 2.0)
    q = q + 1e-3 * np.random.default_rng(4).normal(size=q.shape)
    wanted = lower_link()
    good = ts.identify(double_pendulum(), wanted, t, q, noise=1e-3)
    wanted.pop("damping")
    bad = ts.identify(double_pendulum(damping=0.1), wanted, t, q, noise=1e-3)
    assert good.probability > 0.01
    assert bad.probability < 1e-9
    assert bad.spread > 2.0

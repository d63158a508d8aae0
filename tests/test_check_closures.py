"""`tarsus.check` of models with couplings, loops, constraints and joints that roll."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.differences import STEP, rate, steps
from tarsus.check.check import lint
from tarsus.check.identities import inverse_of_forward, step_and_back
from tarsus.check.states import CLOSURES, States, constrained, coupling, gap_rate, gaps

ROBOTS: dict[str, Callable[[], ts.Model]] = {
    "lola(1)": lambda: ts.robots.lola(1),
    "lola(2)": lambda: ts.robots.lola(2),
    "lola(3)": lambda: ts.robots.lola(3),
    "rotor_tree": lambda: ts.robots.rotor_tree(7, skew=1.0),
    "rotor_chain": lambda: ts.robots.rotor_chain(9),
    "four_bar_chain": lambda: ts.robots.four_bar_chain(5),
    "chain": lambda: ts.robots.chain(5),
    "tree": lambda: ts.robots.tree(7),
    "compass": ts.robots.compass,
    "dill": lambda: ts.robots.dill(2),
    # feet of 1e-6 hips, the default, make masses so unlike that six digits are lost
    "simplest_walker": lambda: ts.robots.simplest_walker(foot_mass=1e-3),
    "random_mechanism": lambda: ts.robots.random_mechanism(5, 14),
    **{
        name: getattr(ts.robots, name)
        for name in (
            *("differential", "five_bodies", "four_bar", "mini_cheetah", "quadruped"),
            *("rolling_disc", "slider_crank", "snakeboard", "spatial_four_bar"),
            *("strandbeest_leg", "vergence", "dribbel", "walker3d"),
        )
    },
}


def ring(n: int = 12, kind: str = "weld") -> ts.Model:
    """Return a chain of skew links whose end is held by a constraint."""
    builder = ts.Builder("ring")
    for i in range(n):
        builder.body(f"link_{i}", 1.0, (0.5, 0.0, 0.0), (0.01, 0.1, 0.1))
        parent, at = (f"link_{i - 1}", (1.0, 0.0, 0.0)) if i else ("world", (0.0, 0.0, 0.0))
        builder.joint(
            f"joint_{i}", "revolute", parent, f"link_{i}", position=at, rotation=(1.3, 0.0, 0.0)
        )
    builder.close_loop(
        *(kind, "world", (1.0, 0.3, 0.2), f"link_{n - 1}", (1.0, 0.0, 0.0)), constraint=True
    )
    return builder.build()


def identities(report: ts.Report) -> dict[str, float | None]:
    return {row.quantity or row.identity: row.value for row in report.residuals}


def test_every_robot_is_checked_here() -> None:
    assert {name.split("(")[0] for name in ROBOTS} == set(ts.robots.names())


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_fulfil_every_identity(name: str) -> None:
    report = ts.check(ROBOTS[name](), states=16, seed=1)
    print(report)
    assert report.ok


@pytest.mark.parametrize("kind", ["weld", "spherical", "point_on_line", "knife_edge"])
def test_constraints_fulfil_every_identity(kind: str) -> None:
    report = ts.check(ring(kind=kind), states=8)
    print(report)
    assert report.ok
    assert {"constraint jacobian", "J a + J̇ v = 0"} <= identities(report).keys()


def test_lines_are_there_for_what_a_model_has() -> None:
    def shown(model: ts.Model) -> list[str]:
        found = identities(ts.check(model, states=2))
        return [name for i in CLOSURES if (name := i.quantity or i.text) in found]

    couplings = ["joint velocities", "joint accelerations"]
    assert shown(ts.robots.chain(2)) == []
    assert shown(ts.robots.differential()) == couplings
    assert shown(ts.robots.four_bar()) == [*couplings, "loop gaps"]
    assert shown(ring()) == ["constraint jacobian", "J a + J̇ v = 0"]


def test_peers_say_why_they_are_not_asked() -> None:
    report = ts.check(ts.robots.snakeboard(), states=2)
    not_compared = {
        "Pinocchio": "trees and joints that mimic others only: not compared, the model has 1 loop",
        "MuJoCo": "trees only: not compared, the model has 1 coupling and 1 loop",
    }
    for name, reason in not_compared.items():
        expected = f"{name} is handed {reason}"
        assert report.peers[name] == expected
        assert expected in str(report)
    assert all(row.peers == {} for row in report.residuals)


def test_rotors_that_are_approximated_make_a_tree_that_is_compared() -> None:
    report = ts.check(ts.robots.mini_cheetah("reflected"), states=4)
    assert report.ok
    assert set(report.residuals[0].peers) == {"Pinocchio", "MuJoCo"}


def test_states_keep_to_constraints() -> None:
    model = ring()
    sample = States.random(model, 6, seed=0)
    velocities = np.einsum("nij,nj->ni", model.constraint_jacobian(sample.q), sample.v)
    print(np.abs(model.loop_gaps(sample.q)).max(), np.abs(velocities).max())
    assert np.abs(model.loop_gaps(sample.q)).max() < 1e-12
    assert np.abs(velocities).max() < 1e-12
    assert np.abs(sample.v).max() > 0.1
    assert np.ptp(sample.q, axis=0).max() > 0.1


def test_states_near_what_can_be_closed() -> None:
    """A crank that does not turn round: random states and steps stay where the loop closes."""
    model = ts.robots.four_bar(ground=0.2, crank=0.3, coupler=0.18, rocker=0.3, angle=1.5)
    for seed in range(5):
        sample = States.random(model, 16, seed)
        assert gaps(sample) < 1e-10
        assert step_and_back(sample) < 1e-10


def test_steps_of_differences_shrink_where_joints_are_fast() -> None:
    plain, geared = ts.robots.chain(3), ts.robots.rotor_chain(3, ratio=-200.0)
    for model, expected in ((plain, STEP), (geared, STEP / 200.0)):
        v = np.array([0.3, 2.0, 0.7])
        assert steps(model, model.neutral(), v) == pytest.approx(expected)
        assert steps(model, model.neutral(), np.zeros(3)) == STEP


def test_steps_of_differences_shrink_where_a_loop_nearly_locks() -> None:
    model = ts.robots.four_bar(ground=0.2, crank=0.3, coupler=0.18, rocker=0.3, angle=1.5)
    q = model.neutral()
    while True:  # towards the end of the crank's range
        try:
            q = model.integrate(q, [0.004])
        except ArithmeticError:
            break
    v = np.ones(1)
    found = rate(model, q, v, model.joint_positions)
    print(steps(model, q, v), found, model.joint_velocities(q, v))
    assert steps(model, q, v) < 0.1 * STEP
    np.testing.assert_allclose(found, model.joint_velocities(q, v), rtol=1e-8)


class Wrong(ts.Model):
    """A model one of whose methods is wrong by a part in a million."""

    wrong = ""

    def __getattribute__(self, name: str):  # type: ignore[no-untyped-def]
        value = object.__getattribute__(self, name)
        if name != object.__getattribute__(self, "wrong"):
            return value
        return lambda *arguments: 1.000001 * value(*arguments)


@pytest.mark.parametrize(
    ("method", "residual", "make"),
    [
        ("joint_velocities", coupling, ts.robots.mini_cheetah),
        ("constraint_jacobian", gap_rate, ring),
        ("forward_dynamics", constrained, ring),
        ("forward_dynamics", inverse_of_forward, ring),
    ],
)
def test_mistakes_are_found(
    method: str, residual: Callable[[States], float], make: Callable[[], ts.Model]
) -> None:
    right = make()
    sample = States.random(right, 4, seed=0)
    kind = type("Wrong", (Wrong,), {"wrong": method})
    faulty = States(kind(right.description), sample.q, sample.v, sample.a, sample.tau)
    print(residual(sample), residual(faulty))
    assert residual(sample) < 1e-8
    assert residual(faulty) > 1e-7


def test_open_loops_are_found() -> None:
    model = ts.robots.slider_crank()
    sample = States.random(model, 4, seed=0)
    sample.q[:, model.joint("slider").q_slice] += 1e-6
    assert gaps(sample) == pytest.approx(1e-6, rel=0.5)


def test_rotors_need_neither_mass_nor_limits() -> None:
    builder = ts.Builder("geared").body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01)).body("rotor")
    builder.joint(
        *("hinge", "revolute", "world", "arm"),
        lower=-1.0,
        upper=1.0,
        velocity_limit=3.0,
        effort_limit=5.0,
    )
    findings = lint(builder.gear("hinge", 100.0, "rotor").build())
    assert [f.message for f in findings] == ["moves but has no mass of its own"]

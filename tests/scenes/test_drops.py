"""The quadruped falls: timing, forces, complementarity, passivity, symmetry (Ayit 2015, ch. 4, 5).

Numbers that come with a posture are those of an independent prototype of the same completion of
the thesis (tarsus.robots.quadrupeds): calibrations, not numbers of the thesis.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tarsus_lab.reproduce.contact_runs import PENALTIES, THESIS, summary

import tarsus as ts
from tarsus.robots.quadrupeds import LEGS
from tarsus.scenes.robots import FRICTION, VISCOUS
from tarsus.simulation.contact import StabilityWarning

HEIGHTS = (0.1, 0.5, 1.5)
WEIGHT = 96.8 * 9.81
FEET = [f"{leg}_foot" for leg in LEGS]


def told(function: Callable[[], Any], law: ts.contact.Exact) -> Any:
    """Return what a function does; the sweeps of the thesis may say that they did not converge."""
    with warnings.catch_warnings():
        if law.solver == "pgs":
            warnings.simplefilter("ignore", ts.ConvergenceWarning)
        return function()


@pytest.mark.parametrize(
    ("height", "step", "speed"),
    [(0.1, 286, 1.4007), (0.5, 639, 3.1321), (1.5, 1106, 5.4249)],
)
def test_when_and_how_fast_feet_land(height: float, step: int, speed: float) -> None:
    """Steps until the first contact, counted from 0, and √(2gh)."""
    run = ts.scenes.drop(height).run(duration=0.6, record=("q", "v", "contacts"))
    loaded = run.contacts.force[:, 2] > 0.0
    first = int(run.contacts.sample[loaded].min()) - 1
    fall = -float(run.v[first, 2])
    print(f"{height} m: step {first}, {fall:.4f} m/s")
    assert abs(first - step) <= 1
    assert fall == pytest.approx(speed, rel=5e-3)


@pytest.mark.parametrize("height", HEIGHTS)
def test_drops_end_on_four_feet(height: float) -> None:
    found = summary(ts.scenes.drop(height))
    load = found.run.contacts.ground_force()[-200:, 2].mean()
    print(f"{height} m: {found}, {1e3 * found.penetration:.4f} mm deep, load {load:.2f} N")
    assert found.passed
    assert found.apex <= found.run.q[0, 2]
    assert found.penetration < 1e-4
    assert found.upright > 0.999
    assert load == pytest.approx(WEIGHT, abs=1.0)
    assert found.end[2] == pytest.approx(0.6, abs=0.01)


@pytest.mark.parametrize("height", HEIGHTS)
def test_drops_as_the_thesis_stops_feet(height: float) -> None:
    """Feet stop in the step after they have entered: up to |v| dt deep, and never pushed out."""
    found = told(lambda: summary(ts.scenes.drop(height).but(contact=THESIS)), THESIS)
    print(f"{height} m: {found}, {1e3 * found.penetration:.2f} mm deep")
    assert found.passed
    assert 1e-4 < found.penetration < 3e-3


def test_loads_at_rest() -> None:
    """P2: 237.40 N on each foot. P1: 242.4 N on hind feet, 232.4 N on front feet."""
    for posture, loads in (("P1", (242.4, 232.4)), ("P2", (237.4, 237.4))):
        scene = ts.scenes.drop(0.0, posture)
        run = scene.run(record=("q", "contacts"))
        found = np.array([run.contacts.force_on(foot)[-200:, 2].mean() for foot in FEET])
        print(f"{posture}: {found} N, together {found.sum():.3f} N")
        assert found.sum() == pytest.approx(949.608, rel=1e-3)
        np.testing.assert_allclose(found, np.repeat(loads, 2), atol=0.5)


@pytest.mark.parametrize("law", [ts.contact.Exact(), THESIS], ids=["newton", "pgs"])
@pytest.mark.parametrize("name", ["drop", "trot", "jump"])
def test_forces_are_complementary_in_every_step(name: str, law: ts.contact.Exact) -> None:
    """F_n ≥ 0, and no tangential force beyond μ F_n + μ_v |v_t|; the solver converges."""
    run = told(lambda: getattr(ts.scenes, name)().but(contact=law).run(duration=2.5), law)
    contacts = run.contacts
    normal = contacts.force[:, 2]
    tangential = np.linalg.norm(contacts.force[:, :2], axis=1)
    before = contacts.sample - 1
    speeds = np.zeros(len(contacts))
    for leg in LEGS:
        of_leg = contacts.bodies == f"{leg}_foot"
        tip = run.model.frame_velocity(run.q, run.v, f"{leg}_tip", reference="local_world_aligned")[
            before[of_leg]
        ]
        # a foot that will land in the step touches where the ground is, below its tip
        arm = (
            contacts.point[of_leg]
            - run.model.frame_pose(run.q, f"{leg}_tip")[before[of_leg], :3, 3]
        )
        slip = tip[:, :3] + np.cross(tip[:, 3:], arm)
        speeds[of_leg] = np.linalg.norm(slip[:, :2], axis=1)
    excess = tangential - (FRICTION * normal + VISCOUS * speeds)
    worst = run.statistics.residual.max()
    print(
        f"{name}: smallest F_n {normal.min():.3g} N, largest excess of friction {excess.max():.1e} "
        f"N of {normal.max():.0f} N, residual {worst:.1e} m/s"
    )
    assert normal.min() >= 0.0
    assert (excess <= 1e-9 * np.maximum(normal, 1.0)).all()
    assert (tangential[normal == 0.0] == 0.0).all()
    # the thesis' sweeps converge slowly where four feet share a load, and say so
    if law.solver == "newton":
        assert run.statistics.relative.max() < 1e-8
    assert worst < 2e-5


@pytest.mark.parametrize("posture", ["P1", "P2"])
def test_energy_never_increases_without_a_controller(posture: str) -> None:
    scene = ts.scenes.drop(0.5, posture).but(controller=None, collision=None)
    run = scene.run(duration=2.0, every=1)
    steps = np.diff(run.energy.stored)
    print(f"{posture}: largest step {steps.max():.2e} J, of {run.energy.stored[0]:.0f} J at first")
    # a step of free flight is exact but for its rounding
    assert steps.max() < 1e-9 * run.energy.stored[0]
    run.energy.check(1e-3)


@pytest.mark.parametrize("name", ["drop", "trot", "jump"])
def test_ledger_of_the_scenarios(name: str) -> None:
    """The residual is that of a method of first order: half of it with half the step."""
    scene, worst = getattr(ts.scenes, name)(), {}
    for dt in (5e-4, 2.5e-4):
        run = scene.but(dt=dt).run(duration=2.0, record=("energy",))
        worst[dt] = float(np.abs(run.energy.relative_residual).max())
    print(f"{name}: residual {worst} of the flow")
    assert worst[5e-4] < 1e-3
    assert worst[2.5e-4] < 0.75 * worst[5e-4]


def test_impulses_do_not_depend_on_the_step_and_forces_do() -> None:
    """P2 from 0.5 m, as the thesis stops feet: 14.05 to 14.08 N s, 28.15 kN at 0.5 ms."""
    impulses, forces, dts = [], [], (5e-4, 2.5e-4, 1e-4)
    for dt in dts:
        scene = ts.scenes.drop(0.5, "P2").but(contact=THESIS, dt=dt, duration=0.33)
        run = told(lambda scene=scene: scene.run(record=("q", "contacts")), THESIS)
        foot = run.contacts.force_on(FEET[0])[:, 2]
        first = int(np.flatnonzero(foot > 0.0)[0])
        forces.append(float(foot[first]))
        impulses.append(forces[-1] * dt)
    print(f"impulses {impulses} N s, forces {forces} N")
    np.testing.assert_allclose(impulses, 14.06, rtol=5e-3)
    np.testing.assert_allclose(np.array(forces) * dts, impulses[0], rtol=1e-2)


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize(("name", "depths"), [("soft", (10, 20, 35)), ("firm", (0.5, 1, 2))])
def test_springs_survive_all_drops(name: str, depths: tuple[float, ...], height: float) -> None:
    """Depths [mm] are lower bounds: soft springs give way, firm ones by less than 6 mm."""
    found = summary(ts.scenes.drop(height).but(contact=PENALTIES[name]))
    depth = 1e3 * found.penetration
    print(f"{name}, {height} m: {found}, {depth:.1f} mm deep")
    assert found.passed
    assert depth > depths[HEIGHTS.index(height)]
    assert name == "soft" or depth < 6.0


def test_springs_beyond_the_bound_are_reported_and_fail() -> None:
    scene = ts.scenes.drop(0.5).but(contact=PENALTIES["overdamped"])
    with pytest.warns(StabilityWarning, match="penalty contact is likely to explode, tangential"):
        scene.but(duration=0.01).run()
    for height in (0.5, 1.5):
        found = summary(ts.scenes.drop(height).but(contact=PENALTIES["overdamped"]))
        print(f"overdamped, {height} m: {found}")
        assert not found.passed


def test_springs_within_the_bound_are_not_reported() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        for name in ("soft", "firm"):
            ts.scenes.drop(0.5).but(contact=PENALTIES[name], duration=0.01).run()


def test_a_robot_on_its_back_hangs_from_its_tips() -> None:
    """With contact at the tips only, a torso upside down is as deep as it would stand high.

    Whether P3 turns over after 1.5 m is chance; if it does, this is how it ends.
    """
    found = summary(ts.scenes.drop(1.5, "P3"))
    load = found.run.contacts.ground_force()[-200:, 2].mean()
    print(f"P3 ends at {found.end[2]:.3f} m, R33 = {found.upright:.3f}, load {load:.1f} N")
    assert load == pytest.approx(WEIGHT, abs=1.0)
    assert abs(abs(found.upright) - 1.0) < 0.01
    assert found.end[2] == pytest.approx(np.sign(found.upright) * 0.6, abs=0.01)


@pytest.mark.filterwarnings("ignore:the base of")  # it does lie on its back
def test_the_whole_body_touches_the_ground() -> None:
    """On its back, with all its shapes, the torso stays above the ground."""
    scene = ts.scenes.drop(0.3).but(collision=None, duration=3.0)
    q0 = scene.q0.copy()
    q0[2], q0[3:7] = 0.3, [1.0, 0.0, 0.0, 0.0]
    found = summary(scene.but(q0=q0, controller=None))
    print(f"ends at {found.end[2]:.4f} m, R33 = {found.upright:.3f}")
    assert found.upright < -0.99
    assert found.end[2] > 0.07
    assert "torso" in found.run.contacts.touching()


MIRRORS = {
    "left and right": ((1, 0, 3, 2), (1, -1, 1)),
    "front and back": ((2, 3, 0, 1), (-1, 1, 1)),
}


@pytest.mark.parametrize("mirror", MIRRORS)
def test_mirrored_postures_have_mirrored_motions(mirror: str) -> None:
    """The first second of a drop of a skew posture, and that of its mirror image."""
    legs, signs = MIRRORS[mirror]
    scene = ts.scenes.drop(0.1, "P2").but(duration=1.0)
    q = scene.q0.copy()
    q[7:] += 0.02 * np.arange(16).reshape(4, 4).ravel() / 16
    mirrored = _mirrored(q, legs, signs)
    runs = [_held(scene, start).run(record=("q",)) for start in (q, mirrored)]
    other = np.array([_mirrored(each, legs, signs) for each in runs[1].q])
    apart = np.abs(runs[0].q - other).max()
    print(f"{mirror}: motions differ by {apart:.1e}")
    assert apart < 1e-6


def _mirrored(q: np.ndarray, legs: tuple[int, ...], signs: tuple[int, ...]) -> np.ndarray:
    """Return the mirror image of a configuration: legs change places, and angles their sign."""
    found = q.copy()
    found[:3] *= signs
    x, y, z = signs
    found[3:6] *= (y * z, x * z, x * y)
    # a turn about x changes its sign with y, one about y with x
    found[7:] = (q[7:].reshape(4, 4)[list(legs)] * [y, x, x, x]).ravel()
    return found


def _held(scene: ts.scenes.Scene, q: np.ndarray) -> ts.scenes.Scene:
    """Return the scene from another start, which its controller holds."""
    old = scene.controller
    return scene.but(q0=q, controller=ts.control.PID(scene.model, old.kp, old.ki, old.kd, q))


@pytest.mark.parametrize("height", HEIGHTS)
def test_explicit_euler_needs_damping(height: float) -> None:
    """Springs of joints need kd + b > kp dt: with kd = 1 it diverges, with 40 it does not."""
    scene = {kd: ts.scenes.drop(height, kd=kd).but(duration=4.0) for kd in (1.0, 40.0)}
    diverged = summary(scene[1.0].but(integrator="explicit"))
    damped = summary(scene[40.0].but(integrator="explicit"))
    print(f"{height} m: kd = 1 fails at {diverged.run.t[-1]:.3f} s, kd = 40: {damped}")
    assert diverged.failure
    assert not damped.failure
    assert not summary(scene[1.0]).failure


def test_too_little_damping_is_reported_before_a_run() -> None:
    scene = ts.scenes.drop(0.5).but(integrator="explicit", duration=0.01)
    with pytest.warns(StabilityWarning, match=r"kd \+ damping > kp dt.*hind_right_knee"):
        scene.run(record=("q",))
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        ts.scenes.drop(0.5, kd=40.0).but(integrator="explicit", duration=0.01).run(record=("q",))

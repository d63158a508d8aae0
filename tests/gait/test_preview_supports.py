"""Walks by preview control: from the measured state in each cycle, with steps that are adapted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_walks import WALKS
from walking_machines import machine

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.gait import Anatomy
from tarsus.walking import plans
from tarsus.walking.biped import Biped
from tarsus.walking.plans.zmp_preview import PreviewSupports, Reference
from tarsus.walking.settings import Style

SUPPORTS = plans.Supports(omega=3.3, single=0.65, double=0.15, start=1.0)
LAW = plans.ZmpPreview(9.81 / 3.3**2, dt=0.004, horizon=2.4)
PREVIEW = PreviewSupports(SUPPORTS, LAW)
STEPS = plans.Footsteps.steady(steps=8, width=0.2, length=0.2)


def best_jerk(law: plans.ZmpPreview, state: Array, wanted: Array) -> float:
    """Return the first jerk of least Σ e² + R jerk² by dense least squares of a whole motion."""
    h, n = law.dt, len(wanted)
    a = np.array([[1.0, h, h**2 / 2], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
    b = np.array([h**3 / 6, h**2 / 2, h])
    c = np.array([1.0, 0.0, -law.height / law.gravity])
    free, answer, x = np.zeros(n), np.zeros(n), b
    for k in range(n):
        state = a @ state
        free[k], answer[k] = c @ state, c @ x
        x = a @ x
    m = np.array([[answer[k - j] if k >= j else 0.0 for j in range(n)] for k in range(n)])
    rows = np.concatenate([m, np.sqrt(law.jerk_weight) * np.eye(n)])
    right = np.concatenate([wanted - free, np.zeros(n)])
    return float(np.linalg.lstsq(rows, right, rcond=None)[0][0])


def test_gains_are_those_of_the_best_motion() -> None:
    law = plans.ZmpPreview(0.8, dt=0.02, horizon=3.0)
    gain, ahead = law.measured_gains
    rng = np.random.default_rng(0)
    for _ in range(5):
        state = rng.normal(size=3) * [0.02, 0.05, 0.2]
        wanted = np.repeat(0.1 * rng.normal(size=6), 25)
        jerk = -gain @ state - ahead @ wanted
        # after the horizon the dense motion goes on, and reaches no further back
        longer = np.concatenate([wanted, np.full(100, wanted[-1])])
        expected = best_jerk(law, state, longer)
        assert jerk == pytest.approx(expected, abs=2e-2 * (1.0 + abs(expected)))


def test_lines_are_summed_as_samples_are() -> None:
    rng = np.random.default_rng(1)
    gain, ahead = LAW.measured_gains
    times = np.cumsum(rng.uniform(0.05, 0.6, (3, 9)), axis=1)
    times[:, 0] = 0.0
    points = rng.normal(size=(3, 9, 2))
    com, velocity, acceleration = rng.normal(size=(3, 3, 2))
    found = PREVIEW.accelerate(com, velocity, acceleration, Reference(times, points))
    t = LAW.dt * np.arange(1, len(ahead) + 1)
    for k in range(3):
        for i in range(2):
            start = points[k, 0, i]
            wanted = np.interp(t, times[k], points[k, :, i]) - start
            state = np.array([com[k, i] - start, velocity[k, i], acceleration[k, i]])
            jerk = -gain @ state - ahead @ wanted
            expected = acceleration[k, i] + LAW.dt * jerk
            assert found[k, i] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("jerk_weight", "most"), [(1e-6, 0.012), (1e-10, 0.004)])
@pytest.mark.parametrize("left", [0.6, 0.3, 0.05])
def test_preview_leads_what_diverges_as_the_closed_form_does(
    left: float, jerk_weight: float, most: float
) -> None:
    """But for the weight of jerk, which rounds corners, and for a sample: millimetres of 200."""
    law = plans.ZmpPreview(LAW.height, dt=0.004, horizon=2.4, jerk_weight=jerk_weight)
    preview = PreviewSupports(SUPPORTS, law)
    ahead = SUPPORTS.ahead(STEPS.position[None], np.array([3]))
    rest = np.array([left])
    exact = SUPPORTS.in_single(ahead, rest)[0].point[:, :2]
    assert preview.divergent(preview.in_single(ahead, rest)) == pytest.approx(exact, abs=most)
    before, long = STEPS.position[None, 2], np.array([0.15])
    rest = rest * 0.15 / 0.65
    exact = SUPPORTS.in_double(before, ahead, rest, long).point[:, :2]
    found = preview.divergent(preview.in_double(before, ahead, rest, long))
    assert found == pytest.approx(exact, abs=most)
    assert preview.offset(ahead) == pytest.approx(SUPPORTS.offset(ahead)[:, :2], abs=most)


def test_a_pendulum_is_led_along_its_supports() -> None:
    """The exact pendulum, from rest between the feet through four steps: soles hold it.

    At first it is not where it would be if it had seen the first step coming.
    """
    position, dt, w = STEPS.position[None], LAW.dt, SUPPORTS.omega
    com, velocity = position[:, :2, :2].mean(axis=1), np.zeros((1, 2))
    pull, worst = np.zeros((1, 2)), 0.0
    for k in range(1, 5):
        before = position[:, :2].mean(axis=1) if k == 1 else position[:, k - 1]
        ahead = SUPPORTS.ahead(position, np.array([k]))
        long = SUPPORTS.start if k == 1 else SUPPORTS.double
        for phase, length in ((0, long), (1, SUPPORTS.single)):
            for left in np.arange(length, dt / 2, -dt):
                rest = np.array([left])
                if phase == 0:
                    to_come = PREVIEW.in_double(before, ahead, rest, np.array([length]))
                else:
                    to_come = PREVIEW.in_single(ahead, rest)
                pull = PREVIEW.accelerate(com, velocity, pull, to_come)
                p = com - pull / w**2
                if (k, phase) > (1, 0):
                    worst = max(worst, float(np.abs(p - to_come.points[:, 0]).max()))
                grow, sink = np.cosh(w * dt), np.sinh(w * dt)
                com, velocity = (
                    p + grow * (com - p) + sink / w * velocity,
                    w * sink * (com - p) + grow * velocity,
                )
    print(f"zero moment point off by {1e3 * worst:.1f} mm at most")
    assert worst < 0.015
    assert np.abs(com - position[:, 4, :2]).max() < 0.15


@pytest.fixture(scope="module")
def lola() -> Anatomy:
    return Anatomy.from_model(machine("lola"))


def test_a_short_walk_by_preview(lola: Anatomy) -> None:
    options: dict[str, Any] = {"speed": 0.3, "steps": 2, "duration": 3.2}
    walked = ts.walking.walk(lola, style=Style(plan="preview"), **options)
    other = ts.walking.walk(lola, **options)
    print(walked.report)
    assert not walked.fell
    assert walked.report.gave_way == ()
    assert walked.report.steps == 2
    assert walked.report.pressure_margin > 0.01
    apart = np.abs(walked.run.q[:, :2] - other.run.q[:, :2]).max()
    assert 1e-4 < apart < 0.03  # the same steps, another way over them


def test_a_walk_by_preview_goes_on_from_its_checkpoint(lola: Anatomy, tmp_path: Any) -> None:
    own, ground, file = Biped.ready(lola, Style(plan="preview")), ts.Ground(), tmp_path / "w.npz"
    plan = own.grounded(own.footsteps(0.3, steps=2), ground)
    q = own.placed(plan, ground, lola.collision())
    sim = ts.Simulation(lola.model, ground=ground, collision=lola.collision(), dt=1e-3)
    options: dict[str, Any] = {"checkpoint": file, "checkpoint_every": 0.6}
    whole = sim.run(q, duration=0.8, controller=own.controller(plan, ground), **options)
    rest = sim.resume(file, own.controller(plan, ground))
    assert np.array_equal(rest.q, whole.q[-len(rest.q) :])


def test_plans_that_are_not_there_are_named() -> None:
    with pytest.raises(ValueError, match="plan is 'previous'"):
        Style(plan="previous")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["talos_reduced", "g1"])
@pytest.mark.parametrize("name", WALKS)
def test_walks_by_preview(robot: str, name: str) -> None:
    """All that machines walk by the closed form."""
    walked = ts.walking.walk(machine(robot), style=Style(plan="preview"), **WALKS[name])
    print(walked.report)
    assert not walked.fell
    end = walked.plan.position[-2:].mean(axis=0)
    com = walked.run.model.center_of_mass(walked.run.q[-1])
    assert np.linalg.norm(com[:2] - end[:2]) < 0.05
    assert walked.report.pressure_margin > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("force", [(0, 200, 0), (0, -200, 0), (-250, 0, 0)])
def test_steps_by_preview_go_where_pushes_do(force: tuple[float, float, float]) -> None:
    """A machine that keeps its footsteps falls."""
    push = ts.Push("base_link", force, start=3.0, duration=0.1)
    own = machine("talos_reduced")
    walked = ts.walking.walk(own, steps=7, push=push, style=Style(plan="preview"))
    assert not walked.fell
    moved = (walked.control.stepping.position[0] - walked.plan.position)[4:, :2]
    along = moved @ np.array(force[:2]) / np.linalg.norm(force)
    print(f"footsteps moved by {along.round(3)} m")
    assert along.min() > 0.03
    assert ts.walking.walk(own, steps=7, push=push, style=Style(plan="preview", adapt=False)).fell

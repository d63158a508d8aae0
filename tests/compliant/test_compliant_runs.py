"""Runs with compliant contact: controllers, parts, conditions, faults, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_compliant_motion import RADIUS, ball, states

import tarsus as ts
from tarsus.simulation.contact import Bristle, Compliant, Hertz, HuntCrossley, Saturation, Spring


def sim(**options: Any) -> ts.Simulation:
    """Return a ball on the ground."""
    return ts.Simulation(ball(), **({"ground": ts.Ground(), "contact": "compliant"} | options))


def falling(height: float = 0.01) -> np.ndarray:
    """Return a ball above the ground."""
    return np.array([0, 0, RADIUS + height, 0, 0, 0, 1.0])


def test_ball_comes_to_rest_on_its_weight() -> None:
    run = sim(contact=Compliant(stiffness=1e4, damping=100.0)).run(falling(), duration=1.0)
    assert run.q[-1, 2] == pytest.approx(RADIUS - 9.81e-4, abs=1e-9)
    assert np.abs(run.v[-1]).max() < 1e-8
    assert run.contacts.ground_force()[-1] == pytest.approx([0, 0, 9.81], abs=1e-5)
    assert run.contacts.state_of("ball")[-1] == "stick"
    assert run.energy.contact_normal[-1] == pytest.approx(
        -(0.01 + 9.81e-4) * 9.81 + 0.5 * 9.81e-4 * 9.81, rel=1e-6
    )
    run.energy.check(1e-8)


def test_what_starts_pressed_is_deformed() -> None:
    run = sim(contact=Compliant(stiffness=1e4, damping=0.0)).run(falling(-9.81e-4), duration=0.1)
    assert np.ptp(run.q[:, 2]) < 1e-10
    assert run.energy.in_contacts[0] == pytest.approx(0.5e4 * 9.81e-4**2, rel=1e-9)
    assert len(run.events) == 0


def test_what_starts_at_the_surface_touches() -> None:
    run = sim().run(falling(0.0), duration=0.2)
    assert run.q[-1, 2] > RADIUS - 1e-3
    assert np.abs(run.energy.residual).max() < 1e-9


@pytest.mark.parametrize(
    ("kind", "size", "places"), [("box", (0.2, 0.15, 0.1), 4), ("cylinder", (0.05, 0.12), 2)]
)
def test_bodies_come_to_rest(kind: str, size: tuple[float, ...], places: int) -> None:
    """What tumbles lies down on so many places, each as deep as its share of the weight asks."""
    builder = ts.Builder("thing")
    builder.body("thing", 1.0, inertia=(0.003, 0.003, 0.002))
    builder.joint("flight", "free", "world", "thing")
    builder.shape("thing", kind, size, role="collision")
    model = builder.build()
    q = model.neutral()
    q[2:7] = [0.2, np.sin(0.25), 0.0, 0.0, np.cos(0.25)]
    law = Compliant(stiffness=2e4, damping=60.0)
    own = ts.Simulation(model, ground=ts.Ground(friction=0.5), contact=law)
    run = own.run(q, [0.3, 0, 0, 0, 0, 3.0], duration=3.0)
    last = run.contacts.sample == len(run) - 1
    assert last.sum() == places
    depth = 9.81 / 2e4 / places
    np.testing.assert_allclose(run.contacts.gap[last], -depth, rtol=1e-4)
    np.testing.assert_allclose(run.contacts.deformation[last, 3], -depth, rtol=1e-4)
    assert np.ptp(run.q[-100:, 2]) < 1e-9
    run.energy.check(1e-8)


@pytest.mark.parametrize("kind", ["moment", "held"])
def test_controllers_act(kind: str) -> None:
    class Push:
        """A push upwards."""

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            return np.array([0.0, 0, 3.0, 0, 0, 0])

    push = Push()
    if kind == "held":
        push.period = 0.01  # type: ignore[attr-defined]
    own = sim(contact=Compliant(stiffness=1e4, damping=100.0))
    run = own.run(falling(), duration=1.0, controller=push)
    assert run.q[-1, 2] == pytest.approx(RADIUS - 6.81e-4, abs=1e-7)
    assert (run.tau[1:, 2] == 3.0).all()
    some = own.run(falling(), duration=1.0, controller=push, every=25)
    assert some.q.tobytes() == np.ascontiguousarray(run.q[::25]).tobytes()
    assert run.energy.supplied[-1] == pytest.approx(3.0 * (run.q[-1, 2] - run.q[0, 2]), abs=1e-8)
    run.energy.check(1e-8)


def test_forces_act() -> None:
    spring = ts.forces.Spring("world", "ball", 50.0, rest_length=0.0, damping=1.0, name="leash")
    run = sim(forces=[spring]).run(falling(0.2), duration=0.5)
    assert run.energy.in_parts[0] == pytest.approx(0.5 * 50.0 * 0.3**2)
    assert run.parts["leash"].work[-1] < 0.0
    run.energy.check(1e-8)


def test_held_parts_are_refused() -> None:
    own = sim()
    own.add(ts.constraint.Nail("ball", name="nail"))
    with pytest.raises(ValueError, match="'nail' is held"):
        own.run(falling(), duration=0.1)


def test_conditions_end_states_on_their_own() -> None:
    q = np.stack([falling(0.01), falling(0.05)])
    run = sim().run(q, duration=0.3, until=ts.until.Touch("ball"))
    times = np.sqrt(2 * np.array([0.01, 0.05]) / 9.81)
    assert (run.ended.time >= times).all() and (run.ended.time <= times + 2.1e-3).all()
    last = round(float(run.ended.time[0]) / 1e-3)
    assert (run.q[0, last:] == run.q[0, last]).all()
    assert all(event.t <= run.ended.time[event.state] for event in run.events)
    one = sim().run(q[0], duration=0.3, until=ts.until.Touch("ball"))
    assert one.t[-1] == one.ended.time and one.q[-1].tobytes() == run.q[0, last].tobytes()
    assert run.t[-1] == run.ended.time.max()


def test_records() -> None:
    q, v = states(3)
    own = sim()
    whole = own.run(q, v, duration=0.1)
    some = own.run(q, v, duration=0.1, every=7, record=("q", "energy"))
    assert some.q.tobytes() == np.ascontiguousarray(whole.q[:, ::7]).tobytes()
    assert some.energy.rows.tobytes() == np.ascontiguousarray(whole.energy.rows[:, ::7]).tobytes()
    with pytest.raises(ValueError, match="contacts"):
        _ = some.contacts
    ends = own.run(q, v, duration=0.1, record=False)
    assert ends.q.tobytes() == np.ascontiguousarray(whole.q[:, [0, -1]]).tobytes()
    with pytest.raises(ValueError, match="statistics"):
        own.run(q, v, duration=0.1, record=("statistics",))


def test_files_keep_the_ledger(tmp_path: Path) -> None:
    run = sim().run(falling(), duration=0.1)
    run.save(tmp_path / "run.npz")
    again = ts.load_run(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.energy.in_contacts, run.energy.in_contacts)
    np.testing.assert_array_equal(again.energy.residual, run.energy.residual)
    np.testing.assert_array_equal(again.contacts.rows, run.contacts.rows)


def test_other_grounds() -> None:
    rise = np.array([[-1.0, 0.0], [0.05, 0.0], [1.0, 0.2]])
    for ground in (ts.Profile(points=rise), ts.Ground(slope=0.1)):
        run = sim(ground=ground).run(falling(), [0.5, 0, 0, 0, 0, 0], duration=0.3)
        assert len(run.events) > 0
        run.energy.check(1e-7)


def test_a_state_that_fails_is_told() -> None:
    class Wild:
        """Efforts that grow without bound."""

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            return 1e12 * v

    with pytest.raises(ts.SimulationError) as error:
        sim(effort_limits=False).run(
            falling(1.0), [1.0, 0, 0, 0, 0, 0], duration=5.0, controller=Wild()
        )
    assert error.value.trajectory is not None and 0.0 <= error.value.time < 5.0


def test_efforts_that_are_wrong_are_told() -> None:
    with pytest.raises(ts.SimulationError, match="shape"):
        sim().run(falling(), duration=0.1, controller=lambda t, q, v: np.zeros(2))
    with pytest.raises(ZeroDivisionError):
        sim().run(falling(), duration=0.1, controller=lambda t, q, v: 1 / 0)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "integrator": ({"integrator": "rk4", "ground": None}, "contact"),
    "explicit": ({"integrator": "explicit"}, "takes no integrator"),
    "joint_limits": ({"joint_limits": True}, "takes no joint_limits"),
    "max_contacts": ({"max_contacts": 3}, "takes no max_contacts"),
    "strict": ({"strict": True}, "takes no strict"),
    "restitution": ({"ground": ts.Ground(restitution=0.5)}, "restitution is 0.5"),
    "rolling": ({"ground": ts.Ground(rolling=0.01)}, "rolling is 0.01"),
    "torsion": ({"ground": ts.Ground(torsion=0.01)}, "torsion of the ground is 0.01"),
    "twist": ({"contact": Compliant(twist_stiffness=1.0)}, "twist_stiffness is 1.0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_know_is_refused(name: str) -> None:
    options, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        sim(**options)


def test_runs_refuse_what_they_do_not_know() -> None:
    for option in (
        {"mass_scale": 2.0},
        {"external": ts.Push("ball", force=(1, 0, 0), start=0.0, duration=1.0)},
    ):
        with pytest.raises(ValueError, match="takes no"):
            sim().run(falling(), duration=0.1, **option)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="use run"):
        sim().reset(falling())
    with pytest.raises(ts.StartError, match="penetrates"):
        sim().run(falling(-0.05), duration=0.1)


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "stiffness": (lambda: Compliant(stiffness=0.0), ValueError, "stiffness is 0.0"),
    "damping": (lambda: Compliant(damping=-1.0), ValueError, "damping is -1.0"),
    "nan": (lambda: Compliant(stiffness=math.nan), ValueError, "stiffness is nan"),
    "words": (lambda: Compliant(stiffness="hard"), TypeError, "must be a number"),  # type: ignore[arg-type]
    "ratio": (lambda: Compliant(ratio=-1.0), ValueError, "ratio is -1.0"),
    "law": (lambda: Compliant(law="herz"), ValueError, "unknown law 'herz'.*hertz"),
    "law type": (lambda: Compliant(law=3), TypeError, "law is of type int"),  # type: ignore[arg-type]
    "slip": (lambda: Compliant(slip="bristles"), ValueError, "unknown slip 'bristles'.*bristle"),
    "swapped": (lambda: Compliant(slip=Spring()), TypeError, "slip is of type Spring"),  # type: ignore[arg-type]
    "twist": (lambda: Compliant(twist_damping=1.0), ValueError, "twist_damping needs"),
    "rtol": (lambda: Compliant(rtol=0.0), ValueError, "rtol is 0.0"),
    "hertz": (lambda: Hertz(-1.0), ValueError, "stiffness is -1.0"),
    "radius": (lambda: Hertz.of(1e7, 0.0), ValueError, "radius is 0.0"),
    "exponent": (lambda: HuntCrossley(exponent=0.5), ValueError, "exponent is 0.5"),
    "length": (lambda: Saturation(0.0), ValueError, "length is 0.0"),
    "stiction": (lambda: Bristle(0.5), ValueError, "stiction is 0.5"),
    "speed": (lambda: Bristle(1.0, 0.0), ValueError, "stribeck_speed is 0.0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_numbers_are_told(name: str) -> None:
    make, kind, words = WRONG[name]
    with pytest.raises(kind, match=words):
        make()


def test_hertz_of_materials() -> None:
    assert Hertz.of(1e7, 0.04).stiffness == pytest.approx(4 / 3 * 1e7 * 0.2)


def test_soft_ball_deforms_and_relaxes() -> None:
    """Duindam 2006, example 3.7: pressed, it deforms across, then along, and rolling relaxes it."""
    ends = []
    for roll in (2.0, 20.0):
        scene = ts.scenes.soft_ball(roll)
        run = scene.but(contact=replace(scene.contact, rtol=1e-6, atol=1e-8)).run()  # type: ignore[type-var]
        t, deformed = run.t[run.contacts.sample], run.contacts.deformation
        pressed = deformed[np.searchsorted(t, 0.29)]
        assert pressed[3] < -3.9e-3 and abs(pressed[1]) < 1e-6
        slid = np.abs(deformed[(t > 0.3) & (t < 0.9), 1]).max()
        assert 3.2e-3 < slid < 4e-3
        ends.append(abs(deformed[-1, 1]))
        run.energy.check(1e-5)
    assert ends[1] < 0.1 * ends[0] < 0.4e-3


def test_dry_friction_of_joints_is_told_before_it_takes_long() -> None:
    b = ts.Builder("rod").body("rod", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    b.joint("hinge", "revolute", "world", "rod", axis="y", friction=0.01)
    b.shape("rod", "sphere", (0.05,), role="collision", position=(0.4, 0, 0))
    sim = ts.Simulation(b.build(), ground=ts.Ground(level=-1.0), contact="compliant")
    with pytest.warns(ts.contact.StabilityWarning, match="on 'rod': dry friction of joints"):
        sim.run([0.0], [1.0], duration=0.002)
    without = ts.Simulation(
        sim.model, ground=ts.Ground(level=-1.0), contact="compliant", joint_friction=False
    )
    without.run([0.0], [1.0], duration=0.002)


def test_controllers_are_not_asked_at_states_that_are_not_finite() -> None:
    """A step that is tried and is far too long leaves all numbers; it is rejected."""
    made = ts.robots.random_mechanism(7, 3, ["free", "revolute"]).description
    shapes = [ts.Shape(body.name, "collision", "sphere", (0.1,)) for body in made.bodies]
    model = ts.Model(replace(made, shapes=[*made.shapes, *shapes]), strict=False)
    ground = ts.Ground(friction=0.6)
    q = ts.stand(model, model.neutral(), ground)
    sim = ts.Simulation(model, dt=5e-3, ground=ground, contact="compliant")

    def damper(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        assert np.isfinite(q).all() and np.isfinite(v).all()
        return -0.1 * v

    run = sim.run(q, np.full(model.nv, 0.1), duration=0.8, controller=damper)
    assert len(run) == 161 and run.integration is not None and run.integration.rejected > 0
    run.energy.check(1e-6)


def test_the_core_refuses_blocks_without_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    class Element:
        def __init__(self, core: Any) -> None:
            self.core = core

        def __getattr__(self, name: str) -> Any:
            return getattr(self.core, name)

        def run(self, *rows: Any, **numbers: Any) -> Any:
            calls.append((self.core, rows, numbers))
            return self.core.run(*rows, **numbers)

    element = Compliant.element
    monkeypatch.setattr(Compliant, "element", lambda law, *a: Element(element(law, *a)))
    sim().run(falling(), duration=0.01)
    core, rows, numbers = calls[0]
    with pytest.raises(ValueError, match="must rise from 0"):
        core.run(*rows, **numbers | {"first": 3, "last": 3, "end": 50})

"""Controllers connected by ports keep passivity; what produces energy is told; power flows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_systems import Array

import tarsus as ts
from tarsus.ports import Controller, PortError, SpatialSpring, connect, link, spring_damper


def arm() -> ts.Model:
    builder = ts.Builder("arm")
    builder.body("upper", 2.0, (0.0, 0.0, -0.25), inertia=(0.05, 0.05, 0.01))
    builder.joint("shoulder", "revolute", "world", "upper", axis="y")
    builder.body("lower", 1.0, (0.0, 0.0, -0.2), inertia=(0.03, 0.03, 0.01))
    builder.joint("elbow", "spherical", "upper", "lower", position=(0.0, 0.0, -0.5))
    builder.frame("hand", "lower", position=(0.0, 0.0, -0.4))
    return builder.build()


def test_a_spring_and_a_damper_are_pd_control() -> None:
    """The same motion as the library's dynamics under τ = kp (q_ref − q) − kd v."""
    model = arm()
    whole = connect(
        {"arm": ts.ports.mechanical(model), "pd": spring_damper(30.0, 2.0)},
        [link("arm.shoulder", "pd.end")],
    )
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(0), rng.normal(size=4)
    at, way = model.joint("shoulder").v_slice, model.joint("shoulder").q_slice
    system = whole.systems["arm"]
    x = np.concatenate([ts.ports.mechanical(model).state_of(q, v), q[way] - 0.4])
    tau = np.zeros(4)
    tau[at] = 30.0 * (0.4 - q[way]) - 2.0 * v[at]
    a = model.forward_dynamics(q, v, tau)
    expected = model.mass_matrix(q) @ a + model.mass_matrix_rate(q, v) @ v
    np.testing.assert_allclose(whole.rates(x)[model.nq : model.nq + 4], expected, atol=1e-10)
    motion = ts.ports.simulate(whole, x, 2.0, samples=51)
    ledger = motion.ledger
    assert ledger.passive() and ledger.produced() == 0.0 and ledger.relative_residual < 1e-8
    moved = whole.part(motion.x, "arm")[:, way] - q[way]
    np.testing.assert_allclose(motion["pd.x"][:, None] - motion["pd.x"][0], moved, atol=1e-9)
    assert system.name == "arm"


def test_a_spatial_spring_is_impedance_control() -> None:
    """The wrench is that of `ts.control.ImpedanceControl`, but for weight and posture."""
    model = arm()
    K, D = np.diag([300.0, 200.0, 100.0, 5.0, 4.0, 3.0]), np.diag([4.0] * 3 + [0.2] * 3)
    spring = SpatialSpring(K, D)
    body = ts.ports.mechanical(model, frames=["hand"])
    whole = connect({"arm": body, "spring": spring}, [link("arm.hand", "spring.frame")])
    rng = np.random.default_rng(1)
    q, v = model.random_configuration(1), rng.normal(size=4)
    reference = model.frame_pose(model.integrate(q, 0.4 * rng.normal(size=4)), "hand")
    x = np.concatenate([body.state_of(q, v), spring.start(model.frame_pose(q, "hand"), reference)])
    control = ts.control.ImpedanceControl(model, "hand", K, D, reference, posture_kd=0.0)
    tau = control(0.0, q, v) - model.gravity_forces(q)
    a = model.forward_dynamics(q, v, tau)
    expected = model.mass_matrix(q) @ a + model.mass_matrix_rate(q, v) @ v
    np.testing.assert_allclose(whole.rates(x)[model.nq : model.nq + 4], expected, rtol=1e-8)
    ledger = ts.ports.simulate(whole, x, 1.0, samples=21, rtol=1e-9).ledger
    assert ledger.passive() and ledger.relative_residual < 1e-7
    whole.check(x)


def test_the_gradient_of_a_spatial_spring() -> None:
    spring = SpatialSpring(np.diag([3.0, 2.0, 1.0, 5.0, 4.0, 3.0]), 1.0)
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=3), ts.spatial.quaternion_from_vector(rng.normal(size=3))])
    for twist in np.eye(6):
        ahead, behind = (
            spring.energy(spring.retract(x + h * spring.lift(x, twist))) for h in (1e-6, -1e-6)
        )
        assert (ahead - behind) / 2e-6 == pytest.approx(
            spring.gradient(x) @ twist, rel=1e-6, abs=1e-8
        )


def test_a_controller_that_is_not_passive_is_told() -> None:
    model = arm()
    whole = connect(
        {"arm": ts.ports.mechanical(model), "pd": spring_damper(30.0, -0.4, passive=False)},
        [link("arm.shoulder", "pd.end")],
    )
    x = np.concatenate([ts.ports.mechanical(model).state_of(model.neutral(), np.ones(4)), [0.0]])
    ledger = ts.ports.simulate(whole, x, 1.0, samples=21).ledger
    assert not ledger.passive() and ledger.produced("pd") > 0.01 and ledger.produced("arm") == 0.0
    gained = ledger.stored[-1] - ledger.stored[0]
    assert ledger.produced("pd") == pytest.approx(gained, rel=1e-6)
    assert "produced" in ledger.table()
    with pytest.raises(ts.EnergyError, match="'pd' is not passive: it produced"):
        ledger.check()


def springs(model: ts.Model, reference: Array, period: float | None = None) -> Controller:
    def start(name: str) -> object:
        at = model.joint(name).v_slice
        return lambda q: model.difference(reference, q)[at]

    parts = {"shoulder": spring_damper(30.0, 1.0), "elbow": spring_damper(10.0, 0.3, size=3)}
    return Controller(model, parts, {name: start(name) for name in parts}, period=period)  # type: ignore[misc]


def test_parts_control_a_simulation() -> None:
    """In small steps it is PD control; it knows what it gave, as the ledger does."""
    builder = ts.Builder("two")
    builder.body("a", 1.0, (0.0, 0.0, -0.3), inertia=(0.05, 0.05, 0.01))
    builder.joint("one", "revolute", "world", "a", axis="y")
    model = builder.build()
    parts = {"one": spring_damper(30.0, 1.0)}
    own = Controller(model, parts, {"one": lambda q: q - 0.5})
    sim = ts.Simulation(model, ground=None, dt=1e-3)
    run = sim.run([0.0], [0.0], duration=2.0, controller=own)
    pd = sim.run([0.0], [0.0], duration=2.0, controller=ts.control.PD(model, 30.0, 1.0, [0.5]))
    np.testing.assert_allclose(run.q, pd.q, atol=1e-6)
    # the last period is not yet told
    assert own.given == pytest.approx(run.energy.work("supplied")[-2], rel=1e-3)
    assert own.had == pytest.approx(3.75)
    again = sim.run([0.0], [0.0], duration=2.0, controller=own)
    np.testing.assert_array_equal(run.q, again.q)
    state = own.get_state()
    own.reset()
    own.set_state(state)
    assert own.stored == pytest.approx(0.5 * 30.0 * (run.q[-2, 0] - 0.5) ** 2, rel=1e-6)


def test_a_spring_at_a_frame_controls_a_simulation() -> None:
    """It is told steps of the frame, and knows after a thousand of them where the frame is."""
    model = arm()
    reference = model.frame_pose(model.integrate(model.neutral(), np.full(4, 0.3)), "hand")
    spring = SpatialSpring([200.0] * 3 + [3.0] * 3, [5.0] * 3 + [0.2] * 3)
    control = Controller(
        model,
        {"hand": spring},
        {"hand": lambda q: spring.start(model.frame_pose(q, "hand"), reference)},
    )
    run = ts.Simulation(model, ground=None, dt=1e-3).run(
        model.neutral(), np.zeros(4), duration=1.0, controller=control
    )
    seen = spring.start(model.frame_pose(run.q[-2], "hand"), reference)
    np.testing.assert_allclose(control.x["hand"], seen, atol=5e-6)  # second order
    assert np.abs(spring.error(seen)).max() > 1e-3  # its weight holds it away
    audit = ts.ports.passivity(
        run,
        lambda q, v: spring.energy(spring.start(model.frame_pose(q, "hand"), reference)),
    )
    assert audit.produced < 1e-3 * audit.stored[0]


def test_springs_that_answer_late_produce_energy() -> None:
    """An undamped spring that is held gives more than it is given, and knows how much."""
    builder = ts.Builder("cart", gravity=(0.0, 0.0, 0.0))
    builder.body("cart", 1.0, inertia=(0.1, 0.1, 0.1))
    builder.joint("rail", "prismatic", "world", "cart", axis="x")
    model = builder.build()
    found = []
    for period in (0.002, 0.02):
        control = Controller(
            model,
            {"rail": spring_damper(100.0, 0.0, "translation")},
            {"rail": lambda q: q},
            period=period,
        )
        run = ts.Simulation(model, ground=None, dt=1e-3).run(
            [0.1], [0.0], duration=3.0, controller=control
        )
        audit = ts.ports.passivity(run, lambda q, v: 0.5 * 100.0 * q[0] ** 2)
        assert not audit.passive(1e-3)
        assert control.produced == pytest.approx(audit.produced, rel=0.1)
        found.append(audit.produced)
    print(f"produced {found} J")
    assert found[1] > 5.0 * found[0]
    assert "not passive: it produced" in str(audit)


def test_passivity_of_runs() -> None:
    builder = ts.Builder("pendulum")
    builder.body("bob", 1.0, (0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.1))
    builder.joint("pivot", "revolute", "world", "bob", axis="y")
    model = builder.build()
    sim = ts.Simulation(model, ground=None, dt=1e-3)
    pd = ts.control.ImplicitPD(model, 20.0, 2.0, [0.3])
    run = sim.run([1.0], [0.0], duration=3.0, controller=pd)
    audit = ts.ports.passivity(run, pd)
    assert audit.produced < 1e-3 * audit.stored[0] and "it gave up to" in str(audit)
    assert audit.stored[0] == pytest.approx(0.5 * 20.0 * 0.49)
    assert not ts.ports.passivity(run).passive()  # without a store it had nothing to give
    pushing = sim.run([1.0], [0.0], duration=3.0, controller=lambda t, q, v: 0.5 * v)
    worse = ts.ports.passivity(pushing)
    assert worse.produced == pytest.approx(pushing.energy.work("supplied").max())
    assert "not passive" in str(worse)
    moving = ts.control.PD(model, 20.0, 2.0, lambda t: [t])
    with pytest.raises(PortError, match="the reference moves"):
        ts.ports.passivity(run, moving)
    with pytest.raises(PortError, match=r"stored has shape \(2,\)"):
        ts.ports.passivity(run, [0.0, 0.0])
    batch = sim.run(np.zeros((2, 1)), np.zeros((2, 1)), duration=0.1, controller=pd)
    with pytest.raises(ValueError, match="this run has 2 states"):
        ts.ports.passivity(batch, pd)


def test_wrong_parts_are_named() -> None:
    model = arm()
    with pytest.raises(
        PortError,
        match=r"'shoulder' gives angular velocity \(rotation, 1\), the part "
        r"takes velocity \(translation, 1\)",
    ):
        Controller(model, {"shoulder": spring_damper(1.0, 1.0, "translation")}, {"shoulder": [0.0]})
    with pytest.raises(ValueError, match="there is no start of a part 'shoulder'"):
        Controller(model, {"shoulder": spring_damper(1.0, 1.0)}, {})
    control = springs(model, model.neutral())
    with pytest.raises(PortError, match="no batch"):
        control(0.0, np.zeros((2, model.nq)), np.zeros((2, model.nv)))
    assert control(0.0, model.neutral(), np.zeros(4)) == pytest.approx(np.zeros(4))
    assert repr(control) == "<tarsus.ports.Controller of 'arm': shoulder, elbow>"


def test_power_flow_of_a_run(tmp_path: Path) -> None:
    model = arm()
    sim = ts.Simulation(
        model, ground=None, dt=1e-3, forces=[ts.forces.Spring("hand", "world", 50.0, 0.0)]
    )
    run = sim.run(model.integrate(model.neutral(), np.full(4, 0.5)), np.zeros(4), duration=1.0)
    flow = ts.ports.power_flow(run)
    change = float(run.energy.stored[-1] - run.energy.stored[0])
    assert sum(flow.stored.values()) == pytest.approx(change, abs=1e-9)
    assert flow.residual == pytest.approx(float(run.energy.residual[-1]), abs=1e-9)
    part = ts.ports.power_flow(run, 0.25, 0.75)
    assert part.span == pytest.approx((0.25, 0.75))
    kinetic = run.energy.kinetic[run.t.searchsorted([0.25 - 1e-9, 0.75 - 1e-9])]
    assert part.stored["kinetic"] == pytest.approx((kinetic[1] - kinetic[0]) / 0.5)
    text = str(flow)
    assert text.splitlines()[0] == "arm, 0 … 1 s" and "residual" in text
    flow.plot(tmp_path / "flow.png")
    assert (tmp_path / "flow.png").stat().st_size > 8000
    with pytest.raises(ValueError, match="start and end must be two samples"):
        ts.ports.power_flow(run, 0.9, 0.1)
    with pytest.raises(TypeError, match="run is of type int"):
        ts.ports.power_flow(3)  # type: ignore[arg-type]


def test_power_flow_tells_who_gives_and_who_takes() -> None:
    run = ts.scenes.walk("quadruped", duration=1.5).run()
    flow = ts.ports.power_flow(run, 1.0, 1.5)
    assert all(watts > 0.0 for watts in (*flow.gives.values(), *flow.takes.values()))
    assert any(name.startswith("drive ") for name in flow.gives)
    assert any(name.startswith("damping ") for name in flow.takes)
    total = sum(flow.gives.values()) - sum(flow.takes.values()) + flow.residual
    assert total == pytest.approx(sum(flow.stored.values()))

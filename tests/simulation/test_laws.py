"""Contact laws as users state them: by name, with numbers, with warnings before they explode."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from movers import ball, on_ground, on_tip, point_mass, quadruped, standing, stiff

from tarsus.control import PD
from tarsus.geometry import Ground
from tarsus.simulation import Simulation, SimulationError, contact
from tarsus.simulation.contact import LAWS, Exact, Lemke, Penalty, StabilityWarning


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_chosen_by_name(name: str) -> None:
    sim = Simulation(ball(), ground=Ground(), contact=name)
    assert sim.contact == LAWS[name]() and sim.settings["contact"]["name"] == name
    q0 = ball().neutral()
    q0[2] = 0.12
    run = sim.run(q0, duration=1.0)
    force = run.contacts.ground_force()[-1, 2]
    print(f"{name}: rests at {run.q[-1, 2]:.6f} m, force {force:.4f} N")
    assert force == pytest.approx(2.0 * 9.81, rel=1e-3)
    assert run.q[-1, 2] == pytest.approx(0.1, abs=1e-3)
    run.energy.check(1e-3)


@pytest.mark.parametrize(
    "law",
    [
        Exact(),
        # sweeps do not arrive in every step, and it is said
        pytest.param(
            Exact(solver="pgs"),
            marks=pytest.mark.filterwarnings("ignore::tarsus.ConvergenceWarning"),
        ),
        Exact(ahead=False),
        Lemke(8),
        Penalty(2e5, 500.0),
    ],
    ids=["newton", "pgs", "not ahead", "lemke", "penalty"],
)
def test_the_quadruped_stands_under_every_law(law: contact.ContactLaw) -> None:
    sim = Simulation(quadruped(), ground=Ground(), contact=law, dt=5e-4)
    run = sim.run(standing(), duration=0.5, controller=stiff(), every=10)
    weight = quadruped().total_mass * 9.81
    force = run.contacts.ground_force()[-1, 2]
    print(f"{law}: {force:.2f} N of {weight:.2f} N")
    assert force == pytest.approx(weight, rel=2e-2)


def scale(law: Penalty, direction: str, dt: float) -> tuple[float, float]:
    """Return the two numbers of a point mass of 3 kg."""
    m = point_mass()
    sim = Simulation(m, ground=Ground(), collision=on_tip(m), contact=law, dt=dt)
    assert sim.worlds is not None
    from tarsus.simulation.drives import torques

    world = sim.worlds.get(torques(m, sim.effort))
    (found,) = [s for s in law.stability(world, m.neutral(), dt) if s.direction == direction]
    assert found.mobility == pytest.approx(1.0 / 3.0)
    return found.stiff, found.damped


def test_stability_numbers_of_a_point_mass() -> None:
    law = Penalty(stiffness=3e4, damping=60.0, tangential_stiffness=6e3, tangential_damping=30.0)
    np.testing.assert_allclose(scale(law, "normal", 1e-2), (1.0 + 0.4, 0.2))
    np.testing.assert_allclose(scale(law, "tangential", 1e-2), (0.2 + 0.2, 0.1))


@pytest.mark.parametrize("side", [0.98, 1.02], ids=["below", "above"])
@pytest.mark.parametrize("damping", [0.0, 100.0], ids=["undamped", "damped"])
def test_the_bound_is_where_the_mass_explodes(side: float, damping: float) -> None:
    """K λ⁻¹ dt² + 2 D λ⁻¹ dt = 4 parts what stays from what explodes, within two per cent."""
    m, dt = point_mass(), 1e-2
    stiffness = (4.0 * side - 2.0 * damping / 3.0 * dt) * 3.0 / dt**2
    law = Penalty(stiffness, damping, tangential_stiffness=1e3, tangential_damping=0.0)
    sim = Simulation(m, ground=Ground(friction=0.0), collision=on_tip(m), contact=law, dt=dt)
    depth = -3.0 * 9.81 / stiffness  # at rest, and then so slightly off that contact never opens
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = sim.run([0.0, 0.0, depth * (1.0 + 1e-9)], duration=2.0)
    assert (len(caught) > 0) == (side > 1.0)
    off = np.abs(run.q[:, 2] - depth)
    print(f"side {side}, damping {damping}: grows by {off[-50:].max() / off[0]:.2e}")
    assert (off[-50:].max() > 1e3 * off[0]) == (side > 1.0)


def test_too_stiff_contacts_warn_and_then_explode() -> None:
    q0 = standing()
    q0[2] += 0.1
    law = Penalty(stiffness=5e7, damping=1e5)
    sim = Simulation(quadruped(), ground=Ground(), contact=law, dt=2e-3)
    with pytest.warns(StabilityWarning, match="K λ⁻¹ dt²") as caught:
        try:
            run = sim.run(q0, duration=1.0, controller=stiff())
            assert np.abs(run.v).max() > 20.0
        except SimulationError as error:
            print(error)
    print(caught[0].message)
    for direction in ("normal", "tangential"):
        assert any(f"explode, {direction}" in str(each.message) for each in caught)


def test_soft_contacts_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = Simulation(quadruped(), ground=Ground(), contact=Penalty(1e4, 50.0), dt=1e-3)
        run = sim.run(standing(), duration=0.1, controller=stiff())
    assert run.settings["warnings"] == []


def test_explicit_euler_warns_of_weak_damping() -> None:
    m = quadruped()
    sim = Simulation(m, ground=Ground(), integrator="explicit", dt=1e-3)
    with pytest.warns(StabilityWarning, match="kd \\+ damping > kp dt.*front_left_knee"):
        sim.run(standing(), duration=0.01, controller=PD(m, 2000.0, 1.0, standing()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(standing(), duration=0.01, controller=PD(m, 100.0, 1.0, standing()))


def test_friction_joins_the_laws_at_rest() -> None:
    assert on_ground().contact == Exact()
    assert Penalty(1.0).numbers["tangential_stiffness"] == 1.0
    assert Penalty(1.0, 2.0, 3.0, 4.0).numbers["tangential_damping"] == 4.0

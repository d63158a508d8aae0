"""The ledger: nothing is lost that is not written down, and what it shows is what was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from movers import ARM, arm, ball, batch, on_ground, on_tip, point_mass, stiff

import tarsus as ts
from tarsus.control import PD
from tarsus.geometry import Ground
from tarsus.simulation import EnergyError, EnergyLedger, Simulation


def damped_arm() -> ts.Model:
    """Return the arm with damping, dry friction and springs in its joints."""
    description = arm().description
    joints = [
        replace(
            joint,
            damping=np.array([0.1 * (k + 1)]),
            friction=np.array([0.05 * k]),
            stiffness=np.array([3.0]),
            rest=np.array([0.2]),
        )
        for k, joint in enumerate(description.joints)
    ]
    return ts.Model(replace(description, joints=joints))


def test_a_driven_damped_arm_accounts_for_all() -> None:
    m = damped_arm()
    run = Simulation(m, dt=2e-4).run(
        ARM, np.ones(4), duration=1.0, controller=PD(m, 20.0, 0.2, -ARM)
    )
    ledger = run.energy
    print(ledger.table())
    ledger.check(1e-3)
    assert ledger.damping[-1] < -0.1 and ledger.joint_friction[-1] < -0.01
    assert (np.diff(ledger.damping) <= 0.0).all() and (np.diff(ledger.joint_friction) <= 0.0).all()
    supplied = ledger.by_joint("supplied")
    assert list(supplied) == list(m.joint_names)
    np.testing.assert_allclose(sum(supplied.values()), ledger.supplied)
    np.testing.assert_allclose(ledger.kinetic, m.kinetic_energy(run.q, run.v), atol=1e-10)
    np.testing.assert_allclose(ledger.gravity, m.potential_energy(run.q), atol=1e-10)
    np.testing.assert_allclose(ledger.elastic, m.elastic_energy(run.q), atol=1e-10)


def test_a_falling_ball_gives_its_energy_to_the_impact() -> None:
    m = ball()
    q0 = m.neutral()
    q0[2] = 1.1
    ledger = Simulation(m, ground=Ground()).run(q0, duration=1.0).energy
    print(ledger.table())
    ledger.check(1e-3)
    assert ledger.stored[-1] == pytest.approx(2.0 * 9.81 * 0.1, rel=1e-3)
    assert ledger.n_impacts[0] == 0 and ledger.n_impacts[-1] >= 1
    lost = -2.0 * 9.81 * 1.0
    total = ledger.work("impacts") + ledger.work("contact_normal")
    assert total[-1] == pytest.approx(lost, rel=1e-3)
    assert ledger.by_body()["ball"][-1] == pytest.approx(lost, rel=1e-3)


def test_friction_takes_the_energy_of_a_sliding_mass() -> None:
    m = point_mass()
    sim = Simulation(m, ground=Ground(friction=0.3), collision=on_tip(m))
    ledger = sim.run(v0=[1.0, 0.0, 0.0], duration=0.5).energy
    print(ledger.table())
    ledger.check(1e-9)
    assert ledger.contact_friction[-1] == pytest.approx(-1.5)


def test_a_batch_in_contact_keeps_its_ledgers() -> None:
    run = on_ground(1e-3).run(*batch(6), duration=0.5, controller=stiff())
    ledger = run.energy
    worst = np.abs(ledger.relative_residual).max(axis=1)
    print(f"residuals {worst}")
    assert ledger.residual.shape == (6, 501)
    ledger.check(1e-3)
    assert "supplied" in ledger.table(2)


def test_a_wrong_ledger_is_found_at_the_worst_time() -> None:
    run = Simulation(arm()).run(ARM, duration=0.2)
    rows = run.energy.rows.copy()
    rows[150, 0] += 3.0
    broken = EnergyLedger(run.model, run.t, rows)
    with pytest.raises(EnergyError, match=r"t = 0\.15 s is 3"):
        broken.check(1e-3)
    assert "residual" in repr(broken)
    run.energy.check(1e-2)


def test_a_ledger_from_the_middle_on() -> None:
    run = Simulation(arm()).run(ARM, duration=0.2, controller=PD(arm(), 10.0, 1.0))
    part = EnergyLedger(run.model, run.t[100:], run.energy.rows[100:])
    change = run.energy.residual[100:] - run.energy.residual[100]
    np.testing.assert_allclose(part.residual, change, atol=1e-12)


def test_unknown_works_are_named() -> None:
    ledger = Simulation(arm()).run(ARM, duration=0.01).energy
    with pytest.raises(ValueError, match="no work 'wind'"):
        ledger.work("wind")
    with pytest.raises(ValueError, match="no works 'limits' of joints"):
        ledger.by_joint("limits")
    assert (Simulation(arm()).run(ARM, duration=0.0).energy.relative_residual == 0.0).all()


@pytest.mark.parametrize("states", [None, 3])
def test_what_is_not_a_number_is_no_residual_of_zero(states: int | None) -> None:
    q, v = batch(states or 1)
    run = on_ground().run(*((q, v) if states else (q[0], v[0])), duration=0.02, controller=stiff())
    for column in (0, 4, 20):  # what is stored, a work, the work on a joint
        rows = np.array(run.energy.rows)
        rows[(1, 7, column) if states else (7, column)] = np.nan
        broken = EnergyLedger(run.model, run.t, rows)
        assert np.isnan(broken.relative_residual).any() and "nan" in repr(broken)
        of_state = " of state 1" if states else ""
        with pytest.raises(EnergyError, match=rf"the residual{of_state} at t = 0.014 s is nan J"):
            broken.check(1e9)
    with pytest.raises(ValueError, match="tolerance is nan"):
        run.energy.check(np.nan)

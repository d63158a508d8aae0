"""What has entered comes out, slowly enough that nobody is thrown, and is given no energy for it.

Lifting a body out of a depth d costs m g d. That is what the mechanical energy may grow by, and it
is all that the ledger may have to explain.
"""

from __future__ import annotations

import numpy as np
import pytest
from loose_bodies import G, deepest, inertia, loose, mechanical, moving, placed
from scipy.spatial.transform import Rotation

import tarsus as ts

DEEP = 1e-4
"""No scene of these may be deeper [m] once it had time to come out."""
HEALED = 1e-6
"""What rests ends no deeper than this [m]."""
START = 9e-4
"""How deep bodies start [m]."""


def judge(what: str, run: ts.Trajectory, lifted: float) -> None:
    """Check the energies of a run in which works of `lifted` [J] went into healing at most."""
    energy, ledger = mechanical(run), run.energy
    given = float((energy - np.minimum.accumulate(energy)).max())
    left = float(np.abs(ledger.residual).max())
    contacts = ledger.work("contact_normal") + ledger.work("contact_friction")
    contacts = contacts + ledger.work("impacts")
    print(
        f"{what}: energy grows by {given:.2e} J, residual {left:.2e} J, of {lifted:.2e} J lifted; "
        f"contacts gave {contacts.max():.1e} J"
    )
    slack = 1e-9 * float(np.abs(energy).max()) + 1e-12
    # half a step of falling is in the energy of a state and not in the ledger's sum
    staggered = float(np.ptp(ledger.staggering))
    assert given <= lifted * (1.0 + 1e-3) + slack + staggered
    assert left <= lifted * (1.0 + 1e-3) + slack
    assert contacts.max() <= lifted * (1.0 + 1e-3) + slack


@pytest.mark.parametrize("lean", [0.0, 0.3], ids=["flat", "on an edge"])
@pytest.mark.parametrize("friction", [0.0, 0.7])
def test_a_box_that_starts_in_the_ground(friction: float, lean: float) -> None:
    m = loose(("box", (0.4, 0.3, 0.2)), mass=10.0)
    turn = Rotation.from_euler("y", lean)
    q = placed([0.0, 0.0, 0.0], turn)
    q[2] -= float(ts.geometry.height_over_ground(m, q, ts.Ground())) + START
    run = ts.Simulation(m, ground=ts.Ground(friction=friction), dt=1e-3).run(q, duration=3.0)
    depth = deepest(run)
    late = run.t > 1.0
    rise = float(np.diff(run.q[:, 2]).max() / 1e-3)
    print(f"deep {depth[0]:.1e}, then {depth[late].max():.1e} m; rises at {rise:.1e} m/s")
    assert depth[0] == pytest.approx(START, rel=1e-6)
    assert depth[late].max() < DEEP and depth[-1] < HEALED
    if lean == 0.0:
        # it comes out to the surface, and no further than rounding
        assert run.q[:, 2].max() < 0.1 + 1e-7 and np.abs(run.v[-1]).max() < 1e-6
    judge("box", run, 10.0 * G * START)


def test_a_box_that_starts_in_a_box() -> None:
    """The other one is fixed to the world."""
    b = ts.Builder("pedestal")
    b.body("box", 2.0, inertia=inertia("box", (0.2, 0.2, 0.2), 2.0))
    b.joint("flight", "free", "world", "box")
    b.shape("box", "box", (0.2, 0.2, 0.2), role="collision")
    b.shape("world", "box", (1.0, 1.0, 0.5), role="collision", position=(0, 0, 0.25))
    m = b.build()
    q = placed([0.05, 0.1, 0.6 - START])
    run = ts.Simulation(m, ground=ts.Ground(), dt=1e-3).run(q, duration=2.0)
    depth = 0.6 - run.q[:, 2]
    print(f"deep {depth[0]:.1e}, at last {depth[-1]:.1e} m")
    assert -1e-7 < depth[-1] < HEALED and np.abs(run.v[-1]).max() < 1e-6
    judge("pedestal", run, 2.0 * G * START)


def test_feet_that_start_in_the_ground() -> None:
    """A robot that is held by its controller, each foot as deep as another."""
    m = ts.load("examples/quadruped.urdf", base="free")
    q = m.neutral()
    for joint in m.joints:
        for part, angle in (("hip", 0.7), ("knee", -1.4)):
            if joint.name.endswith(part):
                q[joint.q_slice] = angle
    ground = ts.Ground(friction=0.7)
    q = ts.stand(m, q, ground)
    q[2] -= 0.5 * START
    q = m.integrate(q, 5e-4 * np.eye(m.nv)[3] + 5e-4 * np.eye(m.nv)[4])
    depth = -float(ts.geometry.height_over_ground(m, q, ground))
    hold = ts.control.ImplicitPD(m, kp=150.0, kd=6.0, reference=q)
    run = ts.Simulation(m, ground=ground, dt=1e-3).run(q, duration=3.0, controller=hold)
    found = deepest(run)
    print(f"deep {depth:.1e} at first, {found[-1]:.1e} m at last")
    assert depth > 3e-4
    assert found[run.t > 1.0].max() < DEEP and found[-1] < HEALED
    assert np.abs(run.energy.residual).max() < m.total_mass * G * depth


def disc(radius: float = 0.1, thickness: float = 0.02) -> ts.Model:
    return loose(("cylinder", (radius, thickness)))


@pytest.mark.parametrize(("lean", "spin"), [(30, 5.0), (60, 5.0), (10, 20.0), (60, 20.0)])
def test_a_disc_that_leans_on_its_rim_does_not_sink(lean: float, spin: float) -> None:
    """It turns about the vertical [rad/s] and falls over, or rolls on: for 20 s."""
    m, dt = disc(), 1e-3
    turn = Rotation.from_euler("x", 90.0 - lean, degrees=True)
    q = ts.stand(m, placed([0, 0, 0], turn), ts.Ground())
    v = moving(turn, (0, 0, 0), (0, 0, spin))
    run = ts.Simulation(m, ground=ts.Ground(friction=0.5), dt=dt).run(q, v, duration=20.0)
    depth = deepest(run)
    fastest = float(np.linalg.norm(run.v[:, 3:], axis=1).max())
    # the way of the rim is an arc, of which a step sees the tangent
    arc = 0.5 * 0.1 * (fastest * dt) ** 2
    print(f"lean {lean}°, {spin} rad/s: {depth.max():.1e} m deep, {depth[-1]:.1e} m at last")
    print(f"an arc of a step at {fastest:.0f} rad/s is {arc:.1e} m")
    # the lowest point runs around the rim much faster than the disc turns
    assert depth.max() < max(DEEP, 100.0 * arc)
    at_rest = np.abs(run.v[-1000:]).max() < 1e-3
    if at_rest:
        assert depth[-1] < HEALED
    energy = mechanical(run)
    grown = float((energy - np.minimum.accumulate(energy)).max())
    print(f"energy grows by {grown:.1e} J of {np.ptp(energy):.1e} J; at rest: {at_rest}")
    # what one step lifts; and a step of first order knows energies of what turns to ω dt only
    assert grown <= G * depth.max() + fastest * dt * energy[0]


def test_a_joint_that_starts_beyond_its_limit() -> None:
    """A lever that hangs on its limit, 1 mrad beyond it: m g r of its angle is lifted."""
    b = ts.Builder("lever")
    b.body("lever", 1.0, (0.3, 0.0, 0.0), (0.01, 0.01, 0.01))
    b.joint("hinge", "revolute", "world", "lever", axis="y", lower=-0.5, upper=0.4)
    m = b.build()
    run = ts.Simulation(m, ground=None, dt=1e-3).run([0.401], duration=2.0)
    over = run.q[:, 0] - 0.4
    print(f"{over[0]:.1e} rad beyond, at last {over[-1]:.1e} rad, least {over.min():.1e}")
    assert over.max() < 1e-3 + 1e-9
    assert -1e-7 < over[-1] < HEALED and abs(run.v[-1, 0]) < 1e-6
    judge("lever", run, G * 0.3 * 1e-3)

"""No impact makes energy, whatever hits at whatever angle, with whatever friction and restitution.

Newton's law sets the normal velocity after an impact, and friction turns the body at the same
time: at the end of a rod the two together may give more than there was (T. R. Kane, "A dynamics
puzzle", Stanford Mechanics Alumni Club Newsletter, 1984). Where friction does no harm, Newton's law
must hold to the last digit.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from loose_bodies import Array, inertia, loose, mechanical, moving, placed
from scipy.spatial.transform import Rotation

import tarsus as ts

DT = 1e-6
"""A step [s] in which nothing but the impact happens."""
RESTITUTIONS = (0.5, 0.8, 1.0)
ROUNDING = 1e-8
"""Of the energy: six steps of a free turn at 50 rad/s are good to (ω dt)² each."""


def hit(
    m: ts.Model, turns: Rotation, linear: Array, angular: Array, friction: Array, restitution: Array
) -> ts.Trajectory:
    """Return the six steps around the impacts of a batch of bodies without weight."""
    q = np.stack([placed([0, 0, 0], turn) for turn in turns])
    v = np.stack([moving(*each) for each in zip(turns, linear, angular, strict=True)])
    ground = ts.Ground(friction=friction, restitution=restitution)
    # the lowest place is a little above the ground and comes down, or the body is left out
    q[:, 2] += 1e-7 - ts.geometry.height_over_ground(m, q, ts.Ground())
    sim = ts.Simulation(m, ground=ground, dt=DT, max_contacts=8)
    return sim.run(q, v, duration=6 * DT)


def judge(what: str, run: ts.Trajectory, count: int) -> None:
    """Check that no state has gained energy, and that enough of them were hit."""
    energy = mechanical(run)
    gain = (energy.max(axis=1) - energy[:, 0]) / energy[:, 0]
    was_hit = np.isin(np.arange(count), run.contacts.state_index[run.contacts.force[:, 2] > 0.0])
    worst = int(gain.argmax())
    print(f"{what}: {was_hit.sum()} of {count} hit, largest gain {gain[worst]:.2%} (state {worst})")
    assert was_hit.sum() > count // 2
    assert gain[worst] < ROUNDING


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_rods_at_all_angles(restitution: float) -> None:
    """Thin rods on one end: 17 angles, 5 frictions, 5 sliding speeds, 5 spins."""
    m = loose(("box", (1e-3, 1e-3, 1.0)), gravity=0.0)
    grid = np.array(
        list(
            itertools.product(
                np.radians(np.linspace(5.0, 85.0, 17)),
                (0.0, 0.1, 0.3, 0.7, 1.5),
                (-4.0, -1.0, 0.0, 1.0, 4.0),
                (-6.0, -2.0, 0.0, 2.0, 6.0),
            )
        )
    )
    angle, friction, slide, spin = grid.T
    zeros = np.zeros(len(grid))
    run = hit(
        m,
        Rotation.from_euler("y", angle[:, None]),
        np.stack([slide, zeros, zeros - 2.0], axis=1),
        np.stack([zeros, spin, zeros], axis=1),
        friction,
        zeros + restitution,
    )
    judge(f"rods, e = {restitution}", run, len(grid))


@pytest.mark.parametrize("restitution", RESTITUTIONS)
@pytest.mark.parametrize("kind", ["box", "capsule", "cylinder"])
def test_bodies_at_random(kind: str, restitution: float) -> None:
    """Bodies that tumble, slide and come down in all positions, on corners, edges and rims."""
    count, rng = 2000, np.random.default_rng(3)
    m = loose((kind, (0.1, 0.2, 0.4) if kind == "box" else (0.05, 0.4)), gravity=0.0)
    linear = rng.normal(size=(count, 3)) * [2.0, 2.0, 0.5]
    linear[:, 2] -= 2.0
    run = hit(
        m,
        Rotation.random(count, random_state=1),
        linear,
        rng.normal(size=(count, 3)) * rng.choice([0.0, 3.0, 10.0], (count, 1)),
        rng.choice([0.0, 0.2, 0.6, 1.5], count),
        np.full(count, restitution),
    )
    judge(f"{kind}, e = {restitution}", run, count)


@pytest.mark.parametrize("restitution", [0.0, *RESTITUTIONS])
def test_a_rod_without_friction_loses_what_newton_says(restitution: float) -> None:
    """½ (1 − e²) v_n² / A with A = 1/m + (l cos θ / 2)² / I at the end of the rod."""
    m, length = loose(("box", (1e-3, 1e-3, 1.0)), gravity=0.0), 1.0
    angle = np.radians(np.linspace(5.0, 85.0, 33))
    zeros = np.zeros(len(angle))
    turns = Rotation.from_euler("y", angle[:, None])
    run = hit(
        m,
        turns,
        np.stack([zeros + 1.0, zeros, zeros - 2.0], axis=1),
        np.stack([zeros, zeros + 1.5, zeros], axis=1),
        zeros,
        zeros + restitution,
    )
    corners = np.array([[x, 0.0, z] for x in (-5e-4, 5e-4) for z in (-0.5, 0.5)]) * length
    energy = mechanical(run)
    for k, turn in enumerate(turns):
        ends = turn.apply(corners)
        arm = ends[ends[:, 2].argmin()]
        down = -2.0 - 1.5 * arm[0]  # velocity of the end: v + ω × r
        mobility = 1.0 + arm[0] ** 2 / inertia("box", (1e-3, 1e-3, 1.0), 1.0)[1]
        expected = 0.5 * (1.0 - restitution**2) * down**2 / mobility if down < 0.0 else 0.0
        lost = energy[k, 0] - energy[k, -1]
        assert lost == pytest.approx(expected, abs=1e-6 * energy[k, 0]), np.degrees(angle[k])
    print(f"e = {restitution}: energies after {(energy[:, -1] / energy[:, 0]).round(3)}")


@pytest.mark.parametrize("restitution", [0.0, *RESTITUTIONS])
@pytest.mark.parametrize("friction", [0.0, 0.2, 5.0])
def test_balls_bounce_as_formulas_say(friction: float, restitution: float) -> None:
    """v_n⁺ = −e v_n⁻, and friction takes min(μ p_n, 2/7 m |slip|): nothing couples the two."""
    radius, count, rng = 0.1, 200, np.random.default_rng(0)
    m = loose(("sphere", (radius,)), gravity=0.0)
    turns = Rotation.random(count, random_state=2)
    linear = rng.normal(size=(count, 3)) * [2.0, 2.0, 0.0] - [0.0, 0.0, 3.0]
    angular = rng.normal(size=(count, 3)) * 20.0
    run = hit(m, turns, linear, angular, np.full(count, friction), np.full(count, restitution))
    after = np.stack(
        [
            np.concatenate([R.apply(v[:3]), R.apply(v[3:])])
            for R, v in zip(Rotation.from_quat(run.q[:, -1, 3:7]), run.v[:, -1], strict=True)
        ]
    )
    slip = linear[:, :2] + radius * np.stack([-angular[:, 1], angular[:, 0]], axis=1)
    speed = np.linalg.norm(slip, axis=1)
    rub = np.minimum(friction * (1.0 + restitution) * 3.0, 2.0 / 7.0 * speed)
    expected = linear[:, :2] - slip * (rub / speed)[:, None]
    errors = np.abs(after[:, 2] - 3.0 * restitution).max(), np.abs(after[:, :2] - expected).max()
    print(f"μ = {friction}, e = {restitution}: normal {errors[0]:.1e}, across {errors[1]:.1e} m/s")
    # a ball is hit up to half a step from the ground, with an arm that is as much too long
    assert errors[0] < 1e-9
    assert errors[1] < max(1e-9, 0.5 * 3.0 * DT / radius * speed.max())
    if restitution == 1.0 and friction == 0.0:
        energy = mechanical(run)
        kept = np.abs(energy[:, -1] / energy[:, 0] - 1.0).max()
        print(f"energy is kept to {kept:.1e}")
        assert kept < 1e-10  # the solver's own tolerance, of the speeds


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_tumbling_boxes_never_gain(restitution: float) -> None:
    """Boxes thrown on the ground, for 1.5 s: in no step do contacts do work for them."""
    count, rng = 60, np.random.default_rng(5)
    mass = 1.0
    m = loose(("box", (0.2, 0.3, 0.4)), mass=mass)
    turns = Rotation.random(count, random_state=4)
    q = np.stack([placed([0, 0, 0.6], turn) for turn in turns])
    v = rng.normal(size=(count, 6)) * [1.0, 1.0, 1.0, 6.0, 6.0, 6.0]
    ground = ts.Ground(friction=0.6, restitution=restitution)
    run = ts.Simulation(m, ground=ground, dt=1e-3).run(q, v, duration=1.5)
    ledger = run.energy
    names = ("impacts", "contact_normal", "contact_friction")
    given = np.diff(sum(ledger.work(name) for name in names), axis=-1)
    start = mechanical(run)[:, 0]
    print(
        f"e = {restitution}: {ledger.n_impacts[:, -1].mean():.0f} impacts each; a step gives "
        f"{given.max():.1e} J at most, boxes end with {(mechanical(run)[:, -1] / start).max():.3f}"
    )
    # velocities lag half a step behind: what gravity did in it is counted with the impact
    heavy = m.center_of_mass_velocity(run.q, run.v)[..., 2]
    jump = float(np.abs(np.diff(heavy, axis=1)).max())
    assert given.max() < 1e-3 * mass * 9.81 * jump
    assert ledger.n_impacts[:, -1].min() > 1
    # what turns freely is integrated with an error of first order, ω dt of its energy
    turning = float(np.linalg.norm(run.v[..., 3:], axis=-1).max()) * 1e-3
    assert (ledger.stored.max(axis=1) - ledger.stored[:, 0] < turning * start).all()

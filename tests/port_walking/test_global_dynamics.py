"""One tree in four formulations: momenta with body and space velocities, the library, and angles.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, theorem 2.17. Other recursions, Pinocchio's and D'Alembert's principle are beside the
library in `tests/dynamics`.
"""

from __future__ import annotations

import numpy as np
import pytest
from global_dynamics import twist_rates
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus import integrators

KINDS = ("free", "spherical", "revolute", "prismatic", "planar")
PARENTS = ("world", "B0", "B1", "B1", "B0")


def tree(kinds: tuple[str, ...] = KINDS) -> ts.Model:
    """Return five bodies: a free one, a ball joint, a hinge, a slide and a planar joint."""
    rng = np.random.default_rng(5)
    builder = ts.Builder("five")
    for k, (kind, parent) in enumerate(zip(kinds, PARENTS, strict=True)):
        com, moments = rng.normal(size=3) * 0.2, rng.uniform(0.5, 0.8, 3)
        at = rng.normal(size=3) * (k > 0)
        turned = rng.normal(size=3) * (k > 0)
        axis = rng.normal(size=3)
        axes = {"axis": axis} if kind in ("revolute", "prismatic") else {}
        if kind == "free_angles":  # the same motion in six coordinates
            builder.body("carrier").joint("place", "translation", "world", "carrier")
            parent, kind = "carrier", "spherical_zyx"
        builder.body(f"B{k}", rng.uniform(1, 2), com, moments)
        builder.joint(f"J{k}", kind, parent, f"B{k}", position=at, rotation=turned, **axes)
    return builder.build()


def accelerations(model: ts.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return the rates of the bodies' twists in their own axes (5, 6), angular part first."""
    a = model.forward_dynamics(q, v, tau)
    found = [model.frame_acceleration(q, v, a, f"B{k}", "local") for k in range(5)]
    return np.roll(found, 3, axis=-1)


@pytest.mark.parametrize("convention", ["body", "space"])
def test_momenta_give_the_accelerations_of_the_library(convention: str) -> None:
    model, rng = tree(), np.random.default_rng(6)
    worst = 0.0
    for _ in range(20):
        q, v, tau = model.random_configuration(rng), *rng.normal(size=(2, model.nv))
        found, power = twist_rates(model, q, v, tau, convention)  # type: ignore[arg-type]
        expected = accelerations(model, q, v, tau)
        worst = max(worst, float(np.abs(found - expected).max() / np.abs(expected).max()))
        assert power == pytest.approx(tau @ v, abs=1e-9)
    print(f"{convention}: {worst:.1e}")
    assert worst < 1e-12


def in_angles(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, ts.Model]:
    """Return a state in roll, pitch and yaw, and the model that has them."""
    model = tree(("free_angles", "spherical_zyx", *KINDS[2:]))
    own, plain = np.zeros(model.nq), np.zeros(model.nv)
    turned = Rotation.from_quat(q[3:7])
    own[:3], own[3:6] = q[:3], turned.as_euler("ZYX")
    own[6:9] = Rotation.from_quat(q[7:11]).as_euler("ZYX")
    own[9:] = q[11:]
    plain[:3] = turned.apply(v[:3])
    plain[3:6], plain[6:9] = angle_rates(own[3:6], v[3:6]), angle_rates(own[6:9], v[6:9])
    plain[9:] = v[9:]
    return own, plain, model


def angle_rates(angles: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the rates of yaw, pitch and roll for a rate of turning in body axes."""
    _, pitch, roll = angles
    cr, sr, cp = np.cos(roll), np.sin(roll), np.cos(pitch)
    return np.array(
        [
            (sr * omega[1] + cr * omega[2]) / cp,
            cr * omega[1] - sr * omega[2],
            omega[0] + np.tan(pitch) * (sr * omega[1] + cr * omega[2]),
        ]
    )


def test_angles_give_the_same_away_from_where_they_fail() -> None:
    model, rng = tree(), np.random.default_rng(7)
    done = 0
    while done < 20:
        q, v = model.random_configuration(rng), rng.normal(size=model.nv)
        own, plain, other = in_angles(q, v)
        if np.abs(np.cos(own[[4, 7]])).min() < 0.3:
            continue
        expected = accelerations(model, q, v, np.zeros(model.nv))
        found = accelerations(other, own, plain, np.zeros(other.nv))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        done += 1


def test_ten_seconds_through_a_pose_at_which_angles_fail() -> None:
    """Five seconds back in time from a nose that points straight down, and ten ahead again."""
    model, rng = tree(), np.random.default_rng(8)
    there, v = model.neutral(), 0.4 * rng.normal(size=model.nv)
    there[3:7] = Rotation.from_euler("y", np.pi / 2).as_quat()
    simulation = ts.Simulation(model, dt=0.01, integrator=integrators.DormandPrince(1e-12, 1e-13))
    back = simulation.run(there, -v, duration=5.0)
    run = simulation.run(back.q[-1], -back.v[-1], duration=10.0)
    nose = model.forward_kinematics(run.q)[:, 0, 2, 0]
    print(f"nose {1.0 + nose[500]:.1e} from straight down")
    assert nose[500] == pytest.approx(-1.0, abs=1e-9) and np.abs(nose[[400, 600]]).max() < 0.99
    off = np.abs(run.energy.residual).max()
    print(f"energy {off:.1e} J of {run.energy.kinetic.max():.1f} J")
    assert off < 1e-8

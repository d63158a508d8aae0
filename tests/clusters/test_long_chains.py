"""Long chains, trees with nailed tips and closed chains, against free bodies with multipliers.

The same equations as one dense system, in which every joint is six rows, are what a recursion for
chains, branches and loops stands for (Schröder 1990, sections 5.5 to 5.8).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from maximal import solve
from oracle import Array, Oracle
from projection import Projection

import tarsus as ts

ROUNDING = 1e-11


def grown(parents: list[int], root: str, loops: list[tuple[str, int, int]]) -> ts.Model:
    """Return bars with random joint axes, body i on parents[i] (−1: the world, by `root`).

    Loops (kind, i, j) are closed where bars i and j happen to be at zero; j may be the world, −1.
    """

    def build(closed: ts.Model | None) -> ts.Model:
        rng = np.random.default_rng(len(parents))
        b = ts.Builder("bars")
        for i, parent in enumerate(parents):
            b.body(f"bar_{i}", 1.0, com=0.1 * rng.normal(size=3), inertia=(0.3, 0.4, 0.5))
            axis = rng.normal(size=3)
            place = {"position": 0.5 * rng.normal(size=3)} if i else {}
            kind = root if parent < 0 else "revolute"
            along = {"axis": axis / np.linalg.norm(axis)} if kind == "revolute" else {}
            on = f"bar_{parent}" if parent >= 0 else "world"
            b.joint(f"joint_{i}", kind, on, f"bar_{i}", **place, **along)
        for kind, i, j in loops if closed else ():
            poses = np.concatenate([closed.forward_kinematics(closed.neutral()), np.eye(4)[None]])
            met = np.linalg.inv(poses[j]) @ poses[i]
            other = f"bar_{j}" if j >= 0 else "world"
            b.close_loop(kind, other, met, f"bar_{i}", np.eye(4), constraint=True)
        return b.build()

    return build(build(None)) if loops else build(None)


def chain(n: int) -> list[int]:
    return list(range(-1, n - 1))


def difference(model: ts.Model) -> float:
    """Return the largest difference of accelerations, relative to the largest."""
    rng = np.random.default_rng(0)
    own = Projection.of(model)
    q, (v, tau) = model.neutral(), rng.normal(size=(2, model.nv))
    jacobian = model.constraint_jacobian(q)
    v = v - np.linalg.pinv(jacobian, rcond=1e-10) @ (jacobian @ v)
    expected: Array = solve(own, q, v, tau).joints
    found = model.forward_dynamics(q, v, tau)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def told(what: str, found: float) -> None:
    print(f"{what}: {found:.1e}")
    assert found < ROUNDING, what


@pytest.mark.parametrize("root", ["revolute", "free"])
@pytest.mark.parametrize("nailed", [False, True], ids=["free tip", "nailed tip"])
def test_chains(root: str, nailed: bool) -> None:
    for n in (4, 11, 30):
        loops = [("spherical" if n < 8 else "weld", n - 1, -1)] if nailed else []
        told(f"{n} bars", difference(grown(chain(n), root, loops)))


def test_a_chain_of_a_hundred_and_twenty() -> None:
    """Too long for the rows of all joints, but not for a mass matrix summed over the bodies."""
    m = grown(chain(120), "revolute", [])
    q, (v, tau) = m.neutral(), np.random.default_rng(0).normal(size=(2, m.nv))
    expected = np.linalg.solve(Oracle(m).mass_matrix(q), tau - m.bias_forces(q, v))
    found = m.forward_dynamics(q, v, tau)
    told("120 bars", float(np.abs(found - expected).max() / np.abs(expected).max()))


def test_trees_with_nailed_tips() -> None:
    """Branches of one, three, twice four and eight joints on one bar, their tips on the world."""
    parents, tips = [-1], []
    for length in (1, 3, 4, 4, 8):
        parents += [0, *range(len(parents), len(parents) + length - 1)]
        tips.append(len(parents) - 1)
    kinds = ("point_on_line", "spherical", "spherical", "distance", "weld")
    loops = [(kind, tip, -1) for kind, tip in zip(kinds, tips, strict=True) if kind != "distance"]
    told("tree", difference(grown(parents, "free", loops)))


LOOPS: dict[str, Callable[[], ts.Model]] = {
    "eight joints": lambda: grown(chain(8), "revolute", [("weld", 7, -1)]),
    "ten joints": lambda: grown(chain(10), "revolute", [("revolute", 9, -1)]),
    "closed on its root": lambda: grown(chain(9), "free", [("weld", 8, 0)]),
    "two nested": lambda: grown(chain(16), "free", [("weld", 15, 0), ("spherical", 11, 3)]),
    "ladder": lambda: grown(
        [-1, 0, 1, 2, 3, 0, 5, 6, 7, 8, 2, 10], "free", [("spherical", 11, 7), ("spherical", 4, 9)]
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    told(name, difference(LOOPS[name]()))


def shoulder(kind: str) -> ts.Model:
    """Return a hand on a free body: on one joint of `kind`, or on three axes without mass."""
    b = ts.Builder("shoulder")
    b.body("trunk", 2.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    b.body("hand", 1.5, com=(0.3, -0.2, 0.4), inertia=(0.2, 0.25, 0.3))
    b.joint("root", "free", "world", "trunk")
    if kind:
        b.joint("ball", kind, "trunk", "hand", position=(0.2, 0.1, 0.5))
        return b.build()
    b.body("outer", 0.0).body("inner", 0.0)
    b.joint("z", "revolute", "trunk", "outer", position=(0.2, 0.1, 0.5), axis=(0.0, 0.0, 1.0))
    b.joint("y", "revolute", "outer", "inner", axis=(0.0, 1.0, 0.0))
    b.joint("x", "revolute", "inner", "hand", axis=(1.0, 0.0, 0.0))
    return b.build()


def test_a_ball_joint_is_three_axes_without_mass_between() -> None:
    """Away from gimbal lock (Schröder 1990, section 5.5.2); each with its own kind of rates."""
    axes, angles, ball = shoulder(""), shoulder("spherical_zyx"), shoulder("spherical")
    rng = np.random.default_rng(0)
    for _ in range(20):
        q = axes.random_configuration(rng)
        q[-3:] = rng.uniform(-1.2, 1.2, 3)
        v, tau = rng.normal(size=(2, axes.nv))
        a = axes.forward_dynamics(q, v, tau)
        scale = np.abs(a).max()
        assert np.abs(angles.forward_dynamics(q, v, tau) - a).max() < 1e-12 * scale
        # of the ball: ω = B rates, so that the torques are B⁻ᵀ those of the axes
        turned = axes.frame_jacobian(q, "hand")[3:, -3:]
        pose = np.linalg.inv(axes.frame_pose(q, "trunk")) @ axes.frame_pose(q, "hand")
        q_ball = np.concatenate([q[:7], ts.spatial.quaternion_from_rotation(pose[:3, :3])])
        v_ball = np.concatenate([v[:6], turned @ v[-3:]])
        tau_ball = np.concatenate([tau[:6], np.linalg.solve(turned.T, tau[-3:])])
        a_ball = ball.forward_dynamics(q_ball, v_ball, tau_ball)
        assert np.abs(a_ball[:6] - a[:6]).max() < 1e-12 * scale

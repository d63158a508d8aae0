"""Where clusters meet the rest: samples, long steps, many turns, bad statements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.compile import core_arguments

TURN = 2 * np.pi


def square(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return y² with its derivatives; it has no value below 1."""
    if y[0] < 1.0:
        raise ValueError("called outside the limits")
    return y**2, 2 * y[None], np.full((1, 1, 1), 2.0)


def machine() -> ts.Model:
    """Return a four-bar, an arm with limits and a joint that follows it by a function."""
    b = ts.Builder("mixed")
    for name, length in (("crank", 0.2), ("rod", 0.6), ("rocker", 0.5)):
        b.body(name, 1.0, (length / 2, 0, 0), (1e-3, 2e-2, 2e-2))
    b.joint("crank", "revolute", "world", "crank")
    b.joint("rod", "revolute", "crank", "rod", position=(0.2, 0, 0))
    b.joint("rocker", "revolute", "world", "rocker", position=(0.55, 0, 0))
    b.close_loop("revolute", "rod", (0.6, 0, 0), "rocker", (0.5, 0, 0), start={"rocker": 1.5})
    b.body("arm", 1.0, (0, 0, 0.1), (1e-2, 1e-2, 1e-2)).joint(
        "arm", "revolute", "world", "arm", axis="y", lower=2.0, upper=2.5
    )
    b.body("hand", 1.0, (0, 0, 0.1), (1e-2, 1e-2, 1e-2)).joint("hand", "revolute", "arm", "hand")
    b.transmission("function", ["arm"], ["hand"], function=square)
    return b.build()


def test_samples_keep_limits_and_loops() -> None:
    """Joints beside a loop are sampled within their limits; functions are called only there."""
    model = machine()
    for q in (model.random_configuration(0, 200), model.random_configuration(1)[None]):
        assert (q[:, model.joint("arm").q_slice] >= 2.0).all()
        assert (q[:, model.joint("arm").q_slice] <= 2.5).all()
        gap = np.abs(model.loop_gaps(q)).max()
        print(f"gap of samples: {gap:.1e}")
        assert gap < 1e-12
    crank = model.random_configuration(2, 200)[:, model.joint("crank").q_slice]
    assert np.ptp(crank) > np.pi, "a crank turns all the way round"


def test_long_steps_keep_the_branch() -> None:
    """Whole turns of a crank bring a linkage back, in one step or in many, one state or lanes."""
    model = ts.robots.four_bar()
    start = model.neutral()
    once = model.integrate(start, [TURN])
    step = model.joint("crank").q_slice if "crank" in model.joint_names else slice(0, 1)
    assert np.allclose(once[step] - start[step], TURN)
    back = (once - start + np.pi) % TURN - np.pi
    print(f"after a turn: {np.abs(back).max():.1e}")
    assert np.abs(back).max() < 1e-9
    steps = np.linspace(-3 * TURN, 3 * TURN, 23)[:, None]
    batch = model.integrate(start, steps)
    assert (batch == np.array([model.integrate(start, dv) for dv in steps])).all()


def test_many_turns() -> None:
    """A linkage after a thousand turns is as closed, and moves, as before."""
    model = ts.robots.four_bar()
    q, v, tau = model.neutral(), np.array([2.0]), np.array([0.1])
    far = q + TURN * 1000
    expected, found = (model.forward_dynamics(at, v, tau) for at in (q, far))
    residual = np.abs(found / expected - 1).max()
    print(f"after a thousand turns: {residual:.1e}")
    assert residual < 1e-9


def test_a_zero_quaternion_behind_a_gear() -> None:
    """The message counts the user's coordinates, not those of all joints."""
    b = ts.Builder("gear")
    b.body("link", 1.0, (0, 0, 0.1), (1e-2, 1e-2, 1e-2)).joint("hinge", "revolute", "world", "link")
    b.body("rotor", 0.1, inertia=(1e-4, 1e-4, 1e-4)).gear("hinge", 5, "rotor")
    b.body("ball", 1.0, (0, 0, 0.1), (1e-2, 1e-2, 1e-2))
    b.joint("socket", "spherical", "link", "ball")
    with pytest.raises(ValueError, match="elements 1 to 4 are zero"):
        b.build().mass_matrix([0.3, 0, 0, 0, 0])


def arguments() -> dict[str, Any]:
    """Return what the core is given for a pendulum with a rotor."""
    from tarsus.model.closure import closed
    from tarsus.model.tree import build_tree

    b = ts.Builder("gear")
    b.body("link", 1.0, (0, 0, 0.1), (1e-2, 1e-2, 1e-2)).joint("hinge", "revolute", "world", "link")
    b.body("rotor", 0.1, inertia=(1e-4, 1e-4, 1e-4)).gear("hinge", 5, "rotor")
    tree = closed(build_tree(b.description(), strict=True))
    return core_arguments(tree, b.description().gravity)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cluster_sizes": [1, 1]}, "follow|cluster"),
        ({"cluster_sizes": [3]}, "add up"),
        ({"roles": [0]}, "roles must have one entry"),
        ({"roles": [0, 7]}, "roles must be"),
        ({"roles": [1, 1]}, "follow"),
        ({"coupling_leaders": [[1]]}, "follow"),
        ({"coupling_leaders": [[9]]}, "one coordinate"),
        ({"coupling_numbers": [[1.0]]}, "wrong number"),
        ({"coupling_kinds": ["magic"]}, "magic"),
        ({"functions": 3}, "functions"),
        ({"loop_kinds": ["weld"]}, "differ in length"),
        ({"neutral": np.zeros(4)}, "neutral"),
    ],
)
def test_the_core_checks_its_statements(changes: dict[str, Any], message: str) -> None:
    """Whatever the core is told about clusters, it refuses what it cannot mean."""
    with pytest.raises(ValueError, match=message):
        ts._core.Model(**(arguments() | changes))
    ts._core.Model(**arguments())

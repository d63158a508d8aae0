"""The equations of loop joints: derivatives, and the same numbers in the core."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rods import rods

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model.dependents import OpenLoops
from tarsus.model.loops import LOOP_KINDS, n_rows
from tarsus.model.tree import build_tree


def mechanism(kind: str, seed: int) -> tuple[OpenLoops, Array]:
    """A tree of all kinds of joints with a loop that is nearly closed at a random place."""
    rng = np.random.default_rng(seed)
    model = ts.robots.random_mechanism(seed, 8)
    description, q = model.description, model.random_configuration(seed)
    a, b = (
        (model.body_names[-1], model.body_names[-2])
        if seed % 2
        else ("world", model.body_names[-1])
    )
    poses = {name: model.frame_pose(q, name) for name in model.body_names} | {"world": np.eye(4)}
    small = np.eye(4)
    small[:3, :3] = np.linalg.qr(np.eye(3) + 0.2 * rng.normal(size=(3, 3)))[0]
    small[:3, :3] *= np.sign(np.diag(small[:3, :3]))
    small[:3, 3] = 0.3 * rng.normal(size=3)
    place = np.linalg.inv(poses[b]) @ poses[a] @ small
    place[3] = 0, 0, 0, 1
    length = 0.7 if kind == "distance" else 0.0
    loop = ts.Loop("loop", kind, a, b, np.eye(4), place, length, constraint=True)
    closed = replace(description, loops=[*description.loops, loop])
    tree = build_tree(ts.model.validation.checked(closed), strict=True)
    return OpenLoops(tree, tree.clusters, [], tree.loops), q


@pytest.mark.parametrize("kind", [kind for kind in LOOP_KINDS if kind != "knife_edge"])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_gaps(kind: str, seed: int) -> None:
    part, q = mechanism(kind, seed)
    gaps, jacobian = part.gaps(q)
    assert len(gaps) == n_rows(kind)
    step = 1e-6
    for k, unit in enumerate(np.eye(part.core.nv)):
        ahead, behind = (part.gaps(part.core.integrate(q, s * unit))[0] for s in (step, -step))
        error = np.abs((ahead - behind) / (2 * step) - jacobian[:, k]).max()
        assert error < 1e-7 * (1 + np.abs(jacobian).max()), (k, error)


@pytest.mark.parametrize("kind", LOOP_KINDS)
def test_gaps_of_the_core_are_the_same(kind: str) -> None:
    lengths = {"length": 0.7} if kind == "distance" else {}
    a, b = np.eye(4), np.eye(4)
    a[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    a[:3, 3], b[:3, 3] = (0.1, 0.2, 0.3), (0.8, 0.1, 0)
    builder = rods(ts.Builder("x"), (1.0, 1.0))
    builder.joint("ja", "free", "world", "a").joint("jb", "spherical", "a", "b")
    builder.close_loop(kind, "world", a, "b", b, name="loop", constraint=True, **lengths)  # type: ignore[arg-type]
    model = builder.build()
    q = model.integrate(model.neutral(), 0.2 * np.random.default_rng(3).normal(size=9))
    assert model.loop_gaps(q).shape == (n_rows(kind),)
    if kind == "knife_edge":
        assert model.loop_gaps(q).tolist() == [0.0]
        return
    tree = build_tree(builder.description(), strict=True)
    gaps, jacobian = OpenLoops(tree, tree.clusters, [], tree.loops).gaps(q)
    errors = (
        np.abs(model.loop_gaps(q) - gaps).max(),
        np.abs(model.constraint_jacobian(q) - jacobian).max(),
    )
    print(f"{kind}: gaps {errors[0]:.1e}, Jacobian {errors[1]:.1e}")
    assert max(errors) < 1e-13

"""Clusters without freedom: a machine with a truss moves as if the truss were welded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from coriolis_cases import distance

import tarsus as ts
from tarsus.model.description import FACTORIZATIONS

MACHINES = {
    "on the world": "truss hinge ball",
    "between hinges": "hinge truss hinge hinge",
    "on a flying body": "free hinge truss slide",
    "last": "hinge ball truss",
    "twice": "hinge truss truss hinge",
    "before another root": "truss, hinge ball",
    "between two roots": "hinge truss, hinge hinge",
    "with a tree on the truss": "hinge truss hinge, truss, free hinge",
}
"""Parts from the root on; after a comma a new root follows."""
KINDS = {"hinge": "revolute", "ball": "spherical", "slide": "prismatic", "free": "free"}


def machine(parts: str, angles: Sequence[float] | None = None) -> ts.Model:
    """Return a machine; with `angles` the rods of its trusses are welded, not on hinges."""
    builder, left = ts.Builder(parts), list(angles or ())
    for root, chain in enumerate(parts.split(", ")):
        parent = "world"
        for i, part in enumerate(chain.split()):
            name, at = f"{part}_{root}{i}", (0.3, 0.1 * i, 0.2)
            if part == "truss":
                turns = [left.pop(0), left.pop(0)] if angles else None
                parent = truss(builder, name, parent, at, turns)
                continue
            builder.body(name, 1.0 + i, (0.2, 0.1, 0.3), (0.3, 0.4, 0.5))
            turned = (0.3 * i, 0.5, 0.1)
            builder.joint(name, KINDS[part], parent, name, position=at, rotation=turned)
            parent = name
    return builder.build()


def truss(
    builder: ts.Builder,
    name: str,
    parent: str,
    at: tuple[float, float, float],
    turns: Sequence[float] | None,
) -> str:
    """Add two rods that are a triangle with what carries them, and return the second."""
    x, y, z = at
    first, second = f"{name}_first", f"{name}_second"
    builder.body(first, 1.0, (0.3, 0.0, 0.1), (0.01, 0.1, 0.1))
    builder.body(second, 2.0, (0.4, 0.1, 0.0), (0.02, 0.2, 0.2))
    for i, (here, above, place) in enumerate(((first, parent, at), (second, first, (0.7, 0, 0)))):
        kind, angle = ("fixed", turns[i]) if turns else ("revolute", 0.0)
        builder.joint(here, kind, above, here, position=place, rotation=(0, 0, angle))
    if turns is None:
        ends = second, (0.8, 0.0, 0.0), parent, (x + 0.9, y, z)
        builder.close_loop("revolute", *ends, independent=[], start={first: 0.9, second: -1.9})
    return second


def pair(parts: str) -> tuple[ts.Model, ts.Model]:
    """Return a machine with trusses that are loops, and the same with welded ones."""
    loops = machine(parts)
    positions = loops.joint_positions(loops.neutral())
    followers = [joint for joint in loops.joints if joint.dependent]
    angles = [float(positions[joint.position_slice.start]) for joint in followers]
    return loops, machine(parts, angles)


@pytest.mark.parametrize("parts", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("lead", [(), (1,), (9,)], ids=["one state", "batch of one", "batch"])
def test_a_truss_is_a_weld(parts: str, lead: tuple[int, ...]) -> None:
    loops, welded = pair(parts)
    assert loops.nv == welded.nv > 0
    assert any(joint.dependent for joint in loops.joints)
    rng = np.random.default_rng(0)
    q = loops.random_configuration(rng, *lead)
    moving = [q[..., loops.joint(joint.name).q_slice] for joint in welded.joints]
    v, a, u = rng.normal(size=(3, *lead, welded.nv))
    calls: dict[str, tuple[Any, ...]] = {
        "mass_matrix": (),
        "bias_forces": (v,),
        "mass_matrix_rate": (v,),
        "christoffel_symbols": (),
        "mass_matrix_derivatives": (),
        "christoffel_symbols_second_kind": (),
        "generalized_momentum": (v,),
        "coriolis_transpose_forces": (v,),
        "inverse_dynamics_derivatives": (v, a),
        "forward_dynamics_derivatives": (v, a),
        **{f"coriolis_matrix {name}": (v, name) for name in FACTORIZATIONS},
        **{f"passive_inverse_dynamics {name}": (v, u, a, name) for name in FACTORIZATIONS},
    }
    residuals = {}
    for call, arguments in calls.items():
        name = call.split()[0]
        found = getattr(loops, name)(q, *arguments)
        expected = getattr(welded, name)(np.concatenate(moving, axis=-1), *arguments)
        residuals[call] = distance(np.asarray(found), np.asarray(expected))
    print({call: f"{residual:.1e}" for call, residual in residuals.items()})
    assert max(residuals.values()) < 1e-10


@pytest.mark.parametrize("parts", MACHINES.values(), ids=MACHINES)
def test_symbols_times_velocity_are_the_matrix(parts: str) -> None:
    m, rng = machine(parts), np.random.default_rng(0)
    q, v = m.random_configuration(rng, 9), rng.normal(size=(9, m.nv))
    dense, matrix = m.christoffel_symbols(q), m.coriolis_matrix(q, v)
    unpacked = np.zeros_like(dense)
    unpacked[(..., *m.christoffel_indices.T)] = m.christoffel_symbols_packed(q)
    residuals = {
        "Γ v": distance(np.einsum("...ijk,...k->...ij", dense, v), matrix),
        "one state": distance(m.christoffel_symbols(q[4]) @ v[4], matrix[4]),
        "packed": distance(unpacked, dense),
    }
    print({name: f"{residual:.1e}" for name, residual in residuals.items()})
    assert max(residuals.values()) < 1e-12


def test_nothing_but_a_truss() -> None:
    m = machine("truss")
    assert m.nv == 0
    assert m.christoffel_indices.shape == (0, 3)
    for lead in ((), (4,)):
        q, v = np.broadcast_to(m.neutral(), (*lead, m.nq)), np.zeros((*lead, 0))
        assert m.christoffel_symbols(q).shape == (*lead, 0, 0, 0)
        assert m.christoffel_symbols_packed(q).shape == (*lead, 0)
        assert m.coriolis_matrix(q, v).shape == (*lead, 0, 0)
        for slopes in m.inverse_dynamics_derivatives(q, v, v):
            assert slopes.shape == (*lead, 0, 0)

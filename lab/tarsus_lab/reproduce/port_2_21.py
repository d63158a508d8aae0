"""Example 2.21: the snakeboard in reduced momenta, with multipliers, and as a bond graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.ports.bond_graph import BondGraph
from tarsus.ports.constraints import Reduced, multipliers, reduced
from tarsus.ports.mechanical import Canonical
from tarsus.ports.motion import Motion, simulate
from tarsus.ports.structure import Port
from tarsus_lab.reproduce.port_1_3 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

M, R, TORSO, WHEELS = 6.0, 0.2, 0.1, 0.02
"""Mass [kg], half length [m], moments of inertia of torso and of both axles [kg m²]; J = m r²."""
DURATION = 10.0
INPUTS = {
    "torso": lambda t, x: 0.1 * np.cos(2.0 * t),
    "wheels": lambda t, x: -1.2 * WHEELS * np.sin(2.0 * t),
}
NAMES = ("x", "y", "theta", "psi", "phi")
SIGN = (
    "(2.111) has + sin φ/β; with it the power u1 ψ̇ + u2 φ̇ is not the rate of the energy. The "
    "multipliers, which use no α, and the bond graph have the minus"
)
CHOSEN = "no numbers are printed; m, r, J_t, J_w and the torques are ours, to 10 s"


def beta(q: Array) -> float:
    """Return β = √(m r² − J_t sin² φ)."""
    return float(np.sqrt(M * R**2 - TORSO * np.sin(q[4]) ** 2))


def mechanism() -> Canonical:
    """Return the board without constraints, (2.105) to (2.107)."""
    mass = np.diag([M, M, M * R**2, TORSO, WHEELS])
    mass[2, 3] = mass[3, 2] = TORSO
    ports = [Port("torso", "rotation"), Port("wheels", "rotation")]
    return Canonical(NAMES, mass, inputs=np.eye(5)[:, 3:], ports=ports, name="snakeboard")


def rows(q: Array) -> Array:
    """Return A (5, 2): no axle slips sideways, (2.108)."""
    theta, phi = q[2], q[4]
    return np.transpose(
        [
            [np.sin(theta + s * phi), -np.cos(theta + s * phi), -s * R * np.cos(phi), 0.0, 0.0]
            for s in (-1.0, 1.0)
        ]
    )


def momenta(q: Array) -> Array:
    """Return S (5, 3), (2.109)."""
    theta, phi, b = q[2], q[4], beta(q)
    first = M * R / b * np.cos(phi) * np.array([np.cos(theta), np.sin(theta)])
    turning = (M * R**2 - TORSO) / b * np.sin(phi)
    return np.transpose([[*first, turning, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]])


def graph() -> BondGraph:
    """Return the bond graph of figure 2.11, with displacements for what modulates."""
    g = BondGraph("snakeboard")
    g.Se("torso", "rotation")
    g.Se("wheels", "rotation")
    g.zero("turning", "rotation")
    g.one("psi_rate", "rotation")
    g.I("torso_spin", "rotation", TORSO)
    g.TF(
        "steer",
        ("rotation", "generalized"),
        effort=lambda s: -np.sin(s["phi"]) / beta(np.array([0, 0, 0, 0, s["phi"]])),
    )
    g.one("forward", "generalized")
    g.I("board", "generalized", 1.0)
    g.one("phi_rate", "rotation")
    g.I("axles", "rotation", WHEELS)
    g.Q("phi", "rotation")
    g.Q("psi", "rotation")
    g.bond("torso", "psi_rate")
    g.bond("psi_rate", "turning", "psi")
    g.bond("turning", "torso_spin", "steer")
    g.bond("steer", "forward")
    g.bond("wheels", "phi_rate")
    g.bond("phi_rate", "axles", "phi")
    g.TF("place", ("generalized", "generalized"), flow=_place, sizes=(1, 3))
    g.Q("pose", "generalized", size=3)
    g.bond("forward", "board", "place")
    g.bond("place", "pose")
    return g


def _place(s: Mapping[str, Any]) -> Array:
    """Return the rates (3, 1) of x, y and θ for each unit of forward motion, (2.110)."""
    phi, theta = float(np.asarray(s["phi"])), s["pose"][2]
    b = beta(np.array([0.0, 0.0, 0.0, 0.0, phi]))
    forward = R * np.cos(phi)
    return np.array([[forward * np.cos(theta)], [forward * np.sin(theta)], [np.sin(phi)]]) / b


def in_momenta() -> Motion:
    """Return the motion in reduced momenta."""
    system = reduced(mechanism(), rows, S=momenta)
    return simulate(system, [0.0] * 7 + [0.6 * WHEELS], DURATION, INPUTS, rtol=1e-11)


def with_multipliers(damping: float = 10.0) -> Motion:
    """Return the motion with multipliers."""
    free = mechanism()
    system = multipliers(free, rows, beta=damping)
    start = free.state_of(np.zeros(5), [0.0, 0.0, 0.0, 0.0, 0.6])
    return simulate(system, start, DURATION, INPUTS, rtol=1e-10)


def of_graph() -> Motion:
    """Return the motion of the bond graph."""
    system = graph().system()
    start = np.zeros(system.nx)
    start[system.states.index("axles")] = 0.6 * WHEELS
    return simulate(system, start, DURATION, INPUTS, rtol=1e-11)


def run() -> Result:
    """Compare the snakeboard with (2.109) to (2.111) and figure 2.11."""
    first, second, third = in_momenta(), with_multipliers(), of_graph()
    system = first.system
    assert isinstance(system, Reduced)
    found = [*_structure(system), *_end(first)]
    apart = float(np.abs(second.x[:, :5] - first.x[:, :5]).max())
    found.append(judged("multipliers, β = 10: q differs by", "equal", apart, apart < 1e-7))
    names = ["pose[0]", "pose[1]", "pose[2]", "psi", "phi"]
    drawn = np.transpose([third[name] for name in names])
    apart = float(np.abs(drawn - first.x[:, :5]).max())
    found.append(judged("bond graph of figure 2.11: q differs by", "equal", apart, apart < 1e-7))
    left = max(each.ledger.relative_residual for each in (first, second, third))
    found.append(judged("energy from nowhere, relative", "none", left, left < 1e-9))
    curves = tuple(
        Curve(name, tuple(first.t.tolist()), tuple(first[f"alpha{k + 1}"].tolist()))
        for k, name in enumerate(("α1, forward", "α2, torso", "α3, wheels"))
    )
    return Result(
        "port-2.21",
        "The snakeboard in reduced momenta, with multipliers, and as a bond graph",
        f"{SOURCE}, example 2.21",
        tuple(found),
        (curves[1], curves[0], curves[2]),
        ("time [s]", "momenta α"),
    )


def _structure(system: Reduced) -> list[Row]:
    """Return rows of the matrices at random states."""
    rng = np.random.default_rng(0)
    fit = mass = gyroscopic = rates = 0.0
    signs = set()
    for _ in range(20):
        x = rng.uniform(-1.0, 1.0, 8)
        q, b = x[:5], beta(x)
        raised = np.linalg.solve(system.mechanism.mass_matrix(q), momenta(q))
        fit = max(fit, float(np.abs(rows(q).T @ raised).max()))
        expected = np.diag([1.0, TORSO, WHEELS])
        mass = max(mass, float(np.abs(system.reduced_mass(q) - expected).max()))
        structure = system.structure(x)
        gyroscopic = max(gyroscopic, float(np.abs(structure.J[5:, 5:]).max()))
        turning = np.sin(q[4]) / b
        forward = R * np.cos(q[4]) / b * np.array([np.cos(q[2]), np.sin(q[2])])
        table = np.transpose([[*forward, turning, -turning, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]])
        rates = max(rates, float(np.abs(structure.J[:5, 5:] - table).max()))
        signs.add(bool(abs(structure.G[5, 0] + turning) < 1e-12))
    minus = signs == {True}
    return [
        judged("Aᵀ M⁻¹ S", "0", fit, fit < 1e-12),
        judged("M̄ beside diag(1, J_t, J_w)", "the same", mass, mass < 1e-12),
        judged("gyroscopic block", "0", gyroscopic, gyroscopic < 1e-10),
        judged("q̇ beside (2.110)", "the same", rates, rates < 1e-12),
        Row(
            "u1 in the rate of α1",
            "+ sin φ/β",
            "− sin φ/β" if minus else "other",
            "corrected" if minus else "missed",
            SIGN,
        ),
    ]


def _end(motion: Motion) -> list[Row]:
    right = (
        *("-0.0301002", "0.0000914", "-0.0013226", "0.1493021", "0.2738836"),
        *("-0.0127790", "0.0456473", "0.0048970"),
    )
    labels = [*NAMES, "α1", "α2", "α3"]
    return [
        compared(f"{label} at 10 s", "", float(value), right=digits, reason=CHOSEN)
        for label, value, digits in zip(labels, motion.x[-1], right, strict=True)
    ]

"""Port-Hamiltonian systems: their balance, and what is refused when they are stated."""

from __future__ import annotations

import re

import numpy as np
import pytest
from random_systems import Array, positive, skew, system

import tarsus as ts
from tarsus.ports import Port, PortError, System

SPRING = {"J": [[0.0, 1.0], [-1.0, 0.0]], "R": np.diag([0.0, 0.3]), "G": [[0.0], [1.0]]}
"""x = (q, p)."""


def oscillator(**changes: object) -> System:
    return System(np.diag([4.0, 0.5]), ["q", "p"], **(SPRING | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(10))
def test_balance(seed: int) -> None:
    """Ḣ by differences of the energy along the motion, beside what the ports and losses say."""
    s, rng = system(seed, 5, 3), np.random.default_rng(seed)
    x, u = rng.normal(size=5), rng.normal(size=3)
    y, rate = s.outputs(x, u), s.rates(x, u)
    change = (s.energy(x + 1e-6 * rate) - s.energy(x - 1e-6 * rate)) / 2e-6
    balance = s.balance(x, u)
    scale = abs(balance.stored) + abs(float(u @ y))
    assert abs(balance.residual) < 1e-12 * scale
    assert abs(balance.stored - change) < 1e-7 * scale
    assert abs(balance.supplied["u"] - u @ y) < 1e-12 * scale
    assert change <= u @ y + 1e-7 * scale
    s.check(x)


def test_equations_are_those_of_the_thesis() -> None:
    rng = np.random.default_rng(0)
    J, R, G, K, S = (
        skew(rng, 3),
        positive(rng, 3),
        rng.normal(size=(3, 2)),
        skew(rng, 2),
        positive(rng, 2),
    )
    Q = positive(rng, 3)
    s = System(Q, 3, J=J, R=R, G=G, K=K, S=S)
    x, u = rng.normal(size=3), rng.normal(size=2)
    np.testing.assert_allclose(s.rates(x, u), (J - R) @ Q @ x + G @ u, atol=1e-12)
    np.testing.assert_allclose(s.outputs(x, u), G.T @ Q @ x + (K + S) @ u, atol=1e-12)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"J": [[0.0, 1.0], [1.0, 0.0]]}, r"J is not skew: J \+ Jᵀ has entries up to 2"),
        ({"R": [[0.0, 1.0], [0.0, 1.0]]}, "R is not symmetric"),
        ({"R": np.diag([0.0, -0.3])}, r"R is not ≥ 0: it has the eigenvalue -0\.3"),
        ({"S": [[-1.0]]}, "S is not ≥ 0"),
        ({"K": [[1.0]]}, "K is not skew"),
        ({"P": [[0.0], [1.0]]}, r"\[\[R, P\], \[Pᵀ, S\]\] is not ≥ 0"),
        ({"G": [[1.0, 0.0, 0.0]]}, r"G has shape \(1, 3\), must be \(2, 3\)"),
        ({"J": lambda x: [[0.0, x[0]], [x[0], 0.0]]}, "J is not skew"),
        ({"J": lambda x: [[0.0, np.nan], [0.0, 0.0]]}, "J is not finite"),
    ],
)
def test_wrong_structure_is_named(changes: dict[str, object], says: str) -> None:
    with pytest.raises(PortError, match=says):
        oscillator(**changes)


def test_wrong_gradient_is_named() -> None:
    with pytest.raises(PortError, match=r"∂H/∂x\[1\] is .* differences give"):
        System(lambda x: x @ x, 2, gradient=lambda x: np.array([2.0, 2.1]) * x)
    with pytest.raises(PortError, match=r"gradient of 'system' has shape \(1,\), must be \(2,\)"):
        System(lambda x: x @ x, 2, gradient=lambda x: x[:1])
    with pytest.raises(PortError, match=r"not finite .* state with at="):
        System(lambda x: x @ x, 1, gradient=lambda x: np.full(1, np.nan))
    with pytest.raises(PortError, match="energy is a matrix that is not symmetric"):
        System([[1.0, 1.0], [0.0, 1.0]], 2)
    with pytest.raises(PortError, match="differences give"):  # abs has no complex derivative
        System(lambda x: abs(x[0]) ** 2, 1, gradient="complex")


def test_gradients_by_differences_and_complex_steps() -> None:
    rng = np.random.default_rng(3)

    def energy(x: Array) -> float:
        return np.exp(x[0]) * np.cos(x[1]) + x[1] ** 3

    for way, tolerance in (("complex", 1e-15), ("differences", 1e-11)):
        s = System(energy, 2, gradient=way)  # type: ignore[arg-type]
        x = rng.normal(size=2)
        e = np.exp(x[0])
        expected = [e * np.cos(x[1]), -e * np.sin(x[1]) + 3 * x[1] ** 2]
        np.testing.assert_allclose(s.gradient(x), expected, rtol=tolerance)


def test_special_classes() -> None:
    x = np.ones(2)
    assert oscillator(R=None).classes(x) == ("conserving", "strictly proper")
    assert oscillator().classes(x) == ("strictly proper",)
    assert System(None, 0, K=[[0.0, 2.0], [-2.0, 0.0]]).classes([]) == ("conserving", "static")
    gyrator = System(None, 0, K=[[0.0, 2.0], [-2.0, 0.0]])
    np.testing.assert_array_equal(gyrator.outputs([], [1.0, 3.0]), [6.0, -2.0])


def test_motion_beside_the_closed_form() -> None:
    s = oscillator()
    motion = ts.ports.simulate(s, [0.1, 0.0], 6.0)
    A = np.array([[0.0, 0.5], [-4.0, -0.15]])
    from scipy.linalg import expm

    expected = np.array([expm(A * t) @ [0.1, 0.0] for t in motion.t])
    assert np.abs(motion.x - expected).max() < 1e-10
    ledger = motion.ledger
    assert ledger.relative_residual < 1e-9 and ledger.passive()
    ledger.check(1e-8)
    assert "residual" in str(ledger)
    assert motion["q"][0] == 0.1 and motion["u"].shape == (201, 1)
    with pytest.raises(PortError, match="there is no state or port 'v'"):
        motion["v"]


def test_inputs_by_port() -> None:
    s = oscillator(ports=[Port("push", "translation", value=2.0)])
    held = ts.ports.simulate(s, [0.0, 0.0], 1.0)
    by_name = ts.ports.simulate(s, [0.0, 0.0], 1.0, {"push": lambda t, x: 2.0})
    whole = ts.ports.simulate(s, [0.0, 0.0], 1.0, lambda t, x: [2.0])
    np.testing.assert_allclose(held.x, by_name.x, atol=1e-12)
    np.testing.assert_allclose(held.x, whole.x, atol=1e-12)
    assert held.ledger.supplied["push"][-1] > 0.0
    with pytest.raises(ValueError, match="there is no port of system 'pull'"):
        ts.ports.simulate(s, [0.0, 0.0], 1.0, {"pull": 1.0})
    with pytest.raises(PortError, match=r"x has shape \(3,\), must be \(2,\)"):
        s.rates([0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="duration is 0"):
        ts.ports.simulate(s, [0.0, 0.0], 0.0)
    with pytest.raises(ValueError, match=r"there is no method 'euler'"):
        ts.ports.simulate(s, [0.0, 0.0], 1.0, method="euler")  # type: ignore[arg-type]


def test_a_motion_that_ends_is_told() -> None:
    s = System(lambda x: -0.25 * x[0] ** 4, 1, R=[[1.0]])  # ẋ = x³
    with pytest.raises(ts.SimulationError, match="could not go on"):
        ts.ports.simulate(s, [2.0], 1.0)


def test_inputs_that_are_none_are_named() -> None:
    s = oscillator(ports=[Port("push", "translation")])

    def late(t: float, x: Array) -> float:
        return float("nan") if t > 0.5 else 1.0

    with pytest.raises(
        ts.SimulationError, match="the input at port 'push' is not finite"
    ) as caught:
        ts.ports.simulate(s, [0.0, 0.0], 1.0, {"push": late})
    assert caught.value.time is not None and 0.5 < caught.value.time < 1.0
    with pytest.raises(PortError, match=r"port 'push' is given the shape \(2,\), takes \(1,\)"):
        ts.ports.simulate(s, [0.0, 0.0], 1.0, {"push": lambda t, x: [1.0, 2.0]})


def test_matrices_are_kept_as_they_were_stated() -> None:
    G = np.array([[0.0], [1.0]])
    s = oscillator(G=G)
    G[:] = 7.0
    np.testing.assert_array_equal(s.structure(np.zeros(2)).G, [[0.0], [1.0]])
    with pytest.raises(ValueError, match="read-only"):
        s.structure(np.zeros(2)).G[0, 0] = 1.0


def test_audit_of_a_motion_from_elsewhere() -> None:
    s = oscillator()
    motion = ts.ports.simulate(s, [0.1, 0.2], 3.0, [0.5], samples=2001)
    audited = ts.ports.audit(s, motion.t, motion.x, motion.u)
    assert audited.ledger.relative_residual < 1e-9
    wrong = ts.ports.audit(s, motion.t, motion.x * [1.0, 1.01], motion.u)
    with pytest.raises(ts.EnergyError, match="the residual at t = "):
        wrong.ledger.check(1e-3)


def test_what_is_not_passive_is_told() -> None:
    s = oscillator(R=np.diag([0.0, -0.3]), passive=False)
    ledger = ts.ports.simulate(s, [0.1, 0.0], 5.0).ledger
    made = ledger.stored[-1] - ledger.stored[0]
    assert not ledger.passive() and ledger.produced() == pytest.approx(made, rel=1e-8)
    with pytest.raises(ts.EnergyError, match=re.escape(f"it produced {made:.3g} J")):
        ledger.check(1e-6)

"""Systems joined at their ports."""

from __future__ import annotations

import numpy as np
import pytest
from random_systems import Array, system

import tarsus as ts
from tarsus.ports import Port, PortError, System, connect, gyrator, link, spring_damper, transformer


def pair(seed: int) -> tuple[System, System]:
    """Return a strictly proper system that takes efforts, and one that takes flows."""
    first = system(seed, 4, 2, through=False, ports=[Port("a", "rotation", size=2)])
    return first, system(seed + 100, 3, 2, ports=[Port("b", "rotation", "flow", size=2)])


@pytest.mark.parametrize("seed", range(5))
def test_two_systems_are_those_of_the_thesis(seed: int) -> None:
    """Duindam 2006, (B.5), written out."""
    one, two = pair(seed)
    whole = connect({"one": one, "two": two}, [link("one.a", "two.b")], ports=["one.a"])
    rng = np.random.default_rng(seed)
    x = rng.normal(size=7)
    s1, s2, s = one.structure(x[:4]), two.structure(x[4:]), whole.structure(x)
    J = np.block([[s1.J - s1.G @ s2.K @ s1.G.T, -s1.G @ s2.G.T], [s2.G @ s1.G.T, s2.J]])
    R = np.block([[s1.R + s1.G @ s2.S @ s1.G.T, np.zeros((4, 3))], [np.zeros((3, 4)), s2.R]])
    np.testing.assert_allclose(s.J, J, atol=1e-12)
    np.testing.assert_allclose(s.R, R, atol=1e-12)
    np.testing.assert_allclose(s.G, np.vstack([s1.G, np.zeros((3, 2))]), atol=1e-12)
    assert np.abs(s.K).max() < 1e-12 and np.abs(s.S).max() < 1e-12 and np.abs(s.P).max() < 1e-12
    assert whole.energy(x) == pytest.approx(one.energy(x[:4]) + two.energy(x[4:]))
    whole.check(x)


@pytest.mark.parametrize("seed", range(5))
def test_equations_are_those_of_the_parts(seed: int) -> None:
    """Rates and outputs by going round from port to port; the open port is one with feedthrough."""
    one, two = pair(seed)
    whole = connect({"one": one, "two": two}, [link("one.a", "two.b")], ports=["two.b"])
    rng = np.random.default_rng(seed)
    x, u = rng.normal(size=7), rng.normal(size=2)
    y1 = one.outputs(x[:4], np.zeros(2))  # strictly proper: whatever goes in
    y2 = two.outputs(x[4:], y1 + u)
    expected = np.concatenate([one.rates(x[:4], -y2), two.rates(x[4:], y1 + u)])
    np.testing.assert_allclose(whole.rates(x, u), expected, rtol=1e-10)
    np.testing.assert_allclose(whole.outputs(x, u), y2, rtol=1e-10)
    assert np.abs(whole.structure(x).P).max() > 0.1  # what (B.1) alone has no place for
    balance = whole.balance(x, u)
    assert abs(balance.residual) < 1e-11 * abs(balance.stored)
    whole.check(x)
    lost = one.losses(x[:4], -y2)["system"] + two.losses(x[4:], y1 + u)["system"]
    assert sum(balance.lost.values()) == pytest.approx(lost, rel=1e-10)


def mass(m: float, domain: str = "translation") -> System:
    return System([[1.0 / m]], ["p"], G=[[1.0]], ports=[Port("end", domain)], name="mass")


def spring() -> System:
    return ts.ports.spring_damper(50.0, 3.0, "translation")


def test_a_spring_between_two_masses() -> None:
    """The centre of mass does not move by inner forces; the ledger is exact."""
    links = [link("a.end", "s.end"), link("b.end", "s.end", sign=-1.0)]
    whole = connect({"a": mass(1.0), "b": mass(3.0), "s": spring()}, links)
    assert whole.ports == ()
    motion = ts.ports.simulate(whole, [0.0, 0.0, 0.1], 4.0)
    assert np.abs(motion["a.p"] + motion["b.p"]).max() < 1e-12
    ledger = motion.ledger
    assert ledger.passive() and ledger.relative_residual < 1e-9
    # what goes in at the ports of a part is what it stores and loses
    for part in ("a", "b", "s"):
        taken = ledger.exchanged[f"{part}.end"][-1]
        stored = ledger.stores[part][-1] - ledger.stores[part][0]
        assert abs(taken - stored - ledger.lost[part][-1]) < 1e-9
    reduced = 1.0 / (1.0 + 1.0 / 3.0)
    w, z = np.sqrt(50.0 / reduced), 3.0 / (2.0 * reduced)
    d = np.sqrt(w**2 - z**2)
    t = motion.t
    exact = 0.1 * np.exp(-z * t) * (np.cos(d * t) + z / d * np.sin(d * t))
    assert np.abs(motion["s.x"] - exact).max() < 1e-9


def test_a_voltage_never_meets_a_force() -> None:
    coil = System([[1.0]], ["flux"], G=[[1.0]], ports=[Port("pins", "electric")])
    systems = {"spring": spring(), "coil": coil, "mass": mass(1.0)}
    with pytest.raises(
        PortError,
        match=r"'coil.pins' \(electric, gives current\) and 'spring.end' "
        r"\(translation, takes velocity\) are of different domains",
    ):
        connect(systems, [link("coil.pins", "spring.end")])
    with pytest.raises(PortError, match="both take efforts"):
        connect({"a": mass(1.0), "b": mass(2.0)}, [link("a.end", "b.end")])
    with pytest.raises(ValueError, match=r"there is no port 'coil.pin'; did you mean 'coil.pins'"):
        connect(systems, [link("coil.pin", "spring.end")])
    with pytest.raises(PortError, match="a gyrator joins two ports that both take efforts"):
        connect(systems, [gyrator("mass.end", "spring.end", 1.0)])
    with pytest.raises(PortError, match="cannot be joined to itself"):
        connect(systems, [link("mass.end", "mass.end")])
    with pytest.raises(PortError, match="must be 1 or −1"):
        link("a.b", "c.d", sign=2.0)
    with pytest.raises(TypeError, match="'a' is of type int"):
        connect({"a": 3}, [])  # type: ignore[dict-item]


def test_gyrators_and_transformers_cross_domains() -> None:
    """A voice coil: B l makes a force of a current and a voltage of a velocity."""
    coil = System([[1.0 / 0.01]], ["flux"], G=[[1.0]], R=[[0.0]], ports=[Port("pins", "electric")])
    whole = connect(
        {"coil": coil, "mass": mass(0.5)},
        [gyrator("coil.pins", "mass.end", 3.0)],
        ports=["coil.pins"],
    )
    x = np.array([0.02, 0.3])
    current, velocity = 2.0, 0.6
    np.testing.assert_allclose(whole.rates(x, [5.0]), [5.0 - 3.0 * velocity, 3.0 * current])
    rack = connect(
        {"wheel": mass(0.2, "rotation"), "spring": spring()},
        [transformer("wheel.end", "spring.end", lambda x: [[0.1 + x[1] ** 2]])],
    )
    x = np.array([0.4, 0.3])
    ratio = 0.1 + 0.3**2
    force = 50.0 * 0.3 + 3.0 * ratio * 2.0
    np.testing.assert_allclose(rack.rates(x), [-ratio * force, ratio * 2.0])


def test_ratios_that_are_matrices() -> None:
    """Two springs on three masses: u_b = X y_a, u_a = −Xᵀ y_b."""
    X = np.array([[1.0, -1.0, 0.0], [0.5, 1.0, -2.0]])
    masses = System(np.eye(3), 3, G=np.eye(3), ports=[Port("ends", "translation", size=3)])
    springs = spring_damper(np.diag([3.0, 4.0]), 0.0, "translation", size=2)
    whole = connect({"m": masses, "s": springs}, [transformer("m.ends", "s.end", X)])
    x = np.array([0.1, 0.2, -0.3, 0.5, -0.4])
    expected = [*(-X.T @ (np.array([3.0, 4.0]) * x[3:])), *(X @ x[:3])]
    np.testing.assert_allclose(whole.rates(x), expected)
    with pytest.raises(PortError, match=r"the ratio of the transformer .* has shape \(2, 2\)"):
        connect({"m": masses, "s": springs}, [transformer("m.ends", "s.end", np.eye(2))])


def test_algebraic_loops_are_refused_by_name() -> None:
    def resistor(takes: str) -> System:
        return System(None, 0, S=[[2.0]], ports=[Port("pins", "electric", takes)])  # type: ignore[arg-type]

    with pytest.raises(PortError, match=r"an algebraic loop: .* 'a.pins', 'b.pins' depend on them"):
        connect({"a": resistor("effort"), "b": resistor("flow")}, [link("a.pins", "b.pins")])


def test_connected_systems_connect_again() -> None:
    inner = connect({"m": mass(1.0), "s": spring()}, [link("m.end", "s.end")], ports=["m.end"])
    outer = connect({"in": inner, "t": spring()}, [link("in.m.end", "t.end")], ports=["in.m.end"])
    flat = connect(
        {"m": mass(1.0), "s": spring(), "t": spring()},
        [link("m.end", "s.end"), link("m.end", "t.end")],
        ports=["m.end"],
    )
    x: Array = np.array([0.3, 0.1, -0.2])
    np.testing.assert_allclose(outer.rates(x, [0.7]), flat.rates(x, [0.7]))
    assert outer.ports[0].name == "in.m.end"
    motion = ts.ports.simulate(outer, x, 1.0, [0.7])
    assert motion.ledger.passive() and motion.ledger.relative_residual < 1e-9

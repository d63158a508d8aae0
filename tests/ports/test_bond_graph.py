"""Bond graphs: explicit equations of known ones, and what causality refuses, by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_systems import Array, positive, skew
from tarsus_lab.reproduce import port_2_21 as snakeboard

import tarsus as ts
from tarsus.ports import BondGraph, CausalityError, PortError


def mass_spring_damper() -> BondGraph:
    g = BondGraph("mass, spring and damper")
    g.Se("force", "translation")
    g.one("v", "translation")
    g.I("mass", "translation", 2.0)
    g.C("spring", "translation", stiffness=50.0)
    g.R("damper", "translation", 3.0)
    g.bond("force", "v")
    g.bond("v", "mass", "spring", "damper")
    return g


def motor() -> BondGraph:
    g = BondGraph("motor")
    g.Se("battery", "electric")
    g.one("circuit", "electric")
    g.I("coil", "electric", 0.01)
    g.R("winding", "electric", 2.0)
    g.GY("motor", ("electric", "rotation"), 0.05)
    g.one("shaft", "rotation")
    g.I("rotor", "rotation", 1e-3)
    g.R("bearing", "rotation", 1e-4)
    g.bond("battery", "circuit")
    g.bond("circuit", "coil", "winding", "motor")
    g.bond("motor", "shaft")
    g.bond("shaft", "rotor", "bearing")
    return g


def test_mass_spring_damper() -> None:
    system = mass_spring_damper().system()
    assert system.states == ("mass", "spring")
    p, q, force = 1.4, 0.2, 7.0
    np.testing.assert_allclose(
        system.rates([p, q], [force]), [force - 50.0 * q - 3.0 * p / 2.0, p / 2.0]
    )
    np.testing.assert_allclose(system.outputs([p, q], [force]), [p / 2.0])
    assert system.losses(np.array([p, q]), np.array([force])) == {
        "damper": pytest.approx(3.0 * 0.49)
    }
    assert system.stores(np.array([p, q]))["spring"] == pytest.approx(25.0 * q**2)
    text = system.equations()
    assert text.splitlines()[0] == "e(force→v) = force"
    assert "e(v→mass) = e(force→v) −e(v→spring) −e(v→damper)" in text
    assert text.endswith("d spring/dt = f(v→spring)")


def test_motor() -> None:
    """L i̇ = U − R i − k ω, J ω̇ = k i − b ω."""
    system = motor().system()
    flux, spin, voltage = 0.03, 0.2, 12.0
    i, w = flux / 0.01, spin / 1e-3
    expected = [voltage - 2.0 * i - 0.05 * w, 0.05 * i - 1e-4 * w]
    np.testing.assert_allclose(system.rates([flux, spin], [voltage]), expected)
    np.testing.assert_allclose(system.outputs([flux, spin], [voltage]), [i])
    s = system.structure(np.zeros(2))
    np.testing.assert_allclose(s.J, [[0.0, -0.05], [0.05, 0.0]])
    np.testing.assert_allclose(s.R, np.diag([2.0, 1e-4]))
    motion = ts.ports.simulate(system, [0.0, 0.0], 0.5, [12.0], method="Radau", rtol=1e-8)
    still = 12.0 * 0.05 / (0.05**2 + 2.0 * 1e-4)  # ω where nothing changes any more
    assert motion["rotor"][-1] / 1e-3 < still
    assert motion.ledger.relative_residual < 1e-6 and motion.ledger.passive()


def test_snakeboard_graph() -> None:
    """The graph of figure 2.11 has the equations (2.110), (2.111) with the minus."""
    system = snakeboard.graph().system()
    rng = np.random.default_rng(0)
    reduced = ts.ports.reduced(snakeboard.mechanism(), snakeboard.rows, S=snakeboard.momenta)
    order = ["pose[0]", "pose[1]", "pose[2]", "psi", "phi", "board", "torso_spin", "axles"]
    places = [system.states.index(name) for name in order]
    for _ in range(5):
        x, u = rng.uniform(-1.0, 1.0, 8), rng.normal(size=2)
        own = np.empty(8)
        own[places] = x
        np.testing.assert_allclose(system.rates(own, u)[places], reduced.rates(x, u), atol=1e-10)
        np.testing.assert_allclose(system.outputs(own, u), reduced.outputs(x, u), atol=1e-12)
        system.check(own)


def random_graph(seed: int) -> BondGraph:
    """Return masses in a row with springs and dampers between, gears and a lever here and there."""
    rng = np.random.default_rng(seed)
    g = BondGraph(f"chain {seed}")
    g.Se("push", "translation", size=2)
    g.one("v0", "translation", size=2)
    g.bond("push", "v0")
    for k in range(3):
        g.I(f"m{k}", "translation", positive(rng, 2) + np.eye(2), size=2)
        g.bond(f"v{k}", f"m{k}")
        g.zero(f"f{k}", "translation", size=2)
        g.TF(
            f"lever{k}", ("translation", "translation"), flow=rng.normal(size=(2, 2)), sizes=(2, 2)
        )
        g.one(f"s{k}", "translation", size=2)
        g.C(f"k{k}", "translation", stiffness=positive(rng, 2) + np.eye(2), size=2)
        g.R(f"d{k}", "translation", positive(rng, 2), size=2)
        g.GY(
            f"coriolis{k}",
            ("translation", "translation"),
            skew(rng, 2),
            sizes=(2, 2),
            one_port=True,
        )
        g.one(f"v{k + 1}", "translation", size=2)
        g.bond(f"v{k}", f"lever{k}")
        g.bond(f"lever{k}", f"f{k}")
        g.bond(f"f{k}", f"s{k}", f"v{k + 1}")
        g.bond(f"s{k}", f"k{k}", f"d{k}", f"coriolis{k}")
    g.I("last", "translation", np.eye(2), size=2)
    g.bond("v3", "last")
    return g


@pytest.mark.parametrize("seed", range(4))
def test_graphs_of_many_bonds(seed: int) -> None:
    """Multibonds through levers: masses as velocities with Newton's law, written out by hand."""
    g = random_graph(seed)
    system = g.system()
    rng = np.random.default_rng(100 + seed)
    x, u = rng.normal(size=system.nx), rng.normal(size=2)
    part = {name: np.asarray(value) for name, value in system.signals(x).items()}

    def value(name: str) -> Array:
        return np.asarray(g.elements[name].matrix({}))

    def given(name: str) -> Array:
        gradient = g.elements[name].gradient
        assert gradient is not None
        return np.asarray(gradient(part[name]))

    expected = {}
    force = u
    for k in range(3):
        v, after = given(f"m{k}"), given("last" if k == 2 else f"m{k + 1}")
        stretch = value(f"lever{k}") @ v - after
        pull = given(f"k{k}") + (value(f"d{k}") + value(f"coriolis{k}")) @ stretch
        expected[f"m{k}"] = force - value(f"lever{k}").T @ pull
        expected[f"k{k}"] = stretch
        force = pull
    expected["last"] = force
    rates = system.signals(system.rates(x, u))
    for name, rate in expected.items():
        np.testing.assert_allclose(rates[name], rate, atol=1e-10)
    assert abs(system.balance(x, u).residual) < 1e-10
    system.check(x)
    # of all power that the bonds carry into junctions and levers nothing stays there
    powers = system.bond_powers(x, u)
    for name, element in g.elements.items():
        if element.kind in ("0", "1", "TF"):
            inside = sum(powers[k] * g.bonds[k].sign(name) for k in g.bonds_of(name))
            assert abs(inside) < 1e-9 * np.abs(powers).max()


def test_directions_of_bonds_change_signs_only() -> None:
    forward, g = mass_spring_damper().system(), BondGraph("backward")
    g.Se("force", "translation")
    g.one("v", "translation")
    g.I("mass", "translation", 2.0)
    g.C("spring", "translation", stiffness=50.0)
    g.R("damper", "translation", 3.0)
    for name in ("mass", "spring", "damper"):
        g.bond(name, "v")  # power counts from the elements
    g.bond("v", "force")
    backward = g.system()
    # all of both variables of one kind change their signs: p stays, q and the force turn round
    x, u = np.array([1.4, 0.2]), np.array([7.0])
    np.testing.assert_allclose(backward.energy(x), forward.energy(x))
    balance = backward.balance(x, u)
    assert abs(balance.residual) < 1e-12
    assert balance.lost["damper"] == pytest.approx(3.0 * 0.49)
    backward.check(x)


def test_storage_with_several_ports() -> None:
    """A condenser microphone: one energy of charge and gap, q² (d − x) / 2 ε + ½ k x²."""
    g = BondGraph("two masses as one field")
    M = np.array([[2.0, 0.5], [0.5, 1.0]])
    g.I("field", "translation", M, ports=2)
    for k in range(2):
        g.Se(f"f{k}", "translation")
        g.one(f"v{k}", "translation")
        g.bond(f"f{k}", f"v{k}")
        g.bond(f"v{k}", "field")
    system = g.system()
    p = np.array([0.4, -0.3])
    np.testing.assert_allclose(system.rates(p, [1.0, 2.0]), [1.0, 2.0])
    np.testing.assert_allclose(system.outputs(p, [1.0, 2.0]), np.linalg.solve(M, p))


def test_heat_of_a_brake_stays() -> None:
    """RS: nothing is lost; what the mass loses is in the block, and entropy only grows."""
    g = BondGraph("brake")
    g.one("v", "translation")
    g.I("mass", "translation", 2.0)
    g.RS("brake", "translation", 3.0)
    g.C("block", "thermal", energy=lambda s: 500.0 * 300.0 * float(np.exp(s[0] / 500.0)))
    g.bond("v", "mass", "brake")
    g.bond("brake", "block")
    system = g.system()
    s = system.structure(np.array([4.0, 0.0]))
    assert np.abs(s.R).max() == 0.0 and np.abs(s.J).max() > 0.0
    motion = ts.ports.simulate(system, [4.0, 0.0], 3.0)
    np.testing.assert_allclose(motion["mass"], 4.0 * np.exp(-1.5 * motion.t), atol=1e-9)
    assert (np.diff(motion["block"]) > 0.0).all()
    assert np.ptp(motion.ledger.stored) < 1e-6 * 4.0
    g = BondGraph("brake on a source")
    g.Sf("v", "translation")
    g.RS("brake", "translation", 3.0)
    g.C("block", "thermal", energy=lambda s: float(np.exp(s[0])))
    g.bond("v", "brake")
    g.bond("brake", "block")
    with pytest.raises(PortError, match="RS 'brake' depends on a source at once"):
        g.system()


def test_a_capacitor_heats_its_resistor() -> None:
    """RS that is given the effort: f = e / R; one that would cool is refused."""

    def discharge(resistance: object) -> ts.ports.BondSystem:
        g = BondGraph("discharge")
        g.C("plates", "electric", 2e-3)
        g.RS("wire", "electric", resistance)  # type: ignore[arg-type]
        g.C("wire heat", "thermal", energy=lambda s: 900.0 * float(np.exp(s[0] / 3.0)))
        g.zero("node", "electric")
        g.bond("node", "plates", "wire")
        g.bond("wire", "wire heat")
        return g.system()

    system = discharge(50.0)
    motion = ts.ports.simulate(system, [0.02, 0.0], 0.3, samples=31)
    np.testing.assert_allclose(motion["plates"], 0.02 * np.exp(-motion.t / 0.1), atol=1e-11)
    assert np.ptp(motion.ledger.stored) < 1e-7 * 0.1
    assert motion["wire heat"][-1] > 0.0
    with pytest.raises(PortError, match="RS 'wire' would make energy of heat"):
        discharge(lambda s: -50.0)


def test_transformers_and_gyrators_turned_round() -> None:
    X = np.array([[2.0, 1.0], [0.5, 3.0]])
    g = BondGraph("lever")
    g.Se("push", "translation", size=2)
    g.TF("lever", ("translation", "translation"), flow=X, sizes=(2, 2))
    g.I("mass", "translation", np.eye(2), size=2)
    g.bond("push", "lever")
    g.bond("lever", "mass")
    system, p, u = g.system(), np.array([0.3, -0.7]), np.array([1.0, 2.0])
    np.testing.assert_allclose(system.rates(p, u), np.linalg.solve(X.T, u))  # Xᵀ e_out = e_in
    np.testing.assert_allclose(system.outputs(p, u), np.linalg.solve(X, p))  # X f_in = f_out
    g = BondGraph("two capacitors")
    g.C("a", "electric", 1.0, size=2)
    g.C("b", "electric", 1.0, size=2)
    g.GY("gyrator", ("electric", "electric"), X, sizes=(2, 2))
    g.bond("a", "gyrator")
    g.bond("gyrator", "b")
    system = g.system()
    a, b = np.array([0.4, 0.1]), np.array([-0.2, 0.6])
    rates = system.rates(np.concatenate([a, b]))
    np.testing.assert_allclose(X @ -rates[:2], b)  # e_out = X f_in; a gives what flows
    np.testing.assert_allclose(X.T @ rates[2:], a)  # e_in = Xᵀ f_out
    assert abs(rates @ np.concatenate([a, b])) < 1e-12


def test_storage_is_never_modulated_nor_negative() -> None:
    g = BondGraph()
    with pytest.raises(PortError, match=r"C 'spring' cannot be modulated: its energy would change"):
        g.C("spring", "translation", stiffness=lambda s: s["x"])  # type: ignore[arg-type]
    with pytest.raises(PortError, match="the inertia of I 'mass' is not positive"):
        g.I("mass", "translation", -2.0)
    with pytest.raises(PortError, match="R 'damper' is not ≥ 0"):
        g.R("damper", "translation", -1.0)
    with pytest.raises(PortError, match="I 'heat': heat has no inertia"):
        g.I("heat", "thermal", 1.0)
    with pytest.raises(PortError, match="needs one of a value, a stiffness and an energy"):
        g.C("spring", "translation")
    with pytest.raises(PortError, match="the gradient of C 'spring' is wrong"):
        g.C("spring", "translation", energy=lambda x: x @ x, gradient=lambda x: x)
    with pytest.raises(PortError, match="GY 'g' with one port is not skew"):
        g.GY("g", ("translation",) * 2, np.eye(2), sizes=(2, 2), one_port=True)


def test_a_modulated_resistance_must_not_give() -> None:
    g = mass_spring_damper()
    g.R("other", "translation", lambda s: s["spring"])
    g.bond("v", "other")
    system = g.system()
    with pytest.raises(PortError, match="R is not ≥ 0"):
        system.check([0.0, -5.0])


def test_domains() -> None:
    g = motor()
    g.C("battery2", "electric", 1.0)
    with pytest.raises(
        PortError,
        match=r"'shaft' gives torque and angular velocity, C 'battery2' "
        r"takes voltage and current: only TF or GY",
    ):
        g.bond("shaft", "battery2")
    with pytest.raises(
        PortError, match=r"1 'pipe' is in no domain 'water'; |1 'pipe' is in no domain"
    ):
        g.one("pipe", "water")
    with pytest.raises(PortError, match="two elements of the name 'shaft'"):
        g.one("shaft", "rotation")
    with pytest.raises(ValueError, match="there is no element 'shat'; did you mean 'shaft'"):
        g.bond("shat", "rotor")


def test_derivative_causality_is_named() -> None:
    g = mass_spring_damper()
    g.I("second", "translation", 1.0)
    g.bond("v", "second")
    assert g.causality().derivative == ("second",)
    with pytest.raises(PortError, match=r"derivative causality in .*: 'second' cannot integrate"):
        g.system()


def test_conflicts_are_named() -> None:
    g = BondGraph("two sources")
    g.one("v", "translation")
    g.Sf("a", "translation")
    g.Sf("b", "translation")
    g.bond("a", "v")
    g.bond("b", "v")
    with pytest.raises(CausalityError, match=r"bond 'b' → 'v' of 'two sources': .*'a'"):
        g.causality()
    g = BondGraph("no source of flow")
    g.one("v", "translation")
    g.Se("a", "translation")
    g.Se("b", "translation")
    g.bond("a", "v")
    g.bond("b", "v")
    with pytest.raises(CausalityError, match="causal conflict"):
        g.causality()


def test_algebraic_loops_are_named_and_can_be_solved() -> None:
    """A voltage on R1 in series with R2 and R3 side by side."""
    g = BondGraph("divider")
    g.Se("u", "electric")
    g.one("series", "electric")
    g.zero("side by side", "electric")
    for name, ohm in (("r1", 1.0), ("r2", 2.0), ("r3", 3.0)):
        g.R(name, "electric", ohm)
    g.bond("u", "series")
    g.bond("series", "r1", "side by side")
    g.bond("side by side", "r2", "r3")
    (loop,) = g.causality().loops
    assert set(loop) == {"r1", "r2", "r3"}
    with pytest.raises(PortError, match="algebraic loop in 'divider' through 'r1', 'r2', 'r3'"):
        g.system()
    system = g.system(loops="solve")
    np.testing.assert_allclose(system.outputs([], [11.0]), [11.0 / (1.0 + 1.2)])
    assert sum(system.losses(np.zeros(0), np.array([11.0])).values()) == pytest.approx(121.0 / 2.2)


def test_graphs_that_are_not_whole() -> None:
    g = BondGraph("open")
    with pytest.raises(PortError, match="'open' has no bonds"):
        g.system()
    g.one("v", "translation")
    g.I("mass", "translation", 1.0)
    g.TF("lever", ("translation", "translation"), flow=2.0)
    g.bond("v", "mass")
    with pytest.raises(PortError, match=r"1-junction 'v' has 1 bonds|TF 'lever' has 0 bonds"):
        g.system()
    g.bond("v", "lever")
    with pytest.raises(PortError, match="TF 'lever' has 1 bonds, must have 2"):
        g.system()
    with pytest.raises(PortError, match="needs one of flow= and effort="):
        g.TF("other", ("translation", "translation"))
    with pytest.raises(PortError, match="'v' cannot be bonded to itself"):
        g.bond("v", "v")
    g.I("wide", "translation", np.eye(2), size=2)
    with pytest.raises(PortError, match="a bond of 'v' has 1 numbers, of 'wide' 2"):
        g.bond("v", "wide")


def test_one_way_transformers_are_not_turned_round() -> None:
    """A modulated ratio may become zero: it is used as it is stated, or the graph says so."""
    g = BondGraph("crank")
    g.Sf("crank", "rotation")
    g.TF("arm", ("rotation", "translation"), effort=lambda s: 1.0)  # e_out of e_in
    g.R("load", "translation", 1.0)
    g.bond("crank", "arm")
    g.bond("arm", "load")
    with pytest.raises(CausalityError, match="causal conflict"):
        g.system()


def test_drawing(tmp_path: Path) -> None:
    for name, graph in (("motor", motor()), ("snakeboard", snakeboard.graph())):
        graph.plot(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 8000
    g = mass_spring_damper()
    g.plot(places={name: (k, 0.0) for k, name in enumerate(g.elements)})
    with pytest.raises(PortError, match="places has no 'v'"):
        g.plot(places={"force": (0.0, 0.0)})

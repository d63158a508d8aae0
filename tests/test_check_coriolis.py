"""`tarsus.check` of Coriolis matrices, symbols and derivatives, here and in Pinocchio."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import tarsus as ts
from tarsus.check.coriolis import (
    CORIOLIS,
    LARGEST_CONNECTION,
    LARGEST_TENSOR,
    levi_civita,
    lie_brackets,
)
from tarsus.check.peers import NotComparableError, peers
from tarsus.check.pinocchio import PinocchioPeer
from tarsus.check.states import States

RIGHT = ["revolute", "prismatic", "screw", "cylindrical", "spherical", "translation", "free"]
WRONG = ["universal", "spherical_zyx"]
ASKED = [identity.text for identity in CORIOLIS if identity.asked]


def theirs(report: ts.Report) -> dict[str, float]:
    """Return Pinocchio's own residuals by identity."""
    return {row.identity: value for row in report.residuals for value in row.theirs.values()}


def coupled(*arguments: object, **options: object) -> ts.Model:
    """Return four skew links, of which some are coupled as stated."""
    builder = ts.Builder("coupled")
    for i in range(4):
        builder.body(f"link_{i}", 1.0, (0.5, 0.1, 0.0), (0.01, 0.1, 0.1))
        parent, at = (f"link_{i - 1}", (1.0, 0.0, 0.0)) if i else ("world", (0.0, 0.0, 0.0))
        builder.joint(
            f"joint_{i}", "revolute", parent, f"link_{i}", position=at, rotation=(1.0, 0.2, 0.0)
        )
    builder.couple(*arguments, **options)  # type: ignore[arg-type]
    return builder.build()


@pytest.mark.parametrize("kind", RIGHT)
def test_pinocchio_is_right_where_axes_stand_still(kind: str) -> None:
    report = ts.check(ts.robots.random_mechanism(1, 6, ["revolute", kind]), states=4)
    found = theirs(report)
    print(kind, {text: f"{value:.0e}" for text, value in found.items()})
    assert report.ok
    assert list(found) == ASKED
    assert max(found.values()) < 1e-9
    assert "do not hold in Pinocchio" not in str(report)


@pytest.mark.parametrize("kind", WRONG)
def test_pinocchio_is_wrong_where_axes_move_and_that_is_shown(kind: str) -> None:
    report = ts.check(ts.robots.random_mechanism(1, 6, ["revolute", kind]), states=4)
    found = theirs(report)
    print(kind, {text: f"{value:.0e}" for text, value in found.items()})
    assert report.ok, "what is wrong elsewhere is not wrong here"
    *wrong, regressor = (found[text] for text in ASKED)
    assert min(wrong) > 1e-3
    assert regressor < 1e-12
    assert "5 of 6 identities do not hold in Pinocchio itself" in str(report)


@pytest.mark.parametrize("offset", [None, [0.0, 0.3]])
def test_pinocchio_is_wrong_where_joints_mimic_others(offset: list[float] | None) -> None:
    report = ts.check(coupled(["joint_0", "joint_3"], [[1.0], [-1.5]], offset=offset), states=4)
    found = theirs(report)
    print({text: f"{value:.0e}" for text, value in found.items()})
    assert report.ok
    assert list(found) == ASKED[:3], "Pinocchio differentiates no joints that mimic others"
    assert min(found.values()) > 1e-3
    compared = [row.quantity for row in report.residuals if "Pinocchio" in row.peers]
    assert {"inverse dynamics", "bias forces", "gravity forces"} <= set(compared)


def test_couplings_that_pinocchio_does_not_have() -> None:
    joints = ["joint_0", "joint_1", "joint_2"]
    two = coupled(joints, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    with pytest.raises(NotComparableError, match=r"no coupling like .* \(linear, 2 leaders\)"):
        PinocchioPeer(two, mimic=True)
    backwards = coupled(["joint_3", "joint_0"], [[1.0], [-1.5]])
    with pytest.raises(NotComparableError, match="no coupling like"):
        PinocchioPeer(backwards, mimic=True)
    with pytest.raises(NotComparableError, match="is handed trees only"):
        PinocchioPeer(backwards)
    assert ts.check(backwards, states=2).ok


def test_an_old_pinocchio_without_joints_that_mimic(monkeypatch: pytest.MonkeyPatch) -> None:
    import pinocchio

    monkeypatch.delattr(pinocchio, "transformJointIntoMimic")
    report = ts.check(coupled(["joint_0", "joint_3"], [[1.0], [-1.5]]), states=2)
    assert report.ok
    assert "has no joints that mimic" in report.peers["Pinocchio"]


@pytest.mark.parametrize("refusal", [RuntimeError, ValueError])
def test_what_pinocchio_refuses_is_left_out(
    refusal: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    import pinocchio

    def refuse(*arguments: object) -> None:
        raise refusal("not for these joints")

    monkeypatch.setattr(pinocchio, "computeCoriolisMatrix", refuse)
    report = ts.check(ts.robots.chain(3), states=2)
    assert report.ok
    assert list(theirs(report)) == ASKED[3:], "the first three are those of the matrix"


def test_functions_without_third_derivatives_are_not_differentiated() -> None:
    def square(y: np.ndarray) -> tuple[np.ndarray, ...]:
        return y**2, np.diag(2.0 * y), np.full((1, 1, 1), 2.0)

    def cubic(y: np.ndarray) -> tuple[np.ndarray, ...]:
        return (*square(y), np.zeros((1, 1, 1, 1)))

    for function, count in ((square, 0), (cubic, 2)):
        builder = ts.Builder("pair")
        for name in "ab":
            builder.body(name, 1.0, (0.5, 0.1, 0.0), (0.01, 0.1, 0.1))
            builder.joint(f"joint_{name}", "revolute", "world", name, axis="y")
        builder.transmission("function", "joint_a", "joint_b", function=function)
        report = ts.check(builder.build(), states=2)
        quantities = [row.quantity for row in report.residuals]
        assert report.ok
        assert sum("dynamics derivatives" in quantity for quantity in quantities) == count


def test_pinocchio_behind_our_methods_has_our_numbers() -> None:
    m = ts.robots.random_mechanism(4, 14, RIGHT)
    other = peers(m)[0]["Pinocchio"].dynamics
    assert other is not None
    s = States.random(m, 3, seed=0)
    for name, arguments in {
        "mass_matrix": (s.q,),
        "bias_forces": (s.q, s.v),
        "coriolis_matrix": (s.q, s.v),
        "inverse_dynamics_derivatives": (s.q, s.v, s.a),
        "forward_dynamics_derivatives": (s.q, s.v, s.tau),
    }.items():
        results = [getattr(x, name)(*arguments) for x in (m, other)]
        assert type(results[0]) is type(results[1])
        ours, found = map(np.asarray, results)
        print(f"{name}: {np.abs(ours - found).max() / np.abs(ours).max():.1e}")
        assert ours.shape == found.shape
        np.testing.assert_allclose(found, ours, rtol=1e-9, atol=1e-9 * np.abs(ours).max())
    np.testing.assert_allclose(other.mass_matrix(s.q[0]), m.mass_matrix(s.q[0]), atol=1e-12)


def test_large_models_are_checked_for_fewer_states_and_without_symbols() -> None:
    assert len(States.random(ts.robots.chain(3), 20, 0).few().q) == 8
    large = ts.robots.tree(LARGEST_TENSOR + 50, 2)
    assert len(States.random(large, 20, 0).few(3).q) == 1
    shown = [identity.quantity for identity in CORIOLIS if identity.applies(large)]
    assert "christoffel symbols" not in shown
    assert {"coriolis matrix", "inverse dynamics derivatives"} <= set(shown)
    texts = [i.text for i in CORIOLIS if i.applies(ts.robots.chain(LARGEST_CONNECTION))]
    assert texts == [identity.text for identity in CORIOLIS]


def test_report_has_a_table_of_its_own_for_them() -> None:
    from rich.console import Console

    report = ts.check(ts.robots.random_mechanism(1, 4, ["universal"]), states=2)
    console = Console(width=110, record=True)
    console.print(report)
    first, second = console.export_text().split("Coriolis matrix, Christoffel symbols, derivatives")
    assert "vs Pinocchio" in first
    assert "Pinocchio's" in second
    assert "vs Pinocchio" not in second
    rows = json.loads(json.dumps(report.to_dict(), allow_nan=False))["residuals"]
    assert [row["identity"] for row in rows if row["theirs"]] == ASKED


def faulty(model: ts.Model, method: str) -> ts.Model:
    """Return the model with one method wrong by a part in a million."""

    class Wrong(ts.Model):
        def __getattribute__(self, name: str):  # type: ignore[no-untyped-def]
            value = super().__getattribute__(name)
            if name != method:
                return value

            def scaled(*arguments, **options):  # type: ignore[no-untyped-def]
                found = value(*arguments, **options)
                if isinstance(found, tuple):
                    return type(found)(*(1.000001 * each for each in found))
                return 1.000001 * found

            return scaled

    return Wrong(model.description)


@pytest.mark.parametrize(
    ("method", "texts"),
    [
        ("coriolis_matrix", ["C v = bias − gravity", "C + Cᵀ = dH/dt", "C = Γ v, Γ from ∂H/∂q"]),
        ("mass_matrix_rate", ["Ḣ = C + Cᵀ, three ways"]),
        ("christoffel_symbols", ["Γ v = C"]),
        ("christoffel_symbols_packed", ["Γ v = C"]),
        ("mass_matrix_derivatives", ["dH/dt = ∂H/∂q v"]),
        ("generalized_momentum", ["H v"]),
        ("coriolis_transpose_forces", ["Cᵀ v"]),
        ("passive_inverse_dynamics", ["H a + C u + gravity"]),
        ("inverse_dynamics_derivatives", ["∂τ/∂q, ∂τ/∂v, ∂τ/∂a"]),
        ("forward_dynamics_derivatives", ["∂a/∂q, ∂a/∂v, ∂a/∂τ"]),
        ("inertial_regressor", ["Y π = inverse(a)"]),
    ],
)
def test_mistakes_are_found(method: str, texts: list[str]) -> None:
    right = ts.robots.random_mechanism(0, 6, ["universal", "spherical", "revolute"])
    s = States.random(right, 3, seed=0)
    wrong = States(faulty(right, method), s.q, s.v, s.a, s.tau)
    for identity in CORIOLIS:
        if identity.text in texts:
            print(identity.text, f"{identity.residual(s):.1e} {identity.residual(wrong):.1e}")
            assert identity.residual(s) < identity.limit < identity.residual(wrong)


def test_brackets_of_rotations_and_of_rates() -> None:
    def of(kind: str) -> ts.Model:
        builder = ts.Builder(kind).body("ball", 1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
        return builder.joint("joint", kind, "world", "ball").build()

    cross = np.array([[np.cross(a, b) for b in np.eye(3)] for a in np.eye(3)])
    rotations = lie_brackets(of("spherical"), of("spherical").random_configuration(0))
    print(f"brackets differ by {np.abs(rotations - cross).max():.1e}")
    np.testing.assert_allclose(rotations, cross, atol=1e-9)
    rates = lie_brackets(of("spherical_zyx"), np.array([0.1, 0.2, 0.3]))
    assert np.abs(rates).max() < 1e-9


def test_connection_of_a_planar_arm() -> None:
    """Two links of 1 m and 1 kg: h = −½ sin q₂ is all that there is."""
    gamma = levi_civita(ts.robots.chain(2, skew=0.0), np.array([0.3, 0.7]))
    h, expected = -0.5 * np.sin(0.7), np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = expected[0, 1, 1] = h
    expected[1, 0, 0] = -h
    np.testing.assert_allclose(gamma, expected, atol=1e-10)


def test_nothing_but_rounding_is_no_failure() -> None:
    """The mass matrix of a screw is constant: C and all symbols are zero."""
    report = ts.check(ts.robots.random_mechanism(56, 1, ["screw"]), states=4)
    print(report)
    assert report.ok


def test_armatures_of_ball_joints_are_no_bodies() -> None:
    """They add to the mass matrix, and nothing to C: its connection is that of the bodies."""
    plain, armed = (
        ts.robots.random_mechanism(0, 4, ["spherical", "revolute"], armature=armature)
        for armature in (False, True)
    )
    assert "C = Γ v, Γ from ∂H/∂q" in theirs(ts.check(plain, states=2))
    report = ts.check(armed, states=2)
    assert report.ok
    assert "C = Γ v, Γ from ∂H/∂q" not in theirs(report)


@pytest.mark.parametrize("make", [ts.robots.mini_cheetah, ts.robots.snakeboard, ts.robots.lola])
def test_gears_loops_and_constraints(make: Callable[[], ts.Model]) -> None:
    report = ts.check(make(), states=4)
    texts = [row.identity for row in report.residuals if row.topic]
    print(report)
    assert report.ok
    assert texts == [identity.text for identity in CORIOLIS if identity.applies(make())]

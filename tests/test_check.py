"""`tarsus.check`: it passes what is right and finds what is wrong."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.differences import derivative
from tarsus.check.check import lint
from tarsus.check.identities import IDENTITIES
from tarsus.check.report import Residual
from tarsus.check.states import CLOSURES, States, relative

PINOCCHIO_KINDS = ["revolute", "prismatic", "screw", "cylindrical", "universal", "spherical"]
PINOCCHIO_KINDS += ["translation", "free", "spherical_zyx"]
MUJOCO_KINDS = ["revolute", "prismatic", "spherical", "universal", "cylindrical", "planar"]


def messages(model: ts.Model, severity: str = "warning") -> list[str]:
    return [f"{f.element}: {f.message}" for f in lint(model) if f.severity == severity]


def pendulum(**changes: Any) -> ts.Model:
    """Return two links with some things changed: of the first body, or of the first joint."""
    body = {"mass": 1.0, "com": (0, 0, -0.2), "inertia": (0.02, 0.02, 0.001)}
    joint = {"axis": "y", "lower": -1.0, "upper": 1.0, "velocity_limit": 5.0, "effort_limit": 9.0}
    builder = ts.Builder("pendulum")
    builder.body("upper", **{key: changes.get(key, body[key]) for key in body})
    builder.body("lower", **body)
    builder.joint(
        "shoulder",
        "revolute",
        "world",
        "upper",
        **{key: changes.get(key, joint[key]) for key in joint},
    )
    builder.joint("elbow", "revolute", "upper", "lower", position=(0, 0, -0.4), **joint)
    return builder.build()


@pytest.mark.parametrize("seed", range(3))
def test_random_mechanisms_fulfil_every_identity(seed: int) -> None:
    model = ts.robots.random_mechanism(seed, 22, armature=True)
    report = ts.check(model, states=8, seed=seed)
    print(report)
    assert report.ok
    texts = [row.identity for row in report.residuals]
    assert texts == [i.text for i in IDENTITIES if i not in CLOSURES and i.applies(model)]
    assert len(texts) == len(IDENTITIES) - len(CLOSURES) - 1, "joints that roll: no connection"


@pytest.mark.parametrize("kinds", [PINOCCHIO_KINDS, MUJOCO_KINDS], ids=["Pinocchio", "MuJoCo"])
def test_peers_agree_with_models_that_are_handed_to_them(
    kinds: list[str], request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id
    report = ts.check(ts.robots.random_mechanism(2, 13, kinds, axes=name != "MuJoCo"), states=4)
    print(report)
    assert report.ok
    compared = [row for row in report.residuals if name in row.peers]
    assert len(compared) >= 5


def test_peers_agree_whatever_the_order_of_the_bodies() -> None:
    report = ts.check(ts.robots.tree(15, 2), states=4)  # numbered breadth first
    assert report.ok
    assert set(report.residuals[0].peers) == {"Pinocchio", "MuJoCo"}


def test_free_base_agrees_with_both_peers() -> None:
    builder = ts.Builder("satellite")
    builder.body("hull", 3.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    builder.body("panel", 1.0, com=(0.4, 0, 0), inertia=(0.1, 0.1, 0.1))
    builder.joint("orbit", "free", "world", "hull", position=(1, 2, 3), rotation=(0.1, 0.2, 0.3))
    builder.joint("hinge", "revolute", "hull", "panel", axis="y", armature=0.2)
    report = ts.check(builder.build())
    assert report.ok
    assert set(report.peers) == {"Pinocchio", "MuJoCo"}
    assert set(report.residuals[0].peers) == {"Pinocchio", "MuJoCo"}


def test_report_is_data_text_and_tables() -> None:
    from rich.console import Console

    report = ts.check(ts.robots.chain(3), states=2)
    assert isinstance(report, ts.Report)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["ok"] is True
    assert data["model"] == ts.robots.chain(3).name
    assert "H H⁻¹ = 1" in str(report)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(report)
    assert "H H⁻¹ = 1" in console.export_text()


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_data_for_json_has_finite_numbers_only(wrong: float) -> None:
    row = Residual("mass matrix", "H = Hᵀ", wrong, 1e-12, {"A": wrong}, theirs={"A": wrong})
    report = ts.Report("model", [], [row], 1, 0, "", {})
    (found,) = json.loads(json.dumps(report.to_dict(), allow_nan=False))["residuals"]
    assert (found["value"], found["peers"], found["theirs"]) == (None, {"A": None}, {"A": None})
    assert found["ok"] is False


def test_progress_is_told() -> None:
    shares: list[float] = []
    ts.check(ts.robots.chain(2), states=2, progress=lambda text, share: shares.append(share))
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] < shares[-1] <= 1.0


def test_model_without_joints() -> None:
    rock = ts.Builder("rock").body("stone", 1.0).joint("ground", "fixed", "world", "stone").build()
    for model in (rock, ts.Model(ts.Description("nothing"))):
        report = ts.check(model)
        assert not report.ok
        assert report.residuals == []
        assert messages(model, "error") == [
            "model: the model has no moving bodies (an unexpanded xacro file?)"
        ]
        assert "nothing to test" in str(report)


def test_something_else_than_a_model() -> None:
    with pytest.raises(TypeError, match=r"model is of type NoneType, must be a tarsus\.Model"):
        ts.check(None)  # type: ignore[arg-type]


def test_a_reason_is_printed_once() -> None:
    from rich.console import Console

    builder = ts.Builder("massless").body("ghost").joint("hinge", "revolute", "world", "ghost")
    console = Console(file=io.StringIO(), width=80, record=True)
    console.print(ts.check(builder.build(), states=2))
    text = console.export_text()
    assert text.count("no finite result") == 1
    assert "…" not in text


def test_states_must_be_positive() -> None:
    with pytest.raises(ValueError, match="states is 0"):
        ts.check(ts.robots.chain(2), states=0)


def test_singular_mass_matrix_fails_with_a_reason() -> None:
    builder = ts.Builder("ghost")
    builder.body("ghost")
    builder.joint("hinge", "revolute", "world", "ghost")
    report = ts.check(builder.build(), states=2)
    failed = [row for row in report.residuals if not row.ok]
    assert any("positive definite" in row.identity for row in failed)
    assert any("nothing has mass" in row.note for row in failed)
    json.dumps(report.to_dict(), allow_nan=False)
    assert any(f.severity == "error" and f.element == "body ghost" for f in report.findings)


def test_residuals_are_relative_and_notice_nan() -> None:
    ones = np.ones((2, 3))
    assert relative(ones, ones) == 0.0
    assert relative(1e6 * ones, 1e6 * ones + 1.0) == pytest.approx(1e-6)
    assert relative(0.0 * ones, 0.0 * ones) == 0.0
    assert np.isnan(relative(ones, np.nan * ones))


def test_derivative() -> None:
    assert derivative(lambda t: np.sin(0.5 + t)) == pytest.approx(np.cos(0.5), rel=1e-12)


def test_states_are_repeatable_and_finite() -> None:
    model = ts.robots.random_mechanism(0, 12, limits=True)
    first, second = (States.random(model, 5, seed=3) for _ in range(2))
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.tau, second.tau)


def test_nothing_is_found_in_a_good_model() -> None:
    assert lint(pendulum()) == []


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "grams": ({"mass": 12_000.0, "inertia": (240, 240, 12)}, "stated in grams"),
    "kg mm²": ({"inertia": (20_000, 20_000, 1_000)}, "is the inertia in kg m²"),
    "tonne m²": ({"inertia": (2e-6, 2e-6, 1e-7)}, "is the inertia in kg m²"),
    "com in mm": ({"com": (0, 0, -200)}, "centre of mass is 200 m"),
    "degrees": ({"lower": -90.0, "upper": 90.0}, "stated in degrees"),
    "no range": ({"lower": 0.5, "upper": 0.5}, "cannot move"),
    "no speed": ({"velocity_limit": 0.0}, "velocity limit is zero"),
    "no effort": ({"effort_limit": 0.0}, "effort limit is zero"),
}


@pytest.mark.parametrize(("changes", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_found(changes: dict[str, Any], message: str) -> None:
    found = messages(pendulum(**changes))
    assert any(message in text for text in found), found


def test_missing_limits_are_notes() -> None:
    found = messages(ts.robots.chain(6), "note")
    assert [text.split(": ")[1] for text in found] == [
        "no position limit",
        "no velocity limit",
        "no effort limit",
    ]


def test_lengths_in_millimetres() -> None:
    builder = ts.Builder("arm")
    for name, parent, at in (("a", "world", 0), ("b", "a", 400)):
        builder.body(name, 1.0, com=(100, 0, 0), inertia=(5_000, 5_000, 5_000))
        builder.joint(f"{name}_joint", "revolute", parent, name, position=(at, 0, 0))
    assert any("millimetres" in text for text in messages(builder.build()))


def test_unphysical_inertia_in_a_file(tmp_path: Any) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="arm"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="0.001" iyy="0.001" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        "</robot>"
    )
    found = messages(ts.load(file, base="free"))
    assert any("body a: inertia breaks the triangle inequality" in text for text in found)

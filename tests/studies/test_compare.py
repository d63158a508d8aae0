"""Contact laws side by side: numbers that theory knows, verdicts, tables and pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tarsus_lab.contact_study import ContactComparison, compare_contact, name_of, slip_distance
from tarsus_lab.penalty_map import penalty_map

from tarsus import scenes
from tarsus.geometry import Ground
from tarsus.simulation.contact import Exact, Penalty

MASS, GRAVITY = 1.0, 9.81


@pytest.fixture(scope="module")
def drop() -> ContactComparison:
    """A ball of 1 kg that falls 0.1 m and does not bounce."""
    scene = scenes.bounce(restitution=0.0, height=0.1)
    laws = ("exact", "lemke", Penalty(1e5, 200.0), Penalty(1e5, 4e3))
    return compare_contact(
        scene.model, scene.ground or Ground(), scene.q0, duration=0.5, laws=laws, dt=1e-3
    )


def test_impulses_are_those_of_the_fall(drop: ContactComparison) -> None:
    # all momentum at once, and the weight for the rest of the 50 ms
    exact = np.sqrt(2 * GRAVITY * 0.1) + GRAVITY * 0.05
    found = drop["exact"].impulse
    print(f"impulse {found:.6g} N s, theory {exact:.6g}")
    assert found == pytest.approx(exact, rel=0.01)
    assert drop["lemke"].impulse == pytest.approx(found, rel=1e-6)


def test_exact_contact_does_not_penetrate(drop: ContactComparison) -> None:
    assert drop["exact"].penetration < 1e-9
    spring = drop["penalty(1e+05 N/m, 200 N s/m)"]
    # energy: ½ K δ² ≤ m g (h + δ)
    highest = np.sqrt(2 * MASS * GRAVITY * 0.1 / 1e5)
    print(f"spring: {spring.penetration} m, without damping {highest} m")
    assert 0.5 * highest < spring.penetration < highest
    assert spring.peak_force < drop["exact"].peak_force


def test_what_is_too_stiff_is_foreseen_and_found(drop: ContactComparison) -> None:
    bad = drop["penalty(1e+05 N/m, 4e+03 N s/m)"]
    assert any("explode" in text for text in bad.warnings)
    assert not bad.stable
    assert "energy" in bad.verdict or "failed" in bad.verdict
    for name in ("exact", "lemke", "penalty(1e+05 N/m, 200 N s/m)"):
        assert drop[name].stable
        assert drop[name].warnings == ()
        assert drop[name].verdict == "stable"


def test_residuals_are_shown(drop: ContactComparison) -> None:
    for outcome in drop.outcomes[:3]:
        print(outcome.name, outcome.residual)
        assert outcome.residual < 1e-9


def test_table_and_picture(drop: ContactComparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines = str(drop).splitlines()
    assert len(lines) == 5
    assert lines[0].split()[:3] == ["contact", "depth", "mm"]
    assert lines[1].startswith("exact")
    assert lines[1].endswith("stable")
    figure = drop.plot(tmp_path / "compare.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "compare.png").stat().st_size > 10_000
    with pytest.raises(KeyError, match="there are exact, lemke, penalty"):
        drop["spring"]


def test_slip_is_the_way_of_a_sliding_block() -> None:
    scene = scenes.slide(speed=1.0, friction=0.3)
    run = scene.run()
    way = run.q[-1, 0] - run.q[0, 0]
    # each of the corners that touch slides that far
    touching = len(np.unique(run.contacts.candidate))
    found = slip_distance(run)
    print(f"slid {way:.6g} m on {touching} corners, slip {found:.6g} m")
    assert found == pytest.approx(touching * way, rel=0.02)


def test_a_block_that_sticks_does_not_slip() -> None:
    run = scenes.incline().but(duration=0.5).run()
    assert slip_distance(run) < 1e-12


def test_names_tell_what_is_unusual() -> None:
    assert name_of("exact") == "exact"
    assert name_of(Exact(iterations=50)) == "exact(iterations=50)"
    assert name_of(Penalty(1e6, 500.0)) == "penalty(1e+06 N/m, 500 N s/m)"
    name = name_of(Penalty(1e6, 300.0, 2.0, hunt_crossley=True))
    assert name == "penalty(1e+06 N/m, 300 N s/m, tangential_stiffness=2, hunt_crossley=1)"


def test_wrong_arguments() -> None:
    scene = scenes.slide()
    with pytest.raises(ValueError, match="laws is empty"):
        compare_contact(scene.model, Ground(), scene.q0, laws=())
    with pytest.raises(ValueError, match="unknown contact law 'soft'"):
        compare_contact(scene.model, Ground(), scene.q0, laws=("soft",))


def test_map_agrees_with_the_rule_of_one_point(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    scene = scenes.bounce(restitution=0.0, height=0.05)
    found = penalty_map(
        *(scene.model, Ground(friction=0.0), scene.q0),
        duration=0.3,
        stiffness=(1e3, 1e5, 1e8),
        damping=(10.0, 300.0, 1e4),
        dt=(1e-3, 2e-4),
    )
    print(found)
    assert found.mobility == pytest.approx(1.0)
    assert found.bound.shape == found.stable.shape == (2, 2, 3, 3)
    # far from the bound on either side, the rule is right
    assert found.stable[found.bound < 0.2].all()
    semi_implicit = found.bound[0] > 5.0
    assert semi_implicit.any()
    assert not found.stable[0][semi_implicit].any()
    # stiffer is shallower
    assert (np.diff(found.penetration[0, :, :2, 1], axis=1) < 0.0).all()
    figure = found.plot(tmp_path / "map.png")
    assert len(figure.axes) == 5
    lines = found.table().splitlines()
    assert len(lines) == 7
    assert lines[1].startswith("exact")


def test_a_ball_moves_more_easily_along_the_ground_than_into_it() -> None:
    scene = scenes.bounce()
    found = penalty_map(
        *(scene.model, Ground(), scene.q0),
        duration=0.01,
        stiffness=(1e4,),
        damping=(10.0,),
        dt=(1e-3,),
        integrators=("semi_implicit",),
    )
    assert found.mobility == pytest.approx(3.5)


def test_map_refuses_what_it_cannot_do() -> None:
    scene = scenes.bounce()
    with pytest.raises(ValueError, match="stiffness is empty"):
        penalty_map(scene.model, Ground(), scene.q0, stiffness=())
    with pytest.raises(ValueError, match="'rk4' must be semi_implicit or explicit"):
        penalty_map(scene.model, Ground(), scene.q0, integrators=("rk4",))

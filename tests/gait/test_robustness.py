"""Maps of what walkers survive: lanes do what single walks do, axes are what they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts


@pytest.fixture(scope="module")
def found() -> ts.walking.Robustness:
    """A small map: pushes that are weak and strong, ground that rubs and that hardly does."""
    return ts.walking.robustness(
        machine("lola"),
        push=[0.0, 900.0],
        friction=[0.05, 0.7],
        mass=[1.0, 1.05],
        known=0.6,
        steps=3,
        threads=2,
    )


def test_the_map_has_an_entry_for_each(found: ts.walking.Robustness) -> None:
    print(found)
    assert found.survived.shape == (2, 2, 2)
    # on ground that rubs, a machine that is not pushed walks; one that is pushed hard falls
    assert found.survived[0, 1].all()
    assert not found.survived[1].any()
    # on ice it falls whether or not it is pushed
    assert not found.survived[:, 0].any()
    assert (found.distance[0, 1] > 0.2).all()
    assert found.most[1] == pytest.approx(0.0)
    assert np.isnan(found.most[0]).all()


def test_lanes_fall_when_single_walks_do(found: ts.walking.Robustness) -> None:
    """The same push in `ts.walking.walk`, one machine alone."""
    m = machine("lola")
    own = ts.walking.Biped.ready(ts.gait.Anatomy.from_model(m))
    start = own.supports.start + 2 * own.step_time + own.supports.single / 2
    trunk = own.body.trunk
    push = ts.Push(trunk, (0.0, 900.0, 0.0), start=start, duration=0.1)
    known = ts.Ground(friction=0.6)
    walked = ts.walking.walk(m, steps=3, friction=0.7, known=known, push=push)
    assert walked.fell
    print(f"fell after {walked.run.ended.time:.3f} s, in the map after {found.time[1, 1, 0]:.3f} s")
    assert float(walked.run.ended.time) == pytest.approx(found.time[1, 1, 0], abs=0.005)


def test_heavier_bodies_are_those_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    m, seen = machine("lola"), {}

    def run(self: Any, q: Any, **options: Any) -> Any:
        seen.update(options)
        raise InterruptedError

    monkeypatch.setattr(ts.Simulation, "run", run)
    body = m.body_names[-1]
    with pytest.raises(InterruptedError):
        ts.walking.robustness(
            m, push=[1.0, 2.0], mass=[1.0, 1.5], heavier=[body], direction=(2, 0, 0)
        )
    masses, force = seen["mass_scale"], np.asarray(seen["external"].force)
    assert masses[:, m.body(body).index] == pytest.approx([1.0, 1.5, 1.0, 1.5])
    assert (np.delete(masses, m.body(body).index, axis=1) == 1.0).all()
    assert force == pytest.approx(np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 0]]))


def test_maps_are_drawn(found: ts.walking.Robustness, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = found.plot(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000
    assert [axes.get_title("left") for axes in figure.axes] == ["masses × 1", "masses × 1.05"]
    # each that fell tells when
    words = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert len(words) == int((~found.survived).sum())


def test_what_is_wrong_is_named() -> None:
    m = machine("lola")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"friction": [0.5, 0.0]}, "friction is .*, must be positive"),
        ({"mass": [[1.0]]}, "mass is .*, must be a finite number or some"),
        ({"push": [np.nan]}, "push is .*, must be a finite number or some"),
        ({"direction": (0, 0, 0)}, "direction is .*, must be a vector"),
        ({"steps": 0}, "steps is 0"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            ts.walking.robustness(m, **options)
    with pytest.raises(TypeError, match="heavier is the name 'trunk' alone"):
        ts.walking.robustness(m, heavier="trunk")

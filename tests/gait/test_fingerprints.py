"""Models and walkers are known by all their numbers, wherever they come from."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.errors import JournalError
from tarsus.gait.walkers import Walker, compass


def changed(model: ts.Model, **numbers: object) -> ts.Model:
    editor = ts.Editor(model)
    editor.change("joint", "hip", **numbers)
    return editor.build()


def test_models_are_known_by_their_content() -> None:
    model = ts.robots.compass()
    same = [ts.robots.compass(), pickle.loads(pickle.dumps(model)), ts.Editor(model).build()]
    assert {each.fingerprint() for each in same} == {model.fingerprint()}
    framed = ts.Editor(model)
    framed.frame("nose", "hip")
    heavier = ts.robots.compass(leg_mass=np.nextafter(1.0, 2.0))
    others = [
        heavier,
        changed(model, damping=[0.1]),
        changed(model, friction=[0.1]),
        framed.build(),
        ts.robots.compass(gravity=9.8),
    ]
    assert repr(heavier) == repr(model)
    assert len({each.fingerprint() for each in (model, *others)}) == 1 + len(others)


def test_files_are_known_by_what_they_say(tmp_path: Path) -> None:
    paths = [tmp_path / name / "legs.yaml" for name in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
        ts.save(ts.robots.compass(), path)
    one, two = (ts.load(path) for path in paths)
    assert one.fingerprint() == two.fingerprint()


def led(gain: float) -> Callable[[float, np.ndarray, np.ndarray], np.ndarray]:
    return lambda t, q, v: -gain * v


def driven(gain: float) -> Walker:
    phase = replace(compass().phases[0], controller=led(gain))
    return Walker.from_phases(phase, start=compass().start, ahead=compass().ahead)


def machine(**numbers: float) -> Walker:
    model = ts.robots.compass(**numbers)
    feet = ["left_foot", "right_foot"]
    return Walker.from_model(model, feet, stance="line", start=compass().start, slope=0.05)


def test_walkers_are_known_by_all_that_they_are_made_of() -> None:
    assert compass().fingerprint() == compass().fingerprint()
    assert machine().fingerprint() == machine().fingerprint()
    assert driven(0.1).fingerprint() == driven(0.1).fingerprint()
    found = [
        compass(),
        *(compass().but(**{name: value + 1e-12}) for name, value in compass().numbers.items()),
        *(machine(leg_mass=mass) for mass in (1.0, 1.0 + 1e-12)),
        *(driven(gain) for gain in (0.1, 0.1 + 1e-12)),
        Walker.from_phases(compass().phases, start=compass().start, ahead=compass().ahead),
        Walker.from_phases(
            compass().phases, start=compass().start, ahead=compass().ahead, longest=4.0
        ),
    ]
    assert repr(found[0]) == repr(found[1])
    assert len({each.fingerprint() for each in found}) == len(found)


def test_what_nothing_is_known_of_is_refused(tmp_path: Path) -> None:
    """Efforts of a spline of SciPy have no content that can be told: no journal, but a basin."""
    gait = ts.gait.optimize(compass(), 0.8, starts=1)
    played = ts.gait.replayed(gait)
    with pytest.raises(ValueError, match="nothing is known of spline"):
        played.fingerprint()
    cycle = ts.gait.limit_cycle(played, gait.state, tolerance=1e-6)
    over = {"lean": [0.28, 0.3]}
    assert ts.gait.basin(cycle, over, steps=1).survived.shape == (2,)
    with pytest.raises(ValueError, match="checkpoint"):
        ts.gait.basin(cycle, over, steps=1, checkpoint=tmp_path)


def test_journals_refuse_another_machine(tmp_path: Path) -> None:
    """Two walkers whose texts are the same: cells of one are none of the other."""
    over = {"lean": [0.28, 0.3]}
    one, other = (
        ts.gait.limit_cycle(compass(leg_mass=mass), compass().start) for mass in (1.0, 1.0 + 1e-9)
    )
    assert repr(one.walker) == repr(other.walker)
    first = ts.gait.basin(one, over, steps=2, checkpoint=tmp_path)
    again = ts.gait.basin(one, over, steps=2, checkpoint=tmp_path)
    np.testing.assert_array_equal(first.distance, again.distance)
    with pytest.raises(JournalError, match="another sweep"):
        ts.gait.basin(other, over, steps=2, checkpoint=tmp_path)


def test_settings_that_were_replaced_are_kept() -> None:
    """They go to other processes and into fingerprints; numbers change beside them."""
    walker = replace(compass(), longest=1e-3, exact=False)
    sent = pickle.loads(pickle.dumps(walker))
    assert (sent.longest, sent.exact) == (1e-3, False)
    steeper = walker.but(slope=0.05)
    assert (steeper.longest, steeper.exact, steeper.slope) == (1e-3, False, 0.05)
    assert sent.fingerprint() == walker.fingerprint() != compass().fingerprint()
    assert compass().but(slope=0.05).longest == compass(slope=0.05).longest

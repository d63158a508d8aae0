"""Turns of feet beside SciPy's slerp; walkers that begin again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from tarsus.walking.references import Turning

COUNT = 5


def rotations(seed: int) -> Rotation:
    return Rotation.random(COUNT, random_state=seed)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_turns_are_those_of_slerp(share: float) -> None:
    start, end = rotations(0), rotations(1)
    turn = Turning.from_to(start.as_matrix(), end.as_matrix())
    found, axis = turn.at(np.arange(COUNT), np.full((COUNT, 1), share))
    for k in range(COUNT):
        way = Slerp([0.0, 1.0], Rotation.concatenate([start[k], end[k]]))
        assert found[k] == pytest.approx(way(share).as_matrix(), abs=1e-12)
        # the angular velocity of a turn in one second, by differences
        h = 1e-6
        after = turn.at(np.array([k]), np.array([[share + h]]))[0][0]
        rate = Rotation.from_matrix(after @ found[k].T).as_rotvec() / h
        assert axis[k] == pytest.approx(rate, abs=1e-5)


def test_what_does_not_turn_stays() -> None:
    start = rotations(2).as_matrix()
    found, axis = Turning.from_to(start, start).at(np.arange(COUNT), np.full((COUNT, 1), 0.5))
    assert found == pytest.approx(start, abs=1e-12)
    assert np.abs(axis).max() < 1e-12


def test_some_turns_take_the_place_of_others() -> None:
    one, two = (rotations(seed).as_matrix() for seed in (3, 4))
    first, second = Turning.from_to(one, two), Turning.from_to(two, one)
    these = np.array([True, False, True, False, False])
    mixed, share = first.where(these, second), np.full((COUNT, 1), 0.4)
    found = mixed.at(np.arange(COUNT), share)[0]
    expected = np.where(
        these[:, None, None],
        first.at(np.arange(COUNT), share)[0],
        second.at(np.arange(COUNT), share)[0],
    )
    assert np.array_equal(found, expected)

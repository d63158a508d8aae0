"""Torques of whole bodies stay in their bounds, and states without sense do not reach the core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from whole_bodies import MOTORS, Body, cassie, controller, talos

from tarsus.control import WholeBody
from tarsus.control.actuation_rows import BodyDrives
from tarsus.ik import PositionTask, PostureTask

pytest.importorskip("pinocchio")  # whose package of robots these are


@pytest.fixture(scope="module")
def body() -> Body:
    """Return Talos."""
    return talos()


def test_motors_behind_gears_and_loops_keep_their_limits() -> None:
    """What motors do follows from the work of small motions: τᵀ v = tᵀ M v."""
    walker = cassie()
    m, rng = walker.model, np.random.default_rng(0)
    limits = {name: 5.0 + k for k, name in enumerate(MOTORS)}
    drives = BodyDrives(m, np.zeros(m.nv), limits)
    wanted = 300.0 * rng.normal(size=(20, m.nv))
    tau = drives.given(walker.q, wanted)
    matrix = m.motor_matrix(walker.q, motors=MOTORS)
    torques = np.linalg.lstsq(matrix.T, tau.T, rcond=None)[0].T
    most = np.array(list(limits.values()))
    assert (np.abs(torques) <= most * (1.0 + 1e-9)).all()
    assert (np.abs(torques) > 0.999 * most).any(axis=0).all()  # they are used, too
    inside = drives.given(walker.q, 1e-3 * wanted)
    assert (
        np.abs(inside - 1e-3 * BodyDrives(m, np.zeros(m.nv), MOTORS).given(walker.q, wanted)).max()
        < 1e-9
    )


def test_a_state_is_taken_back_as_it_was(body: Body) -> None:
    law, v = controller(body, effort=40.0), np.zeros(body.model.nv)
    law(0.0, body.q, v)
    state = law.get_state()
    tau = law(0.0, body.q, v)
    law.reset()
    law.set_state(state)
    assert np.array_equal(law(0.0, body.q, v), tau)


@pytest.mark.parametrize("wrong", [3.0, -7.0, 0.5, np.nan])
def test_working_sets_without_sense_are_refused(body: Body, wrong: float) -> None:
    law = controller(body)
    law(0.0, body.q, np.zeros(body.model.nv))
    state = {"working_set": law.get_state()["working_set"].copy()}
    state["working_set"][4] = wrong
    with pytest.raises(ValueError, match="working_set must have whole numbers from −2 to 2"):
        law.set_state(state)


@pytest.mark.parametrize("make", [lambda x: x[:-40], lambda x: x[0]])
def test_working_sets_of_other_machines_are_refused(body: Body, make: Any) -> None:
    law = controller(body)
    law(0.0, body.q, np.zeros(body.model.nv))
    with pytest.raises(ValueError, match="working_set has shape"):
        law.set_state({"working_set": make(law.get_state()["working_set"])})


@pytest.mark.parametrize("wrong", [np.full(3, 5, np.int8), "values", "type"])
def test_the_core_checks_where_it_begins(body: Body, wrong: Any) -> None:
    """Another size is of other loads and left out; values and types are refused."""
    law, v = controller(body), np.zeros(body.model.nv)
    first = law(0.0, body.q, v)
    assert law._start is not None
    if isinstance(wrong, str):
        law._start = law._start.astype(np.int64) if wrong == "type" else law._start + np.int8(5)
        with pytest.raises(ValueError, match="start"):
            law(0.0, body.q, v)
    else:
        law._start = wrong
        assert np.abs(law(0.0, body.q, v) - first).max() < 1e-6


@pytest.mark.parametrize("own", [False, True])
def test_torques_are_zero_where_numbers_overflow(body: Body, own: bool) -> None:
    """Also where they are those of a task whose rows the core is given."""
    law, v = controller(body), np.zeros((2, body.model.nv))
    if own:
        more = OwnPosition("arm_left_7_link", weight=1e-3, name="hand")
        law = WholeBody(body.model, [*law.tasks, more], law.contacts)
    v[1, 10] = 1e100
    q = np.stack([body.q, body.q])
    tau = law(0.0, q, v)
    assert list(law.last.status) == ["solved", "not finite"]
    assert not tau[1].any() and not law.last.tau[1].any() and np.isfinite(law.last.tau).all()
    law.reset()
    assert np.abs(tau[0] - law(0.0, body.q, v[0])).max() < 1e-6


class OwnPosition(PositionTask):
    """A user's task, whose rows the core does not evaluate."""


@pytest.mark.parametrize("name", ["idle", "bounded"])
def test_the_core_takes_no_drives_that_are_not_there(name: str) -> None:
    """Indices below zero would be written to in front of the efforts."""
    own = talos()
    law = WholeBody(own.model, [PostureTask(own.q, level=0)], own.contacts())
    drives = law.programme.drives
    wrong = np.array(getattr(drives, name))
    wrong[0] = -1
    setattr(drives, name, wrong)
    with pytest.raises(ValueError, match="out of range"):
        law.programme._make()

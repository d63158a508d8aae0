"""Reports of walks: of those that fall, that never began, that are some of many."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts
from tarsus.simulation.contact_record import Contacts
from tarsus.simulation.trajectory import Failure
from tarsus.walking.ground_wrenches import sole_forces
from tarsus.walking.walk import Walked


@pytest.mark.parametrize("name", ["bolt", "lola", "talos_reduced"])
def test_machines_that_stand_have_not_fallen(name: str) -> None:
    """Heights are those over the soles: feet of Bolt begin at its knees."""
    own = ts.walking.Biped.ready(ts.gait.Anatomy.from_model(machine(name)))
    fallen, model = own.fallen(), own.body.model
    assert not fallen.of(model, own.stance)
    q = own.stance.copy()
    q[2] += 3.0  # on a hill
    assert not fallen.of(model, q)


def test_bolt_falls_in_its_first_step() -> None:
    """It has points for feet, on which nothing balances; the report stands that."""
    report = ts.walking.walk(machine("bolt"), speed=0.1, steps=2).report
    print(report)
    assert report.fell
    assert 0.2 < report.time < 2.0
    assert report.gave_way[-1] == (pytest.approx(report.time, abs=2e-3), "it falls")


def test_a_walk_of_no_time() -> None:
    walked = ts.walking.walk(machine("lola"), steps=1, duration=0.0)
    report = walked.report
    assert report.steps == 0
    assert not report.fell
    assert "no way" in str(report)
    assert report.as_data()["cost_of_transport"] is None


@pytest.fixture(scope="module")
def pushed() -> dict[str, Any]:
    force = [[0.0, 0.0, 0.0], [900.0, 0.0, 0.0]]
    push = ts.Push("torso", force, start=0.3, duration=0.2)
    alone = ts.Push("torso", force[1], start=0.3, duration=0.2)
    options: dict[str, Any] = {"steps": 1, "duration": 2.2, "known": ts.Ground(friction=0.5)}
    rubs = np.array([0.5, 0.7])
    return {
        "both": ts.walking.walk(
            machine("lola"),
            push=push,
            walkers=2,
            friction=rubs,
            **options,
        ),
        "alone": ts.walking.walk(machine("lola"), push=alone, friction=0.7, **options),
    }


def test_one_of_a_batch_is_told_as_if_alone(pushed: dict[str, Any]) -> None:
    """Each has its own friction, and the one that falls goes no further."""
    both, alone = pushed["both"], pushed["alone"]
    assert both[0].report.friction_limit == pytest.approx(0.5)
    assert not both[0].report.fell
    assert alone.report.fell
    assert both[1].report.as_data() == alone.report.as_data()


def test_a_simulation_that_fails_is_a_fall(pushed: dict[str, Any]) -> None:
    own: Walked = pushed["both"][0]
    failed = Failure(0, 0.5, None, "a cause")
    run = dataclasses.replace(own.run, failures=(failed,))
    walked = dataclasses.replace(own, run=run)
    assert walked.fell
    assert walked.report.time == pytest.approx(0.5)
    assert walked.report.gave_way == ((0.5, "its simulation fails: a cause"),)


def test_on_ice_it_slips() -> None:
    """Without friction there is none to reach: contacts tell that they slip."""
    report = ts.walking.walk(machine("lola"), steps=1, duration=1.5, friction=0.0).report
    print(report)
    assert any("slips" in what for _, what in report.gave_way)


def test_arcs_are_as_long_as_they_are(pushed: dict[str, Any]) -> None:
    """The way between the feet, of which the cost is one, not that from end to end."""
    own: Walked = pushed["both"][0]
    angle = np.arange(203) * np.pi / 100
    place = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    cycles = dataclasses.replace(own.control.cycles, step=[np.array([202, 202])] * 1000)
    stepping = _like(own.control.stepping, position=np.stack([place, place]))
    control = _like(own.control, cycles=cycles, stepping=stepping)
    report = dataclasses.replace(own, control=control).report
    assert report.distance == pytest.approx(2.0 * np.pi, rel=1e-3)
    run, m = own.run, own.run.model
    power = np.abs(run.tau * run.v)[:, m.driven].sum(axis=1)
    work = float(np.trapezoid(power, run.t))
    weight = m.total_mass * float(np.linalg.norm(m.gravity))
    assert report.cost_of_transport == pytest.approx(work / (weight * report.distance))


def test_hands_on_the_ground_are_no_soles(pushed: dict[str, Any]) -> None:
    """The centre of pressure is that of the soles, whatever else is touched."""
    own: Walked = pushed["both"][0]
    run, body = own.run, own.walker.body
    before = sole_forces(run, body)
    touched = run.contacts
    hand = touched.rows[:1].copy()
    hand[0, :4] = [len(touched.places), 5.0, 5.0, 0.0]
    hand[0, 4:10] = [0.0, 0.0, 1.0, 0.0, 0.0, 300.0]
    more = Contacts(
        np.concatenate([touched.rows, hand]),
        np.append(touched.state_index, 0),
        np.append(touched.sample, 100),
        touched.shape,
        (*touched.places, touched.places[0]._replace(body="torso", link="torso")),
    )
    after = sole_forces(dataclasses.replace(run, touched=more), body)
    assert np.array_equal(after.pressure, before.pressure, equal_nan=True)


def _like(one: Any, **changes: Any) -> Any:
    """A copy of an object with other attributes."""
    found = object.__new__(type(one))
    vars(found).update(vars(one), **changes)
    return found

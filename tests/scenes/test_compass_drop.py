"""Steps down that a compass walker survives, alone and led along its gait."""

from __future__ import annotations

import numpy as np
from tarsus_lab.scenes import along_the_gait, gait_curve, models, stepping_down


def test_alone_it_survives_two_centimetres() -> None:
    for drop in (0.01, 0.02):
        walk = stepping_down(drop, steps=30)
        assert not walk.fell and walk.steps == 30
    for drop in (0.022, 0.025, 0.05):
        assert stepping_down(drop, steps=30).fell


def test_led_along_its_gait_it_survives_five() -> None:
    control = along_the_gait()
    walk = stepping_down(0.05, control, steps=8)
    assert not walk.fell and walk.steps == 8
    forces = walk.reactions
    assert forces[:, 1].min() > 20.0  # the foot stays on the ground
    assert np.abs(forces[:, 0] / forces[:, 1]).max() < 0.5  # and does not slip
    events = walk.flowed.events
    assert abs(events[-1].t - events[-2].t - 0.7828) < 0.01  # and walks as before


def test_led_more_gently_to_the_curve_it_survives_eleven() -> None:
    walk = stepping_down(0.11, along_the_gait(pull=2.0, transfer=0.5), steps=8)
    assert not walk.fell and walk.steps == 8
    assert walk.reactions[:, 1].min() > 10.0


def test_on_its_gait_next_to_nothing_is_left_of_the_efforts() -> None:
    control = along_the_gait()
    walk = stepping_down(0.0, control, steps=2)
    _, q, v = walk.flowed.samples
    parts = control.parts(q, v)
    whole, nominal = np.abs(parts.total).max(), np.abs(parts.nominal).max()
    assert nominal > 4.0 and whole < 0.1
    assert control.field.distance(gait_curve()).max() < 1e-9  # type: ignore[attr-defined]


def test_reactions_are_those_of_the_momentum() -> None:
    """What the ground does is what the centre of mass accelerates by, less gravity."""
    walk = stepping_down(0.0, steps=1)
    _, q, v = walk.flowed.samples
    stands = models()[1]
    h = 1e-5
    for k in (10, 40):
        a = stands.forward_dynamics(q[k], v[k], np.zeros(2))
        c = [stands.center_of_mass(q[k] + x * v[k] + x * x / 2 * a) for x in (-h, 0.0, h)]
        force = stands.total_mass * ((c[0] - 2 * c[1] + c[2]) / h**2 - stands.gravity)
        slope = np.radians(3.0)
        along, normal = [np.cos(slope), 0.0, -np.sin(slope)], [np.sin(slope), 0.0, np.cos(slope)]
        np.testing.assert_allclose(walk.reactions[k], [force @ along, force @ normal], atol=2e-3)

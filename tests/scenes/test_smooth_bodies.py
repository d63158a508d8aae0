"""A ball in a bowl and eggs that meet: on their surfaces, with located events."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.scenes.contact import CURVATURE, RADIUS


def test_a_ball_rolls_in_a_bowl() -> None:
    run = ts.scenes.bowl().run()
    x, y, z = run.q[:, :3].T
    # the centre of a ball on z = c (x² + y²) is a radius away from the nearest point
    from scipy.optimize import minimize_scalar

    for r, height in zip(np.hypot(x, y)[::40], z[::40], strict=True):
        away = minimize_scalar(
            lambda s, r=r, h=height: (s - r) ** 2 + (CURVATURE * s * s - h) ** 2,
            bounds=(0.0, 1.0),
            method="bounded",
            options={"xatol": 1e-12},
        )
        assert abs(np.sqrt(away.fun) - RADIUS) < 1e-8
    print(run.events, np.abs(run.energy.relative_residual).max())
    assert np.abs(run.energy.relative_residual).max() < 1e-7
    # without friction nothing turns it
    slid = ts.scenes.bowl(friction=0.0).run()
    assert np.abs(slid.v[:, 3:]).max() < 1e-9
    assert np.abs(slid.energy.relative_residual).max() < 1e-7


def test_eggs_meet_at_the_same_time_in_both_engines() -> None:
    scene = ts.scenes.eggs()
    located = scene.but(contact="event", dt=0.01, duration=0.5).run()
    strikes = located.events.of("impact")
    first = next(each for each in strikes if {each.body, each.other} == {"low", "high"})
    stepped = scene.run(duration=0.5)
    pairs = stepped.contacts.others != "ground"
    met = stepped.t[stepped.contacts.sample[pairs].min()]
    print(first.t, met)
    assert abs(met - first.t) <= 2e-3
    assert np.abs(located.energy.relative_residual).max() < 1e-7

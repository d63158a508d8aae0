"""Robots with couplings and loops, redundant ones too, and clusters that are large or deep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import test_unusual_clusters as unusual
from coriolis_cases import Case
from test_robot_identities import ROBOTS, near

import tarsus as ts


def stated_by(state_it: Callable[[ts.Builder], None]) -> Callable[[], ts.Model]:
    def make() -> ts.Model:
        builder = ts.Builder(state_it.__name__)
        state_it(builder)
        return builder.build()

    return make


UNUSUAL = (
    unusual.hundred_followers,
    unusual.thirty_leaders,
    unusual.rotor_on_the_world_of_a_flying_arm,
    unusual.forty_joints_in_a_loop,
    unusual.body_on_a_round_rotor,
    unusual.rack_with_its_rotor_on_the_driven_body,
    unusual.screw_with_two_round_rotors,
)
SPECIAL = ROBOTS | {state_it.__name__: stated_by(state_it) for state_it in UNUSUAL}


def special(name: str) -> Case:
    """Return one of them with a state."""
    model, rng = SPECIAL[name](), np.random.default_rng(1)
    q = near(model, rng, 0.001 if model.nv == 39 else 0.1)  # the long loop is nearly stretched
    v, a, tau = rng.normal(size=(3, model.nv))
    external = rng.normal(size=(model.n_bodies, 6))
    return Case(name, model, np.asarray(model.joint_positions(q)), q, v, a, tau, external)

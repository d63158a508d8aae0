"""What ankles and knees can hold, beside statics of the whole machine."""

from __future__ import annotations

import numpy as np
import pytest
from walking_machines import machine

from tarsus.gait import Anatomy
from tarsus.walking.biped import Biped
from tarsus.walking.posture import ANKLE_HELD as HELD
from tarsus.walking.posture import HELD as KNEE
from tarsus.walking.posture import INSIDE, LEAST, USUAL, fitting_crouch, on_strong_ankles, stance
from tarsus.walking.settings import Style


def torques(body: Anatomy, q: np.ndarray, side: int, at: np.ndarray) -> np.ndarray:
    """Efforts (nv,) that hold all of the weight at a point (2,) of one sole: g(q) − Jᵀ f."""
    m, leg = body.model, body.legs[side]
    point = (leg.sole.placement @ np.array([*at, 0.0, 1.0]))[:3]
    pose = np.asarray(m.frame_pose(q, leg.end))
    rows = np.asarray(m.frame_jacobian(q, leg.end, reference="local_world_aligned"))
    arm = pose[:3, :3] @ point
    force = np.array([0.0, 0.0, m.total_mass * 9.81])
    wrench = np.concatenate([force, np.cross(arm, force)])
    return np.asarray(m.bias_forces(q, np.zeros(m.nv)) - rows.T @ wrench)


@pytest.mark.parametrize("name", ["icub", "romeo", "g1"])
def test_ankles_hold_the_weight_wherever_it_may_be(name: str) -> None:
    """At the edges of the region ankles have at most their share, beyond a weak one's more."""
    given = Anatomy.from_model(machine(name))
    q = stance(given)
    body, half = on_strong_ankles(given, q)
    m, weakest = body.model, 0.0
    for side, leg in enumerate(body.legs):
        ankles = leg.joints[leg.joints.index(leg.bend) + 1 :]
        for corner in ([1, 1], [1, -1], [-1, 1], [-1, -1]):
            tau = torques(body, q, side, half * corner)
            for joint in ankles:
                share = abs(tau[m.joint(joint).v_slice][0]) / m.joint(joint).effort_limit[0]
                weakest = max(weakest, float(share))
        # the sole is where it was
        assert leg.sole.points == pytest.approx(given.legs[side].sole.points)
    print(f"{name}: {half} m, ankles up to {weakest:.2f}")
    # feet weigh something, and axes of ankles are a little above the soles
    assert weakest < HELD + 0.02
    whole = INSIDE * given.legs[0].sole.size / 2
    assert (half <= whole + 1e-3).all()
    if name != "g1":
        assert weakest > HELD - 0.05
        assert (half < 0.95 * whole).any()


def test_soles_of_strong_ankles_stay() -> None:
    """Lola has no limits of torques: the middles of its soles carry."""
    given = Anatomy.from_model(machine("lola"))
    body, half = on_strong_ankles(given, stance(given))
    for before, after in zip(given.legs, body.legs, strict=True):
        assert after.sole.placement == pytest.approx(before.sole.placement)
    assert half == pytest.approx(INSIDE * given.legs[0].sole.size / 2)


@pytest.mark.parametrize("name", ["icub", "romeo", "g1", "talos_reduced", "lola"])
def test_knees_hold_the_weight(name: str) -> None:
    """With the weight below the hip on one leg, by statics of the whole machine."""
    body = Anatomy.from_model(machine(name))
    crouch = fitting_crouch(body)
    assert LEAST <= crouch <= USUAL
    if name in ("g1", "talos_reduced", "lola"):
        assert crouch == USUAL
        return
    assert crouch < USUAL
    q, m, leg = stance(body, crouch=crouch), body.model, body.legs[0]
    sole = np.asarray(m.frame_pose(q, leg.end)) @ leg.sole.placement
    ankle, hip = (np.asarray(m.frame_pose(q, each))[:3, 3] for each in (leg.end, leg.root))
    middle = (sole[:3, :3].T @ ((ankle + hip) / 2 - sole[:3, 3]))[:2]
    joint = m.joint(leg.bend)
    share = abs(torques(body, q, 0, middle)[joint.v_slice][0]) / joint.effort_limit[0]
    print(f"{name}: crouch {crouch:.3f}, knee {share:.2f} of its limit")
    assert share == pytest.approx(KNEE, abs=0.12)


def test_what_is_given_is_taken() -> None:
    body = Anatomy.from_model(machine("icub"))
    own = Biped.ready(body, Style(crouch=0.1, lift=0.05))
    assert (own.crouch, own.lift) == (0.1, 0.05)
    usual = Biped.ready(body)
    assert usual.lift < 0.045 < Biped.ready(Anatomy.from_model(machine("lola"))).lift


def test_soles_that_are_wider_than_long_are_told() -> None:
    """In the file of iCub feet are turned by a quarter, also as Pinocchio reads it."""
    notes = Anatomy.from_model(machine("icub")).notes
    assert any("'l_ankle_2' is 2.2 times as wide as long" in note for note in notes)
    assert not Anatomy.from_model(machine("g1")).notes


def test_soles_are_what_is_seen_of_feet_without_shapes() -> None:
    """Alexander has meshes to look at alone; its feet are 0.19 m long."""
    body = Anatomy.from_model(machine("alexander"))
    assert body.legs[0].sole.size == pytest.approx([0.19, 0.09], abs=0.01)
    assert "'LEFT_FOOT' has no shape for a sole: it is that of what is seen of it" in body.notes
    # long legs under a low centre of mass swing as slowly as they are long
    own = Biped.ready(body)
    assert own.supports.single == pytest.approx(2.2 * np.sqrt(body.legs[0].reach / 9.81), rel=1e-3)
    assert own.height < 0.8 * body.legs[0].reach

"""Any machine on any root: states map exactly both ways, and nothing of the machine is lost."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from floaters import (
    FEET,
    machine_that_floats,
    on_a_trunk,
    random_floater,
    same_on_both_roots,
    walker,
)
from machines import FLAVOURS

import tarsus as ts
from tarsus.model.description import KINDS, ROLLING

ROLLS = (*ROLLING, "rolling", "knife_edge")

ROOTS: dict[str, dict[str, object]] = {
    "fixed": {},
    "revolute": {"axis": (0.3, -1.0, 0.2)},
    "prismatic": {"axis": "x"},
    "screw": {"pitch": 0.1},
    "cylindrical": {"axis": "y"},
    "universal": {},
    "spherical": {},
    "spherical_zyx": {},
    "planar": {"axis": "y"},
    "translation": {},
    "free": {},
    "knife_edge": {},
    "rolling_wheel": {"radius": 0.2},
    "rolling_disc": {"radius": 0.2},
    "rolling_ball": {"radius": 0.2},
    "rolling_cylinder": {"radius": 0.2},
    "rolling": {"surface": {"kind": "ellipsoid", "numbers": (0.1, 0.2, 0.3)}},
}


@pytest.mark.parametrize("kind", ROOTS)
def test_every_joint_at_the_root(kind: str) -> None:
    place = {"position": (0.1, -0.2, 0.05), "rotation": (0.3, 0.2, -0.4)}
    rooted = walker().rooted_at("left_sole", kind, **place, **ROOTS[kind])
    assert rooted.nv == 12 + KINDS[kind][1]
    same_on_both_roots(rooted)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_on_each_of_their_bodies(seed: int) -> None:
    straight = [kind for kind in KINDS if kind not in ROLLS]
    model = random_floater(seed, 16, kinds=[*straight, ROLLS[seed % len(ROLLS)]])
    carried = {joint.child: joint for joint in model.description.joints}
    stood = 0
    for number, body in enumerate(carried):
        path, above = [], body
        while above != "trunk":
            path.append(carried[above].kind)
            above = carried[above].parent
        if set(path) & set(ROLLS):
            with pytest.raises(ts.ModelError, match="rolls"):
                model.rooted_at(body)
            continue
        kind = list(ROOTS)[(number + seed) % len(ROOTS)]
        same_on_both_roots(model.rooted_at(body, kind, **ROOTS[kind]), seed)
        stood += 1
    assert stood > 3


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ROLLS])
def test_every_joint_turned_round(kind: str) -> None:
    """The joint is in the midst of a chain of joints of its kind."""
    model = on_a_trunk(ts.robots.random_mechanism(1, 4, [kind, "revolute"], limits=True))
    ends = {joint.child: joint.parent for joint in model.description.joints}
    last = [body for body in ends if body not in ends.values()][-1]
    limited = [joint.name for joint in model.description.joints if joint.kind == "planar"]
    if limited:
        editor = ts.Editor(model)
        for name in limited:
            editor.change("joint", name, lower=None, upper=None)
        model = editor.build()
    rooted = model.rooted_at(last)
    same_on_both_roots(rooted)
    # limits follow the coordinates
    q = rooted.random_configuration(2, 50)
    there = rooted.to_original(q).q[..., model.base.nq :]
    lower, upper = model.lower[model.base.nq :], model.upper[model.base.nq :]
    assert ((there >= lower - 1e-9) & (there <= upper + 1e-9)).all()


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_machines_with_gears_couplings_and_loops(flavour: str) -> None:
    stood = 0
    for seed in (1, 2):
        model = machine_that_floats(seed, flavour)
        for body in [body.name for body in model.description.bodies][::2]:
            try:
                rooted = model.rooted_at(body)
            except ts.ModelError as error:
                assert "rolls" in str(error) or "cannot be reversed" in str(error)
                continue
            same_on_both_roots(rooted, seed)
            stood += 1
    assert stood > 3


@pytest.mark.parametrize("name", FEET)
def test_legged_robots_stand_on_a_foot(name: str) -> None:
    pytest.importorskip("pinocchio")  # whose package of robots these are
    model = ts.robots.load.example(name)
    for kind in ("fixed", "spherical", "rolling_ball"):
        same_on_both_roots(model.rooted_at(FEET[name], kind, **ROOTS[kind]))


def test_all_that_is_on_bodies_comes_along() -> None:
    model = walker()
    rooted = model.rooted_at("left_sole")
    assert set(rooted.frame_names) >= set(model.frame_names)
    assert rooted.motors == model.motors and len(rooted.shapes) == len(model.shapes)
    assert [force.name for force in rooted.forces] == ["cord"]
    old, new = model.joint("left_knee"), rooted.joint("left_knee")
    for key in ("lower", "upper", "stiffness", "rest", "damping", "friction", "armature"):
        assert np.array_equal(getattr(old, key), getattr(new, key))
    q = rooted.random_configuration(0)
    there = rooted.to_original(q).q
    for joint in ("left_knee", "right_knee", "right_ankle"):  # turned round, or beside the path
        assert np.array_equal(q[rooted.joint(joint).q_slice], there[model.joint(joint).q_slice])


def test_planar_walkers_lose_their_slides() -> None:
    model = ts.robots.compass(slope=0.05)
    rooted = model.rooted_at("right_foot", "revolute", axis=(0, -1, 0))
    assert (rooted.nq, rooted.nv) == (2, 2)
    assert any("ahead, above" in warning for warning in rooted.warnings)
    same_on_both_roots(rooted)
    # on its left foot it is the walker that is there with a pivot, by another way
    left = model.rooted_at("left_foot", "revolute", axis=(0, -1, 0))
    pivoted = ts.robots.compass(slope=0.05, rooted=True)
    q, v = np.array([0.3, -0.5]), np.array([0.7, -1.0])
    np.testing.assert_allclose(left.mass_matrix(q), pivoted.mass_matrix(q), atol=1e-14)
    for each in (left, pivoted):
        assert each.joint_names[1] == "hip"
    tau = np.zeros(2)
    np.testing.assert_allclose(
        left.forward_dynamics(q, v, tau), pivoted.forward_dynamics(q, v, tau), atol=1e-12
    )


def test_a_pivot_lets_go_where_it_is_released() -> None:
    pivoted = ts.robots.compass(rooted=True)
    with pytest.raises(ts.ModelError, match=r"does not float.*release='lean'"):
        pivoted.rooted_at("right_foot", "revolute", axis="y")
    rooted = pivoted.rooted_at("right_foot", "revolute", axis="y", release="lean")
    there = rooted.to_original([0.2, 0.4], [1.0, 0.0])
    assert not there.exact and there.slip.any()  # the other foot was held, and is not


def test_what_a_root_cannot_follow_is_told() -> None:
    model = walker()
    rooted = model.rooted_at("left_sole")
    q, v = model.neutral(), np.zeros(model.nv)
    q[2], v[model.base.v_slice] = 0.3, (0.0, 0.2, 0.0, 0.0, 0.0, 0.5)
    state = rooted.from_original(q, v)
    assert not state.exact and "off by up to 0.3 m" in str(state)
    np.testing.assert_allclose(state.shift, 0.3)
    np.testing.assert_allclose(state.turn, 0.0, atol=1e-12)
    slip = model.frame_velocity(q, v, "left_sole")
    np.testing.assert_allclose(state.slip, slip, atol=1e-12)
    # a foot that was set down elsewhere is where the root is, and has only its velocity left
    at = model.frame_pose(q, "left_sole")
    moved = rooted.from_original(q, v, at=at)
    np.testing.assert_allclose(moved.shift, 0.0, atol=1e-12)
    np.testing.assert_allclose(rooted.to_original(moved.q, at=at).q, q, atol=1e-12)
    # a ball follows its turns
    ball = model.rooted_at("left_sole", "spherical").from_original(q, v, at=at)
    np.testing.assert_allclose(ball.slip[3:], 0.0, atol=1e-12)
    np.testing.assert_allclose(ball.slip[:3], slip[:3], atol=1e-12)


def test_batches_are_loops_over_states() -> None:
    rooted = walker().rooted_at("left_sole", "spherical")
    rng = np.random.default_rng(0)
    q, v = rooted.random_configuration(rng, (2, 3)), rng.normal(size=(2, 3, rooted.nv))
    many = rooted.to_original(q, v)
    back = rooted.from_original(many.q, many.v)
    assert many.q.shape == (2, 3, rooted.original.nq) and back.slip.shape == (2, 3, 6)
    one = rooted.to_original(q[1, 2], v[1, 2])
    np.testing.assert_allclose(one.q, many.q[1, 2], atol=1e-14)
    np.testing.assert_allclose(one.v, many.v[1, 2], atol=1e-13)


def test_other_machines_stay_where_they_are() -> None:
    b = ts.Editor(walker())
    b.body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).joint("loose", "free", "world", "ball")
    rooted = b.build().rooted_at("right_sole", "revolute", axis="x")
    assert "ball" not in rooted.machine and rooted.joint("loose").kind == "free"
    same_on_both_roots(rooted)


def test_rooted_models_are_models() -> None:
    rooted = walker().rooted_at("left_sole", "revolute", axis="y", at=np.eye(4))
    again = pickle.loads(pickle.dumps(rooted))
    assert isinstance(again, ts.Rooted) and again == rooted
    assert np.array_equal(again.at, rooted.at) and again.original == rooted.original
    other = rooted.rooted_at("right_sole")
    assert other.original is rooted.original and other == walker().rooted_at("right_sole")
    np.testing.assert_allclose(
        rooted.frame_pose(rooted.neutral(), "left_sole"), np.eye(4), atol=1e-15
    )


def test_errors_name_what_is_wrong() -> None:
    model = walker()
    with pytest.raises(ts.UnknownNameError, match="'left_soul'; did you mean 'left_sole'"):
        model.rooted_at("left_soul")
    with pytest.raises(ValueError, match=r"joint is 'hinge'.*revolute"):
        model.rooted_at("left_sole", "hinge")
    with pytest.raises(TypeError, match="no parameter 'radios'; did you mean 'radius'"):
        model.rooted_at("left_sole", "rolling_ball", radios=0.1)
    with pytest.raises(ts.ModelError, match="radius"):
        model.rooted_at("left_sole", "rolling_ball")
    with pytest.raises(ValueError, match="orthonormal"):
        model.rooted_at("left_sole", at=np.diag([2.0, 1.0, 1.0, 1.0]))
    with pytest.raises(ts.ModelError, match=r"release.*'knee'.*valid: base"):
        model.rooted_at("left_sole", release="knee")
    with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
        model.rooted_at("left_sole").to_original(np.zeros(3))
    with pytest.raises(ValueError, match=r"at has shape \(3,\), must be"):
        model.rooted_at("left_sole").to_original(
            model.rooted_at("left_sole").neutral(), at=[0, 0, 0]
        )
    editor = ts.Editor(model).change("joint", "left_ankle", damping=[0.1, 0.2, 0.3])
    with pytest.raises(ts.ModelError, match=r"'left_ankle'.*cannot be reversed.*damping"):
        editor.build().rooted_at("left_sole")
    damped = ts.Editor(model).change("joint", "base", damping=0.1).build()
    with pytest.raises(ts.ModelError, match=r"'base'.*would be lost"):
        damped.rooted_at("left_sole")
    assert damped.rooted_at("left_sole", release="base").nv == 12
    part = ts.Builder("part").body("plate", 1.0).joint("weld", "fixed", "world", "plate")
    part.body("pole", 1.0, (0, 0, 1.0)).joint("hinge", "revolute", "plate", "pole", axis="y")
    with pytest.raises(ts.ModelError, match="'plate' is part of the world"):
        part.build().rooted_at("plate")

"""Wrong parts, places and numbers are errors that name what is wrong, and handles are friendly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tarsus as ts

c, f = ts.constraint, ts.forces
NAN, INF = float("nan"), float("inf")
UP = (0.0, 0.0, 2.0)


def arm() -> ts.Model:
    """Return two links of 1 m in a plane."""
    b = ts.Builder("arm")
    for k, parent in enumerate(("world", "upper")):
        name = ("upper", "lower")[k]
        b.body(name, mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        b.joint(f"joint{k}", "revolute", parent, name, axis="y", position=(float(k), 0, 0))
    return b.build()


@pytest.fixture
def sim() -> ts.Simulation:
    made = ts.Simulation(arm())
    made.reset([0.3, 0.4])
    return made


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "frame": (lambda: c.Nail("hand"), "where: there is no frame 'hand'.*valid: upper, lower"),
    "second place": (lambda: f.Spring("upper", "hand", 1.0), "b: there is no frame"),
    "point": (lambda: c.Nail(("lower", (1.0, 0.0))), r"where has shape \(2,\)"),
    "not a point": (lambda: c.Nail(5), r"where has shape \(\)"),
    "flag": (lambda: c.Nail("lower", pose="yes"), "pose is 'yes', must be True or False"),
    "weld's flag": (lambda: c.Weld("upper", "lower", 3), "where_they_are is 3"),
    "joint's flag": (lambda: c.Joint("weld", "upper", "lower", "x"), "where_they_are is 'x'"),
    "path's flag": (lambda: c.PointOnPath("lower", np.eye(3), closed=1), "closed is 1"),
    "pose of a point": (lambda: c.Nail("lower", UP, pose=True), r"target has shape \(3,\)"),
    "motion to a point": (lambda: c.BodyMotion("lower", UP), r"target has shape \(3,\)"),
    "turn to a point": (lambda: c.Orientation("lower", UP), r"target has shape \(3,\)"),
    "word for a number": (lambda: c.JointMotion("joint0", "x"), "target is not an array"),
    "no number": (lambda: c.JointMotion("joint0", NAN), "target is not finite"),
    "two numbers": (lambda: c.JointMotion("joint0", [1.0, 2.0]), r"target has shape \(2,\)"),
    "ratios": (lambda: f.JointSpring({"joint0": 0.0}, 1.0), "must have a ratio that is not zero"),
    "same body": (lambda: c.Distance("lower", ("lower", UP)), "all of it is on body 'lower'"),
    "same body, spring": (lambda: f.Spring("lower", "lower", 1.0), "all of it is on body 'lower'"),
    "the world": (lambda: c.Nail(UP), "'nail1' has nothing to move: all of it is on the world"),
    "wrench on the world": (lambda: f.Wrench(UP, UP), "all of it is on the world"),
    "no direction": (lambda: c.Distance("upper", (0, 0, 0)), "'distance1' are at the same place"),
    "class": (lambda: c.Nail, "part is the class Nail, must be one of ts.constraint or ts.forces"),
    "number": (lambda: 5, "part is 5, must be one of ts.constraint"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_parts_say_what_is_wrong(sim: ts.Simulation, what: str) -> None:
    part, message = WRONG[what]
    with pytest.raises((TypeError, ValueError), match=message):
        sim.add(part())
    assert not sim.parts
    sim.step()


def test_forces_are_a_list_and_errors_count_them() -> None:
    spring = f.Spring("lower", UP, 1.0)
    with pytest.raises(TypeError, match=r"forces is Spring.*must be a list of parts of ts.forces"):
        ts.Simulation(arm(), forces=spring)  # type: ignore[arg-type]
    with pytest.raises(ts.UnknownNameError, match=r"forces\[1\]: a: there is no frame 'hand'"):
        ts.Simulation(arm(), forces=[spring, f.Spring("hand", UP, 1.0)])


def test_a_force_of_a_model_may_be_idle() -> None:
    b = ts.Editor(arm())
    b.force(f.Spring("lower", ("lower", UP), 1.0))  # as a file may state it
    ts.Simulation(b.build()).run(duration=0.01)


def test_rotors_whose_angles_do_not_matter_are_named() -> None:
    sim = ts.Simulation(ts.robots.rotor_tree(3))
    with pytest.raises(ValueError, match=r"'joint_1_rotor'.* a rotor whose angle"):
        sim.add(c.Nail("joint_1_rotor"))


def test_what_is_removed_stays_removed(sim: ts.Simulation) -> None:
    gone = sim.add(c.Nail("lower"))
    sim.remove(gone)
    other = sim.add(c.Nail("lower"))
    assert other.name != gone.name
    with pytest.raises(KeyError, match=r"there is no part 'nail1'.*valid: nail2"):
        sim.remove(gone)
    assert "removed" in repr(gone)
    with pytest.raises(KeyError, match="there is no part 'nail9'; did you mean 'nail2'"):
        sim.parts["nail9"]
    for wrong in (5, None, c.Nail("lower")):
        with pytest.raises(TypeError, match="must be a handle that add returned, or a name"):
            sim.remove(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is of another simulation"):
        ts.Simulation(arm()).remove(other)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("target", (1.0, 2.0), r"the target of 'nail1' has shape \(2,\)"),
        ("target", np.zeros((4, 4)), "the target of 'nail1': the last row"),
        ("on", "x", "on of 'nail1' is 'x', must be True or False"),
        ("on", [True, False], r"on of 'nail1' has shape \(2,\), must be \(\), or \(1,\)"),
        ("time_constant", INF, "time_constant of 'nail1' is not finite"),
        ("time_constant", -1.0, "time_constant of 'nail1' is -1.0, must not be negative"),
        ("limit", NAN, "limit of 'nail1' is not finite"),
        ("stiffness", 1.0, "has no number 'stiffness'.*valid: on, target, time_constant, limit"),
    ],
)
def test_wrong_numbers_of_handles(sim: ts.Simulation, name: str, value: Any, message: str) -> None:
    nail = sim.add(c.Nail("lower"))
    before = nail.target.copy(), nail.time_constant, nail.limit, nail.on
    with pytest.raises((TypeError, ValueError, AttributeError), match=message):
        setattr(nail, name, value)
    np.testing.assert_array_equal(nail.target, before[0])
    assert (nail.time_constant, nail.limit, nail.on) == before[1:]


@pytest.mark.parametrize(
    "plan", [5, "x", ([], []), ([0.0, NAN], [UP, UP]), ([0.0, 1.0], [UP, (0, 0, NAN)])]
)
def test_wrong_plans(sim: ts.Simulation, plan: Any) -> None:
    nail = sim.add(c.Nail("lower"))
    with pytest.raises((TypeError, ValueError), match="the plan of 'nail1'"):
        nail.follow(plan)
    sim.step()


def test_handles_show_their_numbers(sim: ts.Simulation) -> None:
    spring = sim.add(f.Spring("lower", UP, 10.0, damping=0.5))
    wrench = sim.add(f.Wrench("lower", UP))
    assert repr(spring) == (
        "<tarsus part 'spring1': Spring(a='lower', b=(0.0, 0.0, 2.0), stiffness=10.0, damping=0.5)>"
    )
    assert {"stiffness", "damping", "limit", "target", "follow", "force"} <= set(dir(spring))
    assert "target" not in dir(wrench) and "follow" not in dir(wrench)
    for handle in (spring, wrench):
        for name in dir(handle):
            getattr(handle, name)  # all of them are there
    assert type(spring.stiffness) is float and spring.on is True


def test_numbers_that_are_the_same_again_fit_any_batch(sim: ts.Simulation) -> None:
    sim.reset(np.tile([0.3, 0.4], (3, 1)))
    nail = sim.add(c.Nail("lower", name="pin"))
    nail.on = [True, False, True]
    with pytest.raises(ValueError, match=r"q has 1 states, but parts have .* for 3: pin; set them"):
        sim.run([0.3, 0.4], duration=0.01)
    nail.on = True
    assert sim.run([0.3, 0.4], duration=0.01).q.shape == (11, 2)


def test_a_point_that_is_set_is_the_target_of_later_motions() -> None:
    sim = ts.Simulation(arm())
    nail = sim.add(c.Nail("lower", pose=True, time_constant=0.1))  # where it is, of no motion yet
    nail.target = UP
    sim.reset(np.tile([0.3, 0.4], (2, 1)))
    turned = np.asarray(arm().frame_pose([0.3, 0.4], "lower"))[:3, :3]
    for found in nail.target:
        np.testing.assert_array_equal(found[:3], UP)
        np.testing.assert_allclose(
            ts.spatial.rotation_from_quaternion(found[3:]), turned, atol=1e-12
        )

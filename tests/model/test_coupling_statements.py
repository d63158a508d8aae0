"""Gears, couplings and transmissions that cannot be: every mistake is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from arms import arm, square

import tarsus as ts
from tarsus.model.description import Coupling

Call = Callable[[ts.Builder], object]


BAD_CALLS: dict[str, tuple[Call, str]] = {
    "gear of an unknown joint": (
        lambda b: b.gear("elbo", 2, "r"),
        "gear 'r_joint': there is no joint 'elbo'; did you mean 'elbow'",
    ),
    "gear of a joint of several coordinates": (
        lambda b: b.joint("ball", "spherical", "lower", "s").gear("ball", 2, "r"),
        "joint 'ball' is spherical and has 3 coordinates",
    ),
    "gear of a fixed joint": (
        lambda b: b.joint("weld", "fixed", "lower", "s").gear("weld", 2, "r"),
        "joint 'weld' is fixed and has 0 coordinates",
    ),
    "ratio that is not finite": (
        lambda b: b.gear("elbow", np.inf, "r"),
        "gear 'r_joint': ratio is not finite",
    ),
    "ratio that is not a number": (
        lambda b: b.gear("elbow", "high", "r"),  # type: ignore[arg-type]
        "gear 'r_joint': ratio is not an array of numbers",
    ),
    "unknown rotor": (lambda b: b.gear("elbow", 2, "x"), "rotor 'x' is not declared"),
    "unknown mount": (
        lambda b: b.gear("elbow", 2, "r", "wall", position=(0, 0, 0), axis="x"),
        "parent 'wall' is not declared",
    ),
    "rotor that hangs already": (
        lambda b: b.gear("elbow", 2, "lower"),
        "body 'lower' already hangs on a joint",
    ),
    "other mount without a place": (
        lambda b: b.gear("elbow", 2, "r", "world"),
        "needs a place on its mount 'world' and an axis",
    ),
    "axis without a place": (
        lambda b: b.gear("elbow", 2, "r", axis="x"),
        "a rotor that is not coaxial with joint 'elbow' .* needs a place on its mount .* an axis",
    ),
    "place without an axis": (
        lambda b: b.gear("elbow", 2, "r", position=(0, 0, 1)),
        "needs a place on its mount 'upper' and an axis",
    ),
    "unknown approximation": (
        lambda b: b.gear("elbow", 2, "r", approximate="armature"),
        "must be 'exact' or 'reflected'",
    ),
    "parameters of a reflected rotor": (
        lambda b: b.gear("elbow", 2, "r", approximate="reflected", damping=1.0),
        "damping is for exact rotors only",
    ),
    "name of a joint twice": (
        lambda b: b.gear("elbow", 2, "r", name="elbow"),
        "joint name 'elbow' is used twice",
    ),
    "coupling of an unknown joint": (
        lambda b: b.couple(["shoulder", "albow"], [[1], [2]]),
        "coupling 'albow': there is no joint 'albow'; did you mean 'elbow'",
    ),
    "matrix with too few rows": (
        lambda b: b.couple(["shoulder", "elbow"], [[1]]),
        r"matrix has shape \(1, 1\), must be \(2, number of leaders\)",
    ),
    "matrix that is a number": (
        lambda b: b.couple(["shoulder", "elbow"], 2.0),
        r"matrix has shape \(\), must be",
    ),
    "matrix that is not finite": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [np.nan]]),
        "coupling of shoulder, elbow: matrix is not finite",
    ),
    "matrix with rows of different lengths": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [2, 3]]),
        "matrix is not an array of numbers",
    ),
    "nobody leads": (
        lambda b: b.couple(["shoulder", "elbow"], [[3], [2]]),
        "no joint leads column 0",
    ),
    "a leader with an offset": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [2]], offset=[1, 0]),
        "no joint leads column 0",
    ),
    "nobody follows": (
        lambda b: b.couple(["shoulder", "elbow"], np.eye(2)),
        "all joints lead, none follows",
    ),
    "joints that are a string": (lambda b: b.couple("elbow", [[1]]), "must be names of joints"),
    "a joint twice": (
        lambda b: b.couple(["elbow", "elbow"], [[1], [2]]),
        "joint 'elbow' comes twice",
    ),
    "a joint that follows twice": (
        lambda b: b.gear("elbow", 2, "r").couple(["shoulder", "r_joint"], [[1], [2]], name="x"),
        "coupling 'x': joint 'r_joint' already follows by coupling 'r_joint'",
    ),
    "a joint that follows itself": (
        lambda b: b.gear("elbow", 2, "r").couple(["r_joint", "elbow"], [[1], [2]]),
        "coupling 'elbow': joint 'elbow' would follow itself",
    ),
    "a coupling name twice": (
        lambda b: b.gear("elbow", 2, "r").couple(["elbow", "shoulder"], [[1], [2]], name="r_joint"),
        "coupling name 'r_joint' is used twice",
    ),
    "unknown transmission": (
        lambda b: b.transmission("spindel", "shoulder", "elbow"),
        "unknown kind 'spindel'; did you mean 'spindle'",
    ),
    "linear transmission": (
        lambda b: b.transmission("linear", "shoulder", "elbow"),
        "unknown kind 'linear'",
    ),
    "missing parameter": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", pivot=(0, 0, 1), lead=1),
        r"parameter 'nut' is missing \(needs: pivot, nut, axis, lead\)",
    ),
    "unknown parameter": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", leed=1),
        "unknown parameter 'leed'; did you mean 'lead'",
    ),
    "parameter of a wrong shape": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", pivot=1, nut=(0, 0, 1), lead=1),
        r"pivot has shape \(\), must be \(3,\)",
    ),
    "lead of zero": (
        lambda b: b.transmission(
            "spindle", "shoulder", "elbow", pivot=(0, 0, 1), nut=(0, 0, 1), lead=0
        ),
        "lead is zero",
    ),
    "too many followers": (
        lambda b: b.transmission("spindle", "shoulder", ["elbow", "a"]),
        "has 2 followers, needs 1",
    ),
    "no followers": (lambda b: b.transmission("spindle", "shoulder", []), "non-empty string"),
    "function that cannot be called": (
        lambda b: b.transmission("function", "shoulder", "elbow", function=3),  # type: ignore[arg-type]
        "kind 'function' needs a function",
    ),
    "function of a spindle": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", function=square),
        "kind 'spindle' cannot have a function",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_wrong_call_fails_at_once(name: str) -> None:
    call, message = BAD_CALLS[name]
    builder = arm().joint("a", "revolute", "lower", "s") if "many" in name else arm()
    with pytest.raises(ts.ModelError, match=message):
        call(builder)


def test_a_wrong_call_changes_nothing() -> None:
    builder = arm()
    before = builder.description()
    wrong: list[Call] = [
        lambda b: b.gear("elbow", 2, "r", name="elbow"),
        lambda b: b.couple(["elbow", "elbow"], [[1], [2]]),
        lambda b: b.gear("elbow", 2, "r", damping=-1.0),
        lambda b: b.gear("elbow", 2, "r", approximate="reflected", name="elbow"),
    ]
    for call in wrong:
        with pytest.raises(ts.ModelError):
            call(builder)
    assert builder.description() == before
    assert builder.gear("elbow", 2, "r").gear("elbow", 2, "s").build().nv == 2


def test_descriptions_are_checked_too() -> None:
    description = arm().gear("elbow", 2, "r").joint("j", "revolute", "lower", "s").description()
    here = ts.Source("arm.yaml", 3)

    def fails(coupling: Coupling, message: str) -> None:
        stated = replace(coupling, source=here)
        with pytest.raises(ts.ModelError, match=f"arm.yaml:3: .*{message}"):
            ts.Model(replace(description, couplings=[description.couplings[0], stated]))

    two = np.array([[2.0]])
    fails(Coupling("x", "linaer", ("elbow",), ("j",), two), "did you mean 'linear'")
    fails(Coupling("x", "linear", ("elbow",), ("j",)), "matrix is not an array")
    fails(Coupling("x", "linear", ("elbow",), (), two), "has 0 followers, needs at least one")
    fails(Coupling("x", "linear", ("elbow",), ("j",), two, np.ones(2)), "offset has shape")
    fails(Coupling("r_joint", "linear", ("elbow",), ("j",), two), "name 'r_joint' is used twice")
    fails(Coupling("x", "function", ("elbow",), ("j",), two, function=square), "matrix is for")
    fails(
        Coupling("x", "function", ("r_joint",), ("j",), function=square),
        "leader with own coordinates, but 'r_joint' follows",
    )


def test_a_parameter_of_a_gear_that_there_is_not() -> None:
    """A typing error is answered with the parameters that there are."""
    builder = ts.Builder("typo").body("link", 1.0, (0, 0, 0.1), (0.01, 0.01, 0.01))
    builder.joint("hinge", "revolute", "world", "link").body("rotor", 0.1)
    with pytest.raises(TypeError, match=r"no parameter 'dampng'.*damping"):
        builder.gear("hinge", 5, "rotor", dampng=1.0)

"""Wrong arguments: each is refused with a TypeError or ValueError that names it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, quadruped

from tarsus.geometry import Collision, Ground, HeightField, Profile, Space, Steps
from tarsus.simulation import DormandPrince, Simulation, contact, rollout

WORDS: list[Any] = ["x", object(), b"1.0", {}, {"x"}, 1j]
"""What is no number, wherever it comes from."""
FLAGS: list[Any] = [True, False]
ODD: list[Any] = [np.nan, np.inf, -np.inf]
LISTS: list[Any] = [[1.0, 2.0], np.ones(2), [], [[]]]
NUMBER = [*WORDS, *FLAGS, *ODD, *LISTS, None, 1e300, 10**400]
POSITIVE = [*NUMBER, 0.0, -1.0, -1e-300]
COUNT = [*WORDS, *FLAGS, *ODD, *LISTS, None, 1.5, 0, -1, 10**30, "3"]
TRUTH: list[Any] = ["x", 1, 0, 1.0, [], [True], np.ones(2), object()]
FIVE = 5
ARRAY: list[Any] = [
    "x",
    ["a", "b", "c", "d"],
    ["1", "2", "3", "4"],
    np.array(list("abcd")),
    np.array([1, None, 2, 3], object),
    np.ones(4) * 1j,
    [1.0, 2.0, "x", 4.0],
    [[1.0], [1.0, 2.0]],
    np.ones(4, "datetime64[s]"),
    np.ones(4, bool),
    {},
    object(),
    FIVE,
    np.ones(3),
    np.ones((2, 3)),
    np.full(4, np.nan),
    np.array([0.0, 0.0, np.inf, 0.0]),
]
"""What is no state of four numbers."""

FILE = Path("no") / "file.npz"


def simulation(**options: Any) -> Any:
    return Simulation(arm(), ground=Ground(), **options)


def run(**options: Any) -> Any:
    return Simulation(arm()).run(**{"q0": ARM, "duration": 0.01, **options})


def smooth(**options: Any) -> Any:
    sim = Simulation(arm(), integrator="rk4")
    return sim.run(**{"q0": ARM, "duration": 0.01, **options})


def reset(**options: Any) -> Any:
    return Simulation(arm()).reset(**{"q": ARM, **options})


def step(**options: Any) -> Any:
    sim = Simulation(arm())
    sim.reset(ARM)
    return sim.step(**options)


def rolled(**options: Any) -> Any:
    known = {"q0": ARM, "torques": np.zeros((5, 4)), **options}
    return rollout(Simulation(arm()), **known)


def field(**options: Any) -> Any:
    return HeightField(**{"heights": np.zeros((3, 3)), "spacing": 0.5, **options})


def bumpy(**options: Any) -> Any:
    return HeightField.from_function(lambda x, y: 0.0 * x, **options)


def collision(**options: Any) -> Any:
    return Collision.from_model(quadruped(), **options)


def ledger(**options: Any) -> Any:
    return run().energy.check(**options)


Call = Callable[..., Any]

TABLE: list[tuple[Call, str, list[Any]]] = [
    (simulation, "dt", [*POSITIVE, 5e-324, 1e-200]),
    (simulation, "joint_friction", [*TRUTH, None]),
    (simulation, "joint_limits", TRUTH),
    (simulation, "effort_limits", [*TRUTH, None]),
    (simulation, "strict", [*TRUTH, None]),
    (simulation, "stiction", [*ARRAY, -np.ones(4)]),
    (simulation, "max_contacts", [each for each in COUNT if each is not None]),
    (simulation, "limit_restitution", [*NUMBER, -0.1, 1.1]),
    (simulation, "contact", ["x", "", 3, None, [], contact.Exact]),
    (simulation, "integrator", ["x", "", 3, None, [], DormandPrince]),
    (simulation, "ground", ["x", 3, [], Ground]),
    (simulation, "collision", ["x", 3, [], arm()]),
    (run, "q0", ARRAY),
    (run, "v0", ARRAY),
    (run, "duration", [*NUMBER, -1.0, 1e50]),
    (run, "controller", ["x", 3, [], np.zeros(4)]),
    (run, "record", ["x", 3, None, 1.5, (), [3], ("q", "x"), object(), np.zeros(2)]),
    (run, "every", COUNT),
    (
        run,
        "mass_scale",
        [
            *(each for each in WORDS if each != {}),
            *FLAGS,
            *ODD,
            0.0,
            -1.0,
            [],
            np.ones(3),
            np.ones((2, 2, 4)),
        ],
    ),
    (run, "mass_scale", [{"link_0": each} for each in (*WORDS, *ODD, True, 0.0, None)]),
    (run, "mass_scale", [{"link_0": np.ones(2), "link_1": np.ones(3)}, {3: 1.0}, {"x": 1.0}]),
    (run, "threads", [*COUNT, 1025]),
    (run, "progress", TRUTH),
    (run, "checkpoint", [3, 1.5, [], object(), True]),
    (run, "checkpoint_every", [1.0]),
    (smooth, "q0", ARRAY),
    (smooth, "v0", ARRAY),
    (smooth, "duration", [*NUMBER, -1.0, 1e50]),
    (smooth, "controller", ["x", 3, [], np.zeros(4)]),
    (smooth, "record", ["x", 3, None, (), object()]),
    (smooth, "every", COUNT),
    (smooth, "threads", [*COUNT, 1025]),
    (smooth, "progress", TRUTH),
    (reset, "q", ARRAY),
    (reset, "v", ARRAY),
    (reset, "mass_scale", ["x", 0.0, object()]),
    (reset, "threads", [*COUNT, 1025]),
    (step, "tau", [each for each in ARRAY if each is not FIVE]),  # one number is for all
    (step, "steps", COUNT),
    (rolled, "q0", ARRAY),
    (rolled, "torques", [*ARRAY, np.zeros((2, 0, 4)), np.zeros((1, 2, 3, 4))]),
    (rolled, "hold", COUNT),
    (rolled, "record", ["x", 3, None, ()]),
    (rolled, "mass_scale", ["x", 0.0, object()]),
    (rolled, "threads", [*COUNT, 1025]),
    (Ground, "slope", [*NUMBER, 2.0, -2.0]),
    (Ground, "friction", [*WORDS, *FLAGS, *ODD, [], np.ones((2, 2)), -1.0, None]),
    (Ground, "restitution", [*WORDS, *ODD, 1.1, -0.1]),
    (Ground, "torsion", [*WORDS, *ODD, [1.0, 2.0], -1.0]),
    (Space, "friction", [*WORDS, *ODD, -1.0]),
    (field, "heights", [*WORDS, *ODD, 1.0, np.zeros(3), np.zeros((1, 3)), np.full((3, 3), np.nan)]),
    (field, "heights", [np.ones((3, 3)) * 1j, np.full((3, 3), "1"), [[0.0], [1.0, 2.0]]]),
    (field, "spacing", [*WORDS, *FLAGS, *ODD, 0.0, -1.0, np.ones(3), None, []]),
    (field, "origin", [*WORDS, *ODD, np.ones(3), None, 1.0]),
    (bumpy, "spacing", [*WORDS, *FLAGS, *ODD, 0.0, -1.0, None, 1e-12]),
    (bumpy, "low", [*WORDS, *ODD, (0.0,), (np.nan, 0.0), (9.0, 0.0)]),
    (Profile, "points", [*WORDS, *ODD, np.zeros(4), np.zeros((1, 2)), np.zeros((3, 2))]),
    (Steps, "rise", [*NUMBER, 0.0]),
    (Steps, "depth", [*NUMBER, 0.0, -1.0]),
    (Steps, "count", COUNT),
    (collision, "mesh_points", [*COUNT, 3]),
    (collision, "shapes", ["x", 3, None, []]),
    (collision, "hollows", TRUTH),
    (collision, "self_collision", [3, "x", [3], [("trunk",)], [("x", "y")], object()]),
    (collision, "contact_points", [3, [3], ["x"], {"trunk": "x"}, {"trunk": np.ones(2)}, object()]),
    (contact.Exact, "iterations", COUNT),
    (contact.Exact, "tolerance", POSITIVE),
    (contact.Lemke, "facets", [*WORDS, *ODD, None, 1.5, -1, 3, 10**30]),
    (contact.Penalty, "stiffness", POSITIVE),
    (DormandPrince, "rtol", POSITIVE),
    (ledger, "tolerance", [*WORDS, *FLAGS, *ODD, *LISTS, None, -1.0]),
]

CASES = [(call, name, value) for call, name, values in TABLE for value in values]


@pytest.mark.parametrize(
    ("call", "name", "value"),
    CASES,
    ids=[f"{call.__name__} {name} {k}" for k, (call, name, _) in enumerate(CASES)],
)
def test_wrong_arguments_are_named(call: Call, name: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((TypeError, ValueError)) as caught:
            call(**{name: value})
    message = str(caught.value)
    known = (name, "there is no body", "there is no frame")
    assert any(word in message for word in known), message
    assert "incompatible function arguments" not in message and "nanobind" not in message

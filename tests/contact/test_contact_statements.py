"""What is stated about a world is checked when it is made: geometry, laws, controllers, sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_scenes import box
from contact_worlds import World

import tarsus as ts

ERRORS = (TypeError, ValueError, ts.ModelError)
STONE = {"solid_body": [0, -1], "solid_placement": np.tile(np.eye(4), (2, 1, 1))}


def refuses(world: World, **changes: Any) -> str:
    """Return the message with which a world is refused."""
    with pytest.raises(ERRORS) as caught:
        world.but(**changes).core()
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("dt", value) for value in (0.0, -1e-3, np.nan, np.inf, -np.inf)),
        ("law", "magic"),
        ("controller", "lqr"),
        ("ground_kind", "sea"),
        *(("control_steps", value) for value in (0, -1)),
        *(("max_contacts", value) for value in (-1,)),
        ("stiction", np.zeros(5)),
        ("stiction", np.full(6, -1.0)),
        ("stiction", np.full(6, np.nan)),
        ("effort", np.full(6, np.nan)),
        ("effort", np.full(6, -1.0)),
        ("point_body", [0, 0, 0, 1]),
        ("point_body", [0, 0, 0, -1]),
        ("point_body", [0, 0, 0, 2**31 - 1]),
        ("point_position", np.full((4, 3), np.nan)),
        ("point_radius", -0.1),
        ("point_radius", np.nan),
        *(("ground_numbers", value) for value in ((), (0, 0, 1), (0, 0, 2, 0), (0, 0, 0, 0))),
        ("ground_numbers", (0.0, 0.0, 1.0, np.nan)),
    ],
    ids=str,
)
def test_worlds_are_checked(name: str, value: Any) -> None:
    message = refuses(box(), **{name: value})
    print(message)
    assert name in message or (name == "ground_numbers" and "plane" in message)


@pytest.mark.parametrize(
    "changes",
    [
        {"ring_body": [0]},
        {
            "ring_body": [3],
            "ring_position": np.zeros((1, 3)),
            "ring_axis": [[0, 0, 1.0]],
            "ring_radius": [0.1],
        },
        {
            "ring_body": [0],
            "ring_position": np.zeros((1, 3)),
            "ring_axis": [[0, 0, 0.0]],
            "ring_radius": [0.1],
        },
        {
            "ring_body": [0],
            "ring_position": np.zeros((1, 3)),
            "ring_axis": [[0, 0, 1.0]],
            "ring_radius": [np.nan],
        },
        {
            "ring_body": [0],
            "ring_position": np.zeros((1, 2)),
            "ring_axis": [[0, 0, 1.0]],
            "ring_radius": [0.1],
        },
        {**STONE, "solid_kind": ("sphere",), "solid_size": np.ones((2, 3))},
        {**STONE, "solid_kind": ("sphere", "cone"), "solid_size": np.ones((2, 3))},
        {**STONE, "solid_kind": ("sphere", "ellipsoid"), "solid_size": np.zeros((2, 3))},
        {**STONE, "solid_kind": ("sphere", "box"), "solid_size": np.full((2, 3), np.nan)},
        {**STONE, "solid_kind": ("sphere", "box"), "solid_size": np.full((2, 3), -1.0)},
        {**STONE, "solid_kind": ("sphere", "triangle"), "solid_size": np.ones((2, 4))},
        {
            **STONE,
            "solid_kind": ("sphere", "box"),
            "solid_size": np.ones((2, 3)),
            "pairs": [(0, 2)],
        },
        {
            **STONE,
            "solid_kind": ("sphere", "box"),
            "solid_size": np.ones((2, 3)),
            "pairs": [(0, -1)],
        },
        {
            **STONE,
            "solid_body": [0, -2],
            "solid_kind": ("sphere", "box"),
            "solid_size": np.ones((2, 3)),
        },
        {"ground_kind": "profile", "ground_numbers": (0.0, 0.0, 1.0)},
        {"ground_kind": "profile", "ground_numbers": (0.0, 0.0, 1.0, 0.0, 0.5, 0.0)},
        {"ground_kind": "profile", "ground_numbers": (0.0, np.nan, 1.0, 0.0)},
        {"ground_kind": "height_field", "ground_numbers": (0.0, 0.0, 1.0, 1.0, 2.0)},
        {"ground_kind": "height_field", "ground_numbers": (0, 0, 1, 1, 2, 2, 0, 0, 0)},
        {"ground_kind": "height_field", "ground_numbers": (0, 0, -1, 1, 2, 2, 0, 0, 0, 0)},
        {"ground_kind": "height_field", "ground_numbers": (0, 0, 1, 1, 1e9, 1e9, 0)},
        {"ground_kind": "height_field", "ground_numbers": (0, 0, 1, 1, -2, -2, 0, 0, 0, 0)},
        {"ground_kind": "height_field", "ground_numbers": (0, 0, 1, 1, np.nan, 2, 0, 0, 0, 0)},
        {"ground_kind": "smooth", "ground_numbers": ()},
        {"ground_kind": "smooth", "ground_numbers": (2.0, 1.0, 1.0, 1.0)},  # an ellipsoid
        {"ground_kind": "smooth", "ground_numbers": (5.0, 1.0)},
        {"ground_kind": "smooth", "ground_numbers": (99.0, 1.0, 1.0)},
        {"ground_kind": "smooth", "ground_numbers": (5.5, 1.0, 1.0)},
        {"law_numbers": {"iteration": 5.0}},
        {"law_numbers": {"iterations": -5.0}},
        {"law_numbers": {"tolerance": np.nan}},
        {"law": "lemke", "law_numbers": {"facets": 2.0}},
        {"law": "lemke", "law_numbers": {"facets": -4.0}},
        {"law": "penalty", "law_numbers": {"stiffness": np.nan}},
        {"law": "penalty", "law_numbers": {"stiffness": -1.0}},
    ],
    ids=lambda changes: " ".join(f"{key}" for key in changes),
)
def test_geometry_and_laws_are_checked(changes: dict[str, Any]) -> None:
    print(refuses(box(), **changes))

"""What the tests of our own format share."""

from __future__ import annotations

SUFFIXES = (".yaml", ".yml", ".json")


SMALL = {
    "format": "tarsus",
    "version": 1,
    "name": "pendulum",
    "bodies": [{"name": "rod", "mass": 1.0}],
    "joints": [{"name": "hinge", "kind": "revolute", "parent": "world", "child": "rod"}],
}

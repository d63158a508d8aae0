"""What `tarsus simulate` is told about the course of a run: what pushes it, and when it ends."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.simulation import Push, until

BOUND = re.compile(r"(?P<name>[^<>]+)(?P<side>[<>])(?P<value>[^<>]+)")
TOUCH = "touch:"
PUSH = re.compile(r"(?P<body>.+):(?P<force>[^:@]+)(@(?P<start>[^@+]+)(\+(?P<duration>[^@+]+))?)?")


def pushes(texts: Sequence[str]) -> list[Push]:
    """Return what pushes a run: `trunk:60,0,0@0.5+0.1` is 60 N along x from 0.5 s on for 0.1 s."""
    return [_push(text) for text in texts]


def _push(text: str) -> Push:
    found = PUSH.fullmatch(text)
    try:
        assert found is not None
        force = [float(each) for each in found["force"].split(",")]
        start, duration = float(found["start"] or 0.0), float(found["duration"] or math.inf)
        return Push(found["body"], force, start=start, duration=duration)
    except (AssertionError, ValueError) as error:
        why = f": {error}" if str(error) else ""
        raise ValueError(f"--push {text} must be such as trunk:60,0,0@0.5+0.1{why}") from None


def conditions(model: Model, texts: Sequence[str]) -> list[until.Condition]:
    """Return what ends a run: `trunk<0.2` (a height), `knee>1.5` (a joint), `touch:trunk`."""
    return [_condition(model, text) for text in texts]


def _condition(model: Model, text: str) -> until.Condition:
    if text.startswith(TOUCH):
        return until.Touch(text.removeprefix(TOUCH))
    found = BOUND.fullmatch(text)
    if found is None:
        raise ValueError(f"--until {text} must be such as 'trunk<0.2', 'knee>1.5' or touch:trunk")
    name = found["name"].strip()
    try:
        value = float(found["value"])
    except ValueError:
        raise ValueError(f"--until {text}: {found['value']!r} is not a number") from None
    kinds = {"frame": name in model.frame_names, "joint": name in model.joint_names}
    if all(kinds.values()):
        raise ValueError(f"--until {text}: {name!r} is a frame and a joint of {model.name}")
    if not any(kinds.values()):
        names = (*model.frame_names, *model.joint_names)
        raise ValueError(f"--until {text}: no such frame or joint{suggestion(name, names)}")
    kind = until.Height if kinds["frame"] else until.Position
    return kind(name, below=value) if found["side"] == "<" else kind(name, above=value)

"""MuJoCo compiles a file, without what would only take memory, and with all passive forces."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any, NamedTuple

from tarsus.formats.mjcf_actuators import Actuators, switch_off
from tarsus.formats.mjcf_keyframes import KeyStatement
from tarsus.formats.mjcf_left_out import leave_out
from tarsus.formats.mjcf_sensors import SensorStatement
from tarsus.model.description import ModelError, Source


class Compiled(NamedTuple):
    """What MuJoCo made of a file, and what was read before it did."""

    spec: Any
    model: Any
    actuators: Actuators
    keys: list[KeyStatement]
    sensors: list[SensorStatement]
    left_out: Counter[str]
    notes: list[str]


def compiled(mujoco: Any, file: str) -> Compiled:
    """The specification and its model, what is left out of them, and what MuJoCo warned of."""
    errors = (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_file(file)
            actuators = Actuators(mujoco, spec, file)
            keys = [KeyStatement.read(key) for key in spec.keys]
            told = [SensorStatement.read(mujoco, i, each) for i, each in enumerate(spec.sensors)]
            left_out = leave_out(mujoco, spec)
            actuators.remove(spec)
            # lengths of muscles are found by simulation, which only actuators need
            spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
            model = spec.compile()
        except ModelError:
            raise
        except errors as error:
            message = " ".join(str(error).split())
            line = re.search(r"line (?:number=)?(\d+)", message, re.IGNORECASE)
            source = Source(file, int(line[1]) if line else None)
            raise ModelError(f"MuJoCo cannot build this model: {message}", source) from None
    actuators.reflect(model, file)
    switch_off(mujoco, model)
    notes = [f"MuJoCo: {warning.message}" for warning in caught]
    return Compiled(spec, model, actuators, keys, told, left_out, notes)

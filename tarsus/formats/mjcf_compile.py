"""MuJoCo compiles a file, without what would only take memory, and with all passive forces."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any

from tarsus.formats.mjcf_actuators import Actuators, switch_off
from tarsus.formats.mjcf_left_out import leave_out
from tarsus.model.description import ModelError, Source


def compiled(mujoco: Any, file: str) -> tuple[Any, Any, Actuators, Counter[str], list[str]]:
    """The specification and its model, what is left out of them, and what MuJoCo warned of."""
    errors = (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_file(file)
            actuators = Actuators(mujoco, spec)
            left_out = leave_out(mujoco, spec)
            # lengths of muscles are found by simulation, which only actuators need
            spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
            model = spec.compile()
        except errors as error:
            message = " ".join(str(error).split())
            line = re.search(r"line (?:number=)?(\d+)", message, re.IGNORECASE)
            source = Source(file, int(line[1]) if line else None)
            raise ModelError(f"MuJoCo cannot build this model: {message}", source) from None
    actuators.reflect(model, file)
    switch_off(mujoco, model)
    notes = [f"MuJoCo: {warning.message}" for warning in caught]
    return spec, model, actuators, left_out, notes

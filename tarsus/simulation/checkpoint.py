"""Checkpoints: all that a run needs to go on to the same bits, in one .npz file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.files import replacing
from tarsus.model.description import Array
from tarsus.simulation.state import State

VERSION = 2
PREFIX = "controller."


class CheckpointWarning(UserWarning):
    """A checkpoint that could not be written; the run went on."""


@dataclass(frozen=True)
class Checkpoint:
    """A state on the way, and what the run was asked for."""

    state: State
    plan: Mapping[str, Any]
    """Total steps, what is recorded, and hashes of all that the motion depends on."""
    parameters: Array
    controller: Mapping[str, Array]
    """What the controller's `get_state` returned."""


def write(path: str | Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; an older one at that path is replaced only when the new is complete."""
    state = checkpoint.state
    plan = {**checkpoint.plan, "version": VERSION, "step": state.step, "batched": state.batched}
    arrays: dict[str, Any] = {
        "plan": np.array(json.dumps(plan)),
        "q": state.q,
        "v": state.v,
        "memory": state.memory,
        "parameters": checkpoint.parameters,
        **{PREFIX + name: value for name, value in checkpoint.controller.items()},
    }
    for name, value in checkpoint.controller.items():
        if np.asarray(value).dtype.kind not in "biufcSU":
            raise TypeError(f"the controller's memory {name!r} is {value!r}, must be an array")
    with replacing(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)


def read(path: str | Path) -> Checkpoint:
    """Read what `write` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        plan = json.loads(str(arrays["plan"]))
        parts = [np.ascontiguousarray(arrays[name]) for name in ("q", "v", "memory", "parameters")]
        version = plan["version"]
    except FileNotFoundError:
        raise
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is not a checkpoint of a simulation: {error}") from None
    if version != VERSION:
        raise ValueError(f"{path} has version {version}, this is version {VERSION}")
    state = State(parts[0], parts[1], parts[2], int(plan["step"]), bool(plan["batched"]))
    own = {k.removeprefix(PREFIX): a for k, a in arrays.items() if k.startswith(PREFIX)}
    return Checkpoint(state, plan, parts[3], own)

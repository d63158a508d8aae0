"""Checkpoints: all that a run needs to go on to the same bits, in one .npz file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.native_elements import mapping
from tarsus.formats.text import parse_json
from tarsus.model import Model
from tarsus.simulation.acting import Acting
from tarsus.simulation.array_file import read_arrays, write_arrays
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.state import State

VERSION = 3
PREFIX = "controller."
TABLES = ("q", "v", "memory", "parameters")
PLAN: dict[str, tuple[tuple[type, ...], int]] = {
    "version": ((int,), 0),
    "step": ((int,), 0),
    "batched": ((bool,), 0),
    "steps": ((int,), 0),
    "every": ((int,), 1),
    "cadence": ((int,), 0),
    "record": ((bool, list), 0),
    "drive": ((str,), 0),
    "content": ((dict,), 0),
}
"""What a plan must have: of which types, and from which number on."""


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
    ended: NDArray[np.int64] | None = None
    """After which step a condition ended each state, −1 for none, and which (2, B)."""
    parts: tuple[Array, Array] | None = None
    """Numbers and memory of parts, if there are any."""


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
    if checkpoint.ended is not None:
        arrays["ended"] = checkpoint.ended
    if state.acting is not None:
        arrays["part_numbers"], arrays["part_memory"] = state.acting.numbers, state.acting.memory
    for name, value in checkpoint.controller.items():
        if np.asarray(value).dtype.kind not in "biufcSU":
            raise TypeError(f"the controller's memory {name!r} is {value!r}, must be an array")
    write_arrays(path, arrays)


def read(path: str | Path) -> Checkpoint:
    """Read what `write` wrote; a `RunFileError` if it is damaged."""
    path = Path(path)
    arrays = read_arrays(path, "a checkpoint of a simulation")
    missing = [name for name in TABLES if not _is_table(arrays.get(name))]
    if missing or "plan" not in arrays:
        names = ", ".join(missing or ["plan"])
        raise RunFileError(f"{path} is not a checkpoint of a simulation: it has no {names}")
    plan = _plan(str(arrays["plan"]), Source(str(path)))
    q, v, memory, parameters = (np.ascontiguousarray(arrays[name]) for name in TABLES)
    own = {k.removeprefix(PREFIX): a for k, a in arrays.items() if k.startswith(PREFIX)}
    parts = None
    if all(_is_table(arrays.get(name)) for name in ("part_numbers", "part_memory")):
        parts = arrays["part_numbers"], arrays["part_memory"]
    state = State(q, v, memory, plan["step"], plan["batched"])
    return Checkpoint(state, plan, parameters, own, arrays.get("ended"), parts)


def parts_of(path: str | Path, saved: Checkpoint, acting: Acting) -> tuple[Array, Array]:
    """Return numbers and memory of parts of a checkpoint, if they are as many as these have."""
    if saved.parts is None:
        raise RunFileError(f"{path} has no parts, but the simulation has")
    numbers, memory = saved.parts
    states = len(saved.state.q)
    if (
        numbers.shape not in ((1, acting.numbers.shape[1]), (states, acting.numbers.shape[1]))
        or memory.shape != acting.memory.shape
        or np.isnan(numbers).any()
        or not np.isfinite(memory).all()
    ):
        raise RunFileError(f"{path}: the numbers of parts are not those of the simulation")
    return np.ascontiguousarray(numbers), np.ascontiguousarray(memory)


def check_fits(path: str | Path, saved: Checkpoint, model: Model, world: _core.World) -> None:
    """Raise unless the numbers of a checkpoint are as many as the model and the world have."""
    state, states = saved.state, max(1, len(saved.state.q))
    rows = 1 if len(saved.parameters) == 1 else states
    wanted = {
        "q": (state.q, (states, model.nq)),
        "v": (state.v, (states, model.nv)),
        "memory": (state.memory, (states, world.memory_size)),
        "parameters": (saved.parameters, (rows, world.parameter_size)),
    }
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            raise RunFileError(f"{path}: {name} has shape {array.shape}, must be {shape}")


def ended_of(path: str | Path, saved: Checkpoint, conditions: int) -> NDArray[np.int64]:
    """Return which states were ended, and by which of so many conditions (2, B), checked."""
    ended, shape = saved.ended, (2, len(saved.state.q))
    if ended is None or ended.shape != shape or ended.dtype != np.int64:
        raise RunFileError(f"{path}: ended must be {shape} whole numbers")
    most = np.array([[saved.state.step], [conditions - 1]])
    if (ended < [[-1], [0]]).any() or (ended > most).any():
        raise RunFileError(f"{path}: ended has numbers that cannot be")
    return ended


def _is_table(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == np.float64 and array.ndim == 2


def _plan(text: str, source: Source) -> dict[str, Any]:
    try:
        data = parse_json(text, source, finite=False)
        plan = mapping(data, data, tuple(PLAN), "the plan", source)
    except ModelError as error:
        raise RunFileError(str(error)) from None
    if plan["version"] != VERSION:
        raise RunFileError(f"{source} has version {plan['version']!r}, this is version {VERSION}")
    for name, (kinds, least) in PLAN.items():
        value = plan[name]
        if type(value) not in kinds or (type(value) is int and not least <= value < 2**53):
            raise RunFileError(f"{source}: {name} of the plan is {value!r}")
    return plan

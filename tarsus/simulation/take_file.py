"""Takes as JSON files, in the plain data of `tarsus._lib.data`.

A file may come from anywhere. It holds numbers and names and nothing that runs; what does not fit
the simulation is found when it is replayed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import check_name, count, flag, number, read_only, reals, suggestion
from tarsus._lib.data import decode, encode
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats import text
from tarsus.formats.native_elements import mapping
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.parts.part import Part
from tarsus.simulation.board import Kept
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.snapshot import Snapshot
from tarsus.simulation.take import Input, Take, copied_command

VERSION = 2
KEYS = ("version", "dt", "end", "inputs")
TABLES = ("q", "v", "memory", "touched", "parameters")
KEPT = {"part_numbers": "numbers", "part_memory": "memory", "run_numbers": "runs"}
SNAPSHOT = ("step", "batched", "driven", *TABLES, "control", "content", "parts", *KEPT)
PARTS: dict[str, type[Part]] = {**FORCES, **CONSTRAINTS}
"""What a file may put on."""


def write_take(take: Take, path: str | Path) -> None:
    """Write a take."""
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"{path} must end with .json")
    if take.end is None or not take.inputs:
        raise ValueError("the take is empty: nothing was done while it was recorded")
    inputs = [_plain(each) for each in take.inputs]
    stated = json.dumps(inputs)
    if len(stated) > text.MAX_BYTES // 2 or stated.count(",") > text.MAX_VALUES // 2:
        raise ValueError(f"the take has {len(stated)} bytes, too many: record shorter ones")
    dt, end = take.inputs[0].what["snapshot"].dt, [encode(each) for each in take.end]
    text.write({"version": VERSION, "dt": dt, "end": end, "inputs": inputs}, path)


def load_take(path: str | Path) -> Take:
    """Return a take that was saved; a `RunFileError` if the file is damaged."""
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"{path}: takes are .json files")
    source = Source(str(path))
    try:
        data = text.read(path)
        data = mapping(data, KEYS, KEYS, "the take", source)
        if data["version"] != VERSION:
            found = f"the file has version {data['version']!r}"
            raise ModelError(f"{found}, this is version {VERSION}", source)
        return _take(data, source)
    except ModelError as error:
        raise RunFileError(str(error) if error.source else f"{path}: {error}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise RunFileError(f"{path}: {error}") from None


def _plain(each: Input) -> dict[str, Any]:
    what = {name: _plain_value(value) for name, value in each.what.items()}
    return {"t": each.t, "do": each.do, **what, **({"failed": True} if each.failed else {})}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Snapshot):
        return plain_snapshot(value)
    if isinstance(value, Part):
        return _plain_part(value)
    return encode(value)


def _plain_part(part: Part) -> Any:
    if PARTS.get(part.kind) is not type(part):
        raise TypeError(f"{part!r} is no part of ts.forces or ts.constraint: no file can hold it")
    return encode(part, part.name or part.kind, PARTS)


def plain_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as data for JSON; a `TypeError` if no file can hold what is in it."""
    return {
        "step": snapshot.step,
        "batched": snapshot.q.ndim > 1,
        "driven": snapshot.driven,
        **{name: encode(np.atleast_2d(getattr(snapshot, name)), name) for name in TABLES},
        "control": encode(snapshot.control, "the controller's memory"),
        "content": dict(snapshot.content),
        "parts": [_plain_part(part) for part in snapshot.kept.parts],
        **{name: encode(getattr(snapshot.kept, key), name) for name, key in KEPT.items()},
        "ledger": snapshot.ledger,
    }


def _take(data: dict[str, Any], source: Source) -> Take:
    take, dt = Take(None), number(data["dt"], "dt")
    if not isinstance(data["inputs"], list) or not data["inputs"]:
        raise ModelError("inputs must be a list of what was done", source)
    take.inputs = [_input(each, dt, source) for each in data["inputs"]]
    if take.inputs[0].do != "restore":
        raise ModelError("the first input must be a snapshot to start from", source)
    end = data["end"]
    if not isinstance(end, list) or len(end) != 2:
        raise ModelError("end must be q and v", source)
    take.end = reals(decode(end[0]), "q of end"), reals(decode(end[1]), "v of end")
    return take


def _input(data: Any, dt: float, source: Source) -> Input:
    if not isinstance(data, dict) or data.get("do") not in list(READERS):
        do = data.get("do") if isinstance(data, dict) else data
        raise ModelError(f"there is no input {do!r}{suggestion(do, READERS)}", source)
    keys, read = READERS[data["do"]]
    mapping(data, ("t", "do", *keys, "failed"), ("t", "do", *keys), "an input", source)
    failed = data.get("failed", False)
    return Input(number(data["t"], "t"), data["do"], read(data, dt, source), flag(failed, "failed"))


def _restore(data: dict[str, Any], dt: float, source: Source) -> dict[str, Any]:
    return {"snapshot": read_snapshot(data["snapshot"], dt, source)}


def read_snapshot(data: Any, dt: float, source: Source) -> Snapshot:
    """Return the snapshot, of a motion with steps of dt [s], that `plain_snapshot` made plain."""
    stated = mapping(data, (*SNAPSHOT, "ledger"), SNAPSHOT, "a snapshot", source)
    tables = {name: read_only(reals(decode(stated[name], name), name)) for name in TABLES}
    for name, table in tables.items():
        if table.ndim != 2:
            raise ModelError(
                f"{name} of a snapshot has shape {table.shape}, must be (B, n)", source
            )
    if not flag(stated["batched"], "batched"):
        tables |= {name: tables[name][0] for name in ("q", "v") if len(tables[name]) == 1}
    content, control = stated["content"], decode(stated["control"], "control")
    if not isinstance(content, dict) or {*map(type, content.values())} - {str}:
        raise ModelError("the content of a snapshot must be words by name", source)
    if not isinstance(control, dict) or not all(map(_is_memory, control.values())):
        raise ModelError("the control of a snapshot must be arrays of numbers by name", source)
    count(stated["step"], "step", 0)
    return Snapshot(
        tables["q"],
        tables["v"],
        stated["step"],
        dt,
        tables["memory"],
        tables["touched"],
        tables["parameters"],
        flag(stated["driven"], "driven"),
        control,
        _kept(stated, source),
        stated=content,
        ledger=flag(stated.get("ledger", False), "ledger"),
    )


def _kept(data: dict[str, Any], source: Source) -> Kept:
    numbers, memory, runs = (_rows(data[name], name, source) for name in KEPT)
    if not isinstance(data["parts"], list) or runs is None:
        raise ModelError("a snapshot must have a list of parts, and numbers of runs", source)
    return Kept(runs, numbers, memory, stated=tuple(_part(each, source) for each in data["parts"]))


def _is_memory(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _rows(data: Any, what: str, source: Source) -> Array | None:
    found = decode(data, what)
    if found is None:
        return None
    rows = reals(found, what)
    if rows.ndim != 2:
        raise ModelError(f"{what} must be rows of numbers", source)
    return rows


def _part(data: Any, source: Source) -> Part:
    found = decode(data, "a part", PARTS)
    if not isinstance(found, Part):
        raise ModelError(f"a part is {data!r}, must be one of {', '.join(PARTS)}", source)
    return found


def _add(data: dict[str, Any], dt: float, source: Source) -> dict[str, Any]:
    return {"part": _part(data["part"], source)}


def _remove(data: dict[str, Any], dt: float, source: Source) -> dict[str, Any]:
    check_name(data["part"], "part", source)
    return {"part": data["part"]}


def _numbers(data: dict[str, Any], dt: float, source: Source) -> dict[str, Any]:
    rows = _rows(data["rows"], "rows", source)
    if rows is None:
        raise ModelError("a part must have numbers", source)
    return {**_remove(data, dt, source), "rows": rows}


def _step(data: dict[str, Any], dt: float, source: Source) -> dict[str, Any]:
    count(data["steps"], "steps")
    if isinstance(data["command"], (str, bool)):
        raise ModelError(f"a command is {data['command']!r}, must be numbers", source)
    return {"command": copied_command(decode(data["command"], "a command")), "steps": data["steps"]}


READERS: dict[str, tuple[tuple[str, ...], Callable[..., dict[str, Any]]]] = {
    "restore": (("snapshot",), _restore),
    "step": (("command", "steps"), _step),
    "add": (("part",), _add),
    "remove": (("part",), _remove),
    "numbers": (("part", "rows"), _numbers),
}
"""What a file may tell to do, with which keys."""

"""`tarsus info`: a model as a header and a tree of its bodies and joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsus.model import JointView, Model
from tarsus.model.description import WORLD, Array

AXIS_KINDS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar")


def show(model: Model, console: Console, *, warnings: bool = False) -> None:
    """Print the header, the tree and, if asked for, the warnings."""
    console.print(header(model))
    console.print()
    console.print(_tree(model))
    console.print(Text(f"\n{_count(len(model.frame_names), 'frame')}", "dim"))
    if not model.warnings:
        return
    if not warnings:
        count = _count(len(model.warnings), "warning")
        console.print(Text(f"{count}: --warnings shows what was not taken over", "yellow"))
        return
    console.print(Text("\nwarnings", "bold yellow"))
    for warning in model.warnings:
        console.print(Text(f"• {warning}"))


def as_data(model: Model) -> dict[str, Any]:
    """Return what `show` shows, as plain data for JSON; None stands for no limit."""
    return {
        "name": model.name,
        "n_bodies": model.n_bodies,
        "n_joints": len(model.joint_names),
        "nq": model.nq,
        "nv": model.nv,
        "total_mass": model.total_mass,
        "n_clusters": len(model.clusters),
        "bodies": [_body_data(model, name) for name in model.body_names],
        "joints": [_joint_data(model.joint(name)) for name in model.joint_names],
        "frames": list(model.frame_names),
        "warnings": list(model.warnings),
    }


def header(model: Model) -> Text:
    """Return the model in one line: name, sizes and mass."""
    text = Text(model.name, "bold")
    facts = [
        _count(model.n_bodies, "body", "bodies"),
        _count(len(model.joint_names), "joint"),
        f"nq {model.nq}",
        f"nv {model.nv}",
        f"{model.total_mass:.4g} kg",
        _count(len(model.clusters), "cluster"),
    ]
    return text.append("  " + " · ".join(facts), "not bold")


def _tree(model: Model) -> Table:
    """Return a line for each body, its joint beside it; what hangs in series is not indented."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("body", no_wrap=True)
    table.add_column("mass", justify="right", style="cyan", no_wrap=True)
    table.add_column("joint", overflow="fold")
    table.add_column("kind", style="green", overflow="fold")
    table.add_column("q", justify="right", no_wrap=True)
    table.add_column("v", justify="right", no_wrap=True)
    table.add_column("limits", style="magenta", overflow="fold")
    for rails, name in _with_rails(model):
        body = model.body(name)
        joint = model.joint(body.joint)
        cells = [f"{body.mass:.3g} kg", joint.name, _motion(joint)]
        cells += [_span(joint.q_slice), _span(joint.v_slice), _limits(joint)]
        label = Text(rails, "dim").append(name, "not dim bold")
        table.add_row(label, *(Text(cell) for cell in cells))
    return table


def _with_rails(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the bodies depth first, each with the lines of the tree before its name."""
    children: dict[int, list[str]] = {}
    for name in model.body_names:
        children.setdefault(model.body(name).parent, []).append(name)
    stack = [("", "", -1)]
    while stack:
        rails, below, index = stack.pop()
        if index >= 0:
            yield rails, model.body_names[index]
        names = children.get(index, [])
        for name in reversed(names):
            last = name == names[-1]
            first_rail, next_rail = ("└ ", "  ") if last else ("├ ", "│ ")
            if len(names) == 1:
                first_rail = next_rail = ""
            stack.append((below + first_rail, below + next_rail, model.body(name).index))


def _motion(joint: JointView) -> str:
    """Return the kind of a joint with what sets it apart from others of its kind."""
    axes = [joint.axis] if joint.kind in AXIS_KINDS else []
    axes += [joint.second_axis] if joint.kind == "universal" else []
    words = [joint.kind, *map(_axis, axes)]
    if joint.kind == "screw":
        words.append(f"{joint.pitch:g} m/rad")
    return " ".join(words)


def _axis(axis: Array) -> str:
    for sign, word in ((1.0, ""), (-1.0, "−")):
        if np.count_nonzero(axis) == 1 and axis.max(initial=0.0) * sign + axis.min() * sign == 1.0:
            return word + "xyz"[int(np.flatnonzero(axis)[0])]
    return "(" + " ".join(f"{number:.3g}" for number in axis) + ")"


def _span(where: slice) -> str:
    return f"{where.start}" if where.stop == where.start + 1 else f"{where.start}:{where.stop}"


def _limits(joint: JointView) -> str:
    """Return the position limits, those without in between left out."""
    pairs = [
        f"[{low:.3g}, {high:.3g}]"
        for low, high in zip(joint.lower, joint.upper, strict=True)
        if np.isfinite(low) or np.isfinite(high)
    ]
    return " ".join(pairs).replace("-", "−").replace("inf", "∞")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _body_data(model: Model, name: str) -> dict[str, Any]:
    body = model.body(name)
    parent = model.body_names[body.parent] if body.parent >= 0 else WORLD
    return {
        "name": name,
        "parent": parent,
        "joint": body.joint,
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.inertia.tolist(),
    }


def _joint_data(joint: JointView) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind,
        "q": [joint.q_slice.start, joint.q_slice.stop],
        "v": [joint.v_slice.start, joint.v_slice.stop],
    }
    if joint.kind in AXIS_KINDS:
        data["axis"] = joint.axis.tolist()
    for key in ("lower", "upper", "velocity_limit", "effort_limit"):
        numbers = getattr(joint, key).tolist()
        data[key] = [number if np.isfinite(number) else None for number in numbers]
    return data

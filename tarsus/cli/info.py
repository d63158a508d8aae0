"""`tarsus info`: bodies, joints, clusters and forces of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.cli.common import print_table
from tarsus.formats.native import encode_force
from tarsus.model.model import Model
from tarsus.model.views import JointView

# `tarsus info`: a model as a header, a tree of bodies and joints, clusters and forces.


AXIS_KINDS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar")

COLUMNS = (
    *(("body", ""), ("mass", "cyan"), ("joint", ""), ("kind", "green")),
    *(("q", ""), ("v", ""), ("limits", "magenta")),
)
"""Titles and styles of the columns; the last is left out where there is no room for it."""
LARGEST_WIDTH = 10_000
"""Columns that are enough for every table."""


def show(model: Model, console: Console, *, warnings: bool = False) -> None:
    """Print the header, the tree, what is coupled, forces and, if asked for, the warnings."""
    console.print(header(model))
    console.print()
    complete = _fits(_tree(model), console)
    table = _tree(model, limits=complete)
    # names stay whole, whatever the width: a terminal wraps lines that are too long
    console.print(table, width=max(console.width, _width(table, console)), crop=False)
    show_clusters(model, console)
    show_forces(model, console)
    console.print(Text(f"\n{_count(len(model.frame_names), 'frame')}", "dim"))
    if not complete:
        console.print(Text("limits are not shown: they need a wider terminal, or --json", "dim"))
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
        **as_data_clusters(model),
        "bodies": [_body_data(model, name) for name in model.body_names],
        "joints": [_joint_data(model.joint(name)) for name in model.joint_names],
        "forces": as_data_forces(model),
        "frames": list(model.frame_names),
        "warnings": list(model.warnings),
    }


def header(model: Model) -> Text:
    """Return the model in a line: name, sizes and mass; and a word on joints that mimic others."""
    text = Text(model.name, "bold")
    facts = [
        _count(model.n_bodies, "body", "bodies"),
        _count(len(model.joint_names), "joint"),
        f"nq {model.nq}",
        f"nv {model.nv}",
        f"{model.total_mass:.4g} kg",
        _count(len(model.clusters), "cluster"),
    ]
    if model.constraints:
        facts.append(_count(len(model.constraints), "constraint"))
    text.append("  " + " · ".join(facts), "not bold")
    note = mimic_note(model)
    return text.append(f"\n{note}", "not bold yellow") if note else text


def mimic_note(model: Model) -> str:
    """Return the warning of a reader that joints which mimic others move on their own here."""
    return next((text for text in model.warnings if text.startswith("mimic joints")), "")


def _tree(model: Model, *, limits: bool = True) -> Table:
    """Return a line for each body, its joint beside it; what hangs in series is not indented."""
    rows = []
    for rails, name in _with_rails(model):
        body = model.body(name)
        joint = model.joint(body.joint)
        cells = [f"{body.mass:.3g} kg", joint.name, _motion(joint)]
        cells += [_span(joint.q_slice), _span(joint.v_slice), _limits(joint)]
        label = Text(rails, "dim").append(name, "not dim bold")
        rows.append([label, *(Text(cell) for cell in cells)])
    table = Table(box=None, header_style="dim", pad_edge=False)
    shown = len(COLUMNS) if limits else len(COLUMNS) - 1
    for index, (title, style) in enumerate(COLUMNS[:shown]):
        longest = max((row[index].cell_len for row in rows), default=0)
        wraps, right = title == "kind", title in ("mass", "q", "v")
        table.add_column(
            title,
            style=style,
            justify="right" if right else "left",
            no_wrap=not wraps,
            min_width=None if wraps else max(longest, len(title)),
        )
    for row in rows:
        table.add_row(*row[:shown])
    return table


def _fits(table: Table, console: Console) -> bool:
    return _width(table, console) <= console.width


def _width(table: Table, console: Console) -> int:
    """Return the smallest width of a table, in columns of a terminal of any size."""
    return console.measure(table, options=console.options.update_width(LARGEST_WIDTH)).minimum


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
    if joint.surface is not None and joint.ground is not None:
        words.append(f"{joint.surface.kind} on {joint.ground.kind}")
    return " ".join(words)


def _axis(axis: Array) -> str:
    for sign, word in ((1.0, ""), (-1.0, "−")):
        if np.count_nonzero(axis) == 1 and axis.max(initial=0.0) * sign + axis.min() * sign == 1.0:
            return word + "xyz"[int(np.flatnonzero(axis)[0])]
    return "(" + " ".join(f"{number:.3g}" for number in axis) + ")"


def _span(where: slice) -> str:
    if where.stop == where.start:
        return ""  # it has no coordinates of its own
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
        "dependent": joint.dependent,
        "q": [joint.q_slice.start, joint.q_slice.stop],
        "v": [joint.v_slice.start, joint.v_slice.stop],
    }
    if joint.kind in AXIS_KINDS:
        data["axis"] = joint.axis.tolist()
    for key in ("lower", "upper", "velocity_limit", "effort_limit"):
        numbers = getattr(joint, key).tolist()
        data[key] = [number if np.isfinite(number) else None for number in numbers]
    return data


# What `tarsus info` tells about clusters, constraints and motors.


def show_clusters(model: Model, console: Console) -> None:
    """Print the clusters of several joints, the constraints and the motors, if there are any."""
    clusters = [cluster for cluster in model.clusters if cluster.kind != "joint"]
    print_table(
        console,
        ("cluster", "closure", "independent", "joints that follow", "on"),
        [
            (
                cluster.kind,
                cluster.closure,
                ", ".join(cluster.independent),
                ", ".join(name for name in cluster.joints if name not in cluster.independent),
                cluster.parent,
            )
            for cluster in clusters
        ],
    )
    print_table(
        console,
        ("constraint", "kind", "rows", "between", "no cluster because"),
        [
            (c.name, c.kind, f"{c.rows}", " and ".join(c.bodies), c.reason)
            for c in model.constraints
        ],
    )
    if model.motors:
        console.print(Text("\nmotors  ", "dim").append(", ".join(model.motors), "not dim"))


def as_data_clusters(model: Model) -> dict[str, Any]:
    """Return clusters, constraints and motors as plain data for JSON."""
    return {
        "clusters": [
            {
                "kind": cluster.kind,
                "closure": cluster.closure,
                "parent": cluster.parent,
                "bodies": list(cluster.bodies),
                "joints": list(cluster.joints),
                "independent": list(cluster.independent),
                "q": [cluster.q_slice.start, cluster.q_slice.stop],
                "v": [cluster.v_slice.start, cluster.v_slice.stop],
            }
            for cluster in model.clusters
        ],
        "constraints": [
            {
                "name": constraint.name,
                "kind": constraint.kind,
                "bodies": list(constraint.bodies),
                "rows": constraint.rows,
                "reason": constraint.reason,
            }
            for constraint in model.constraints
        ],
        "motors": list(model.motors),
    }


# What `tarsus info` tells about the forces of a model.


def show_forces(model: Model, console: Console) -> None:
    """Print the forces with all that they state, if there are any."""
    rows = []
    for data in as_data_forces(model):
        stated = [f"{key} {_short(data[key])}" for key in data if key not in ("kind", "name")]
        rows.append((data.get("name", ""), data["kind"], ", ".join(stated)))
    print_table(console, ("force", "kind", "stated"), rows)


def as_data_forces(model: Model) -> list[dict[str, Any]]:
    """Return the forces as plain data for JSON, as our own format has them."""
    return [encode_force(force, number) for number, force in enumerate(model.forces, 1)]


def _short(value: Any) -> str:
    """Return a value of a file in few digits."""
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    if isinstance(value, list):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, dict):
        return " + ".join(f"{_short(part)} {name}" for name, part in value.items())
    return "none" if value is None else str(value)

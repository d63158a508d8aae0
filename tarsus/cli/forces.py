"""What `tarsus info` tells about the forces of a model."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from tarsus.cli.tables import print_table
from tarsus.formats.native_forces import encode_force
from tarsus.model import Model


def show_forces(model: Model, console: Console) -> None:
    """Print the forces with all that they state, if there are any."""
    rows = []
    for data in as_data(model):
        stated = [f"{key} {_short(data[key])}" for key in data if key not in ("kind", "name")]
        rows.append((data.get("name", ""), data["kind"], ", ".join(stated)))
    print_table(console, ("force", "kind", "stated"), rows)


def as_data(model: Model) -> list[dict[str, Any]]:
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

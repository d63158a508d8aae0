"""What `tarsus info` tells about clusters, constraints and motors."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from tarsus.cli.tables import print_table
from tarsus.model import Model


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


def as_data(model: Model) -> dict[str, Any]:
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

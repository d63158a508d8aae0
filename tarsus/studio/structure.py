"""What a machine is made of: clusters with their freedoms, loops with their ranks."""

from __future__ import annotations

from typing import Any

from tarsus.kit import cuts_of
from tarsus.studio.machine import Machine


def clusters(machine: Machine) -> list[dict[str, Any]]:
    """Return the clusters of a machine as plain data, by the names that people gave its bodies."""
    return [
        {
            "name": owner(machine, cluster.bodies[0]),
            "bodies": [owner(machine, body) for body in cluster.bodies],
            "joints": list(cluster.joints),
            "kind": cluster.kind,
            "nv": cluster.v_slice.stop - cluster.v_slice.start,
        }
        for cluster in machine.model.clusters
    ]


def loops(machine: Machine) -> list[dict[str, Any]]:
    """Return the loops of a machine: rows, how many count beside those before, why so."""
    return [
        {"name": cut.name, "rows": cut.rows, "rank": cut.rank, "reason": cut.reason}
        for cut in cuts_of(machine.model, machine.q)
    ]


def owner(machine: Machine, link: str) -> str:
    """Return the body that a link carries: "crank" for "crank.pivot", a link of its hinge."""
    body = link.rpartition(".")[0]
    names = {each.name for each in machine.bodies()}
    return body if link not in names and body in names else link

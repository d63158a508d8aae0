"""What a machine is made of: clusters with their freedoms, loops with their ranks."""

from __future__ import annotations

from typing import Any

from tarsus.kit import cuts_of
from tarsus.model.description import Description, Joint
from tarsus.studio.carriers import helpers
from tarsus.studio.machine import Machine


def clusters(machine: Machine) -> list[dict[str, Any]]:
    """Return the clusters of a machine as plain data, by the names that people gave its bodies."""
    on: dict[int, list[str]] = {}
    for body in machine.bodies():
        on.setdefault(body.index, []).append(body.name)
    welds = welds_of(machine.model.description)
    found = []
    for cluster in machine.model.clusters:
        bodies = [
            known for name in cluster.bodies for known in on.get(machine.model.body(name).index, [])
        ]
        own = [joint.name for joint in welds if joint.child in bodies]
        found.append(
            {
                "name": bodies[0] if bodies else cluster.bodies[0],
                "bodies": bodies,
                "joints": [*cluster.joints, *own],
                "kind": cluster.kind,
                "nv": cluster.v_slice.stop - cluster.v_slice.start,
            }
        )
    if fast := on.get(-1):
        own = [joint.name for joint in welds if joint.child in fast]
        found.append({"name": "world", "bodies": fast, "joints": own, "kind": "world", "nv": 0})
    return found


def welds_of(stated: Description) -> list[Joint]:
    """Return the welds of a description; fixed joints of carriers are none."""
    hidden = helpers(stated)
    return [joint for joint in stated.joints if joint.kind == "fixed" and joint.name not in hidden]


def loops(machine: Machine) -> list[dict[str, Any]]:
    """Return the loops of a machine: rows, how many count beside those before, why so."""
    return [
        {"name": cut.name, "rows": cut.rows, "rank": cut.rank, "reason": cut.reason}
        for cut in cuts_of(machine.model, machine.q)
    ]

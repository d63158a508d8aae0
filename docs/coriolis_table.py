"""Write the table of docs/coriolis.md: `python docs/coriolis_table.py`; needs Pinocchio.

For each kind of joint, a chain of four bodies on revolute joints and joints of that kind, in both
libraries. Each library is checked with its own results: bias forces, gravity forces and
differences of its own mass matrix. The text between `coriolis:begin` and `coriolis:end` is
replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

import tarsus as ts
from tarsus.check import coriolis
from tarsus.check.coriolis import inverse_dynamics_derivatives
from tarsus.check.peers import NotComparableError, peers
from tarsus.check.pinocchio import PinocchioDynamics
from tarsus.check.states import DIFFERENCES, States
from tarsus.robots.trees import random_rotation

PAGE = Path(__file__).with_name("coriolis.md")
BLOCK = re.compile(r"(<!-- coriolis:begin -->\n).*?(<!-- coriolis:end -->)", re.DOTALL)
RESIDUALS: dict[str, Callable[[States], float]] = {
    "C v − bias + g": coriolis.coriolis_forces,
    "Ḣ − C − Cᵀ": coriolis.admissible,
    "C − Γ v": coriolis.connection,
    "∂τ/∂(q, v, a)": inverse_dynamics_derivatives,
}
STATES = 8


@dataclass(frozen=True)
class Line:
    """A kind of joint and its residuals (None: not there), first ours, then Pinocchio's."""

    joint: str
    values: list[tuple[float | None, float | None]]


def lines() -> Iterator[Line]:
    """Yield the lines of the table."""
    for name, make in MECHANISMS.items():
        yield compared(name, *make())
    yield compared("four-bar linkage", ts.robots.spatial_four_bar(), None)
    yield compared("rolling disc", ts.robots.rolling_disc(), None)


def compared(name: str, ours: ts.Model | None, theirs: ts.Model | None, states: Any = None) -> Line:
    """Return the line of two models, `states` are of a model with as many coordinates."""
    sample = States.random(ours or states, STATES, seed=0)
    values = []
    for residual in RESIDUALS.values():
        pair = [
            None if m is None else found(residual, replace(sample, model=m)) for m in (ours, theirs)
        ]
        values.append((pair[0], pair[1]))
    return Line(name, values)


def found(residual: Callable[[States], float], sample: States) -> float | None:
    """Return a residual, or None where it is not defined or a library says that it has none."""
    rolls = residual is coriolis.connection and not coriolis.has_connection(sample.model)
    try:
        return None if rolls else residual(sample)
    except NotComparableError:
        return None


def chain(*kinds: str, **options: Any) -> ts.Builder:
    """Return a chain of bodies on joints of these kinds, with axes and inertias at random."""
    rng = np.random.default_rng(2)
    b = ts.Builder("chain", gravity=(1.0, 2.0, -9.0))
    parent = "world"
    for i, kind in enumerate(kinds):
        name = f"body_{i}"
        massless = kind.startswith("massless ")
        moments = np.zeros(3) if massless else rng.uniform(0.1, 0.12, 3)
        b.body(name, 0.0 if massless else 1.0, rng.normal(size=3) * 0.2 * (not massless), moments)
        kind = kind.removeprefix("massless ")
        b.joint(
            *(f"joint_{i}", kind, parent, name),
            position=rng.normal(size=3) * 0.5,
            rotation=random_rotation(rng),
            **(options if kind in ("screw", "universal") else {}),
        )
        parent = name
    return b


def alike(kind: str, **options: Any) -> tuple[ts.Model, ts.Model | None]:
    """Return a chain with joints of a kind, in both libraries."""
    return both(chain("revolute", kind, "revolute", kind, **options).build())


def both(ours: ts.Model) -> tuple[ts.Model, ts.Model | None]:
    """Return a model in both libraries."""
    return ours, peers(ours)[0]["Pinocchio"].dynamics


def composite() -> tuple[ts.Model, ts.Model]:
    """Return a chain with composite joints: without mass between a hinge and a slide here."""
    kinds = "revolute", "massless revolute", "prismatic", "revolute"
    ours = chain(*kinds).build()
    import pinocchio as pin

    theirs = pin.Model()
    theirs.gravity = pin.Motion(ours.gravity, np.zeros(3))
    makers = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}
    parent, inner = 0, None
    for body, kind in zip(ours.body_names, kinds, strict=True):
        joint = ours.joint(ours.body(body).joint)
        placement, model = pin.SE3(joint.placement), makers[kind.split()[-1]]()
        if kind.startswith("massless"):
            inner = pin.JointModelComposite()
            inner.addJoint(model, placement)
            continue
        if inner is not None:
            inner.addJoint(model, placement)
            model, placement, inner = inner, pin.SE3.Identity(), None
        parent = add(pin, theirs, parent, model, placement, ours.body(body))
    return ours, dynamics(pin, theirs, ours)


def ellipsoid() -> tuple[None, ts.Model, ts.Model]:
    """Return a chain with joints on ellipsoids, which only Pinocchio has, and one as long."""
    like = chain("revolute", "translation", "revolute").build()
    import pinocchio as pin

    theirs = pin.Model()
    joints = pin.JointModelRZ(), pin.JointModelEllipsoid(0.3, 0.4, 0.5), pin.JointModelRZ()
    parent = 0
    for name, model in zip(like.body_names, joints, strict=True):
        body = like.body(name)
        placement = pin.SE3(like.joint(body.joint).placement)
        parent = add(pin, theirs, parent, model, placement, body)
    return None, dynamics(pin, theirs, like), like


def add(pin: Any, theirs: Any, parent: int, joint: Any, placement: Any, body: Any) -> int:
    """Add a body on a joint to Pinocchio's model; returns its number."""
    index = theirs.addJoint(parent, joint, placement, body.joint)
    theirs.appendBodyToJoint(
        index, pin.Inertia(body.mass, body.com, body.inertia), pin.SE3.Identity()
    )
    return int(index)


def dynamics(pin: Any, theirs: Any, like: ts.Model) -> ts.Model:
    """Return Pinocchio's model behind the methods of ours; the coordinates are the same."""
    peer = SimpleNamespace(pin=pin, model=theirs, data=theirs.createData(), ours=like)
    peer.configuration = peer.velocity = np.array
    peer.order = np.arange(like.nv)
    return cast(ts.Model, PinocchioDynamics(cast(Any, peer)))


def mimic() -> tuple[ts.Model, ts.Model | None]:
    """Return a chain whose last joint follows the first."""
    b = chain("revolute", "revolute", "revolute", "revolute")
    return both(b.couple(["joint_0", "joint_3"], [[1.0], [-1.5]]).build())


MECHANISMS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "revolute": lambda: alike("revolute"),
    "prismatic": lambda: alike("prismatic"),
    "screw (helical)": lambda: alike("screw", pitch=0.3),
    "cylindrical": lambda: alike("cylindrical"),
    "spherical": lambda: alike("spherical"),
    "planar": lambda: alike("planar"),
    "translation": lambda: alike("translation"),
    "free (free flyer)": lambda: alike("free"),
    "spherical, Euler angles ZYX": lambda: alike("spherical_zyx"),
    "universal": lambda: alike("universal"),
    "composite (hinge and slide)": composite,
    "ellipsoid": ellipsoid,
    "mimic": mimic,
    "geared rotors": lambda: both(ts.robots.rotor_chain(4, skew=1.0)),
}


def markdown(table: list[Line]) -> str:
    """Return the table, ours / Pinocchio's, and versions; what is wrong is bold."""
    rows = [["joint", *RESIDUALS], ["---"] * (1 + len(RESIDUALS))]
    rows += [
        [line.joint, *(f"{shown(ours)} / {shown(theirs)}" for ours, theirs in line.values)]
        for line in table
    ]
    versions = f"Tarsus {ts.__version__} / Pinocchio {version('pin')}."
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", versions])


def shown(value: float | None) -> str:
    """Return a residual as text: bold if it is no rounding."""
    if value is None:
        return "–"
    text = f"{value:.0e}"
    return f"**{text}**" if value > DIFFERENCES else text


def main() -> None:
    """Compute the table and write it into the page."""
    text = markdown(list(lines()))
    page, count = BLOCK.subn(lambda m: f"{m[1]}{text}\n{m[2]}", PAGE.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{PAGE} must have one block coriolis:begin … coriolis:end")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

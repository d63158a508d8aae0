"""Links of ports: none makes or loses power, and none joins what does not fit.

A link from port a to port b with the matrix X says u_b = … + X y_a, u_a = … − Xᵀ y_b: the power
that goes in at one comes out at the other (Duindam 2006, (B.3)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import find
from tarsus.ports.domains import Port, PortError
from tarsus.ports.structure import Matrix, matrix_function

LinkKind: TypeAlias = Literal["link", "transformer", "gyrator"]


@dataclass(frozen=True, eq=False)
class Link:
    """Two ports joined, "system.port" each; made by `link`, `transformer` and `gyrator`."""

    a: str
    b: str
    matrix: Matrix
    kind: LinkKind


def link(a: str, b: str, *, sign: float = 1.0) -> Link:
    """Return a link of two ports of one domain, of which one takes what the other gives.

    u_b = sign · y_a and u_a = −sign · y_b. Several links at one port add up.
    """
    if sign not in (1.0, -1.0):
        raise PortError(f"the sign of the link of {a!r} and {b!r} is {sign}, must be 1 or −1")
    return Link(a, b, sign, "link")


def transformer(a: str, b: str, ratio: Matrix) -> Link:
    """Return a link u_b = X y_a, u_a = −Xᵀ y_b with X = `ratio`, a number or a matrix, or a
    function of the state of all systems. One port takes efforts, the other flows."""
    return Link(a, b, ratio, "transformer")


def gyrator(a: str, b: str, ratio: Matrix) -> Link:
    """Return a link u_b = X y_a, u_a = −Xᵀ y_b of two ports that both take efforts, or flows."""
    return Link(a, b, ratio, "gyrator")


def checked_link(
    each: Link, inner: Mapping[str, Port]
) -> tuple[str, str, Callable[[Array], Array]]:
    """Return a link's ports and its matrix as a function of the state of all."""
    a, b = find(inner, each.a, "port"), find(inner, each.b, "port")
    pair = (
        f"{each.a!r} ({a.domain}, gives {a.answer}) and {each.b!r} ({b.domain}, takes {b.quantity})"
    )
    if each.a == each.b:
        raise PortError(f"port {each.a!r} cannot be joined to itself")
    if each.kind == "link" and a.domain != b.domain:
        raise PortError(
            f"{pair} are of different domains: only a transformer or gyrator joins them"
        )
    if each.kind != "gyrator" and a.takes == b.takes:
        raise PortError(
            f"{pair} both take {a.takes}s: one of two joined ports must take what the other gives"
        )
    if each.kind == "gyrator" and a.takes != b.takes:
        raise PortError(f"{pair}: a gyrator joins two ports that both take efforts, or flows")
    if each.kind == "link":
        if a.size != b.size:
            raise PortError(f"{pair} have the sizes {a.size} and {b.size}")
        constant = float(np.asarray(each.matrix)) * np.eye(a.size)
        return each.a, each.b, lambda x: constant
    matrix: Matrix = each.matrix
    if not callable(matrix) and np.ndim(matrix) == 0 and a.size == b.size:
        matrix = float(np.asarray(matrix)) * np.eye(a.size)
    what = f"the ratio of the {each.kind} of {each.a!r} and {each.b!r}"
    return each.a, each.b, matrix_function(matrix, (b.size, a.size), what)

"""Contacts of whole bodies: what may change, what may not, and that changes are seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy_bodies import numpy_solve
from whole_bodies import Body, controller, talos

from tarsus.control import Contact, whole_body_qp

pytest.importorskip("pinocchio")  # whose package of robots these are


@pytest.fixture(scope="module")
def body() -> Body:
    """Return Talos."""
    return talos()


@pytest.mark.parametrize(
    "name", ["friction", "torsion", "damping", "force", "margin", "sides", "corners", "edges"]
)
def test_only_the_normal_can_be_changed(name: str) -> None:
    contact = Contact("foot", torsion=0.1)
    before = getattr(contact, name)
    with pytest.raises(AttributeError):
        setattr(contact, name, -1.0)
    assert getattr(contact, name) is before
    contact.normal = [0.1, 0.0, 1.0]
    assert contact.normal[0] > 0.0


def test_each_normal_is_seen(body: Body) -> None:
    """Both ways to solve agree after normals have come and gone, whatever their addresses are."""
    law, v = controller(body), np.zeros(body.model.nv)
    law.solve(body.q, v)
    for tilt in np.linspace(-0.2, 0.2, 9):
        for contact in law.contacts:
            contact.normal = [tilt, 0.0, 1.0]
        law.reset()
        found = law.solve(body.q, v).tau
        plain = numpy_solve(law, body.q, v).tau
        assert np.abs(found - plain).max() < 1e-6


def test_edges_are_compared_by_what_they_are(body: Body) -> None:
    """The arrays that the core knows stay alive, so that no other one has their place."""
    law = controller(body)
    law.solve(body.q, np.zeros(body.model.nv))
    for contact, edges in zip(law.contacts, law.programme._edges, strict=True):
        assert contact.edges is edges


@pytest.mark.parametrize("wrong", [-0.1, np.nan, np.inf])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_the_core_refuses_contacts_without_sense(
    body: Body, monkeypatch: pytest.MonkeyPatch, wrong: float, which: int
) -> None:
    """Even where the numbers do not come from a `Contact`."""
    plain = whole_body_qp._contact

    def stated(contact: Any, weight: float) -> tuple[list[float], ...]:
        *some, numbers = plain(contact, weight)
        numbers[which] = wrong
        return (*some, numbers)

    monkeypatch.setattr(whole_body_qp, "_contact", stated)
    law = controller(body)
    with pytest.raises(ValueError, match=r"a contact has|of a contact is negative"):
        law.programme._make()

"""Whether a model is plausible, and whether its dynamics are exact: `tarsus.check(model)`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.check.identities import IDENTITIES, weighed
from tarsus.check.identity import Identity
from tarsus.check.lint import lint
from tarsus.check.report import Finding, Report, Residual
from tarsus.check.states import States, relative
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.peers import NotComparableError, Peer, peers

__all__ = ["Finding", "Report", "Residual", "check"]

LARGEST_CONDITION = 1e12
PEER_STATES = 8
PEER_ARGUMENTS = {
    "inverse_dynamics": "q v a",
    "forward_dynamics": "q v tau",
    "bias_forces": "q v",
    "kinetic_energy": "q v",
    "frame_jacobian_rate": "q v",
}
"""Arguments of the methods that are compared with other libraries, if not just q."""


def check(
    model: Model,
    *,
    states: int = 32,
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> Report:
    """Look for implausible numbers in a model and test identities of its dynamics.

    The identities are computed on random `states`, and compared with Pinocchio and MuJoCo
    where these are installed and have the model's joints. `progress` is called with what is
    computed next and the share that is done.
    """
    expect(model, Model, "model")
    if states < 1:
        raise ValueError(f"states is {states}, must be at least 1")
    tell = progress or (lambda text, share: None)
    tell("masses and inertias", 0.0)
    findings = lint(model)
    if model.nv == 0:
        return Report(model.name, findings, [], states, seed, _core.instruction_set(), {})
    sample = States.random(model, states, seed)
    tell("other libraries", 0.05)
    found, missing = peers(model)
    differences = {name: _peer_differences(peer, sample) for name, peer in found.items()}
    asked = {name: peer.dynamics for name, peer in found.items() if peer.dynamics}
    residuals = []
    identities = [identity for identity in IDENTITIES if identity.applies(model)]
    for index, identity in enumerate(identities):
        tell(identity.text, 0.2 + 0.8 * index / len(identities))
        method = identity.quantity.replace(" ", "_")
        beside = {name: d[method] for name, d in differences.items() if method in d}
        theirs = _theirs(identity, sample, asked) if identity.asked else {}
        residuals.append(_residual(identity, sample, beside, theirs))
    findings += _singular(sample)
    labels = {name: peer.label for name, peer in found.items()} | missing
    return Report(model.name, findings, residuals, states, seed, _core.instruction_set(), labels)


def _residual(
    identity: Identity, sample: States, beside: dict[str, float], theirs: dict[str, float]
) -> Residual:
    value, note = None, ""
    try:
        value = identity.residual(sample)
    except ArithmeticError as error:
        note = str(error)
    return Residual(
        *(identity.quantity, identity.text, value, identity.limit, beside),
        note=note,
        topic=identity.topic,
        theirs=theirs,
    )


def _theirs(identity: Identity, sample: States, asked: dict[str, Model]) -> dict[str, float]:
    """Return the residuals of an identity in other libraries, computed with their results alone."""
    found = {}
    for name, dynamics in asked.items():
        try:
            with np.errstate(all="ignore"):  # NaN is an answer, too
                found[name] = identity.residual(replace(sample.first(PEER_STATES), model=dynamics))
        except NotComparableError:
            continue
    return found


def _peer_differences(peer: Peer, sample: States) -> dict[str, float]:
    """Return the largest relative difference from a peer for each quantity that it computes."""
    model, sample = sample.model, sample.first(PEER_STATES)
    results = [
        peer.quantities(*state)
        for state in zip(sample.q, sample.v, sample.a, sample.tau, strict=True)
    ]
    differences = {}
    for name in results[0]:
        theirs = np.array([result[name] for result in results])
        differences[name] = _difference(model, sample, name, theirs)
    return differences


def _difference(model: Model, sample: States, name: str, theirs: Array) -> float:
    arguments = [getattr(sample, key) for key in PEER_ARGUMENTS.get(name, "q").split()]
    if name.startswith("frame_jacobian"):
        arguments.append(model.body_names[-1])
    forces = model.inverse_dynamics(sample.q, sample.v, sample.a)
    try:
        ours = np.asarray(getattr(model, name)(*arguments))
    except ArithmeticError:
        return math.nan
    if name == "forward_dynamics":
        return weighed(model, sample.q, ours, theirs, sample.tau, forces)
    # what may be zero is compared with something of the same kind that is not
    scales = {
        "inverse_dynamics": forces,
        "bias_forces": forces,
        "gravity_forces": forces,
        "center_of_mass": model.forward_kinematics(sample.q),
        "frame_jacobian_rate": model.frame_jacobian(sample.q, model.body_names[-1]),
    }
    return relative(ours, theirs, scales.get(name, ours))


def _singular(sample: States) -> list[Finding]:
    """Return a warning if the mass matrix is nearly singular, so that accelerations lose digits."""
    condition = float(np.linalg.cond(sample.model.mass_matrix(sample.q)).max())
    if condition < LARGEST_CONDITION:
        return []
    message = f"its mass matrix is nearly singular (condition number {condition:.0e})"
    return [Finding("warning", "model", message)]

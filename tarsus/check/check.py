"""`ts.check`: a model tested against identities, and searched for implausible values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tarsus import _core
from tarsus._lib.checks import expect
from tarsus._lib.files import Array
from tarsus.check.identities import IDENTITIES, weighed
from tarsus.check.peers import NotComparableError, Peer, peers
from tarsus.check.report import Finding, Report, Residual
from tarsus.check.states import Identity, States, relative
from tarsus.model.inertia import check_parts
from tarsus.model.model import Model
from tarsus.model.views import BodyView, JointView

__all__ = ["Finding", "Report", "Residual", "check"]


# Whether a model is plausible, and whether its dynamics are exact: `tarsus.check(model)`.


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


# Masses, inertias, units and limits that look like mistakes.
#
# Nothing here proves a mistake. The sizes that a body is compared with are the distances from its
# frame to its centre of mass and to the joints on it: what a reader of the file can look up.


ANGULAR = ("revolute", "universal", "spherical_zyx")
LARGE_ROBOT = 50.0
"""Distance between joints [m] beyond which lengths are suspected to be in millimetres."""
PLAUSIBLE_MASS = (1e-3, 1e4)
"""Total mass [kg] outside which another unit is suspected."""
ORDER = ("error", "warning", "note")


def lint(model: Model) -> list[Finding]:
    """Return what looks wrong, the worst first."""
    bodies, joints = list(model.bodies), list(model.joints)
    findings = [
        *_nothing_moves(bodies),
        *_stated_inertias(model),
        *_masses(model, bodies, joints),
        *_sizes(bodies, joints),
        *_limits([joint for joint in joints if joint.dependent != "coupling"]),
    ]
    return sorted(findings, key=lambda finding: ORDER.index(finding.severity))


def _nothing_moves(bodies: list[BodyView]) -> Iterator[Finding]:
    if not bodies:
        message = "the model has no moving bodies (an unexpanded xacro file?)"
        yield Finding("error", "model", message)


def _stated_inertias(model: Model) -> Iterator[Finding]:
    for body in model.description.bodies:
        for message in check_parts([body], strict=False):
            text = message.removeprefix(f"{body.source}: ").removeprefix(f"body {body.name!r}: ")
            yield Finding("warning", f"body {body.name}", text)


def _masses(model: Model, bodies: list[BodyView], joints: list[JointView]) -> Iterator[Finding]:
    low, high = PLAUSIBLE_MASS
    if bodies and not low <= model.total_mass <= high:
        unit = "grams" if model.total_mass > high else "tonnes"
        message = f"the total mass is {model.total_mass:.4g} kg; was it stated in {unit}?"
        yield Finding("warning", "model", message)
    carried = _masses_carried(model, bodies)
    for body, joint, mass in zip(bodies, joints, carried, strict=True):
        if body.mass > 0.0 or np.all(joint.armature > 0.0):
            continue
        name = f"body {body.name}"
        if mass > 0.0:
            yield Finding("note", name, "moves but has no mass of its own")
        else:
            message = (
                "moves but neither it nor what it carries has mass: its acceleration is not defined"
            )
            yield Finding("error", name, message)


def _masses_carried(model: Model, bodies: list[BodyView]) -> list[float]:
    """Return for each body the mass of itself, of all that it carries and that moves with it."""
    masses = {body.name: body.mass for body in bodies}
    for body in reversed(bodies):
        if body.parent >= 0:
            masses[bodies[body.parent].name] += masses[body.name]
    # bodies of a cluster move together: a rotor may do without inertia
    for cluster in model.clusters:
        if cluster.kind != "joint":
            masses |= dict.fromkeys(cluster.bodies, max(masses[name] for name in cluster.bodies))
    return [masses[body.name] for body in bodies]


def _sizes(bodies: list[BodyView], joints: list[JointView]) -> Iterator[Finding]:
    reach = _distances_to_joints(bodies, joints)
    longest = max(reach, default=0.0)
    if longest > LARGE_ROBOT:
        message = f"joints of one body are {longest:.4g} m apart; are lengths in millimetres?"
        yield Finding("warning", "model", message)
    for body, distance in zip(bodies, reach, strict=True):
        if body.mass <= 0.0:
            continue
        name, com = f"body {body.name}", float(np.linalg.norm(body.com))
        size, largest = max(distance, com), max(longest, com)
        gyration = math.sqrt(max(np.linalg.eigvalsh(body.inertia)[-1], 0.0) / body.mass)
        if longest > 0.0 and com > 3.0 * longest:
            message = (
                f"its centre of mass is {com:.4g} m from its frame, joints at most {longest:.4g} m"
            )
            yield Finding("warning", name, message)
        if longest > 0.0 and gyration > 5.0 * largest:
            message = (
                f"its radius of gyration is {gyration:.4g} m, its parts are at most "
                f"{largest:.4g} m away; is the inertia in kg m²?"
            )
            yield Finding("warning", name, message)
        elif 0.0 < gyration < 1e-2 * size:
            message = (
                f"its radius of gyration is {1e3 * gyration:.3g} mm, for a body of about "
                f"{1e3 * size:.3g} mm; is the inertia in kg m²?"
            )
            yield Finding("warning", name, message)
        elif gyration == 0.0:
            yield Finding("note", name, "has mass but no inertia: a point mass")


def _distances_to_joints(bodies: list[BodyView], joints: list[JointView]) -> list[float]:
    """Return for each body the distance from its frame to the farthest joint on it."""
    reach = [0.0] * len(bodies)
    for body, joint in zip(bodies, joints, strict=True):
        if body.parent >= 0:
            distance = float(np.linalg.norm(joint.placement[:3, 3]))
            reach[body.parent] = max(reach[body.parent], distance)
    return reach


def _limits(joints: list[JointView]) -> Iterator[Finding]:
    for joint in joints:
        name = f"joint {joint.name}"
        if np.any(joint.lower == joint.upper):
            yield Finding("warning", name, "cannot move: its lower and upper limits are equal")
        bounds = np.concatenate([joint.lower, joint.upper])
        bounds = np.abs(bounds[np.isfinite(bounds)])
        if joint.kind in ANGULAR and np.any(bounds > 4.0 * math.pi):
            message = f"has a limit of {bounds.max():.4g} rad; was it stated in degrees?"
            yield Finding("warning", name, message)
        for what, limit in (("velocity", joint.velocity_limit), ("effort", joint.effort_limit)):
            if np.any(limit == 0.0):
                yield Finding("warning", name, f"its {what} limit is zero")
    driven = [joint for joint in joints if joint.kind != "free"]
    for what in ("position", "velocity", "effort"):
        without = [joint.name for joint in driven if _has_no_limit(joint, what)]
        if without:
            names = ", ".join(without[:4]) + (", …" if len(without) > 4 else "")
            count = f"{len(without)} of {len(driven)} joints"
            yield Finding("note", count, f"no {what} limit: {names}")


def _has_no_limit(joint: JointView, what: str) -> bool:
    if what == "position":
        return bool(np.all(np.isinf(joint.lower) & np.isinf(joint.upper)))
    limit = joint.velocity_limit if what == "velocity" else joint.effort_limit
    return bool(np.all(np.isinf(limit)))

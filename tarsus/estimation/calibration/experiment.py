"""An experiment: a robot with encoders, what is measured, and which parameters may be wrong.

`Widened` is a model with a joint for each error of a place, so that the frame Jacobians of the core
have their columns: screws of the errors, through trees, couplings and closed loops alike.

With x the positions that encoders read, θ errors of places and y measured, y = f(q, θ), where the
joints with encoders are at x: φ(q, θ) = x. So

    dy = (f_θ − f_q M⁺ φ_θ) dθ + f_q M⁺ dx,    M = φ_q,

with all columns from the wide model's frame Jacobians and coupling matrix. x changes with offsets
and gains of the encoders, and by their noise, which is weighed with that of the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import LARGEST, UnknownNameError, expect, find, reals, suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.estimation.calibration.encoders import Encoders
from tarsus.estimation.calibration.measures import Measure
from tarsus.estimation.calibration.parameters import (
    COMPONENTS,
    EncoderGain,
    EncoderOffset,
    JointError,
    LoopError,
    Parameter,
    Placed,
    joints_above,
)
from tarsus.model.actuator_map import MotorSearch
from tarsus.model.actuators import motors_of
from tarsus.model.description import Description, Frame, Joint, Loop
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.spatial import pose, rotation_from_rpy

ORDER = ("x", "y", "z", "rz", "ry", "rx")
"""Shifts first, and turns so that the last three are roll, pitch and yaw."""


class Widened:
    """A model and its errors: `model` has a joint more for each of `names`."""

    def __init__(self, model: Model, placed: Sequence[Placed]) -> None:
        self.stated = model
        self.placed = tuple(placed)
        self.names = tuple(name for each in self.placed for name in each.names)
        editor = Editor(model)
        for each in self.placed:
            _insert(editor, model, each)
        self._name_independent(editor)
        self.model = editor.build()
        views = [self.model.joint(name) for name in self.names]
        self.columns = np.array([view.v_slice.start for view in views], dtype=np.intp)
        self._places = np.array([view.q_slice.start for view in views], dtype=np.intp)
        self._from = _carried_positions(model, self.model)

    def _name_independent(self, editor: Editor) -> None:
        """State that errors on the way of a loop stay independent, with those that were."""
        stated = self.stated.description
        carried = {joint.child: joint for joint in stated.joints}
        constraints = {each.name for each in self.stated.constraints}
        for loop in stated.loops:
            if loop.name in constraints:
                continue
            ends = [{j.name for j in joints_above(carried, b)} for b in (loop.body_a, loop.body_b)]
            between = ends[0] ^ ends[1]
            own = [
                n for c in self.stated.clusters if between & set(c.joints) for n in c.independent
            ]
            errors = [
                name
                for each in self.placed
                if (isinstance(each, JointError) and each.element in between)
                or (isinstance(each, LoopError) and each.element == loop.name)
                for name in each.names
            ]
            if errors:
                independent = tuple(dict.fromkeys([*own, *errors]))
                editor.change("loop", loop.name, independent=independent, constraint=False)

    def configuration(
        self, positions: Array, joints: Sequence[str], q: Array, errors: Array
    ) -> Array:
        """Return configurations (states, nq) of the wide model with encoders at positions.

        `q` (nq,) or (states, nq) of the stated model is where the search begins.
        """
        start = np.empty((len(positions), self.model.nq))
        start[:, self._from >= 0] = np.broadcast_to(q, (len(positions), self.stated.nq))[
            :, self._from[self._from >= 0]
        ]
        start[:, self._places] = errors
        movable = np.ones(self.model.nv, dtype=bool)
        movable[self.columns] = False
        motors = motors_of(self.model, joints)
        return MotorSearch(self.model, motors, positions, self.model.close(start), movable).run()

    def corrected(self, errors: Array) -> Model:
        """Return the stated model with its places corrected by errors (names,)."""
        editor, value = Editor(self.stated), dict(zip(self.names, errors.tolist(), strict=True))
        for each in self.placed:
            own = dict(zip(each.components, (value[name] for name in each.names), strict=True))
            x, y, z, *turns = (own.get(component, 0.0) for component in COMPONENTS)
            error = pose((x, y, z), rotation_from_rpy(turns))
            old, (_, place) = _element(editor.description(), self.stated, each), each.fields
            editor.change(each.kind, each.element, **{place: getattr(old, place) @ error})
        return editor.build()


def _insert(editor: Editor, model: Model, each: Placed) -> None:
    """Put slides and hinges between a joint, frame or loop and what carries it."""
    old, (carrier, place) = _element(editor.description(), model, each), each.fields
    parent, placement = getattr(old, carrier), getattr(old, place)
    names = dict(zip(each.components, each.names, strict=True))
    for component in ORDER:
        if component in names:
            name = names[component]
            kind = "revolute" if component.startswith("r") else "prismatic"
            editor.body(name)
            editor.joint(name, kind, parent, name, placement=placement, axis=component[-1])
            parent, placement = name, np.eye(4)
    editor.change(each.kind, each.element, **{carrier: parent, place: placement})


def _element(stated: Description, model: Model, each: Placed) -> Any:
    """Return the joint, frame or loop with the errors."""
    listed: Sequence[Joint | Frame | Loop] = getattr(stated, f"{each.kind}s")
    found = {element.name: element for element in listed}
    if each.kind == "frame" and each.element not in found and each.element in model.frame_names:
        raise ModelError(
            f"frame {each.element!r} is a body: it is where its joint brings it; state the "
            "error of that joint, or of a frame that was added to the body"
        )
    return find(found, each.element, each.kind)


def _carried_positions(model: Model, wide: Model) -> NDArray[np.intp]:
    """Return for each position of the wide model its place in the other's q, −1 for errors."""
    found = np.full(wide.nq, -1, dtype=np.intp)
    for joint in model.joints:
        there = wide.joint(joint.name)
        if joint.own_velocities != there.own_velocities:
            raise ModelError(
                f"joint {joint.name!r} is in a loop that cannot bear these errors: state fewer, "
                "such as those in the plane of a planar linkage"
            )
        found[there.q_slice] = range(joint.q_slice.start, joint.q_slice.stop)
    return found


@dataclass(frozen=True)
class Linearised:
    """Residuals of each measure (n, rows), their slopes (n, rows, parameters), their weights.

    `roots` (n, rows, rows) take residuals to such of unit deviation.
    """

    residuals: list[Array]
    slopes: list[Array]
    roots: list[Array]

    def whitened(self) -> tuple[list[Array], list[Array]]:
        """Return residuals and slopes in units of their deviations."""
        pairs = zip(self.roots, self.residuals, self.slopes, strict=True)
        found = [((w @ r[..., None])[..., 0], w @ s) for w, r, s in pairs]
        return [r for r, _ in found], [s for _, s in found]


class Experiment:
    """What is measured on a machine, and which errors are to be found.

    `encoders` tell configurations, `measures` are taken in each of them, `parameters` may be wrong.
    `q` (nq,) is where configurations are looked for, the neutral one by default: it says on which
    branch loops are, and where coordinates without encoders stand.
    """

    def __init__(
        self,
        encoders: Encoders,
        measures: Sequence[Measure] | Measure,
        parameters: Sequence[Parameter],
        *,
        q: ArrayLike | None = None,
    ) -> None:
        expect(encoders, Encoders, "encoders")
        self.encoders, self.stated = encoders, encoders.model
        self.measures = (measures,) if isinstance(measures, Measure) else tuple(measures)
        self.parameters = tuple(parameters)
        self._check()
        self.names = tuple(name for each in self.parameters for name in each.names)
        """Names of all numbers that are to be found, as `"knee.rx"` or `"knee.offset"`."""
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise ValueError(f"parameters has {twice[0]!r} twice")
        if not self.names:
            raise ValueError("parameters is empty, must be errors to look for, such as JointError")
        self.widened = Widened(self.stated, [p for p in self.parameters if isinstance(p, Placed)])
        number = {name: k for k, name in enumerate(self.names)}
        self._placed = [number[name] for name in self.widened.names]
        self._offsets = self._of_encoders(EncoderOffset)
        self._gains = self._of_encoders(EncoderGain)
        self.start = self.stated.neutral() if q is None else reals(q, "q")
        if self.start.shape != (self.stated.nq,):
            raise ValueError(f"q has shape {self.start.shape}, must be ({self.stated.nq},)")

    def _check(self) -> None:
        for measure in self.measures:
            expect(measure, Measure, "measures")
            measure.check(self.stated)
        if not self.measures:
            raise ValueError("measures is empty: nothing is measured")
        for each in self.parameters:
            expect(each, Parameter, "parameters")
            joints = self.encoders.joints
            if isinstance(each, EncoderOffset | EncoderGain) and each.element not in joints:
                hint = suggestion(each.element, joints)
                raise ValueError(f"there is no encoder on joint {each.element!r}{hint}")

    def only(self, names: Iterable[str]) -> Experiment:
        """Return the experiment with these parameters only: all others are as stated."""
        kept = set(names)
        for name in kept - set(self.names):
            raise UnknownNameError(f"there is no parameter {name!r}{suggestion(name, self.names)}")
        parts = [each.only(kept) for each in self.parameters]
        parameters = [part for part in parts if part is not None]
        return Experiment(self.encoders, self.measures, parameters, q=self.start)

    def _of_encoders(self, kind: type[Parameter]) -> list[tuple[int, int]]:
        """Return (number of the parameter, number of the encoder) for a kind of parameters."""
        return [
            (self.names.index(each.names[0]), self.encoders.joints.index(each.element))
            for each in self.parameters
            if isinstance(each, kind)
        ]

    def corrected_encoders(self, errors: Array, model: Model | None = None) -> Encoders:
        """Return the encoders with errors (parameters,) of offsets and gains taken into account."""
        offsets, gains = np.array(self.encoders.offsets), np.array(self.encoders.gains)
        for parameter, encoder in self._offsets:
            offsets[encoder] += errors[parameter]
        for parameter, encoder in self._gains:
            gains[encoder] *= 1.0 + errors[parameter]
        model = self.stated if model is None else model
        return self.encoders.changed(offsets=offsets, gains=gains, model=model)

    def predict(self, readings: ArrayLike, errors: ArrayLike | None = None) -> list[Array]:
        """Return what each measure would be at readings (n, joints), with errors (parameters,)."""
        wide = self.configurations(readings, self.errors(errors))
        return [
            measure.of(seen) for measure, seen in zip(self.measures, self.look(wide), strict=True)
        ]

    def errors(self, errors: ArrayLike | None) -> Array:
        """Return errors (parameters,), zero by default, checked."""
        found = np.zeros(len(self.names)) if errors is None else reals(errors, "errors")
        if found.shape != (len(self.names),) or not (np.abs(found) <= LARGEST).all():
            raise ValueError(
                f"errors has shape {found.shape}, must be ({len(self.names)},) finite numbers"
            )
        return found

    def configurations(self, readings: ArrayLike, errors: Array) -> Array:
        """Return configurations (n, nq) of the wide model at readings (n, joints)."""
        read = self.encoders.checked(readings)
        if read.ndim != 2 or not len(read):
            raise ValueError(f"readings has shape {read.shape}, must be (n, joints), n ≥ 1")
        x = self.corrected_encoders(errors).positions(read, self.start)
        joints = self.encoders.joints
        return self.widened.configuration(x, joints, self.start, errors[self._placed])

    def residuals(self, readings: ArrayLike, values: Sequence[Array], errors: Array) -> list[Array]:
        """Return residuals (n, rows) of each measure from `values`, in their own units."""
        seen = self.look(self.configurations(readings, self.errors(errors)))
        rows = zip(self.measures, seen, values, strict=True)
        return [measure.residuals(each, value) for measure, each, value in rows]

    def linearised(
        self,
        readings: ArrayLike,
        values: Sequence[Array] | None = None,
        errors: Array | None = None,
    ) -> Linearised:
        """Return residuals from `values`, slopes and weights at readings (n, joints) and errors.

        Without values residuals are zero: what is predicted is what is measured.
        """
        theta = self.errors(errors)
        wide = self.configurations(readings, theta)
        by_place, by_position = self._slopes_of_q(wide)
        steps = self._steps_of_positions(wide, theta)
        found = Linearised([], [], [])
        noise = self.encoders.sigma / self.encoders.gains
        for k, (measure, seen) in enumerate(zip(self.measures, self.look(wide), strict=True)):
            value = measure.of(seen) if values is None else values[k]
            columns = self.widened.columns
            motion = measure.motion(self.widened.model, wide, seen)
            along = measure.derivatives(seen, value, motion)
            slopes = np.zeros((len(wide), measure.rows, len(self.names)))
            slopes[..., self._placed] = along[..., columns] + along @ by_place
            of_x = along @ by_position
            slopes += of_x @ steps
            spread = of_x * noise
            covariance = np.diag(measure.deviations**2) + spread @ np.swapaxes(spread, 1, 2)
            found.residuals.append(measure.residuals(seen, value))
            found.slopes.append(slopes)
            found.roots.append(np.linalg.inv(np.linalg.cholesky(covariance)))
        return found

    def look(self, wide: Array) -> list[Array]:
        """Return what each measure sees at configurations (n, nq) of the wide model."""
        return [measure.look(self.widened.model, wide) for measure in self.measures]

    def _slopes_of_q(self, wide: Array) -> tuple[Array, Array]:
        """Return v for unit rates of errors (n, nv, errors) and of encoders (n, nv, joints)."""
        rows = self.widened.model.motor_matrix(wide, motors=self.encoders.joints)
        own = np.array(rows)
        own[..., self.widened.columns] = 0.0
        back = np.asarray(np.linalg.pinv(own, rcond=1e-12), dtype=np.float64)
        return -back @ rows[..., self.widened.columns], back

    def _steps_of_positions(self, wide: Array, errors: Array) -> Array:
        """Return slopes (n, joints, parameters) of positions by offsets and gains of encoders."""
        encoders = self.corrected_encoders(errors)
        x = self.widened.model.motor_positions(wide, motors=encoders.joints)
        steps = np.zeros((len(wide), len(encoders.joints), len(self.names)))
        for parameter, encoder in self._offsets:
            steps[:, encoder, parameter] = -1.0 / encoders.gains[encoder]
        for parameter, encoder in self._gains:
            steps[:, encoder, parameter] = -x[:, encoder] / (1.0 + errors[parameter])
        return steps

"""Figure 5.8 of V. Duindam: a vector field whose integral curves come to a passive gait."""

from __future__ import annotations

import numpy as np

from tarsus.control.curve_field import CurveField
from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, judged
from tarsus_lab.scenes import along_the_gait, gait_curve, models

AUTOMATIC = (
    "the thesis fits 15 coefficients to the gait and to curves beside it that are chosen by hand, "
    "and names more dimensions as open; ours is the tangent at the nearest point and a pull"
)
OFFSETS = (-0.15, -0.1, -0.05, 0.05, 0.1, 0.15)
"""Of the starts of integral curves beside the gait [rad]."""


def run() -> Result:
    """Compare the field of a gait with section 5.2.3."""
    samples = gait_curve()
    field = CurveField(models()[1], samples, 3.0)
    chords = np.diff(samples, axis=0)
    middles = 0.5 * (samples[1:] + samples[:-1])
    w = field(middles)
    across = np.abs(w[:, 0] * chords[:, 1] - w[:, 1] * chords[:, 0])
    turned = float((across / np.linalg.norm(chords, axis=1) / np.linalg.norm(w, axis=1)).max())
    curves = [_integral_curve(field, samples[3] + [0.0, offset]) for offset in OFFSETS]
    ends = max(float(field.distance(np.array([curve.x[-1], curve.y[-1]]))) for curve in curves)
    control = along_the_gait()
    distance = float(np.asarray(field.distance(samples)).max())
    rest = float(np.abs(control.parts(samples[5], np.zeros(2)).nominal).max())
    rows = (
        judged("distance of the gait from its curve [rad]", "", distance, distance < 1e-9),
        judged("the field beside the gait's tangent [rad]", "wiggles", turned, turned < 0.02),
        judged("ends of curves from 0.15 rad aside [rad]", "near it", ends, ends < 0.02, AUTOMATIC),
        judged("nominal efforts at rest [N m]", "0", rest, rest == 0.0),
    )
    gait = Curve("gait", tuple(samples[:, 0].tolist()), tuple(samples[:, 1].tolist()))
    return Result(
        "port-5.8",
        "A vector field along a passive gait of the compass walker",
        f"{SOURCE}, figure 5.8",
        rows,
        (gait, *curves),
        ("stance leg [rad]", "between the legs [rad]"),
    )


def _integral_curve(field: CurveField, q: np.ndarray, length: float = 1.0) -> Curve:
    """Return where the field leads from q, by the midpoint rule."""
    places, h = [q], 0.01
    for _ in range(round(length / h)):
        here = places[-1]
        w = field(here + 0.5 * h * field(here))
        places.append(here + h * w)
    x, y = np.array(places).T
    return Curve("", tuple(x.tolist()), tuple(y.tolist()))

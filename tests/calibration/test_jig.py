"""Offsets from a jig: found to the noise, with what disagrees told (Schwienbacher 2013, 3.5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calibrated import LEG
from scipy.optimize import least_squares
from scipy.stats import chi2

import tarsus as ts
from tarsus import calibration as cal
from tarsus.spatial import inverse, pose, rotation_from_vector, twist_from_pose

LOLA = ts.robots.lola()
NOISE = np.deg2rad(0.01)
POSES = ("straight", "bent", "wide")


def poses() -> dict[str, np.ndarray]:
    found = {}
    for name, angles in zip(
        POSES,
        (
            (0, 0, -0.2, 0.4, -0.2, 0),
            (0.1, 0.05, -0.6, 1.1, -0.5, -0.05),
            (0.3, 0.3, 0.1, 0.3, -0.4, -0.3),
        ),
        strict=True,
    ):
        q = LOLA.neutral()
        for joint, angle in zip(LEG, angles, strict=True):
            for side in (joint, joint.replace("left", "right")):
                q[LOLA.joint(side).q_slice] = angle
        found[name] = q
    return found


def test_offsets_to_the_noise() -> None:
    rng = np.random.default_rng(0)
    jig = cal.Jig(LOLA, poses())
    offsets = rng.uniform(-np.pi, np.pi, 24)
    encoders = cal.Encoders(LOLA, offsets=offsets, period=2 * np.pi)
    readings = {n: encoders.readings(q) + NOISE * rng.normal(size=24) for n, q in jig.poses.items()}
    unknown = cal.Encoders(LOLA, period=2 * np.pi, sigma=NOISE)
    found = jig.offsets(unknown, readings)
    turn = np.angle(np.exp(1j * (found.offsets - offsets)))
    spread = np.sqrt((found.spread**2).mean())
    print(f"offsets {np.abs(turn).max() / NOISE:.2f} σ, spread {spread / NOISE:.2f} σ")
    assert np.abs(turn).max() < 3 * NOISE / np.sqrt(3)
    low, high = np.sqrt(chi2.ppf([1e-3, 1 - 1e-3], 48) / 48)  # two degrees of freedom a joint
    assert low < spread / NOISE < high
    assert not found.disagreements() and "all poses agree" in str(found)
    q = found.encoders.configuration(readings["bent"], jig.poses["straight"])
    assert np.abs(q - jig.poses["bent"]).max() < 4 * NOISE


def crooked() -> ts.Model:
    """Return Lola with the axis of the left knee half a degree off."""
    place = LOLA.joint("left_knee_flexion").placement
    bend = pose((0, 0, 0), rotation_from_vector([np.deg2rad(0.5), 0, 0]))
    return ts.Editor(LOLA).change("joint", "left_knee_flexion", placement=place @ bend).build()


def pinned(model: ts.Model, q: np.ndarray) -> np.ndarray:
    """Return the configuration in which a model's left foot is where the stated one's is at q."""
    columns = [LOLA.joint(name).q_slice.start for name in LEG]
    goal = LOLA.frame_pose(q, "left_sole")

    def off(angles: np.ndarray) -> np.ndarray:
        moved = q.copy()
        moved[columns] = angles
        return np.asarray(twist_from_pose(inverse(goal) @ model.frame_pose(moved, "left_sole")))

    found = q.copy()
    found[columns] = least_squares(off, q[columns], xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    assert np.abs(off(found[columns])).max() < 1e-9
    return found


def test_a_crooked_link_is_told() -> None:
    """Its offsets differ from pose to pose, and other legs and arms are not blamed."""
    rng, true = np.random.default_rng(1), crooked()
    jig = cal.Jig(LOLA, poses())
    encoders = cal.Encoders(LOLA, offsets=rng.uniform(-1, 1, 24))
    readings = {
        name: encoders.readings(pinned(true, q)) + NOISE * rng.normal(size=24)
        for name, q in jig.poses.items()
    }
    for sigma in (NOISE, 0.0):  # known, or taken from all other joints
        found = jig.offsets(cal.Encoders(LOLA, sigma=sigma), readings)
        told = found.disagreements()
        print(*told, sep="\n")
        assert told and told[0].times > 10.0
        assert {each.joint for each in told} <= set(LEG)
        worst = LOLA.joint(told[0].joint).q_slice.start
        by = [pinned(true, q)[worst] - q[worst] for q in jig.poses.values()]
        k = POSES.index(told[0].pose)
        others = np.delete(by, k).mean()
        assert told[0].by == pytest.approx(by[k] - others, abs=4 * NOISE)
    assert f"disagrees: {told[0].joint}" in str(found)


def test_joints_that_were_not_pinned() -> None:
    jig = cal.Jig(LOLA, poses())
    encoders = cal.Encoders(LOLA)
    readings = {name: encoders.readings(q) + 0.1 for name, q in jig.poses.items()}
    readings["wide"][:10] = np.nan
    found = jig.offsets(encoders, readings)
    np.testing.assert_allclose(found.offsets, 0.1, atol=1e-12)
    assert found.counts.tolist() == [2] * 10 + [3] * 14
    for read in readings.values():
        read[4] = np.nan
    with pytest.raises(ValueError, match=f"joint {encoders.joints[4]!r} is pinned in no pose"):
        jig.offsets(encoders, readings)


def test_files_of_poses(tmp_path: Path) -> None:
    jig, file = cal.Jig(LOLA, poses()), tmp_path / "jig.json"
    jig.save(file)
    again = cal.Jig.load(LOLA, file)
    assert list(again.poses) == list(POSES)
    assert all(np.array_equal(again.poses[name], jig.poses[name]) for name in POSES)
    file.write_text('{"poses": {"a": {"left_knee": [0.1]}}}')
    with pytest.raises(ts.UnknownNameError, match="there is no joint 'left_knee'"):
        cal.Jig.load(LOLA, file)
    file.write_text('{"poses": {"a": {"root": [0.1]}}}')
    with pytest.raises(ValueError, match="pose 'a', joint 'root' must have 7 numbers"):
        cal.Jig.load(LOLA, file)
    file.write_text("[1, 2")
    with pytest.raises(ValueError, match=r"jig\.json is no file of poses"):
        cal.Jig.load(LOLA, file)


def test_wrong_jigs() -> None:
    with pytest.raises(ValueError, match=r"pose 'a' has shape \(3,\), must be \(31,\)"):
        cal.Jig(LOLA, {"a": np.zeros(3)})
    jig, encoders = cal.Jig(LOLA, poses()), cal.Encoders(LOLA)
    with pytest.raises(ts.UnknownNameError, match="there is no pose 'bend'; did you mean 'bent'"):
        jig.offsets(encoders, {"bend": np.zeros(24)})
    with pytest.raises(ValueError, match=r"readings\['bent'\] has shape \(3,\), must be \(24,\)"):
        jig.offsets(encoders, {"bent": np.zeros(3)})
    with pytest.raises(ValueError, match="readings has no pose"):
        jig.offsets(encoders, {})

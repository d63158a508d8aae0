"""The models of Lola: sizes, sparsity and clusters of the thesis, and the drives' golden values.

M. Schwienbacher, "Efficient Algorithms for Biped Robots", TU München 2013: Tables 2.3 and 2.4,
sections 3.2 (knee) and 3.3 (ankle). The values of the drives were computed from equations 3.3 to
3.6 and 3.25 to 3.35 for the geometry that the model has.
"""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.reproduce.sparsity import n_non_zeros, pattern

import tarsus as ts

# knee angle in the sense of the thesis, length of the spindle [m], turns of the screw by the knee
KNEE = (
    (0.0, 0.323882694814, 88.85003480),
    (0.7, 0.369615548259, 69.84210991),
    (1.2, 0.391894408285, 40.65474910),
)
PER_METRE = 2 * np.pi / 0.005


def multi_body(m: ts.Model) -> list[int]:
    """Return the degrees of freedom of the clusters with more than one body."""
    own = [cluster for cluster in m.clusters if len(cluster.bodies) > 1]
    return [cluster.v_slice.stop - cluster.v_slice.start for cluster in own]


@pytest.mark.parametrize(("type_", "nv", "nq"), [(1, 6, 7), (2, 30, 31), (3, 46, 47)])
def test_degrees_of_freedom(type_: int, nv: int, nq: int) -> None:
    m = ts.robots.lola(type_)
    assert (m.nv, m.nq) == (nv, nq)
    assert m.total_mass == pytest.approx(60.0)


def test_clusters() -> None:
    """Each drive is one: 18 harmonic drives and 2 knees of one degree of freedom, 2 ankles."""
    assert multi_body(ts.robots.lola(1)) == []
    assert sorted(multi_body(ts.robots.lola(2))) == [1] * 20 + [2] * 2
    assert sorted(multi_body(ts.robots.lola(3))) == [1] * 4 + [2] * 2


@pytest.mark.parametrize(("type_", "non_zeros"), [(2, 267), (3, 420)])
def test_sparsity(type_: int, non_zeros: int) -> None:
    m = ts.robots.lola(type_)
    assert n_non_zeros(m) == non_zeros
    q = m.random_configuration(0)
    outside = np.abs(m.mass_matrix(q)[~pattern(m)])
    print(f"type {type_}: entries outside the pattern {outside.max():.1e}")
    assert not outside.any()


def test_motors_come_last_in_type_3() -> None:
    """As in Figure 2.20, where the lower right part of the mass matrix is diagonal."""
    m = ts.robots.lola(3)
    assert [name for name in m.joint_names if m.joint(name).nv][-1].endswith("_motor")
    assert np.count_nonzero(pattern(m)[30:, 30:]) == 16


def test_height() -> None:
    m = ts.robots.lola(2)
    q = m.neutral()
    sole, head = m.frame_pose(q, "left_sole"), m.frame_pose(q, "head_skull")
    assert head[2, 3] + 0.14 - sole[2, 3] == pytest.approx(1.8, abs=0.02)


def test_24_motors() -> None:
    assert len(ts.robots.lola(2).motors) == 24


@pytest.mark.parametrize(("angle", "length", "ratio"), KNEE)
def test_knee_spindle(angle: float, length: float, ratio: float) -> None:
    m = ts.robots.lola(2)
    knee, screw = m.joint("left_knee_flexion"), m.joint("left_knee_motor")
    q = m.neutral()
    q[knee.q_slice] = -angle  # the thesis' knee turns the other way
    turned = m.joint_positions(q)[screw.position_slice]
    rate = m.coupling_matrix(q)[screw.velocity_slice, knee.v_slice]
    print(f"screw {turned[0] / PER_METRE - length:.1e} m, ratio {-rate[0, 0] - ratio:.1e}")
    assert turned[0] == pytest.approx(PER_METRE * length, rel=1e-11)
    assert -rate[0, 0] == pytest.approx(ratio, rel=1e-9)


def test_ankle_spindles() -> None:
    m = ts.robots.lola(2)
    names = ("left_ankle_flexion", "left_ankle_adduction")
    leaders = [m.joint(name) for name in names]
    screws = [m.joint(f"left_ankle_{place}_motor") for place in ("outer", "inner")]
    q, v = m.neutral(), np.zeros(m.nv)
    for joint, angle, rate in zip(leaders, (0.2, -0.1), (0.7, -1.1), strict=True):
        q[joint.q_slice], v[joint.v_slice] = angle, rate
    rows = [joint.velocity_slice.start for joint in screws]
    columns = [joint.v_slice.start for joint in leaders]
    lengths = m.joint_positions(q)[[joint.position_slice.start for joint in screws]] / PER_METRE
    np.testing.assert_allclose(lengths, [0.020799463560, 0.010824201796], rtol=1e-9)
    found = m.coupling_matrix(q)[np.ix_(rows, columns)] / PER_METRE
    expected = [[-0.078564355056, -0.051871878933], [-0.077257757287, 0.047471236182]]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    # ẍ = Ġ v without acceleration of the leaders
    rates = np.array([[0.011592829994, -0.013005099275], [0.035244992418, -0.035595351580]])
    bias = m.joint_accelerations(q, v, np.zeros(m.nv))[rows] / PER_METRE
    np.testing.assert_allclose(bias, rates @ [0.7, -1.1], rtol=1e-9)


def test_both_sides_are_mirrored() -> None:
    m = ts.robots.lola(2)
    left, right = m.neutral(), m.neutral()
    for name in ("hip_flexion", "knee_flexion", "ankle_flexion"):
        left[m.joint(f"left_{name}").q_slice] = 0.3
        right[m.joint(f"right_{name}").q_slice] = 0.3
    com_left, com_right = m.center_of_mass(left), m.center_of_mass(right)
    np.testing.assert_allclose(com_left, com_right * [1, -1, 1], atol=1e-12)


@pytest.mark.parametrize("type_", [0, 4, 2.5, "2"])
def test_unknown_types(type_: object) -> None:
    with pytest.raises(ValueError, match="type is"):
        ts.robots.lola(type_)  # type: ignore[arg-type]

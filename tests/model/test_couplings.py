"""Gears, couplings and transmissions: what the builder makes of them, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.model.couplings import in_order
from tarsus.model.description import Array, Coupling

ROTOR = {"mass": 0.3, "com": (0.01, 0.02, 0.0), "inertia": (1e-4, 2e-4, 2.5e-4)}


def arm() -> ts.Builder:
    """world -shoulder (y)- upper -elbow (z)- lower, and the loose bodies r and s."""
    builder = ts.Builder("arm")
    builder.body("upper", 2.0, (0, 0, -0.2), (0.02, 0.02, 0.001))
    builder.body("lower", 1.0, (0, 0.1, -0.2), (0.01, 0.012, 0.003))
    builder.joint("shoulder", "revolute", "world", "upper", axis="y", rotation=(0.3, 0, 0))
    builder.joint("elbow", "revolute", "upper", "lower", position=(0, 0, -0.4), axis=(0, 0, 1))
    builder.body("r", **ROTOR)  # type: ignore[arg-type]
    builder.body("s", **ROTOR)  # type: ignore[arg-type]
    return builder


def test_a_gear_is_a_joint_and_a_coupling() -> None:
    model = arm().gear("elbow", -7, "r").gear("elbow", 3, "s", damping=0.1, motor=False).build()
    assert model.joint_names == ("shoulder", "elbow", "r_joint", "s_joint")
    assert (model.nq, model.nv) == (2, 2)
    assert model.motors == ("r_joint",)
    rotor, elbow = model.joint("r_joint"), model.joint("elbow")
    assert (rotor.parent, rotor.dependent, rotor.q_slice, rotor.v_slice) == (
        *("upper", "coupling"),
        *(slice(2, 2), slice(2, 2)),
    )
    assert (rotor.position_slice, rotor.velocity_slice) == (slice(2, 3), slice(2, 3))
    assert np.array_equal(rotor.placement, elbow.placement)
    assert np.array_equal(rotor.axis, elbow.axis)
    assert model.joint("s_joint").damping.tolist() == [0.1]
    cluster = model.clusters[1]
    assert cluster == ts.Cluster(
        *(1, ("lower", "r", "s"), ("elbow", "r_joint", "s_joint"), "upper", slice(1, 2)),
        *(slice(1, 2), "gear + coupling", ("elbow",), "linear"),
    )
    q, v = np.array([0.2, 0.5]), np.array([1.0, 2.0])
    assert model.joint_positions(q).tolist() == [0.2, 0.5, -3.5, 1.5]
    assert model.joint_velocities(q, v).tolist() == [1.0, 2.0, -14.0, 6.0]
    assert model.motor_positions(q).tolist() == [-3.5]
    assert model.motor_velocities(q, v).tolist() == [-14.0]
    np.testing.assert_allclose(model.motor_torques(q, [5.0, 14.0]), [-2.0], rtol=1e-14)


def test_rotors_on_ancestors_and_in_stages() -> None:
    builder = arm().gear("shoulder", 5, "r", name="first")
    builder.gear("first", -2, "s", "world", position=(0, 1, 0), axis=(1, 1, 0))
    model = builder.build()
    assert model.joint_positions([0.1, 0.0]).tolist() == pytest.approx([0.1, 0.5, -1.0, 0.0])
    assert [cluster.bodies for cluster in model.clusters] == [("upper", "r", "s"), ("lower",)]
    builder = arm().joint("weld", "fixed", "lower", "s")
    far = builder.gear("elbow", 5, "r", "world", position=(0, 1, 0), axis="x").build()
    assert [cluster.bodies for cluster in far.clusters] == [("upper", "lower", "r")]
    assert far.clusters[0].independent == ("shoulder", "elbow")


def test_a_ratio_of_zero_is_a_weld() -> None:
    geared = arm().gear("elbow", 0.0, "r").joint("weld", "fixed", "lower", "s").build()
    welded = arm().joint("weld", "fixed", "lower", "s")
    welded.joint("other", "fixed", "upper", "r", position=(0, 0, -0.4))
    q = geared.random_configuration(0)
    error = np.abs(geared.mass_matrix(q) - welded.build().mass_matrix(q)).max()
    print(f"mass matrix: {error:.1e}")
    assert error < 1e-15


def test_reflected_inertia() -> None:
    """The rotor is welded, and ratio² times its moment about the axis (Steiner included) added."""
    builder = arm().joint("weld", "fixed", "lower", "s", position=(1, 0, 0))
    builder.gear("elbow", -9, "r", approximate="reflected")
    model = builder.build()
    moment = 2.5e-4 + 0.3 * (0.01**2 + 0.02**2)
    np.testing.assert_allclose(model.joint("elbow").armature, 81 * moment, rtol=1e-14)
    assert (model.n_bodies, model.motors, model.frame("r").body) == (2, (), "upper")
    twice = arm().gear("elbow", 2, "r", approximate="reflected")
    twice.gear("elbow", 1, "s", approximate="reflected")
    np.testing.assert_allclose(twice.build().joint("elbow").armature, 5 * moment, rtol=1e-14)


def test_couple_tells_leaders_by_unit_rows() -> None:
    builder = arm().joint("a", "revolute", "upper", "r").joint("b", "prismatic", "upper", "s")
    rows = [[1, 1], [0, 1], [1, -1], [1, 0]]
    builder.couple(["a", "elbow", "b", "shoulder"], rows, offset=[0, 0, 0.5, 0], name="sum")
    coupling = builder.description().couplings[0]
    assert (coupling.leaders, coupling.followers) == (("shoulder", "elbow"), ("a", "b"))
    model = builder.build()
    q, v = np.array([0.3, 0.1]), np.array([2.0, 5.0])
    np.testing.assert_allclose(model.joint_positions(q), [0.3, 0.1, 0.4, 0.7])
    np.testing.assert_allclose(model.joint_velocities(q, v), [2, 5, 7, -3])
    np.testing.assert_allclose(model.joint_accelerations(q, v, 2 * v), [4, 10, 14, -6])
    matrix = [[1, 0], [0, 1], [1, 1], [1, -1]]
    np.testing.assert_allclose(model.coupling_matrix(q), matrix)
    assert model.clusters[0].kind == "coupling"


def test_motors_of_a_differential() -> None:
    builder = arm().joint("a", "revolute", "upper", "r").joint("b", "revolute", "upper", "s")
    builder.couple(["shoulder", "elbow", "a", "b"], [[1, 0], [0, 1], [2, 1], [2, -1]], motor=True)
    model = builder.build()
    assert model.motors == ("a", "b")
    tau = np.random.default_rng(0).normal(size=(4, 3, 2))
    q = np.zeros((3, 2))
    torques = model.motor_torques(q, tau)
    assert torques.shape == (4, 3, 2)
    error = np.abs(torques @ np.array([[2, 1], [2, -1]]) - tau).max()
    print(f"power of the motors: {error:.1e}")
    assert error < 1e-14
    with pytest.raises(ValueError, match=r"tau has shape \(3,\), must be \(…, 2\)"):
        model.motor_torques(q, np.zeros(3))


def test_several_motors_on_a_coordinate_share_its_torque() -> None:
    model = arm().gear("elbow", 3, "r").gear("elbow", 4, "s").build()
    np.testing.assert_allclose(model.motor_torques([0, 0], [1, 50]), [6, 8])


def spindle(model: ts.Model, q: float, kind: str) -> Array:
    pivot, nut, lead = np.array([0.02, 0.0, -0.33]), np.array([-0.07, 0.0, 0.01]), 0.01
    r = pivot + Rotation.from_rotvec([0, q, 0]).apply(nut)
    screw = 2 * np.pi / lead * np.linalg.norm(r)
    if kind == "spindle":
        return np.array([screw])
    reference = np.array([0.0, 0.0, -1.0])
    return np.array([np.arctan2(np.cross(reference, r)[1], reference @ r), screw])


@pytest.mark.parametrize("kind", ["spindle", "tilting_spindle"])
def test_spindles(kind: str) -> None:
    builder = arm().joint("weld", "fixed", "lower", "s") if kind == "spindle" else arm()
    parameters: dict[str, Any] = {"pivot": (0.02, 0, -0.33), "nut": (-0.07, 0, 0.01), "lead": 0.01}
    followers = ["screw"]
    if kind == "tilting_spindle":
        builder.joint("tilt", "revolute", "world", "s", axis="y")
        parameters["reference"] = (0, 0, -2)
        followers = ["tilt", "screw"]
    builder.joint("screw", "revolute", "s" if len(followers) > 1 else "world", "r")
    builder.transmission(kind, "shoulder", followers, name="knee", motor=True, **parameters)
    model = builder.build()
    assert model.clusters[0].closure == kind
    q = np.array([0.7, 0.2])
    where = [model.joint(name).position_slice.start for name in followers]
    expected = spindle(model, 0.7, kind)
    error = np.abs(model.joint_positions(q)[where] - expected).max()
    print(f"{kind}: {error:.1e} rad of {expected.max():.0f}")
    assert error < 1e-12 * np.abs(expected).max()


ANKLE: dict[str, Any] = {
    "ankle": (0, 0, -0.4),
    "first_axis": (0, 1, 0),
    "second_axis": (2, 0, 0),
    "screw_axis": (0, 0, -1),
    "coupler": 0.15,
    "tops": [(-0.05, 0.04, -0.05), (-0.05, -0.04, -0.05)],
    "bottoms": [(-0.06, 0.035, 0.0), (-0.06, -0.035, 0.0)],
    "lead": 0.005,
}


def ankle(**changes: Any) -> ts.Builder:
    builder = ts.Builder("ankle")
    for name in ("cross", "foot", "r", "s"):
        builder.body(name, 1.0, inertia=(1, 1, 1))
    builder.joint("flexion", "revolute", "world", "cross", position=(0, 0, -0.4), axis="y")
    builder.joint("adduction", "revolute", "cross", "foot", axis="x")
    builder.joint("left", "revolute", "world", "r").joint("right", "revolute", "world", "s")
    parameters = {key: value for key, value in (ANKLE | changes).items() if value is not None}
    return builder.transmission(
        "parallel_ankle", ["flexion", "adduction"], ["left", "right"], **parameters
    )


def test_parallel_ankle() -> None:
    """Schwienbacher 2013, equation 3.25, with the screws at the shorter of the two solutions."""
    model = ankle().build()
    q = np.array([0.2, -0.1])
    turn = Rotation.from_rotvec([0, 0.2, 0]) * Rotation.from_rotvec([-0.1, 0, 0])
    e = np.array([0.0, 0.0, -1.0])
    for name, top, bottom in zip(("left", "right"), ANKLE["tops"], ANKLE["bottoms"], strict=True):
        r = np.array(ANKLE["ankle"]) + turn.apply(bottom) - np.array(top)
        length = e @ r - np.sqrt(0.15**2 - r @ r + (e @ r) ** 2)
        found = model.joint_positions(q)[model.joint(name).position_slice][0]
        error = abs(found - 2 * np.pi / 0.005 * length)
        print(f"{name}: {error:.1e} rad of {found:.0f}")
        assert error < 1e-12 * abs(found)


def square(y: Array) -> tuple[Array, Array, Array]:
    """The follower turns by the product of two leaders."""
    a, b = y
    return np.array([a * b]), np.array([[b, a]]), np.array([[[0.0, 1.0], [1.0, 0.0]]])


def with_function(function: Any) -> ts.Builder:
    builder = arm().joint("a", "revolute", "upper", "r").joint("weld", "fixed", "lower", "s")
    return builder.transmission("function", ["shoulder", "elbow"], "a", function=function)


def test_functions_of_your_own() -> None:
    model = with_function(square).build()
    q, v = np.array([[2.0, 3.0], [0.5, -1.0]]), np.array([1.0, 10.0])
    assert model.clusters[0].closure == "function"
    np.testing.assert_allclose(model.joint_positions(q)[:, 2], [6.0, -0.5])
    np.testing.assert_allclose(model.joint_velocities(q, v)[:, 2], [23.0, 4.0])
    zeros = np.zeros(2)
    np.testing.assert_allclose(model.joint_accelerations(q, v, zeros)[:, 2], [20.0, 20.0])


BAD_FUNCTIONS: dict[str, tuple[Any, str]] = {
    "value only": (lambda y: y[0], "must return value, first and second derivatives"),
    "shape": (lambda y: (y, y, y), r"its value has shape \(2,\), must be \(1,\)"),
    "not finite": (
        lambda y: (np.array([np.nan]), np.zeros((1, 2)), np.zeros((1, 2, 2))),
        "its value is not finite at",
    ),
}


@pytest.mark.parametrize("name", BAD_FUNCTIONS)
def test_functions_that_are_wrong(name: str) -> None:
    function, message = BAD_FUNCTIONS[name]
    with pytest.raises(ValueError, match=f"the function of coupling 'a'.*{message}"):
        with_function(function).build().joint_positions([0.1, 0.2])


Call = Callable[[ts.Builder], object]
BAD_CALLS: dict[str, tuple[Call, str]] = {
    "gear of an unknown joint": (
        lambda b: b.gear("elbo", 2, "r"),
        "gear 'r_joint': there is no joint 'elbo'; did you mean 'elbow'",
    ),
    "gear of a joint of several coordinates": (
        lambda b: b.joint("ball", "spherical", "lower", "s").gear("ball", 2, "r"),
        "joint 'ball' is spherical and has 3 coordinates",
    ),
    "gear of a fixed joint": (
        lambda b: b.joint("weld", "fixed", "lower", "s").gear("weld", 2, "r"),
        "joint 'weld' is fixed and has 0 coordinates",
    ),
    "ratio that is not finite": (
        lambda b: b.gear("elbow", np.inf, "r"),
        "gear 'r_joint': ratio is not finite",
    ),
    "ratio that is not a number": (
        lambda b: b.gear("elbow", "high", "r"),  # type: ignore[arg-type]
        "gear 'r_joint': ratio is not an array of numbers",
    ),
    "unknown rotor": (lambda b: b.gear("elbow", 2, "x"), "rotor 'x' is not declared"),
    "unknown mount": (
        lambda b: b.gear("elbow", 2, "r", "wall", position=(0, 0, 0), axis="x"),
        "parent 'wall' is not declared",
    ),
    "rotor that hangs already": (
        lambda b: b.gear("elbow", 2, "lower"),
        "body 'lower' already hangs on a joint",
    ),
    "other mount without a place": (
        lambda b: b.gear("elbow", 2, "r", "world"),
        "needs a place on its mount 'world' and an axis",
    ),
    "axis without a place": (
        lambda b: b.gear("elbow", 2, "r", axis="x"),
        "a rotor that is not coaxial with joint 'elbow' .* needs a place on its mount .* an axis",
    ),
    "place without an axis": (
        lambda b: b.gear("elbow", 2, "r", position=(0, 0, 1)),
        "needs a place on its mount 'upper' and an axis",
    ),
    "unknown approximation": (
        lambda b: b.gear("elbow", 2, "r", approximate="armature"),
        "must be 'exact' or 'reflected'",
    ),
    "parameters of a reflected rotor": (
        lambda b: b.gear("elbow", 2, "r", approximate="reflected", damping=1.0),
        "damping is for exact rotors only",
    ),
    "name of a joint twice": (
        lambda b: b.gear("elbow", 2, "r", name="elbow"),
        "joint name 'elbow' is used twice",
    ),
    "coupling of an unknown joint": (
        lambda b: b.couple(["shoulder", "albow"], [[1], [2]]),
        "coupling 'albow': there is no joint 'albow'; did you mean 'elbow'",
    ),
    "matrix with too few rows": (
        lambda b: b.couple(["shoulder", "elbow"], [[1]]),
        r"matrix has shape \(1, 1\), must be \(2, number of leaders\)",
    ),
    "matrix that is a number": (
        lambda b: b.couple(["shoulder", "elbow"], 2.0),
        r"matrix has shape \(\), must be",
    ),
    "matrix that is not finite": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [np.nan]]),
        "coupling of shoulder, elbow: matrix is not finite",
    ),
    "matrix with rows of different lengths": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [2, 3]]),
        "matrix is not an array of numbers",
    ),
    "nobody leads": (
        lambda b: b.couple(["shoulder", "elbow"], [[3], [2]]),
        "no joint leads column 0",
    ),
    "a leader with an offset": (
        lambda b: b.couple(["shoulder", "elbow"], [[1], [2]], offset=[1, 0]),
        "no joint leads column 0",
    ),
    "nobody follows": (
        lambda b: b.couple(["shoulder", "elbow"], np.eye(2)),
        "all joints lead, none follows",
    ),
    "joints that are a string": (lambda b: b.couple("elbow", [[1]]), "must be names of joints"),
    "a joint twice": (
        lambda b: b.couple(["elbow", "elbow"], [[1], [2]]),
        "joint 'elbow' comes twice",
    ),
    "a joint that follows twice": (
        lambda b: b.gear("elbow", 2, "r").couple(["shoulder", "r_joint"], [[1], [2]], name="x"),
        "coupling 'x': joint 'r_joint' already follows by coupling 'r_joint'",
    ),
    "a joint that follows itself": (
        lambda b: b.gear("elbow", 2, "r").couple(["r_joint", "elbow"], [[1], [2]]),
        "coupling 'elbow': joint 'elbow' would follow itself",
    ),
    "a coupling name twice": (
        lambda b: b.gear("elbow", 2, "r").couple(["elbow", "shoulder"], [[1], [2]], name="r_joint"),
        "coupling name 'r_joint' is used twice",
    ),
    "unknown transmission": (
        lambda b: b.transmission("spindel", "shoulder", "elbow"),
        "unknown kind 'spindel'; did you mean 'spindle'",
    ),
    "linear transmission": (
        lambda b: b.transmission("linear", "shoulder", "elbow"),
        "unknown kind 'linear'",
    ),
    "missing parameter": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", pivot=(0, 0, 1), lead=1),
        r"parameter 'nut' is missing \(needs: pivot, nut, axis, lead\)",
    ),
    "unknown parameter": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", leed=1),
        "unknown parameter 'leed'; did you mean 'lead'",
    ),
    "parameter of a wrong shape": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", pivot=1, nut=(0, 0, 1), lead=1),
        r"pivot has shape \(\), must be \(3,\)",
    ),
    "lead of zero": (
        lambda b: b.transmission(
            "spindle", "shoulder", "elbow", pivot=(0, 0, 1), nut=(0, 0, 1), lead=0
        ),
        "lead is zero",
    ),
    "too many followers": (
        lambda b: b.transmission("spindle", "shoulder", ["elbow", "a"]),
        "has 2 followers, needs 1",
    ),
    "no followers": (lambda b: b.transmission("spindle", "shoulder", []), "non-empty string"),
    "function that cannot be called": (
        lambda b: b.transmission("function", "shoulder", "elbow", function=3),  # type: ignore[arg-type]
        "kind 'function' needs a function",
    ),
    "function of a spindle": (
        lambda b: b.transmission("spindle", "shoulder", "elbow", function=square),
        "kind 'spindle' cannot have a function",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_wrong_call_fails_at_once(name: str) -> None:
    call, message = BAD_CALLS[name]
    builder = arm().joint("a", "revolute", "lower", "s") if "many" in name else arm()
    with pytest.raises(ts.ModelError, match=message):
        call(builder)


def test_a_wrong_call_changes_nothing() -> None:
    builder = arm()
    before = builder.description()
    wrong: list[Call] = [
        lambda b: b.gear("elbow", 2, "r", name="elbow"),
        lambda b: b.couple(["elbow", "elbow"], [[1], [2]]),
        lambda b: b.gear("elbow", 2, "r", damping=-1.0),
        lambda b: b.gear("elbow", 2, "r", approximate="reflected", name="elbow"),
    ]
    for call in wrong:
        with pytest.raises(ts.ModelError):
            call(builder)
    assert builder.description() == before
    assert builder.gear("elbow", 2, "r").gear("elbow", 2, "s").build().nv == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coupler": -1.0}, "coupler is -1.0"),
        ({"coupler": None}, "parameter 'coupler' is missing"),
        ({"tops": np.zeros((3, 2))}, r"tops has shape \(3, 2\), must be \(2, 3\)"),
        ({"screw_axis": (0, 0, 0)}, "screw_axis is zero"),
    ],
)
def test_wrong_parameters_of_an_ankle(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ts.ModelError, match=message):
        ankle(**changes)


def test_descriptions_are_checked_too() -> None:
    description = arm().gear("elbow", 2, "r").joint("j", "revolute", "lower", "s").description()
    here = ts.Source("arm.yaml", 3)

    def fails(coupling: Coupling, message: str) -> None:
        coupling.source = here
        description.couplings[1:] = [coupling]
        with pytest.raises(ts.ModelError, match=f"arm.yaml:3: .*{message}"):
            ts.Model(description)

    two = np.array([[2.0]])
    fails(Coupling("x", "linaer", ("elbow",), ("j",), two), "did you mean 'linear'")
    fails(Coupling("x", "linear", ("elbow",), ("j",)), "matrix is not an array")
    fails(Coupling("x", "linear", ("elbow",), (), two), "has 0 followers, needs at least one")
    fails(Coupling("x", "linear", ("elbow",), ("j",), two, np.ones(2)), "offset has shape")
    fails(Coupling("r_joint", "linear", ("elbow",), ("j",), two), "name 'r_joint' is used twice")
    fails(Coupling("x", "function", ("elbow",), ("j",), two, function=square), "matrix is for")
    fails(
        Coupling("x", "function", ("r_joint",), ("j",), function=square),
        "leader with own coordinates, but 'r_joint' follows",
    )


def test_order_of_couplings() -> None:
    def gear(leader: str, follower: str) -> Coupling:
        return Coupling(follower, "linear", (leader,), (follower,), np.eye(1))

    stages = [gear("c", "d"), gear("b", "c"), gear("x", "y"), gear("a", "b")]
    assert [coupling.name for coupling in in_order(stages)] == ["b", "c", "d", "y"]
    with pytest.raises(ts.ModelError, match="joint 'a' would follow itself"):
        in_order([*stages, gear("d", "a")])
    long = [gear(f"j{i}", f"j{i + 1}") for i in reversed(range(3000))]
    assert [coupling.name for coupling in in_order(long)] == [f"j{i + 1}" for i in range(3000)]


def test_a_thousand_gears() -> None:
    builder = ts.Builder("long")
    parent = "world"
    for i in range(1000):
        builder.body(f"link_{i}", 1.0, (0, 0, 0.1), (1, 1, 1)).body(f"rotor_{i}", 0.1)
        builder.joint(f"joint_{i}", "revolute", parent, f"link_{i}", axis="xyz"[i % 3])
        parent = f"link_{i}"
        builder.gear(f"joint_{i}", 5 + i % 3, f"rotor_{i}")
    model = builder.build()
    assert (model.n_bodies, model.nv, len(model.clusters)) == (2000, 1000, 1000)
    assert np.isfinite(model.forward_dynamics(np.zeros(1000), np.zeros(1000), np.zeros(1000))).all()


def test_a_parameter_of_a_gear_that_there_is_not() -> None:
    """A typing error is answered with the parameters that there are."""
    builder = ts.Builder("typo").body("link", 1.0, (0, 0, 0.1), (0.01, 0.01, 0.01))
    builder.joint("hinge", "revolute", "world", "link").body("rotor", 0.1)
    with pytest.raises(TypeError, match=r"no parameter 'dampng'.*damping"):
        builder.gear("hinge", 5, "rotor", dampng=1.0)

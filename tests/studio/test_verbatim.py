"""The language of the Virtual Erector Set, against its thesis and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import tarsus as ts
from tarsus.studio import Stage

BEAM = "-in 0.104167 8.35417 8.416666666666667"
"""Of bars of 10 x 1 x .5 m and 1 kg."""


def stage_of(*lines: str) -> Stage:
    """Return a stage in which these lines were done."""
    stage = Stage()
    stage.run(list(lines))
    return stage


def twist(stage: Stage, body: str) -> np.ndarray:
    """Return how a body moves (6,), linear first, in its own axes."""
    machine = stage.machine
    return np.asarray(machine.model.frame_velocity(machine.q, machine.v, body, reference="local"))


def lengths(stage: Stage, letter: str) -> list[float]:
    """Return the lengths of the strings that begin with a letter, from the places of their ends."""
    found = []
    for k in range(1, 6):
        part = stage.document.parts[f"string{letter}{k}"]
        ends = [
            stage.machine.pose(body)[:3, :3] @ np.array(point) + stage.machine.pose(body)[:3, 3]
            for body, point in (part.a, part.b)  # type: ignore[attr-defined]
        ]
        found.append(float(np.linalg.norm(ends[0] - ends[1])))
    return found


@pytest.mark.parametrize("damping", [10, 1])
def test_the_tensegrity_of_the_thesis_settles(damping: int) -> None:
    stage = Stage()
    told = stage.do("run tensegrity")
    assert told.ok
    assert "no ground and no gravity" in told.text
    kinds = [part.kind for part in stage.document.parts.values()]
    assert (len(stage.machine.bodies()), kinds.count("rubber"), kinds.count("damping")) == (
        5,
        15,
        5,
    )
    for k in range(5):
        stage.do(f"sf stick{k} damping -d {damping}")
    stage.run(["sstepsize .5", "step 60"])
    assert stage.t == pytest.approx(30.0, abs=1e-12)
    assert lengths(stage, "B") == pytest.approx([4.4905] * 5, abs=4e-3)
    assert np.mean(lengths(stage, "B") + lengths(stage, "T")) == pytest.approx(4.4905, abs=2e-3)
    assert np.mean(lengths(stage, "M")) == pytest.approx(4.7566, abs=3e-3)
    centers = np.array([stage.machine.pose(f"stick{k}")[:3, 3] for k in range(5)])
    radii = np.linalg.norm(centers - centers.mean(axis=0), axis=1)
    assert radii.mean() == pytest.approx(2.136, abs=2e-3)


def test_the_integrator_tells_what_it_did() -> None:
    stage = Stage()
    stage.run(["run tensegrity", "sacc -r 1e-4 -a 1e-3", "sstepsize .5", "step 2"])
    done = stage.statistics
    assert done is not None
    assert done.rates / done.steps < 2.0
    told = stage.do("rlsode").text
    assert f"{done.steps:.0f} steps and {done.rates:.0f} calls" in told
    assert "absolute accuracy 0.001, relative accuracy 0.0001" in told
    stage.do("sacc")
    assert "fixed steps" in stage.do("rlsode").text


THREE_BARS = {
    "middle": ("ib m", "il m l", "il m r", "sl m l -djt -4 0 0 -pjt 4 0 0"),
    "other order": ("ib m", "il m r", "il m l", "sl m l -djt -4 0 0 -pjt 4 0 0"),
    "left": ("ib l", "il l m", "il m r", "sl l m -djt 4 0 0 -pjt -4 0 0"),
}


@pytest.mark.parametrize("root", THREE_BARS)
@pytest.mark.parametrize("idle", [False, True])
def test_three_bars_from_any_root(root: str, idle: bool) -> None:
    stage = stage_of(*THREE_BARS[root], "sl m r -djt 4 0 0 -pjt -4 0 0 -qdot .1")
    stage.run([f"sb {body} {BEAM}" for body in "lmr"])
    if idle:
        stage.run(["ib idle", "sb idle -t 0 0 50"])
    stage.run(["sacc -r 1e-10 -a 1e-11", "sstepsize .25", "step 4"])
    found = twist(stage, "m")
    assert found[5] == pytest.approx(3.192743e-4, rel=2e-6)
    assert found[:2] == pytest.approx([1.3266748e-2, 9.180747e-4], rel=2e-6)
    assert "-vr 0 0 0.000319274" in stage.do("pb m").text


FOUR_BARS = {
    "free": (
        (-0.32174333, 0.52994055, -0.27346994, 0.02731349),
        (0.57347613, 3.31307527, 0.58240403, -0.53205150),
    ),
    "b0": (
        (0, 0.23691695, -0.26258188, 0.03125153),
        (0, 1.25251193, -0.58649294, -0.52021124),
    ),
    "b3": (
        (-0.29414678, 0.47889023, -0.22265103, 0),
        (-0.10668120, 2.31753131, -0.22570741, 0),
    ),
}
"""Angles of bars after 5 and 15 s, by the one that is nailed."""


@pytest.mark.parametrize("nailed", FOUR_BARS)
def test_four_bars_with_a_nailed_end(nailed: str) -> None:
    stage = stage_of("ib b0")
    for k in range(1, 4):
        stage.run([f"il b{k - 1} b{k}", f"sl b{k - 1} b{k} -djt 4 0 0 -pjt -4 0 0"])
    stage.run([f"sb b{k} {BEAM}" for k in range(4)])
    stage.run(["sb b1 -if motor couple", "sf b1 couple -f 0 0 0 0 0 1"])
    if nailed != "free":
        stage.do(f"ilc {nailed} nail")
    stage.run(["sacc -r 1e-9 -a 1e-10", "sstepsize 5"])
    for steps, expected in zip((1, 2), FOUR_BARS[nailed], strict=True):
        stage.run([f"step {steps}"])
        at = [stage.machine.pose(f"b{k}")[:2, 0] for k in range(4)]
        assert np.array(at) == pytest.approx(
            np.stack([np.cos(expected), np.sin(expected)], axis=1), abs=1e-6
        )
    stage.run([f"ilc {nailed} free"] if nailed != "free" else [])
    assert not any(part.kind == "nail" for part in stage.document.parts.values())


@pytest.mark.parametrize(
    ("axis", "kind"),
    [
        ((0, 0, 1, 0, 0, 0), "revolute"),
        ((0, 0, 0, 1, 2, 2), "prismatic"),
        ((0.6, 0, 0.8, 0, 0, 0), "revolute"),
        ((0, 1, 0, 0.3, 0, -0.2), "revolute"),
        ((0, 0, 1, 0, 0, 0.4), "screw"),
        ((0.6, 0.8, 0, 0.1, -0.5, 0.3), "screw"),
        ((0, 0, 3, 0, 0, 0), "revolute"),
    ],
)
def test_any_axis_of_a_link(axis: tuple[float, ...], kind: str) -> None:
    """parent X child = DJ exp(s q) PJ^-1, with the exponential of SciPy."""
    q, rng = 0.7, np.random.default_rng(3)
    turns = rng.normal(size=(2, 4))
    places = rng.normal(size=(2, 3))
    options = [
        f"-{name}{letter} {' '.join(map(repr, numbers.tolist()))}"
        for name, turn, at in zip(("dj", "pj"), turns, places, strict=True)
        for letter, numbers in (("t", at), ("E", turn))
    ]
    stage = stage_of("ib a", "sb a -t 1 2 3 -E 1 2 3 4", "il a b")
    numbers = " ".join(map(repr, axis))
    stage.run([f"sl a b -s {numbers} -q {q} -qdot 2 {' '.join(options)}"])
    assert stage.machine.model.joint("b").kind == kind
    turn, slide = np.array(axis[:3]), np.array(axis[3:])
    scale = np.linalg.norm(turn) or np.linalg.norm(slide)
    generator = np.zeros((4, 4))
    generator[:3, :3] = np.cross(np.eye(3), turn / scale)
    generator[:3, 3] = slide / scale
    distal, proximal = (_pose(at, e) for at, e in zip(places, turns, strict=True))
    parent = _pose(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    expected = parent @ distal @ expm(q * generator) @ np.linalg.inv(proximal)
    assert stage.machine.pose("b") == pytest.approx(expected, abs=1e-12)
    before = stage.machine.pose("b")
    stage.run(["advance 1"])
    moved = stage.machine.pose("b")[:3, 3] - before[:3, 3]
    rate = parent @ distal @ generator @ expm(q * generator) @ np.linalg.inv(proximal)
    assert moved / 1e-3 == pytest.approx(2.0 * rate[:3, 3], abs=0.05)


def _pose(at: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Return a pose from a position and w x y z of any length, by the product of quaternions."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    found = np.eye(4)
    found[:3, 3] = at
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return found


def accelerations(*lines: str) -> np.ndarray:
    """Return how the body a accelerates (6,) in axes of the world, from a very short step."""
    stage = stage_of("ib a", "sb a -m 2 -in 1 2 3", *lines)
    stage.do("set world -dt 1e-8")
    rotation = stage.machine.pose("a")[:3, :3]
    before = twist(stage, "a")
    stage.do("advance 1")
    change = (twist(stage, "a") - before) / 1e-8
    omega, linear = before[3:], before[:3]
    change[:3] += np.cross(omega, linear)
    return np.concatenate([rotation @ change[:3], rotation @ change[3:]])


def test_forces_of_the_table() -> None:
    weight = accelerations("sb a -if gravity g", "sf a g -g 3")
    assert weight == pytest.approx([0, 0, -3, 0, 0, 0], abs=1e-6)
    # a motor 1 m along x, turned by 90 degrees about z: its x is y of the body
    motor = accelerations("sb a -if motor m", "sf a m -f 4 0 0 0 0 6 -t 1 0 0 -E 1 0 0 1")
    assert motor == pytest.approx([0, 2, 0, 0, 0, (4 + 6) / 3], abs=1e-6)
    damping = accelerations("sb a -vl 1 2 3 -vr 0 0 5 -if damping d", "sf a d -d 7")
    assert damping == pytest.approx([-3.5, -7, -10.5, 0, 0, -35 / 3], abs=1e-5)
    brake = accelerations("sb a -vr 0 0 2 -if brake b", "sf a b -d 3 -t 1 0 0")
    assert brake == pytest.approx([0, -3, 0, 0, 0, -2], abs=1e-5)
    support = accelerations("sb a -t 0 0 -.1 -if support s", "sf a s -k 50 -d 1")
    assert support == pytest.approx([0, 0, 2.5, 0, 0, 0], abs=1e-6)
    above = accelerations("sb a -t 0 0 .1 -if support s", "sf a s -k 50 -d 1")
    assert above == pytest.approx(np.zeros(6), abs=1e-9)
    pulled = accelerations("sb a -t 0 0 -.1 -vl 0 0 9 -if support s", "sf a s -k 50 -d 10")
    assert pulled == pytest.approx(np.zeros(6), abs=1e-6)


def test_weights_follow_masses() -> None:
    stage = stage_of("ib a", "sb a -if gravity g", "sb a -m 5", "sstepsize .01", "step 10")
    assert twist(stage, "a")[2] == pytest.approx(-0.981, rel=1e-9)


def test_forces_are_toggled_and_printed() -> None:
    stage = stage_of("ib a", "sb a -if gravity g -vl 1 0 0", "sb a -f g", "sstepsize .01")
    stage.do("step 10")
    assert twist(stage, "a") == pytest.approx([1, 0, 0, 0, 0, 0], abs=1e-12)
    assert stage.do("pf a g").text == "a: gravity g -g 9.81 (off)"
    stage.run(["sb a -f g", "step 10"])
    assert twist(stage, "a")[2] == pytest.approx(-0.981, rel=1e-9)
    assert stage.do("pf").text == "a: gravity g -g 9.81"
    stage.run(["undo"])
    assert "(off)" in stage.do("pf").text


def test_two_bodies_may_have_forces_of_one_name() -> None:
    stage = stage_of("ib a", "ib b", "sb a -if damping d", "sb b -if damping d", "sf b d -d 4")
    assert {name: part.linear for name, part in stage.document.parts.items()} == {  # type: ignore[attr-defined]
        "a.d": 0.0,
        "b.d": 4.0,
    }
    assert not stage.do("sb a -if damping d").ok


def test_a_body_comes_to_a_point() -> None:
    stage = stage_of("ib a", "ilc a move_to_point", "set a.end -target 1 0 0", "sstepsize .2")
    stage.do("step 1")
    # critically damped by 0.2 s: what is left is (1 + 1) / e
    assert stage.machine.pose("a")[0, 3] == pytest.approx(1 - 2 / np.e, abs=3e-3)


def test_frames_are_met_whatever_the_step() -> None:
    stage = stage_of("ib a", "sb a -vl 1 0 0")
    for frame in (0.1, 1 / 30, 0.0007, 1 / 7):
        begin = stage.t
        stage.run([f"sstepsize {frame!r}", "step 7"])
        assert stage.t == pytest.approx(begin + 7 * frame, abs=1e-12)
        assert stage.machine.pose("a")[0, 3] == pytest.approx(stage.t, abs=1e-9)
        assert float(stage.do("rtime").text) == pytest.approx(stage.t, rel=1e-8)
    stage.do("stime 100")
    assert stage.do("rtime").text == "100"


def test_the_world_of_other_scenes_stays() -> None:
    stage = stage_of("add box a -t 0 0 1", "ib b")
    assert stage.document.ground is not None
    assert stage.document.description.gravity[2] == pytest.approx(-9.81)


def test_accuracy_is_for_smooth_worlds() -> None:
    assert "without ground" in stage_of("add box a -t 0 0 1").do("sacc -r 1e-6").text
    stage = stage_of("ib a", "sacc -r 1e-6", "set ground -on on")
    answer = stage.do("step 1")
    assert not answer.ok
    assert "without ground" in answer.text


def test_frames_go_to_a_file(tmp_path: object) -> None:
    stage = Stage(root=str(tmp_path))
    stage.run(["ib a", "sb a -vl 1 0 0", "sstepsize .1", "draw corpus a.csv 2", "step 6"])
    rows = [line.split(",") for line in (stage.root / "a.csv").read_text().splitlines()]
    assert [float(row[0]) for row in rows[1:]] == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert [float(row[2]) for row in rows[1:]] == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert not stage.do("draw corpus ../a.csv 2").ok


def test_weight_beside_a_model_with_gravity() -> None:
    """The part is that of a body alone; its work is what gravity would have done."""
    builder = ts.Builder("two", gravity=(0.0, 0.0, 0.0))
    for name in ("a", "b"):
        builder.body(name, 2.0, inertia=(1.0, 1.0, 1.0))
        builder.joint(name, "free", "world", name)
    model = builder.build()
    run = ts.Simulation(model, forces=[ts.forces.Weight("a", 3.0)]).run(duration=0.5)
    assert run.v[-1, 2] == pytest.approx(-1.5)
    assert run.v[-1, 8] == 0.0
    with pytest.raises(LookupError, match="there is no body 'c'"):
        ts.Simulation(model, forces=[ts.forces.Weight("c")])


def test_pf_says_between_which_bodies_a_string_is() -> None:
    stage = Stage()
    stage.run("ib a\nib b\nir s a b -k 3 -l 2 -lone 1 0 0")
    assert stage.do("pf b").text == "b: rubber s a b -k 3 -l 2 -e 0.1 -lone 1 0 0 -ltwo 0 0 0"

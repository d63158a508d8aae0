"""Which bodies are watched for touching each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from touching import arm

import tarsus as ts
from tarsus.geometry.body_pairs import placed_shapes, watched_pairs


def links(m: ts.Model, self_collision: object = False) -> set[frozenset[str]]:
    shapes = placed_shapes(m, "collision")
    pairs = watched_pairs(m, shapes, self_collision)  # type: ignore[arg-type]
    return {frozenset((shapes[i].link, shapes[j].link)) for i, j in pairs}


def pairs(*names: str) -> set[frozenset[str]]:
    return {frozenset(name.split()) for name in names}


def test_bodies_of_one_tree_are_watched_if_asked_for() -> None:
    m = arm().build()
    assert links(m) == set()
    # the massless yoke has no shapes, so that base and upper are neighbours
    assert links(m, True) == pairs("base lower", "base hand")
    assert links(m, [("upper", "base")]) == pairs("upper base")
    assert links(m, [("hand", "base")]) == pairs("hand base")
    assert links(m, [("lower", "base")]) == pairs("lower base", "hand base")


def test_two_trees_and_what_stands_around() -> None:
    b = arm()
    b.body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).joint("fly", "free", "world", "ball")
    b.shape("ball", "sphere", (0.1,), role="collision")
    b.shape("world", "box", (1, 1, 1), role="collision", position=(3, 0, 0))
    b.body("table", 1.0, inertia=(0.1, 0.1, 0.1)).joint("stand", "fixed", "world", "table")
    b.shape("table", "box", (1, 1, 1), role="collision", position=(0, 3, 0))
    own = ("base", "upper", "lower", "hand")
    expected = pairs(*(f"{x} {y}" for x in own for y in ("ball", "world", "table")))
    expected |= pairs("ball world", "ball table")
    m = b.build()
    assert links(m) == expected
    assert links(m, True) == expected | pairs("base lower", "base hand")


def test_a_fixed_base_belongs_to_its_robot() -> None:
    m = arm(fixed=True).build()
    assert links(m) == set()
    assert links(m, True) == pairs("base lower", "base hand")


def test_bodies_on_the_world_come_second() -> None:
    m = arm(fixed=True).build()
    shapes = placed_shapes(m, "collision")
    for i, j in watched_pairs(m, shapes, True):
        assert shapes[i].body >= 0 and shapes[j].body == -1


def test_ends_of_loops_are_neighbours() -> None:
    b = arm()
    b.close_loop("distance", "base", (0.2, 0, 0), "lower", (0, 0, 0.3), length=0.8)
    assert links(b.build(), True) == set()


MJCF = """<mujoco><worldbody>
<geom name="floor" type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1"><freejoint/><geom size="0.1" contype="2" conaffinity="3"/></body>
<body name="b" pos="0 1 1"><freejoint/><geom size="0.1" contype="1" conaffinity="1"/></body>
<body name="c" pos="0 2 1"><freejoint/><geom size="0.1" contype="0" conaffinity="1"/></body>
<body name="d" pos="0 3 1"><freejoint/><geom size="0.1"/></body>
</worldbody><contact><exclude body1="b" body2="d"/></contact></mujoco>"""


def test_what_mujoco_filters_is_not_watched(tmp_path: Path) -> None:
    import mujoco

    (tmp_path / "bits.xml").write_text(MJCF)
    m = ts.load(tmp_path / "bits.xml")
    # oracle: put all spheres into one place and ask MuJoCo which of them touch
    peer = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(peer)
    data.qpos[:] = [0, 0, 5, 1, 0, 0, 0] * 4
    mujoco.mj_forward(peer, data)
    bodies = [
        {peer.body(peer.geom_bodyid[geom]).name for geom in contact.geom}
        for contact in data.contact
    ]
    expected = {frozenset(pair) for pair in bodies}
    assert len(expected) == 4
    assert links(m) == expected
    assert ("b", "d") in m.description.metadata["excluded_contacts"]
    assert not any("excluded" in text for text in m.warnings)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([("upper", "bas")], "there is no body 'bas'; did you mean 'base'"),
        (["base"], "self_collision has 'base', must be True or pairs"),
        ([("a", "b", "c")], "must be True or pairs"),
    ],
)
def test_mistakes_are_named(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        links(arm().build(), value)

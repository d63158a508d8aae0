"""Copies move as what they are copies of, and images as images."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import bits

from tarsus.studio import Stage

ARM = """
set ground -on off
add rod a -length 1 -t 0 1 2 -touches off
add box b -size .8 .1 .2 -t .9 1 2 -touches off
add revolute h -a a .5 0 0 -b b -.4 0 0 -axis .1 1 .2
set h -q .4 -qdot 1.5
set h -lower -1 -upper 2 -damping .01
add revolute g -a world -.5 1 2 -b a -.5 0 0 -axis 0 1 .3
add spring sp -a b .4 0 0 -b world 0 2 3 -stiffness 20
add rubber rb -a a 0 0 .1 -b b 0 0 0 -stiffness 3
add wrench w -where b .1 0 0 -force 1 2 3 -torque .1 .2 .3 -axes local
add sphere ball -radius .1 -t 3 1 1 -touches off
set ball -vl 1 2 3 -vr .3 .2 .1
group arm a b
"""


def arm() -> Stage:
    stage = Stage()
    stage.run(ARM)
    return stage


@pytest.mark.parametrize("axis", range(3))
def test_images_move_as_images(axis: int) -> None:
    stage = arm()
    # gravity is its own image in upright planes only
    stage.run(["set world -gravity 0 0 0"] if axis == 2 else [])
    letter = "xyz"[axis]
    stage.run([f"mirror arm image -plane {letter}", f"mirror ball b2 -plane {letter} -at .5"])
    mirror = np.eye(3)
    mirror[axis, axis] = -1.0
    shift = np.zeros(3)
    shift[axis] = 1.0
    for _ in range(3):
        for name, image, offset in (
            ("a", "image_a", 0.0),
            ("b", "image_b", 0.0),
            ("ball", "b2", shift),
        ):
            here, there = stage.machine.pose(name), stage.machine.pose(image)
            assert there[:3, :3] == pytest.approx(mirror @ here[:3, :3] @ mirror, abs=1e-9)
            assert there[:3, 3] == pytest.approx(mirror @ here[:3, 3] + offset, abs=1e-9)
        stage.run(["advance 150"])
    assert set(stage.document.groups["image"]) == {"image_a", "image_b"}


def test_copies_of_groups_move_alike() -> None:
    stage = arm()
    stage.run(["duplicate arm arm2 -t 0 3 0", "advance 300"])
    for name in "ab":
        here, there = stage.machine.pose(name), stage.machine.pose(f"arm2_{name}")
        assert there[:3, :3] == pytest.approx(here[:3, :3], abs=1e-9)
        assert there[:3, 3] == pytest.approx(here[:3, 3] + [0, 3, 0], abs=1e-9)
    assert {"arm2_sp", "arm2_rb", "arm2_w"} <= set(stage.document.parts)


def test_a_body_of_a_linkage_is_copied_free() -> None:
    stage = arm()
    stage.run(["set w -on off", "duplicate b c -t 0 5 0"])
    assert stage.machine.model.frame("c").body != "b"
    here, there = (
        stage.machine.model.frame_velocity(stage.machine.q, stage.machine.v, name)
        for name in ("b", "c")
    )
    assert there == pytest.approx(here, abs=1e-12)
    assert "c_w" in stage.document.resting
    stage.run(["duplicate b whole -whole on -t 0 9 0"])
    assert set(stage.document.groups["whole"]) == {"whole_a", "whole_b"}


def test_a_motor_stays_where_its_hinge_does() -> None:
    """A leg is copied free, and so without the motor between it and the trunk."""
    stage = Stage()
    stage.run(
        [
            "add box trunk -size .4 .2 .1 -t 0 0 .5",
            "add rod leg -length .3 -t -.1 .1 .3 -E .7071 0 .7071 0",
            "add revolute hip -a trunk -.1 .1 -.05 -b leg -.15 0 0 -axis 0 1 0",
            "add motor drive -joint hip -constant 1 -resistance 1 -voltage 2",
        ]
    )
    for line in ("mirror leg other -plane y", "duplicate leg third"):
        told = stage.do(line)
        assert told.ok and "without hip" in told.text, told.text
    assert set(stage.document.parts) == {"drive"}
    stage.run(["duplicate trunk both -whole on -t 0 2 0"])
    assert stage.document.parts["both_drive"].joint == "both_hip"  # type: ignore[attr-defined]


def test_loops_are_copied() -> None:
    stage = Stage()
    stage.run(["load four_bar", "advance 200", "duplicate crank new -whole on -t 0 2 0"])
    stage.run(["advance 200"])
    here, there = stage.machine.pose("crank"), stage.machine.pose("new_crank")
    assert there[:3, 3] == pytest.approx(here[:3, 3] + [0, 2, 0], abs=1e-6)
    assert there[:3, :3] == pytest.approx(here[:3, :3], abs=1e-6)


def test_names_that_are_taken() -> None:
    stage = arm()
    before = bits(stage)
    for line in ("duplicate arm b", "mirror nobody x", "mirror b x -plane w", "duplicate b world"):
        assert not stage.do(line).ok
    assert bits(stage) == before

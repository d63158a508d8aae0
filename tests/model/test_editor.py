"""Models are edited: a new one is built, and the old one stays as it was."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import DescriptionDraft


def crane() -> ts.Model:
    """Return a mechanism with one of everything that refers to others by name."""
    builder = ts.Builder("crane")
    for name in ("mast", "boom", "hook", "rod"):
        builder.body(name, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    builder.joint("slew", "revolute", "world", "mast", damping=0.2)
    builder.joint("luff", "revolute", "mast", "boom", axis="y", lower=-1.0, upper=1.0)
    builder.joint("cable", "prismatic", "boom", "hook", position=(1, 0, 0))
    builder.joint("stay", "spherical", "mast", "rod", position=(0, 0, 0.5))
    builder.body("rotor", 0.1, inertia=(1e-3, 1e-3, 1e-3)).gear("slew", 50.0, "rotor")
    builder.frame("eye", "hook", position=(0, 0, -0.1))
    builder.force(ts.forces.Spring("eye", ("mast", (0, 0, 1)), 10.0, name="tackle"))
    builder.force(ts.forces.JointSpring({"luff": 1.0, "slew": -0.5}, 3.0, name="coil"))
    builder.shape("hook", "sphere", (0.05,), name="ball", role="collision")
    along = ts.spatial.pose(rotation=ts.spatial.rotation_from_rpy((0, np.pi / 2, 0)))
    ends = ("boom", along, "rod", (0.5, 0, -0.5))
    free = {"start": {"luff": 0.0}, "independent": ["luff"]}
    builder.close_loop("point_on_line", *ends, name="brace", **free)  # type: ignore[arg-type]
    return builder.build()


def test_nothing_changed_is_the_same_model() -> None:
    model = crane()
    assert ts.Editor(model).build() == model


def test_bodies_change_and_the_old_model_does_not() -> None:
    model = crane()
    new = ts.Editor(model).change("body", "hook", mass=3.0, inertia=(1, 2, 2.5)).build()
    assert new.body("hook").mass == 3.0 and model.body("hook").mass == 1.0
    np.testing.assert_array_equal(new.body("hook").inertia, np.diag([1, 2, 2.5]))


def test_joints_change_as_a_builder_states_them() -> None:
    editor = ts.Editor(crane())
    editor.change("joint", "luff", axis="x", damping=0.5, position=(0, 0, 1))
    joint = editor.build().joint("luff")
    np.testing.assert_array_equal(joint.axis, [1, 0, 0])
    assert joint.damping == [0.5] and joint.lower == [-1.0] and joint.placement[2, 3] == 1.0


def test_forces_change_too() -> None:
    editor = ts.Editor(crane()).change("force", "tackle", stiffness=20.0, b="rod")
    tackle = editor.build().description.forces[0]
    assert (tackle.stiffness, tackle.b, tackle.a) == (20.0, "rod", "eye")
    with pytest.raises(ts.ModelError, match=r"force 'coil': .*luff"):
        editor.remove("loop", "brace").cut("luff").build()


def test_a_place_is_changed_by_halves() -> None:
    turned = ts.spatial.rotation_from_rpy((0.1, 0.2, 0.3))
    editor = ts.Editor(crane()).change("frame", "eye", rotation=turned)
    editor.change("frame", "eye", position=(1, 2, 3))
    placement = editor.build().frame("eye").placement
    np.testing.assert_allclose(placement[:3, :3], turned)
    np.testing.assert_array_equal(placement[:3, 3], [1, 2, 3])


def test_another_kind_loses_what_it_cannot_have() -> None:
    editor = ts.Editor(crane()).remove("loop", "brace").remove("force", "coil")
    new = editor.change("joint", "luff", kind="spherical").build()
    assert new.joint("luff").kind == "spherical" and np.isinf(new.joint("luff").lower).all()
    again = ts.Editor(new).change("joint", "luff", kind="screw", pitch=0.1, axis="y").build()
    assert again.joint("luff").pitch == 0.1


def test_names_are_followed() -> None:
    editor = ts.Editor(crane()).change("body", "hook", name="claw")
    editor.change("joint", "luff", name="tilt").change("joint", "slew", name="turn")
    new = editor.build()
    assert new.frame("eye").body == "claw" and new.shapes[0].body == "claw"
    stated = new.description
    assert stated.loops[0].start == {"tilt": 0.0} and stated.loops[0].independent == ("tilt",)
    assert stated.couplings[0].leaders == ("turn",)
    assert new.joint("cable").child == "claw"
    assert set(stated.forces[1].joints) == {"tilt", "turn"}
    post = ts.Editor(new).change("body", "mast", name="post").change("frame", "eye", name="ring")
    tackle = post.build().description.forces[0]
    assert tackle.a == "ring" and tackle.b[0] == "post"


def test_with_a_body_goes_what_is_on_it() -> None:
    new = ts.Editor(crane()).remove("force", "coil").remove("body", "boom").build()
    assert "boom" not in new.body_names and not new.description.loops
    assert [force.name for force in new.description.forces] == ["tackle"]
    joint = new.joint("hook_free")
    assert joint.kind == "free" and "luff" not in new.joint_names
    np.testing.assert_allclose(joint.placement[:3, 3], [1, 0, 0])


def test_pairs_that_never_touch_follow() -> None:
    excluded = {"excluded_contacts": [["mast", "hook"], ["boom", "rod"]]}
    model = ts.Model(dataclasses.replace(crane().description, metadata=excluded))
    new = ts.Editor(model).change("body", "hook", name="claw").build()
    pairs = new.description.metadata["excluded_contacts"]
    assert pairs == (("mast", "claw"), ("boom", "rod"))
    fewer = ts.Editor(model).remove("body", "hook").build()
    assert [force.name for force in fewer.description.forces] == ["coil"]
    assert fewer.description.metadata["excluded_contacts"] == (("boom", "rod"),)


def test_a_body_can_be_hung_elsewhere() -> None:
    editor = ts.Editor(crane()).remove("joint", "cable")
    with pytest.raises(ts.ModelError, match="body 'hook' hangs on no joint"):
        editor.build()
    editor.joint("swing", "universal", "mast", "hook", axis="x", second_axis="y")
    assert editor.build().joint("swing").parent == "mast"


def test_inertias_of_files_stay_as_loose_as_they_were() -> None:
    stated = DescriptionDraft.of(crane().description)
    stated.change(stated.bodies[2], inertia=np.diag([1e-3, 1e-3, 2.001e-3]))  # beyond the triangle
    model = ts.Model(stated.build(), strict=False)
    new = ts.Editor(model).change("joint", "slew", damping=1.0).build()
    assert new.warnings == model.warnings != ()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda e: e.change("bodie", "hook"), "what is 'bodie', must be one of 'body', 'joint'"),
        (lambda e: e.change("body", "hok", mass=1), "there is no body 'hok'; did you mean 'hook'"),
        (lambda e: e.change("body", "hook", name="rod"), "name 'rod' is used twice"),
        (lambda e: e.change("body", "hook", mass=-1.0), "mass is -1.0, must not be negative"),
        (lambda e: e.change("joint", "luff", parent="nobody"), "parent 'nobody' is not declared"),
        (lambda e: e.change("joint", "luff", axis="w"), "axis is 'w', must be 'x', 'y', 'z'"),
        (lambda e: e.cut("slew"), r"coupling 'rotor_joint'; remove that first, with remove\("),
        (lambda e: e.remove("body", "mast"), "joint 'slew' is part of coupling 'rotor_joint'"),
        (lambda e: e.remove("joint", "rotor_joint"), "is part of coupling"),
        (lambda e: e.cut("brace"), "there is no joint 'brace'"),
        (lambda e: e.remove("frame", "eyes"), "there is no frame 'eyes'; did you mean 'eye'"),
    ],
)
def test_errors_name_what_is_wrong(edit: object, message: str) -> None:
    editor = ts.Editor(crane())
    before = editor.description()
    with pytest.raises(ValueError, match=message):
        edit(editor)  # type: ignore[operator]
    assert editor.description() == before  # an edit that fails leaves no trace


def test_unknown_fields_are_listed() -> None:
    editor = ts.Editor(crane())
    with pytest.raises(TypeError, match=r"body 'hook' has no field 'mas'; did you mean 'mass'"):
        editor.change("body", "hook", mas=1.0)
    with pytest.raises(TypeError, match="joint 'luff' has no field 'child'"):
        editor.change("joint", "luff", child="hook")
    with pytest.raises(TypeError, match=r"model is of type int, must be a tarsus\.Model"):
        ts.Editor(3)  # type: ignore[arg-type]

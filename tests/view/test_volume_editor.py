"""Volumes edited by hand: what drafts do, and that the page of the editor does it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up_runs import hopper
from waiting import wait_for

import tarsus as ts
from tarsus._lib.checks import UnknownNameError
from tarsus.geometry import SweptSphere, Volumes
from tarsus.geometry.volume_draft import VolumeDraft


def test_a_draft_adds_moves_and_removes() -> None:
    draft = VolumeDraft(hopper())
    assert draft.link == "trunk" and draft.outside() == np.inf
    for kind in ("ball", "line", "triangle"):
        draft.add(kind)
    assert [each.kind for each in draft.here] == ["ball", "line", "triangle"] and draft.chosen == 2
    draft.choose("trunk", 1)
    draft.change(points=[[0, 0, 0], [0.1, 0, 0]], radius=0.05, name="belly")
    draft.move_point(1, (0.2, 0.0, 0.0))
    draft.move((0.0, 0.0, 0.1))
    assert draft.here[1].points.tolist() == [[0, 0, 0.1], [0.2, 0, 0.1]]
    assert draft.here[1].name == "belly" and draft.here[1].radius == 0.05
    draft.copy()
    assert len(draft.here) == 4 and draft.chosen == 3
    draft.remove()
    assert len(draft.here) == 3 and draft.chosen == 2


def test_a_draft_holds_its_link_when_it_is_told_to() -> None:
    draft = VolumeDraft(hopper())
    draft.add("ball")
    assert draft.outside() > 0.0
    draft.grow()
    assert draft.outside() <= 1e-12
    # a box of 0.3 × 0.2 × 0.1 m: its corners are on the sphere
    assert draft.here[0].radius == pytest.approx(np.linalg.norm([0.15, 0.1, 0.05]))
    draft.fit(1)
    assert draft.outside() <= 0.0 and len(draft.here) == 1


def test_what_a_draft_says_to_be_inside_is_inside() -> None:
    """Two balls meet in a circle: what is between points of either may be outside of both."""
    rng = np.random.default_rng(0)
    box = rng.uniform(-0.5, 0.5, (100_000, 3))
    side = rng.integers(0, 3, len(box))
    box[np.arange(len(box)), side] = np.sign(box[np.arange(len(box)), side]) / 2
    box *= [0.3, 0.2, 0.1]  # the trunk
    for apart in (0.06, 0.08, 0.10, 0.13, 0.16):
        left, right = (SweptSphere([[x, 0, 0]], 0.1) for x in (-apart, apart))
        draft = VolumeDraft(hopper(), Volumes({"trunk": [left, right]}))
        sampled = np.min([v.distance_to_points(box) for v in draft.here], axis=0).max()
        assert draft.outside() >= sampled
        draft.grow()
        after = np.min([v.distance_to_points(box) for v in draft.here], axis=0).max()
        print(
            f"apart {apart}: radius {draft.here[0].radius:.4f}, told {draft.outside():.1e}, {after}"
        )
        assert draft.here[1] == right
        assert draft.outside() <= 0.0 and after <= 0.0


def test_obstacles_of_the_world_are_edited() -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    draft = VolumeDraft(hopper(), Volumes({"world": [ball], "trunk": [ball]}))
    assert draft.link == "world" and draft.links == ("trunk", "shin", "world")
    draft.choose("world")
    draft.change(radius=0.2)
    draft.grow()  # the world has no shapes here
    assert draft.outside() == 0.0
    assert draft.volumes["world"][0].radius == 0.2


def test_groups_are_assigned_and_saved(tmp_path: Path) -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    draft = VolumeDraft(hopper(), Volumes({"trunk": [ball, ball], "shin": [ball]}))
    assert draft.groups == {}
    draft.assign("inner")
    draft.assign(" outer ")
    draft.choose("shin")
    draft.change(groups=["inner"])
    assert draft.groups == {"inner": 2, "outer": 1}
    draft.choose("trunk")
    assert draft.here[0].groups == ("inner", "outer")
    draft.assign("inner")  # out again
    assert draft.here[0].groups == ("outer",) and draft.groups == {"inner": 1, "outer": 1}
    draft.save(tmp_path / "volumes.yaml")
    again = Volumes.load(tmp_path / "volumes.yaml")
    assert [each.groups for each in again["trunk"]] == [("outer",), ()]
    assert len(again.of_group("trunk", "outer")) == 2  # one without groups belongs to all
    with pytest.raises(ValueError, match="group is ' '"):
        draft.assign(" ")


def test_the_page_shows_and_assigns_groups() -> None:
    pytest.importorskip("viser")
    ball = SweptSphere([[0, 0, 0]], 0.1, groups=["inner"])
    volumes = Volumes({"trunk": [ball, SweptSphere([[0, 0, 1]], 0.1, groups=["outer"]), ball]})
    with ts.edit_volumes(hopper(), volumes, port=18770) as editor:
        assert list(editor._group.options) == ["–", "inner", "outer"]
        assert editor._groups.value == "inner"
        plain = [tuple(node.color) for node in editor._nodes]
        assert plain[1] == plain[2] != plain[0]  # the chosen one is red
        editor._group.value = "inner"
        assert wait_for(lambda: tuple(editor._nodes[2].color) != plain[2])
        assert tuple(editor._nodes[1].color) == plain[1]
        editor._groups.value = "outer, third"
        assert wait_for(lambda: editor.draft.here[0].groups == ("outer", "third"))
        assert list(editor._group.options) == ["–", "inner", "outer", "third"]
        editor.draft.choose("trunk", 1)
        assert editor._groups.value == "outer"
        editor._do(editor._assigned)  # the button: into the group that is shown
        assert editor.volumes["trunk"][1].groups == ("outer", "inner")


def test_mirrors_within_a_link_and_to_another() -> None:
    one = SweptSphere([[0.1, 0.2, 0.3]], 0.05, "knob")
    draft = VolumeDraft(hopper(), Volumes({"trunk": [one]}))
    draft.mirror("y")
    assert draft.here[1].points.tolist() == [[0.1, -0.2, 0.3]]
    draft.mirror("x", "shin")
    assert [v.points[0].tolist() for v in draft.lists["shin"]] == [
        [-0.1, 0.2, 0.3],
        [-0.1, -0.2, 0.3],
    ]
    with pytest.raises(UnknownNameError, match=r"no link 'shim'.*'shin'"):
        draft.mirror("x", "shim")


def test_wrong_changes_are_refused_and_change_nothing() -> None:
    draft = VolumeDraft(hopper(), Volumes({"trunk": [SweptSphere([[0, 0, 0]], 0.1)]}))
    for wrong in ({"radius": -1.0}, {"radius": np.nan}, {"points": [[0, 0, 0], [1, 0, 0]]}):
        with pytest.raises(ValueError):
            draft.change(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind is 'cube'"):
        draft.add("cube")
    with pytest.raises(ValueError, match="corner is 1"):
        draft.move_point(1, (0, 0, 0))
    assert draft.here[0].radius == 0.1 and len(draft.here) == 1


def test_the_page_changes_and_saves(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    file = tmp_path / "volumes.yaml"
    start = Volumes({"trunk": [SweptSphere([[0, 0, 0], [0.1, 0, 0]], 0.1, "belly")]})
    with ts.edit_volumes(hopper(), start, path=file, port=18740) as editor:
        assert editor.url.startswith("http://127.0.0.1:") and editor._gate.token in editor.url
        editor._radius.value = 0.25
        assert wait_for(lambda: editor.draft.here[0].radius == 0.25)
        editor._points[1].value = (0.2, 0.0, 0.0)
        assert wait_for(lambda: editor.draft.here[0].points[1, 0] == 0.2)
        assert wait_for(lambda: editor._handles[1].position[0] == pytest.approx(0.2))
        assert editor._status.value == "nothing" and not editor._points[2].visible
        editor._link.value = "shin"
        assert wait_for(lambda: editor.draft.link == "shin")
        editor._do(lambda: editor.draft.add("ball"))
        editor._do(lambda: editor.draft.add("cube"))
        assert "kind is 'cube'" in editor._status.value
        editor._do(editor._saved)
        editor._link.value = "world"
        assert wait_for(lambda: editor.draft.link == "world")
        editor._do(lambda: editor.draft.add("line"))
        editor._do(editor._saved)
    found = Volumes.load(file)
    assert found["world"][0].kind == "line"
    assert found["trunk"][0].radius == 0.25 and found["shin"][0].kind == "ball"

"""Pushes are drawn where they act: in films, on pages, and of runs that were read from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.view.frame_sequence import ARROW_COLORS, Stage
from tarsus.view.page import page_data

POINT, FORCE = np.array([0.1, 0.0, 0.05]), np.array([0.0, 60.0, 0.0])


def pushed() -> ts.Trajectory:
    model = ts.load(Path(__file__).parents[2] / "examples/quadruped.urdf", base="free")
    q0 = ts.stand(model, np.clip(model.neutral(), model.lower, model.upper))
    kick = ts.Push("trunk", FORCE, POINT, start=0.02, duration=0.04, name="kick")
    simulation = ts.Simulation(model, ground=ts.Ground(), dt=2e-3)
    return simulation.run(q0, duration=0.1, external=kick)


def test_the_arrow_ends_where_the_push_acts() -> None:
    run = pushed()
    stage = Stage(run, fps=100)
    for picture in range(len(stage.times)):
        arrows = stage.arrows(picture)
        acts = 0.02 < stage.times[picture] <= 0.06
        assert arrows.states.count("push") == acts
        if not acts:
            continue
        k = arrows.states.index("push")
        pose = run.model.frame_pose(stage.q[picture], "trunk")
        tip = arrows.points[k] + arrows.vectors[k]
        np.testing.assert_allclose(tip, pose[:3, :3] @ POINT + pose[:3, 3], atol=1e-12)
        np.testing.assert_allclose(arrows.forces[k], FORCE, atol=1e-9)
        weight = run.model.total_mass * 9.81
        np.testing.assert_allclose(arrows.vectors[k], FORCE * stage.size / (2 * weight))


def test_pages_have_it() -> None:
    data = page_data(Stage(pushed(), fps=100))
    push = data["states"].index("push")
    assert list(ARROW_COLORS)[push] == "push"
    shown = [arrows["newtons"][arrows["states"].index(push)] for arrows in data["arrows"][3:6]]
    assert shown == pytest.approx([60.0] * 3)
    assert all(push not in arrows["states"] for arrows in data["arrows"][7:])


def test_files_keep_it(tmp_path: Path) -> None:
    run = pushed()
    run.save(tmp_path / "run.npz")
    stage = Stage(ts.load_run(tmp_path / "run.npz"), fps=100)
    assert "push" in stage.arrows(4).states


@pytest.mark.parametrize(
    "places",
    [3, [], {"kick": 1}, {"kick": {"body": "moon", "point": [0, 0, 0]}}, {"other": {}},
     {"kick": {"body": "trunk", "point": [0, "x"]}}, {"kick": {"body": "trunk", "point": None}}],
    ids=str,
)  # fmt: skip
def test_files_that_state_no_place_are_shown_without(places: object) -> None:
    run = replace(pushed(), settings={"pushed": places})
    assert "push" not in Stage(run, fps=100).arrows(4).states


def test_wrenches_of_tables_are_drawn_in_axes_of_the_world() -> None:
    model = pushed().model
    q0 = np.clip(model.neutral(), model.lower, model.upper)
    q0[3:7] = 0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)
    wrenches = np.zeros((model.n_bodies, 6))
    wrenches[model.body_names.index("trunk"), 0] = 50.0
    run = ts.Simulation(model).run(q0, duration=0.02, external=wrenches)
    arrows = Stage(run, fps=100).arrows(1)
    assert arrows.states == ("push",)
    turned = model.frame_pose(run.at(Stage(run, fps=100).times[1])[0], "trunk")[:3, :3]
    print(arrows.forces[0], turned @ [50.0, 0.0, 0.0])
    # it acts as the trunk was turned when the last step began
    np.testing.assert_allclose(arrows.forces[0], turned @ [50.0, 0.0, 0.0], atol=1e-3)

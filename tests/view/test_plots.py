"""Pictures of runs: all panels are there, bands are right, what is missing is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_runs import made_up_run

pytest.importorskip("matplotlib")

from tarsus.view.frame_sequence import STATE_COLORS
from tarsus.view.plots import plot_energy, plot_run


def titles(figure: Any) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes]


def panel(figure: Any, title: str) -> Any:
    return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(title))


def test_all_panels(tmp_path: Path) -> None:
    figure = plot_run(made_up_run(), tmp_path / "run.png")
    wanted = ("position of trunk", "turned by", "joints", "velocities", "efforts")
    wanted += ("normal force", "contact", "work", "residual")
    for title in wanted:
        assert any(found.startswith(title) for found in titles(figure)), title
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_lines_are_the_data() -> None:
    run = made_up_run()
    figure = plot_run(run)
    x, _, z = panel(figure, "position of trunk").lines
    assert x.get_ydata() == pytest.approx(run.q[:, 0])
    assert z.get_ydata() == pytest.approx(run.q[:, 2])
    (force,) = panel(figure, "normal force").lines
    assert force.get_ydata()[10] == 30.0
    assert force.get_ydata()[50] == 0.0


def test_impacts_leave_the_picture_but_are_named() -> None:
    axes = panel(plot_run(made_up_run()), "normal force")
    assert axes.get_ylim()[1] < 50.0
    assert "900 N" in axes.get_title(loc="right")


def test_bands_show_when_contacts_stick_and_slip() -> None:
    axes = panel(plot_run(made_up_run()), "contact")
    lengths = {}
    for state, color in STATE_COLORS.items():
        bars = [c for c in axes.collections if tuple(c.get_facecolor()[0][:3]) == color]
        paths = [path.get_extents() for bar in bars for path in bar.get_paths()]
        lengths[state] = sum(box.width for box in paths)
    print(lengths)
    assert lengths["stick"] == pytest.approx(0.2, abs=0.011)
    assert lengths["slip"] == pytest.approx(0.1, abs=0.011)


def test_what_was_not_recorded_is_left_out() -> None:
    run = made_up_run()
    only = replace(run, recorded={"q": run.q}, touched=None)
    assert len(plot_run(only).axes) == 3
    with pytest.raises(ValueError, match="there is nothing to draw"):
        plot_run(replace(run, recorded={"statistics": run.recorded["statistics"]}, touched=None))


def test_a_batch_is_refused() -> None:
    run = made_up_run()
    batch = replace(run, recorded={"q": run.q[None]}, touched=None)
    with pytest.raises(ValueError, match=r"this run has 1 states: choose one, as in run\[0\]"):
        plot_run(batch)


def test_energy(tmp_path: Path) -> None:
    figure = plot_energy(made_up_run().energy, tmp_path / "energy.svg")
    works = panel(figure, "work since the start")
    labels = [text.get_text() for text in works.get_legend().get_texts()]
    assert any(label.startswith("supplied +") for label in labels)
    assert any(label.startswith("contact friction -0.2") for label in labels)
    assert not any(label.startswith("loops") for label in labels)
    assert "<svg" in (tmp_path / "energy.svg").read_text("utf-8")


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"run\.xyz must end with one of .*\.png"):
        plot_run(made_up_run(), tmp_path / "run.xyz")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        plot_run(made_up_run(), tmp_path / "nowhere" / "run.png")

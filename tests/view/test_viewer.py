"""The viewer in the browser: what is in its scene, that it plays, that it stays on this machine."""

from __future__ import annotations

import builtins
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from made_up_runs import hopper, made_up_run
from waiting import wait_for

from tarsus.view import Viewer, view

pytest.importorskip("viser")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with view(made_up_run(), port=18640) as shown:
        yield shown


def nodes(viewer: Viewer) -> set[str]:
    return set(viewer.server.scene._handle_from_node_name)


def test_the_scene_has_bodies_surfaces_ground_and_forces(viewer: Viewer) -> None:
    found = nodes(viewer)
    print(sorted(found))
    wanted = {"/world", "/world/0_trunk", "/world/1_shin", "/world/ground", "/world/lines"}
    assert wanted | {"/world/0_trunk/surface_0", "/world/1_shin/surface_2"} <= found
    assert "/world/forces" in found


def test_bodies_are_where_the_run_says(viewer: Viewer) -> None:
    viewer.show(12)
    for k, frame in enumerate(viewer.bodies):
        assert frame.position == pytest.approx(viewer.stage.poses[12, k, :3, 3])
        assert np.linalg.norm(frame.wxyz) == pytest.approx(1.0)
    assert f"{viewer.stage.times[12]:.3f} s" == viewer._clock.value


def test_only_this_machine_can_connect(viewer: Viewer) -> None:
    assert viewer.server.get_host() == "127.0.0.1"
    assert viewer.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(viewer.url, timeout=120) as page:
        assert b"<html" in page.read()


def test_the_button_plays_and_pauses(viewer: Viewer) -> None:
    viewer._toggle()
    assert viewer.playing
    assert wait_for(lambda: viewer.picture > 3)
    viewer._toggle()
    assert not viewer.playing
    assert viewer._button.label == "Play"


def test_the_slider_shows_a_picture(viewer: Viewer) -> None:
    viewer._slider.value = 7
    assert wait_for(lambda: viewer.picture == 7)


def test_the_world_moves_under_a_robot_that_is_followed(viewer: Viewer) -> None:
    viewer._follow.value = True
    viewer.show(20)
    middle = viewer.stage.poses[20, :, :2, 3].mean(axis=0)
    assert viewer._world.position[:2] == pytest.approx(-middle)


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with view(made_up_run(), port=18660) as shown:
        assert "hopper" in repr(shown)
    assert capsys.readouterr().out == ""


def test_a_model_has_a_slider_for_each_joint() -> None:
    with view(hopper(), port=18680) as shown:
        before = np.array(shown.bodies[1].position)
        slider = next(
            handle
            for handle in shown.server.gui._gui_input_handle_from_uuid.values()
            if handle.label == "leg"
        )
        slider.value = 0.1
        assert wait_for(lambda: bool(np.abs(shown.bodies[1].position - before).max() > 0.05))


def test_without_viser_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "viser":
            raise ModuleNotFoundError("No module named 'viser'", name="viser")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tarsus\[view\]'"):
        view(made_up_run())

"""In headless Chromium: the page that plays a run, and the viewer: what they show and hear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import LAPTOP, PHONE, opened, pixels, until
from made_up_runs import hopper, made_up_run
from waiting import wait_for

from tarsus.geometry import Steps
from tarsus.view import view
from tarsus.view.films import animate

READY = "window.player && player.scene.before > 0"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "run.html"
    run = made_up_run()
    animate(run, file, fps=20, quantities={"height [m]": run.q[:, 2]})
    return file


def clock(shown: Any) -> float:
    return float(shown.locator("#clock").inner_text().removesuffix(" s"))


def test_the_page_plays_and_the_space_bar_pauses(chromium: Any, page: Path) -> None:
    with opened(chromium, page.as_uri()) as shown:
        until(shown, READY)
        assert shown.locator(".title b").inner_text() == "hopper"
        assert shown.get_attribute("#time", "max") == "20"
        before = clock(shown)
        until(shown, f"parseFloat(document.querySelector('#clock').textContent) != {before}")
        shown.keyboard.press(" ")
        until(shown, "!player.playing")
        still = shown.evaluate("player.time")
        shown.wait_for_timeout(200)
        assert shown.evaluate("player.time") == still
        assert shown.get_attribute("#play", "aria-label") == "play"
        shown.keyboard.press("Home")
        shown.keyboard.press(".")
        until(shown, "document.querySelector('#clock').textContent == '0.050 s'")


def test_charts_move_with_time_and_lead_it(chromium: Any, page: Path) -> None:
    with opened(chromium, page.as_uri(), LAPTOP) as shown:
        until(shown, READY)
        titles = shown.locator(".chart figcaption").all_inner_texts()
        print(titles)
        assert titles[0] == "energy since the start [J]"
        assert titles[-1] == "height [m]"
        height = shown.locator(".chart").last
        for share in (0.25, 0.75):
            box = height.locator("canvas").bounding_box()
            shown.mouse.click(box["x"] + 46 + share * (box["width"] - 54), box["y"] + 40)
            until(shown, f"Math.abs(player.time - {share}) < 0.02")
            wanted = 0.33 + 0.1 * np.sin(np.pi * share)
            beside = (
                "parseFloat([...document.querySelectorAll('.chart output')].at(-1).textContent)"
            )
            until(shown, f"Math.abs({beside} - {wanted}) < 0.006")


@pytest.mark.parametrize("dark", [False, True])
def test_the_machine_stands_out_on_a_ground_with_shadow_and_lines(
    chromium: Any, page: Path, dark: bool
) -> None:
    with opened(chromium, page.as_uri(), dark=dark) as shown:
        until(shown, READY)
        shown.evaluate("player.seek(0.5), document.querySelector('.panel').hidden = true")
        until(shown, "!player.stale && !player.scene.dirty")
        found = shown.evaluate(
            """() => { const s = player.scene, at = (p) => s.place(p).map(Math.round)
            return {body: at({body: 0, point: [0.1, -0.1, 0.02]}), sky: [320, 60],
                    shadow: at([s.bounds.middle[0] - 0.15, 0.15, 0]), open: at([0.6, -0.5, 0])} }"""
        )
        seen = pixels(shown)
        colors = {name: seen[y, x] for name, (x, y) in found.items()}
        print(found, colors)
        light = {name: color.sum() for name, color in colors.items()}
        assert light["shadow"] < 0.85 * light["open"]
        assert np.abs(colors["body"] - colors["open"]).max() > 40
        assert (light["sky"] < 300) == dark
        # lines differ from what is between them, all over the ground
        ground = seen[250:300, 20:150].sum(axis=-1)
        assert ground.std() > 2.0


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_all_is_within_reach_on_laptops_and_phones(
    chromium: Any, page: Path, size: tuple[int, int], dark: bool
) -> None:
    with opened(chromium, page.as_uri(), size, dark=dark) as shown:
        until(shown, READY)
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        boxes = {}
        for button in shown.locator("button:visible, input:visible, select:visible").all():
            box = button.bounding_box()
            name = button.get_attribute("aria-label") or button.inner_text()
            assert name, "what can be pressed has a name"
            boxes[name] = box
            assert box["x"] >= 0 and box["x"] + box["width"] <= size[0], name
            assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], name
            if size == PHONE and name not in ("time",):
                assert min(box["width"], box["height"]) >= 32, (name, box)
        print(sorted(boxes))
        machine = shown.evaluate("player.scene.place(player.scene.bounds.middle)")
        panel = shown.locator(".panel").bounding_box()
        assert 0 < machine[0] < size[0] and 40 < machine[1] < panel["y"]
        text = shown.evaluate("getComputedStyle(document.body).color.match(/[0-9]+/g).map(Number)")
        assert (sum(text) > 600) == dark


def test_a_force_tells_its_number_under_the_pointer(chromium: Any, page: Path) -> None:
    with opened(chromium, page.as_uri(), LAPTOP) as shown:
        until(shown, READY)
        shown.evaluate("player.seek(0.1)")
        # an arrow of another instant may still be there until the page is drawn again
        until(shown, "!player.stale && !player.scene.dirty && player.scene.arrows.list.length == 1")
        x, y = shown.evaluate(
            "(() => { const a = player.scene.arrows.list[0]; return player.scene.place("
            "a.from.map((x, i) => x + 0.7 * a.vector[i])) })()"
        )
        shown.mouse.move(x, y)
        until(shown, "document.querySelector('.hint').textContent == '30.6 N, sticks'")
        assert "sticks" in shown.locator(".legend").inner_text()
        x, y = shown.evaluate("player.scene.place({body: 0, point: [-0.1, -0.1, 0]})")
        shown.mouse.move(x, y)
        until(shown, "document.querySelector('.hint').textContent == 'trunk'")


def test_the_camera_turns_zooms_and_comes_back(chromium: Any, page: Path) -> None:
    with opened(chromium, page.as_uri()) as shown:
        until(shown, READY)
        shown.evaluate("player.seek(0.5)")
        goal = "['azimuth', 'elevation', 'distance'].map(name => player.scene.camera.goal[name])"
        first = shown.evaluate(goal)
        shown.mouse.move(300, 150)
        shown.mouse.down()
        shown.mouse.move(400, 190, steps=4)
        shown.mouse.up()
        shown.mouse.wheel(0, 200)
        until(shown, f"{goal}[2] > {first[2]} * 1.1")
        turned = shown.evaluate(goal)
        assert turned[0] == pytest.approx(first[0] - 0.6, abs=1e-6)
        assert turned[1] == pytest.approx(first[1] + 0.24, abs=1e-6)
        shown.locator("canvas.world").focus()
        shown.keyboard.press("ArrowLeft")
        assert shown.evaluate(goal)[0] < turned[0]
        shown.click("#frame")
        assert shown.evaluate(goal)[:2] == pytest.approx(first[:2])


def test_nothing_is_drawn_while_nothing_changes(chromium: Any, page: Path) -> None:
    with opened(chromium, page.as_uri()) as shown:
        until(shown, READY)
        shown.evaluate("player.seek(0.5), player.scene.camera.jump()")
        until(shown, "!player.stale && !player.scene.dirty && !player.scene.pace.coarse")
        shown.wait_for_timeout(300)
        shown.evaluate(
            """() => { window.drawn = 0; const { scene } = player, draw = scene.draw.bind(scene)
            scene.draw = () => { drawn++; draw() } }"""
        )
        # a slow machine takes some pictures to find how fine they may be
        for _ in range(10):
            shown.evaluate("drawn = 0")
            shown.wait_for_timeout(400)
            if shown.evaluate("drawn") == 0:
                break
        assert shown.evaluate("drawn") == 0
        shown.evaluate("player.toggle()")
        until(shown, "drawn > 1")


def test_steps_are_a_ground_too(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "steps.html"
    animate(made_up_run(Steps(rise=0.1, depth=0.3, count=3, start=0.1)), file, fps=5)
    with opened(chromium, file.as_uri()) as shown:
        until(shown, READY)
        top = shown.evaluate("player.scene.ground.mesh.high[2]")
        assert top == pytest.approx(0.3)


# --- the viewer -------------------------------------------------------------------------------


def test_the_viewer_and_its_page_lead_each_other(chromium: Any) -> None:
    with view(made_up_run(), port=18760) as viewer, opened(chromium, viewer.url) as shown:
        until(shown, "window.viewer")
        assert wait_for(lambda: len(viewer.server.pages) == 1)
        viewer.show(12)
        until(
            shown,
            f"document.querySelector('#clock').textContent == '{viewer.stage.times[12]:.3f} s'",
        )
        poses = np.array(shown.evaluate("[...viewer.scene.poses]")).reshape(-1, 3, 4)
        assert poses == pytest.approx(viewer.stage.poses[12, :, :3], abs=1e-6)
        shown.locator("#time").focus()
        shown.keyboard.press("ArrowRight")
        assert wait_for(lambda: viewer.picture == 13)
        shown.keyboard.press("End")
        shown.click("#play")
        assert wait_for(lambda: viewer.playing)
        shown.select_option("select", "0.5")
        assert wait_for(lambda: viewer.speed == 0.5)


def test_sliders_move_joints_on_all_pages(chromium: Any) -> None:
    with (
        view(hopper(), port=18765) as viewer,
        opened(chromium, viewer.url, LAPTOP) as one,
        opened(chromium, viewer.url, PHONE) as other,
    ):
        for shown in (one, other):
            until(shown, "window.viewer")
        assert wait_for(lambda: len(viewer.server.pages) == 2)
        slider = one.locator(".sliders input").first
        slider.focus()
        for _ in range(3):
            one.keyboard.press("ArrowRight")
        place = viewer.stage.model.joint("leg").q_slice.start
        assert wait_for(lambda: abs(viewer.q[place] - 3 * 2 * np.pi / 100) < 1e-6)
        wanted = viewer.stage.model.forward_kinematics(viewer.q)[1, 2, 3]
        until(other, f"Math.abs(viewer.scene.poses[23] - {wanted}) < 1e-6")


def test_a_page_says_when_its_server_has_ended(chromium: Any) -> None:
    viewer = view(hopper(), port=18770)
    with viewer:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(viewer.url)
        until(page, "window.viewer && viewer.socket.isOpen")
    until(page, "document.querySelector('.title p').textContent.includes('server has ended')")
    context.close()

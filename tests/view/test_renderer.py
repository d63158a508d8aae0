"""Pictures: the camera, the ground, what it hides, shadows, arrows and words."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from made_up_runs import hopper, made_up_run

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Ground, Profile, SmoothGround, Steps
from tarsus.geometry.grounds import Space
from tarsus.geometry.surfaces import Paraboloid
from tarsus.view.frame_sequence import ARROW_COLORS, Stage
from tarsus.view.renderer import DARK_TILE, LIGHT_TILE, SHADOW, SKY, Camera, Renderer

pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")


def test_the_camera_sees_its_target_in_the_middle() -> None:
    target = np.array([1.0, 2.0, 0.5])
    camera = Camera(target, 3.0, 0.7, 0.3, 320, 200)
    place, depth = camera.project(target)
    assert place == pytest.approx([160.0, 100.0], abs=1e-10)
    assert depth == pytest.approx(3.0)
    up, _ = camera.project(target + [0, 0, 0.1])
    assert up[1] > 101.0
    assert up[0] == pytest.approx(160.0, abs=1e-10)


@pytest.mark.parametrize("ground", [Ground(), Steps(rise=0.1, depth=0.3, count=3, start=0.1)])
def test_a_picture_shows_the_model_on_the_ground(ground: Ground | Steps) -> None:
    renderer = Renderer(Stage(made_up_run(ground)), width=160, height=120)
    picture = renderer.picture(5)
    assert picture.shape == (120, 160, 3)
    assert picture.dtype == np.uint8
    body = (np.abs(picture[..., 2].astype(int) - picture[..., 0]) > 10).mean()
    print(f"{100 * body:.1f} % of the picture is coloured")
    assert 0.01 < body < 0.5
    assert (picture != renderer.picture(20)).any()


def test_a_picture_leaves_nothing_behind_for_the_next() -> None:
    renderer = Renderer(Stage(made_up_run()), width=160, height=120)
    first = renderer.picture(2)
    assert (renderer.picture(20) != first).any()
    assert (renderer.picture(2) == first).all()


def test_a_model_that_is_put_elsewhere_is_drawn_as_if_it_had_always_been_there() -> None:
    model = hopper()
    q = model.neutral()
    q[:3], q[7] = (3.0, -1.0, 0.5), 0.05
    moved = Stage(model, ground=Ground(slope=0.1))
    assert moved.ground is not None
    renderer = Renderer(moved, width=160, height=120)
    before = renderer.picture(0)
    moved.stand(q)
    fresh = Stage(model, q=q, ground=Ground(slope=0.1))
    assert fresh.ground is not None
    assert moved.ground.vertices == pytest.approx(fresh.ground.vertices)
    picture = renderer.picture(0)
    assert (picture != before).any()
    fresh.size = moved.size  # the camera's distance is that of the first pose
    assert (picture == Renderer(fresh, width=160, height=120).picture(0)).all()


def test_the_camera_follows_smoothly() -> None:
    stage = Stage(made_up_run(), fps=50)
    renderer = Renderer(stage, width=16, height=12)
    middle = stage.poses[:, :, :3, 3].mean(axis=1)
    assert renderer._target(25) == pytest.approx(middle[20:31].mean(axis=0))
    assert renderer._target(0) == pytest.approx((5 * middle[0] + middle[:6].sum(axis=0)) / 11)


# --- the ground ---------------------------------------------------------------------------------


def box_at(height: float, ground: ts.geometry.Terrain | None = None) -> Stage:
    """Return a box of 0.2 × 0.2 × 0.1 m at x = y = 0.25 m, in a picture of the size 1 m."""
    b = ts.Builder("box")
    b.body("box", 1.0, inertia=(0.01, 0.01, 0.01)).joint("root", "free", "world", "box")
    b.shape("box", "box", (0.2, 0.2, 0.1), role="visual")
    model = b.build()
    q = model.neutral()
    q[:3] = 0.25, 0.25, height
    stage = Stage(model, q=q, ground=Ground() if ground is None else ground)
    stage.size = 1.0
    return stage


def seen_at(
    stage: Stage, *points: tuple[float, float, float], azimuth: float = -60.0
) -> list[Array]:
    """Return the colors of a picture of a stage at points of the world."""
    renderer = Renderer(stage, width=400, height=300, azimuth=azimuth)
    picture = renderer.picture(0) / 255.0
    camera = Camera(renderer._target(0), renderer.distance, *renderer.view, 400, 300)
    pixels, _ = camera.project(np.array(points))
    return [picture[299 - int(y), int(x)] for x, y in pixels]


def test_tiles_have_a_side_of_a_round_number_and_change_their_colors() -> None:
    """Of 0.1, 0.2, 0.5 and 1 m, 0.2 m is nearest to a third of the size; the first is light."""
    places = [(0.3 + 0.2 * i, -0.1 - 0.2 * j, 0.0) for i in (0, 1) for j in (0, 1)]
    colors = seen_at(box_at(0.5), *places)
    for color, wanted in zip(colors, (LIGHT_TILE, DARK_TILE, DARK_TILE, LIGHT_TILE), strict=True):
        assert color == pytest.approx(wanted, abs=0.004)


def test_shadows_are_straight_below() -> None:
    for height in (0.3, 0.6):
        inside = [(0.25 + x, 0.25 + y, 0.0) for x in (-0.08, 0.08) for y in (-0.08, 0.0)]
        outside = [
            (0.25 + x, 0.25 + y, 0.0) for x, y in ((-0.115, -0.02), (0.115, -0.02), (0, -0.14))
        ]
        colors = seen_at(box_at(height), *inside, *outside)
        for color in colors[: len(inside)]:
            assert color == pytest.approx(SHADOW, abs=0.004)
        for color in colors[len(inside) :]:
            assert min(np.abs(color - tile).max() for tile in (LIGHT_TILE, DARK_TILE)) < 0.004


def test_shadows_lie_on_steps() -> None:
    """The box is above the edge of a step: its shadow is on the step and on the floor."""
    steps = Steps(rise=0.2, depth=0.5, count=2, start=0.25)
    assert steps.height(0.2, 0.0) == 0.0 and steps.height(0.3, 0.0) == pytest.approx(0.2)
    for ground in (steps, SmoothGround(Paraboloid(-0.2, -0.2))):
        points = [(x, y, float(ground.height(x, y))) for x, y in ((0.18, 0.2), (0.33, 0.2))]
        for color in seen_at(box_at(0.8, ground), *points, azimuth=-120.0):
            assert color == pytest.approx(SHADOW, abs=0.02)


def test_the_ground_hides_what_is_below_and_behind_it() -> None:
    above, below = seen_at(box_at(0.0), (0.25, 0.15, 0.03), (0.25, 0.15, -0.03))
    assert np.abs(above - LIGHT_TILE).max() > 0.2
    assert np.ptp(below) < 0.02 < 0.85 < below.min()
    # at 5° above the steps from 0.8 m to 1.4 m, the last 0.3 m high, the sight ends on them
    behind = box_at(0.1, Steps(rise=0.1, depth=0.3, count=3, start=0.8))
    views = [
        Renderer(behind, azimuth=azimuth, width=200, height=150, elevation=5.0).picture(0)
        for azimuth in (180.0, 0.0)
    ]
    blue = [(view[..., 2].astype(int) - view[..., 0] > 20).mean() for view in views]
    print(f"share of the box in the picture, in front of the steps and behind them: {blue}")
    assert blue[0] > 0.002 and blue[1] == 0.0


@pytest.mark.parametrize(("slope", "level"), [(0.0, 0.0), (0.2, 0.0), (-0.1, 0.1), (0.0, -0.2)])
def test_a_plane_by_rays_is_as_one_of_triangles(slope: float, level: float) -> None:
    """Two ways to draw the same ground; patches fade in pieces of a third of a tile."""
    line = [[x, level - np.tan(slope) * x] for x in (-50.0, 50.0)]
    plane, other = Ground(slope=slope, level=level), Profile(line)
    pictures = [
        Renderer(Stage(made_up_run(ground)), width=320, height=200).picture(20).astype(float)
        for ground in (plane, other)
    ]
    apart = np.abs(pictures[0] - pictures[1])
    print(f"mean difference {apart.mean():.2f}, largest {apart.max():.0f} of 255")
    assert apart.mean() < 0.8 and np.quantile(apart, 0.999) < 14


@pytest.mark.parametrize("place", [np.nan, np.inf, 1e20, 1e200])
@pytest.mark.parametrize("ground", [None, Ground(), Steps()])
def test_runs_that_diverged_are_drawn(place: float, ground: ts.geometry.Terrain | None) -> None:
    """The picture is that of the body that is still there."""
    stages = [Stage(hopper(), ground=ground) for _ in range(2)]
    for stage in stages:
        stage.poses = stage.poses.copy()
    stages[0].poses[0, 1, :3, 3] = place
    stages[1].poses[0, 1] = np.nan
    pictures = [Renderer(stage, width=160, height=120).picture(0) for stage in stages]
    assert (pictures[0] == pictures[1]).all() and np.ptp(pictures[0]) > 50
    stages[0].poses[:] = place
    assert Renderer(stages[0], width=80, height=60).picture(0).shape == (60, 80, 3)


def test_free_space_has_no_ground() -> None:
    picture = Renderer(box_at(0.5, Space()), width=80, height=60).picture(0)
    assert picture[-1, 0] == pytest.approx(255 * SKY, abs=1)


def test_the_sky_is_above_the_horizon() -> None:
    """A level camera 0.5 m above the ground has it in the middle of the picture."""
    picture = Renderer(box_at(0.5), width=80, height=60, elevation=0.0).picture(0)
    assert (np.abs(picture[15:30, 60:] - 255 * SKY) < 1).all()
    assert (np.abs(picture[45:] - 255 * SKY).max(axis=-1) > 5).all()


# --- arrows and words -----------------------------------------------------------------------------


def test_arrows_are_over_everything_from_tail_to_tip() -> None:
    stage = Stage(made_up_run(), fps=100)
    renderer = Renderer(stage, width=400, height=300, zoom=0.5)
    picture = renderer.picture(10) / 255.0
    camera = Camera(renderer._target(10), renderer.distance, *renderer.view, 400, 300)
    arrows = stage.arrows(10)
    for share in (0.2, 0.5, 0.9):
        (x, y), _ = camera.project(arrows.points[0] + share * arrows.vectors[0])
        assert picture[299 - int(y), int(x)] == pytest.approx(ARROW_COLORS["stick"], abs=0.05)
    (x, y), _ = camera.project(arrows.points[0] + 1.2 * arrows.vectors[0])
    assert np.abs(picture[299 - int(y), int(x)] - ARROW_COLORS["stick"]).max() > 0.1


def test_the_font_has_letters_of_other_languages() -> None:
    font = Renderer(box_at(0.5), width=80, height=60)._words._font
    missing = bytes(font.getmask("\uffff"))
    assert all(bytes(font.getmask(letter)) != missing for letter in "äöüßéñçøλα²µЖ")


@pytest.mark.parametrize(("module", "words"), [("PIL.ImageFont", "pillow"), ("matplotlib", "font")])
def test_without_a_library_an_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, module: str, words: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=rf"{words}.*pip install 'tarsus\[view\]'"):
        Renderer(Stage(hopper()))

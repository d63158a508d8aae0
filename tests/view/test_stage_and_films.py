"""What is drawn, and when; films of all kinds, written and read back."""

from __future__ import annotations

import base64
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_runs import hopper, made_up_run

from tarsus.geometry import Ground
from tarsus.view.films import animate
from tarsus.view.frame_sequence import Stage
from tarsus.view.page import chart_data, page_data
from tarsus.view.renderer import Renderer


def test_pictures_are_evenly_spaced_in_time() -> None:
    stage = Stage(made_up_run(), fps=20)
    assert stage.times == pytest.approx(np.linspace(0, 1, 21), abs=0.005)
    assert len(Stage(made_up_run(), fps=20, speed=0.5).times) == 41
    assert stage.poses.shape == (21, 2, 4, 4)


def test_arrows_are_forces_that_stay_in_the_picture() -> None:
    stage = Stage(made_up_run(), fps=100)
    first, later, air = stage.arrows(0), stage.arrows(10), stage.arrows(60)
    assert first.states == ("impact",)
    assert later.states == ("stick",)
    assert air.states == ()
    assert np.linalg.norm(first.vectors) == pytest.approx(stage.size)
    weight = 2.5 * 9.81
    assert later.vectors[0, 2] == pytest.approx(30.0 / weight / 2 * stage.size)


def test_lines_follow_their_ends_and_are_seen() -> None:
    run = made_up_run()
    body = run.model.body_names[0]
    stage = Stage(run, lines=[((0.0, 0.0, 1.0), body), (body, (body, (0.1, 0.0, 0.0)))])
    ends = stage.lines(7)
    assert ends.shape == (2, 2, 3)
    assert ends[0, 0] == pytest.approx([0.0, 0.0, 1.0])
    assert ends[0, 1] == pytest.approx(stage.poses[7, 0, :3, 3])
    assert np.linalg.norm(ends[1, 1] - ends[1, 0]) == pytest.approx(0.1)
    plain = Renderer(Stage(run), width=160, height=120).picture(7)
    assert (Renderer(stage, width=160, height=120).picture(7) != plain).any()
    with pytest.raises(ValueError, match="lines: there is no frame 'nose'"):
        Stage(run, lines=[("nose", body)])


def test_the_ground_is_under_the_whole_way() -> None:
    stage = Stage(made_up_run(Ground(slope=0.2)))
    assert stage.ground is not None
    low, high = stage.ground.vertices.min(axis=0), stage.ground.vertices.max(axis=0)
    assert low[0] < 0.0 < 0.5 < high[0]
    lines = stage.ground_lines()
    assert lines[..., 2] == pytest.approx(-np.tan(0.2) * lines[..., 0], abs=0.01)


def test_a_batch_and_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="fps is 0, must be positive"):
        Stage(made_up_run(), fps=0)
    with pytest.raises(ValueError, match="speed is -1, must be positive"):
        Stage(made_up_run(), speed=-1)


def test_gif(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    shares: list[float] = []
    file = tmp_path / "run.gif"
    animate(
        *(made_up_run(), file),
        fps=10,
        width=160,
        height=120,
        progress=lambda _, share: shares.append(share),
    )
    with image.open(file) as film:
        assert film.n_frames == 11
        assert film.size == (160, 120)
        assert film.info["duration"] == 100
    assert shares[-1] == 1.0


def test_mp4(tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    file = tmp_path / "run.mp4"
    animate(made_up_run(), file, fps=10, width=160, height=120)
    frames, seconds = ffmpeg.count_frames_and_secs(str(file))
    assert frames == 11
    assert seconds == pytest.approx(1.1, abs=0.02)


def test_pictures_in_a_folder(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    folder, run = tmp_path / "film", made_up_run()
    animate(run, folder, fps=20, width=80, height=60)
    (folder / "notes.png").write_bytes(b"mine")
    animate(run, folder, fps=10, width=80, height=60)
    names = sorted(file.name for file in folder.iterdir())
    assert names == [*(f"frames_{k:05d}.png" for k in range(11)), "notes.png"]
    renderer = Renderer(Stage(run, fps=10), width=80, height=60)
    for k in (0, 7):
        with image.open(folder / names[k]) as picture:
            assert (np.asarray(picture) == renderer.picture(k)).all()
    with pytest.raises(FileExistsError, match="must be a folder for pictures"):
        (tmp_path / "file").write_text("here")
        animate(run, tmp_path / "file")


def test_without_ffmpeg_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tarsus\[video\]'"):
        animate(made_up_run(), tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []


def test_page_has_all_data_and_no_links(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    animate(made_up_run(), file, fps=10)
    text = file.read_text("utf-8")
    assert not re.search(r"https?://|src=|href=(?!\"data:)|^import |\bimport\(", text, re.MULTILINE)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert data["name"] == "hopper"
    assert len(data["times"]) == 11
    assert [len(body["surfaces"]) for body in data["machine"]["bodies"]] == [1, 2]
    assert data["machine"]["ground"] == {"height": 0.0, "normal": [0.0, 0.0, 1.0]}
    assert data["arrows"][1]["states"] == [1]


def test_pages_have_planes_at_their_level() -> None:
    ground = Ground(slope=0.2, level=-0.1)
    data = page_data(Stage(hopper(), ground=ground))["machine"]["ground"]
    assert data["height"] == pytest.approx(float(ground.height(0.0, 0.0))) == pytest.approx(-0.1)
    assert data["normal"] == pytest.approx(ground.normal(0.0, 0.0).tolist())


def test_pages_have_charts_of_the_ledger_and_of_quantities(tmp_path: Path) -> None:
    """Values are those of the run at the pictures; what does not move is left out."""
    run = made_up_run()
    stage = Stage(run, fps=10, quantities={"height [m]": run.q[:, 2], "turns": run.t**2})
    charts = {chart["title"]: chart for chart in chart_data(stage)}
    assert charts["height"]["unit"] == "m" and charts["turns"]["unit"] == ""
    lines = {
        (title, line["name"]): np.frombuffer(base64.b64decode(line["values"]), "<f4")
        for title, chart in charts.items()
        for line in chart["lines"]
    }
    k = stage.samples
    assert lines["height", "height"] == pytest.approx(run.q[k, 2], abs=1e-6)
    energy = "energy since the start"
    assert lines[energy, "gravity"] == pytest.approx(2.5 * 9.81 * (run.q[k, 2] - 0.33), rel=1e-5)
    assert (energy, "springs") not in lines
    assert lines["work", "contact friction"] == pytest.approx(-0.2 * run.t[k], abs=1e-6)
    assert lines["contact forces, sum", "upwards"][1] == pytest.approx(30.0)
    assert lines["contact forces, sum", "level"][1] == pytest.approx(6.0)
    assert np.abs(lines["residual of the ledger", "residual"]).max() < 1e-9
    with pytest.raises(ValueError, match=r"'height' has shape \(3,\), must have \(101,\)"):
        Stage(run, quantities={"height": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="films have no charts"):
        animate(run, tmp_path / "run.gif", quantities={"turns": run.t})


def test_pages_have_lines_that_move_with_their_bodies(tmp_path: Path) -> None:
    run = made_up_run()
    data = page_data(Stage(run, lines=[((0.0, 0.0, 1.0), ("shin", (0.1, 0.0, 0.0)))]))
    assert data["lines"] == [
        [{"body": -1, "point": [0.0, 0.0, 1.0]}, {"body": 1, "point": [0.1, 0.0, 0.0]}]
    ]


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    model = hopper()
    text = replace(model.description, name="</script><script>alert(1)</script>")
    animate(type(model)(text), tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "alert(1)</script>" not in page


def test_a_model_that_stands_still_is_one_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    animate(hopper(), tmp_path / "still.gif", width=80, height=60)
    with image.open(tmp_path / "still.gif") as film:
        assert getattr(film, "n_frames", 1) == 1


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"run\.avi must end with one of \.gif, \.mp4, \.html"):
        animate(made_up_run(), tmp_path / "run.avi")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        animate(made_up_run(), tmp_path / "nowhere" / "run.gif")
    with pytest.raises(ValueError, match="a page is turned as it plays: leave out azimuth"):
        animate(made_up_run(), tmp_path / "run.html", azimuth=10)

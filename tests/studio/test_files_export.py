"""What `export` writes says what was recorded: read back by programs that share no code with it."""

from __future__ import annotations

import base64
import csv
import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.studio import Stage

BUILD = """
add rod pole -length .8 -t 0 0 1.5
add box cart -t 1 0 .5
add revolute hinge -a world 0 0 1.5 -b pole -.4 0 0 -axis 0 1 0
add spring soft -a pole .4 0 0 -b cart 0 0 0 -stiffness 40
chart q:hinge energy:kinetic
advance 500
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(root=tmp_path)
    stage.run([line for line in BUILD.splitlines() if line])
    return stage


def test_tables_have_all_bits(stage: Stage, tmp_path: Path) -> None:
    assert stage.do("export run.csv").ok
    with (tmp_path / "run.csv").open(newline="") as file:
        head, *rows = list(csv.reader(file))
    moments = stage.recording.moments
    assert {"t [s]", "q:hinge [rad]", "energy:kinetic [J]", "q:cart.x [m]"} <= {*head}
    assert len(rows) == len(moments) > 25
    for row, moment in zip(rows, moments, strict=True):
        values = dict(zip(head, map(float, row), strict=True))
        assert values["t [s]"] == moment.t
        assert values["q:hinge [rad]"] == moment.values["q:hinge"]
        assert values["energy:kinetic [J]"] == moment.values["energy:kinetic"]
        numbers = [values[name] for name in head if name[:2] in ("q:", "v:")]
        assert numbers == [*moment.q, *moment.v]


def test_the_run_is_exported(stage: Stage, tmp_path: Path) -> None:
    assert stage.do("export run.npz").ok
    run = ts.load_run(tmp_path / "run.npz")
    moments = stage.recording.moments
    assert run.q.tobytes() == np.array([moment.q for moment in moments]).tobytes()
    assert run.t.tolist() == [moment.t for moment in moments]


def glb(path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return the JSON of a .glb file and its accessors, read by the specification."""
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    tree = json.loads(data[20 : 20 + size])
    size_of_rest, kind_of_rest = struct.unpack_from("<I4s", data, 20 + size)
    assert (kind, kind_of_rest) == (b"JSON", b"BIN\0") and size % 4 == size_of_rest % 4 == 0
    rest = data[28 + size :]
    assert len(rest) == size_of_rest == tree["buffers"][0]["byteLength"]
    found = []
    for accessor in tree["accessors"]:
        view = tree["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind_of = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        numbers = np.frombuffer(rest, kind_of, accessor["count"] * width, view["byteOffset"])
        found.append(numbers.reshape(-1, width))
    return tree, found


def test_gltf_moves_as_the_machine(stage: Stage, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    assert stage.do("export run.glb -fps 20").ok
    tree, arrays = glb(tmp_path / "run.glb")
    model, moments = stage.machine.model, stage.recording.moments
    (animation,) = tree["animations"]
    checked = 0
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times, values = arrays[sampler["input"]][:, 0], arrays[sampler["output"]]
        name = tree["nodes"][channel["target"]["node"]]["name"]
        for t, value in zip(times, values, strict=True):
            moment = min(moments, key=lambda each: abs(each.t - t))
            pose = model.frame_pose(moment.q, name)
            if channel["target"]["path"] == "translation":
                np.testing.assert_allclose(value, pose[:3, 3], atol=2e-6)
            else:
                x, y, z, w = (float(each) for each in value)
                turned = trimesh.transformations.quaternion_matrix([w, x, y, z])[:3, :3]
                np.testing.assert_allclose(turned, pose[:3, :3], atol=2e-6)
            checked += 1
    assert checked == 2 * model.n_bodies * 11
    scene = trimesh.load_scene(tmp_path / "run.glb")
    # the box is seen where it is, with y up
    at = stage.recording.moments[0]
    middle = model.frame_pose(at.q, "cart")[:3, 3]
    boxes = [each for each in scene.dump() if np.allclose(np.sort(each.extents), [0.1, 0.2, 0.4])]
    assert any(np.allclose(x.bounds.mean(0), middle[[0, 2, 1]] * [1, 1, -1]) for x in boxes)


def test_pages_play_with_charts(stage: Stage, tmp_path: Path) -> None:
    assert stage.do("export run.html -fps 20").ok
    text = (tmp_path / "run.html").read_text()
    assert not re.search(r'(?:src|href)\s*=\s*"(?:https?:)?//', text)  # it stands alone
    assert "q:hinge" in text and "energy:kinetic" in text
    numbers = next(
        np.frombuffer(base64.b64decode(chart["lines"][0]["values"]), "<f4")
        for chart in json.loads(re.search(r"(\{\"name\".*\})", text)[1])["charts"]  # type: ignore[index]
        if chart["lines"][0]["name"] == "q:hinge"
    )
    ends = [stage.recording.moments[k].values["q:hinge"] for k in (0, -1)]
    np.testing.assert_allclose([numbers[0], numbers[-1]], ends, rtol=1e-6)


def test_pictures_and_films(stage: Stage, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    assert stage.do("export now.png -size 200 120").ok
    with image.open(tmp_path / "now.png") as picture:
        assert picture.size == (200, 120) and len(picture.getcolors(100_000)) > 20
    assert stage.do("export film.gif -fps 10 -size 200 120").ok
    with image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 6
    answer = stage.do("export one.png -fps 4 -size 160 100")
    assert answer.ok and sorted(tmp_path.glob("one-*.png"))[-1].name == "one-0003.png"


def test_models_are_exported_with_what_is_left_out(stage: Stage, tmp_path: Path) -> None:
    stage.run("add nail hold -where cart 0 0 0")
    answer = stage.do("export arm.urdf")
    assert answer.ok and "soft" in answer.text and "hold" in answer.text
    assert ts.load(tmp_path / "arm.urdf").total_mass == pytest.approx(
        stage.machine.model.total_mass
    )
    answer = stage.do("export arm.yaml")
    model = ts.load(tmp_path / "arm.yaml")
    assert [force.name for force in model.forces] == ["soft"] and "hold" in answer.text
    q = stage.machine.q
    np.testing.assert_array_equal(model.mass_matrix(q), stage.machine.model.mass_matrix(q))


def times(path: Path) -> list[float]:
    with path.open(newline="") as file:
        return [float(row["t [s]"]) for row in csv.DictReader(file)]


def test_another_machine_is_another_file(stage: Stage, tmp_path: Path) -> None:
    stage.run("add box late -t 3 0 1\nadvance 200\ndelete cart\nadvance 100")
    answer = stage.do("export run.csv")
    print(answer.text)
    assert answer.ok and "t = 0.7 … 0.8 s" in answer.text and "0 … 0.697 s is left" in answer.text
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]
    assert stage.do("export run.csv -whole on").ok
    files = [tmp_path / f"run{each}.csv" for each in ("-before2", "-before1", "")]
    assert [t for file in files for t in times(file)] == [m.t for m in stage.recording.moments]
    assert "late" not in files[0].read_text() and "cart" not in files[2].read_text()
    assert all(word in files[1].read_text() for word in ("late", "cart"))


def test_edits_of_numbers_end_no_film(stage: Stage, tmp_path: Path) -> None:
    stage.run(
        "set cart -m 9\nadvance 200\nset hinge -damping .1\nset soft -stiffness 3\nadvance 200"
    )
    answer = stage.do("export run.csv")
    assert answer.ok and "t = 0 … 0.9 s" in answer.text and "left out" not in answer.text
    assert times(tmp_path / "run.csv") == [moment.t for moment in stage.recording.moments]


WRONG = {
    "export run.exe": ".exe",
    "export run": "must end with",
    "export film.gif -fps 0": "-fps",
    "export film.gif -fps 1000 -speed .001": "pictures",
    "export now.png -size 1e9 1e9": "-size",
    "export now.png -size 5": "-size",
    "export run.csv -whole maybe": "maybe",
    "export ../out.csv": "not below",
    "export sub/out.csv": "no folder",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_exports_are_told(line: str, stage: Stage, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    answer = stage.do(line)
    assert not answer.ok and WRONG[line] in answer.text and "\n" not in answer.text
    assert sorted(tmp_path.iterdir()) == before

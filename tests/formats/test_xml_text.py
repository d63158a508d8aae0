"""Models as text: the same as from files, and no way to files beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tarsus as ts

ROOT = Path(__file__).parents[2]

URDF = """
<?xml version="1.0" encoding="latin-1"?>
<robot name="pendel für alle">
  <link name="stange"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="MESH"/></geometry></visual></link>
  <link name="hand"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wrist" type="continuous"><parent link="stange"/><child link="hand"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""
SDF = """<sdf version="1.9"><model name="block"><link name="box"><inertial><mass>2</mass>
<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link></model></sdf>"""
MJCF = """<mujoco model="hopper"><worldbody><body name="leg"><freejoint/>
<geom size="0.1" mass="3"/></body></worldbody></mujoco>"""


def test_a_text_is_the_same_model_as_its_file() -> None:
    file = ROOT / "examples/quadruped.urdf"
    from_text = ts.load(file.read_text("utf-8"), base="free")
    assert from_text == ts.load(file, base="free")
    assert ts.check(from_text, states=2).ok


@pytest.mark.parametrize(
    ("text", "name", "mass", "nv"),
    [(URDF, "pendel für alle", 0.1, 1), (SDF, "block", 2.0, 6), (MJCF, "hopper", 3.0, 6)],
)
def test_formats_are_recognised_by_their_root(text: str, name: str, mass: float, nv: int) -> None:
    if text is MJCF:
        pytest.importorskip("mujoco")
    model = ts.load(text)
    assert (model.name, model.nv) == (name, nv)
    assert model.total_mass == pytest.approx(mass)
    assert "/tmp" not in str(model.description)


def test_other_roots_are_named() -> None:
    with pytest.raises(ts.ModelError, match=r"^text: the root element is <html>, must be <robot>"):
        ts.load("<html/>")


def test_mistakes_are_told_with_their_lines() -> None:
    with pytest.raises(ts.ModelError, match=r"^text:4: .*mass.* must be a number, not 'heavy'"):
        ts.load(URDF.strip().replace('\n  <link name="st', '\n\n  <link name="st').replace(
            '<mass value="1"/>', '<mass value="heavy"/>'))  # fmt: skip
    with pytest.raises(ts.ModelError, match=r"^text:\d: malformed XML"):
        ts.load("<robot>\n<link>")
    with pytest.raises(ts.ModelError, match=r"^text:3: .*unknown link 'arm'"):
        ts.load('<robot name="a">\n<link name="b"/>\n<joint name="j" type="fixed">'
                '<parent link="b"/><child link="arm"/></joint></robot>')  # fmt: skip


@pytest.mark.parametrize("mesh", ["cube.stl", "../cube.stl", "package://cubes/cube.stl"])
def test_no_file_is_read_beside_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mesh: str
) -> None:
    (tmp_path / "cubes").mkdir()
    for folder in (tmp_path, tmp_path / "cubes"):
        (folder / "cube.stl").write_bytes(b"solid")
    monkeypatch.chdir(tmp_path / "cubes")
    try:
        model = ts.load(URDF.replace("MESH", mesh))
    except ts.ModelError as error:
        assert "leaves the model's folder" in str(error)
    else:
        assert any("mesh files (1) are not found" in warning for warning in model.warnings)
    if mesh.startswith("package"):
        found = ts.load(URDF.replace("MESH", mesh), package_dirs=[tmp_path])
        assert not found.warnings


def test_absolute_paths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cube.stl").write_bytes(b"solid")
    with pytest.raises(ts.ModelError, match="leaves the model's folder"):
        ts.load(URDF.replace("MESH", str(tmp_path / "cube.stl")))


def test_mjcf_includes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    (tmp_path / "more.xml").write_text("<mujoco/>")
    monkeypatch.chdir(tmp_path)
    text = MJCF.replace("<worldbody>", f'<include file="{tmp_path}/more.xml"/><worldbody>')
    with pytest.raises(ts.ModelError, match="leaves the model's folder"):
        ts.load(text)


def test_entities_are_not_read() -> None:
    text = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'
    with pytest.raises(ts.ModelError, match="text:1: document types and entities are not read"):
        ts.load(text)

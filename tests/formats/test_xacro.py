"""Xacro: run where a file is named so, and refused everywhere else, with a word about why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tarsus as ts

XACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="legs">
  <xacro:arg name="mass" default="2.0"/>
  <xacro:macro name="leg" params="side">
    <link name="${side}_leg"><inertial><mass value="$(arg mass)"/>
      <inertia ixx="${0.1 * 2}" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="${side}_hip" type="continuous"><parent link="trunk"/>
      <child link="${side}_leg"/><axis xyz="0 1 0"/></joint>
  </xacro:macro>
  <link name="trunk"><inertial><mass value="5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <xacro:leg side="left"/><xacro:leg side="right"/>
</robot>
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "legs.urdf.xacro"
    found.write_text(XACRO)
    return found


def test_a_file_is_run(file: Path) -> None:
    pytest.importorskip("xacro")
    model = ts.load(file, base="free")
    assert model.name == "legs"
    assert model.body_names == ("trunk", "left_leg", "right_leg")
    assert model.total_mass == pytest.approx(9.0)
    assert model.body("left_leg").inertia[0, 0] == pytest.approx(0.2)
    assert model.nv == 8


def test_arguments(file: Path) -> None:
    pytest.importorskip("xacro")
    assert ts.load(file, arguments={"mass": 3}, base="free").total_mass == pytest.approx(11)
    with pytest.raises(ValueError, match=r"arguments are for \.xacro files, not for"):
        ts.load("examples/quadruped.urdf", arguments={})


def test_packages_are_found(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "legs.xacro").write_text(XACRO)
    (tmp_path / "own").mkdir()
    own = tmp_path / "own" / "robot.xacro"
    own.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/legs.xacro"/></robot>'
    )
    assert ts.load(own, package_dirs=[tmp_path]).n_bodies == 3 - 1
    with pytest.raises(ts.ModelError, match="there is no package 'parts'; name its folder in pack"):
        ts.load(own)


def test_mistakes_name_the_file(file: Path) -> None:
    pytest.importorskip("xacro")
    file.write_text(XACRO.replace("${0.1 * 2}", "${nothing * 2}"))
    with pytest.raises(ts.ModelError, match=r"legs\.urdf\.xacro: xacro: .*nothing"):
        ts.load(file)


@pytest.mark.parametrize("as_text", [True, False])
def test_xacro_under_another_name_is_not_run(tmp_path: Path, as_text: bool) -> None:
    bomb = tmp_path / "ran"
    text = XACRO.replace("${0.1 * 2}", f"${{open('{bomb}', 'w')}}")
    other = tmp_path / "legs.urdf"
    other.write_text(text)
    with pytest.raises(ts.ModelError, match=r"this is xacro.*run as Python.*save it as \.xacro"):
        ts.load(text if as_text else other)
    assert not bomb.exists()


def test_files_that_xacro_wrote_are_urdf(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="b"/></robot>'
    (tmp_path / "a.urdf").write_text(text)
    assert ts.load(tmp_path / "a.urdf").name == "a"


def test_what_to_install_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs xacro: pip install 'tarsus\[xacro\]'"):
        ts.load(file)

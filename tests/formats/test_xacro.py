"""Loading of xacro files: their arguments, packages, errors, and files that the user trusts."""

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
    path = tmp_path / "legs.urdf.xacro"
    path.write_text(XACRO)
    return path


def test_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)  # it is not needed
    model = ts.load(file, base="free")
    assert model.name == "legs"
    assert model.body_names == ("trunk", "left_leg", "right_leg")
    assert model.total_mass == pytest.approx(9.0)
    assert model.body("left_leg").inertia[0, 0] == pytest.approx(0.2)
    assert model.nv == 8


def test_arguments(file: Path) -> None:
    assert ts.load(file, arguments={"mass": 3}, base="free").total_mass == pytest.approx(11)
    with pytest.raises(ValueError, match=r"arguments are for \.xacro files, not for"):
        ts.load("examples/quadruped.urdf", arguments={})
    with pytest.raises(ValueError, match="arguments is for files, not for 'lola'"):
        ts.load("lola", arguments={})


@pytest.mark.parametrize("trust", [False, True])
def test_packages(tmp_path: Path, trust: bool) -> None:
    if trust:
        pytest.importorskip("xacro")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "legs.xacro").write_text(XACRO)
    (tmp_path / "own").mkdir()
    own = tmp_path / "own" / "robot.xacro"
    own.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/legs.xacro"/></robot>'
    )
    assert ts.load(own, package_dirs=[tmp_path], trust=trust).n_bodies == 3 - 1
    with pytest.raises(ts.ModelError, match="there is no package 'parts'; name its folder in pack"):
        ts.load(own, trust=trust)


def test_errors_name_expression_file_and_line(file: Path) -> None:
    file.write_text(XACRO.replace("${0.1 * 2}", "${nothing * 2}"))
    message = r"legs\.urdf\.xacro:5: xacro: '\$\{nothing \* 2\}': there is no property or function"
    with pytest.raises(ts.ModelError, match=message):
        ts.load(file)


def test_errors_of_urdf_name_the_line_of_the_macro(file: Path) -> None:
    file.write_text(XACRO.replace('iyy="0.2"', 'iyy="much"'))
    with pytest.raises(ts.ModelError, match=r"legs\.urdf\.xacro:5: .*must be a number, not 'much'"):
        ts.load(file)


@pytest.mark.parametrize("as_text", [True, False])
def test_xacro_under_another_name_is_refused(tmp_path: Path, as_text: bool) -> None:
    other = tmp_path / "legs.urdf"
    other.write_text(XACRO)
    with pytest.raises(ts.ModelError, match=r"this is xacro, not URDF: save it as a \.xacro file"):
        ts.load(XACRO if as_text else other)


def test_expanded_files_are_urdf(tmp_path: Path) -> None:
    text = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="b"/></robot>'
    (tmp_path / "a.urdf").write_text(text)
    assert ts.load(tmp_path / "a.urdf").name == "a"


def test_trusted_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xacro")
    monkeypatch.setenv("TARSUS_SIDE", "near")
    file.write_text(XACRO.replace('side="left"', "side=\"${(lambda: '$(env TARSUS_SIDE)')()}\""))
    with pytest.raises(ts.ModelError, match="environment variables are not read from a file"):
        ts.load(file)
    model = ts.load(file, base="free", arguments={"mass": 3}, trust=True)
    assert model.body_names == ("trunk", "near_leg", "right_leg")
    assert model.total_mass == pytest.approx(11)


def test_trust_is_for_xacro_files() -> None:
    with pytest.raises(ValueError, match=r"trust is for \.xacro files, not for examples"):
        ts.load("examples/quadruped.urdf", trust=True)
    with pytest.raises(ValueError, match="trust is for files, not for 'lola'"):
        ts.load("lola", trust=True)


def test_trusted_files_need_xacro(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModuleNotFoundError, match=r"trust=True needs xacro: pip install 'tarsus\["):
        ts.load(file, trust=True)


def test_yaml_needs_pyyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "a.yaml").write_text("a: 1")
    file = tmp_path / "a.xacro"
    file.write_text("<robot name=\"${xacro.load_yaml('a.yaml').a}\"><link name='b'/></robot>")
    with pytest.raises(
        ModuleNotFoundError, match=r"a\.yaml needs pyyaml: pip install 'tarsus\[io\]'"
    ):
        ts.load(file)

"""Commands that read or write files are marked, so that sessions never do them again unasked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tarsus.studio import Stage
from tarsus.studio.commands import COMMANDS
from tarsus.studio.commands.command import uses_files

opened: list[str] | None = None
"""Paths that are opened, while it is a list: hooks of the interpreter cannot be removed."""


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event in ("open", "os.rename", "os.remove", "os.link", "os.mkdir"):
        opened.append(str(arguments[0]))


LINES = {
    "add": ["add box c", "add mesh m -file box.obj"],
    "advance": ["advance 5"],
    "assemble": ["assemble"],
    "bind": ["bind s.stiffness 20+t"],
    "chart": ["chart energy:total"],
    "delete": ["delete s"],
    "drag": ["drag 0 0 1"],
    "draw": ["draw corpus poses.csv", "draw null"],
    "duplicate": ["duplicate a d"],
    "explain": ["explain"],
    "export": ["export model.yaml", "export data.csv", "export page.html"],
    "gait": ["gait"],
    "grab": ["grab a 0 0 0 -to 0 0 2"],
    "group": ["group g a b"],
    "help": ["help add"],
    "?": ["?"],
    "load": ["load model.yaml", "load scene.json", "load chain(3)"],
    "run": ["run lines.ves", "run car"],
    "save": ["save saved.json"],
    "script": ["script"],
    "open": ["open"],
    "undo": ["undo"],
    "redo": ["redo"],
    "ib": ["ib x"],
    "il": ["il a x"],
    "ilc": ["ilc a nail"],
    "ir": ["ir r a b -k 9"],
    "look": ["look .01"],
    "mirror": ["mirror a d"],
    "move": ["move a -by 0 0 1"],
    "pf": ["pf"],
    "pin": ["pin a 0 0 0"],
    "reach": ["reach a 0 0 2"],
    "rename": ["rename a c"],
    "rewind": ["rewind .01"],
    "sacc": ["sacc -r 1e-6"],
    "sb": ["sb a -m 2 -if gravity g"],
    "set": ["set a -m 2"],
    "sf": ["sf a g -f 0 0 1"],
    "show": ["show names on"],
    "sl": ["sl a b -q 1"],
    "slider": ["slider k s.stiffness 1 100"],
    "speed": ["speed 2"],
    "sstepsize": ["sstepsize .02"],
    "step": ["step 1"],
    "stime": ["stime 2"],
    "unchart": ["unchart"],
}
"""Lines of commands; those of others are their verbs alone."""
MAY_FAIL = ("assemble", "drag", "gait", "redo", "release", "rlsode", "sf", "sl", "sacc", "pf")
"""Commands that need a machine which is not here."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A stage beside a file of each kind that lines read."""
    (tmp_path / "box.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "lines.ves").write_text("add box from_script\n")
    made = Stage(root=tmp_path)
    made.run("add box a -t 0 0 1\nadd box b -t 1 0 1\nsave scene.json\nexport model.yaml")
    made.run("add spring s -a a 0 0 0 -b b 0 0 0 -stiffness 10\nadvance 20")
    return made


@pytest.mark.parametrize("verb", COMMANDS)
def test_commands_that_open_files_are_marked(verb: str, stage: Stage) -> None:
    global opened
    if not getattr(sys, "tarsus_audited", False):
        sys.addaudithook(_hook)
        sys.tarsus_audited = True  # type: ignore[attr-defined]
    for line in LINES.get(verb, [verb]):
        opened = []
        try:
            answer = stage.do(line)
        finally:
            paths, opened = opened, None
        touched = [path for path in paths if Path(path).is_relative_to(stage.root)]
        assert not touched or uses_files(line), (line, touched)
        assert answer.ok or verb in MAY_FAIL, (line, answer)


@pytest.mark.parametrize(
    ("line", "files"),
    [
        *(("load x.urdf", True), ("run x.ves", True), ("save x.json", True)),
        *(("export x.csv", True), ("draw corpus x.csv", True), ("open", True)),
        *(("add mesh m -file x.stl", True), ("  load x", True), ('"load" x', True)),
        *(("add box b", False), ("set b -m 2", False), ("advance 10", False), ("", False)),
        *(("; load x", False), ("no_such_verb x", True), ('save "x', True)),
    ],
)
def test_lines_that_use_files(line: str, files: bool) -> None:
    assert uses_files(line) is files

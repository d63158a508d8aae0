"""Sessions: what was built and moved is there again after a process was killed, to the bit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from worlds import THEN, append_rows, bits, built

from tarsus.studio import Stage, autosave
from tarsus.studio.autosave import Autosave
from tarsus.studio.gallery import ENTRIES

SERVER = """
import sys, time
sys.path.insert(0, sys.argv[2])
import tarsus as ts
from tarsus.studio import Stage
from tarsus.studio import autosave
from worlds import THEN, bits, built
import pickle
autosave.PAUSE = float(sys.argv[4])
studio = ts.studio.open(Stage(), port=0, session=sys.argv[1])
stage = studio.stage
built(stage)
stage.run(THEN)
with stage.lock:
    pickle.dump(bits(stage), open(sys.argv[3], "wb"))
print("built", flush=True)
{then}
"""
WAIT = "time.sleep(60)"
MOVE = 'stage.do("play"); time.sleep(60)'


def start(
    folder: Path, then: str, found: Path, pause: float = autosave.PAUSE
) -> subprocess.Popen[str]:
    """Start a server that builds, saves what it has built, and goes on."""
    code = SERVER.replace("{then}", then)
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), here, str(found), str(pause)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "built\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def restored(folder: Path) -> tuple[Stage, list[str]]:
    """Return a stage that has been restored, and what it was told."""
    stage = Stage()
    kept = Autosave(stage, folder)
    kept.close()
    return stage, stage.told


@pytest.mark.parametrize("pause", [autosave.PAUSE, 1000.0])
def test_a_server_that_was_killed_restores_the_world(pause: float, tmp_path: Path) -> None:
    """Also if all but the lines was saved long ago: those that were answered are done again."""
    import pickle

    session, found = tmp_path / "session", tmp_path / "bits"
    kill(start(session, WAIT, found, pause))
    before = pickle.loads(found.read_bytes())
    stage, told = restored(session)
    assert any("restored" in each for each in told)
    assert bits(stage) == before
    assert len(stage.undone) == 1 and stage.held is not None
    # undo and redo, all the way, as the one that was not killed does
    twin = built(Stage())
    twin.run(THEN)
    assert bits(twin) == before
    for lines in ("advance 200", "redo", "advance 50", "undo\nundo\nundo", "advance 10", "redo"):
        for each in (stage, twin):
            each.run(lines)
        assert bits(stage) == bits(twin), lines
    while twin.edits:
        for each in (stage, twin):
            each.run("undo")
        assert bits(stage) == bits(twin)


def test_a_server_that_was_killed_as_it_moved(tmp_path: Path) -> None:
    """At whatever moment: there is a whole world, on the way of the one that moved."""
    session, found = tmp_path / "session", tmp_path / "bits"
    process = start(session, MOVE, found)
    written = session / autosave.HEAD
    until = time.monotonic() + 30.0
    while json.loads(written.read_text())["t"] <= 0.4 and time.monotonic() < until:
        time.sleep(0.05)
    kill(process)
    stage, _ = restored(session)
    assert stage.t > 0.4 and len(stage.undone) == 1
    # the take makes the same bits again
    twin = Stage()
    twin.run(stage.take.script())
    after, again = bits(stage), bits(twin)
    for name in ("q", "v", "t", "undo"):
        assert again[name] == after[name], name


@pytest.mark.parametrize("where", range(4))
def test_files_that_are_cut_short_are_never_seen(where: int, tmp_path: Path) -> None:
    """Kills between any two files leave the session before, and the lines that were said since."""

    class Killed(BaseException):
        pass

    stage = built(Stage())
    kept = Autosave(stage, tmp_path)
    kept.close()
    stage.run("advance 7\nadd box late")
    said = bits(stage)
    stage.run("advance 10")
    count = 0
    original = Path.replace

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count > where:
            raise Killed
        return original(self, target)

    other = Autosave.__new__(Autosave)
    other.__dict__.update(kept.__dict__)
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        patch.setattr(Path, "replace", replace)
        other.save()
    after, told = restored(tmp_path)
    assert any("restored" in each for each in told)
    assert bits(after) == (said if count > where else bits(stage))


def test_a_row_that_was_cut_short_was_not_answered(tmp_path: Path) -> None:
    stage = built(Stage())
    Autosave(stage, tmp_path).close()
    append_rows(tmp_path, "add box late")
    with (tmp_path / "take.txt").open("ab") as file:
        file.write(b'["add box nev')
    other, _ = restored(tmp_path)
    stage.run("add box late")
    assert bits(other) == bits(stage)


def test_lines_that_cannot_be_done_again_are_told(tmp_path: Path) -> None:
    stage = built(Stage())
    Autosave(stage, tmp_path).close()
    append_rows(tmp_path, "add box late", "delete nobody", "add box later")
    other, told = restored(tmp_path)
    assert any("last 2 lines" in each and "nobody" in each for each in told)
    stage.run("add box late")
    assert bits(other) == bits(stage)


def damaged(folder: Path, what: str) -> None:
    if what == "head":
        (folder / "session.json").write_bytes((folder / "session.json").read_bytes()[:-100])
    elif what == "nonsense":
        (folder / "session.json").write_text('{"version": 1, "document": 3}')
    elif what == "list":
        (folder / "session.json").write_text("[]")
    elif what == "present":
        head = json.loads((folder / "session.json").read_text())
        (folder / "pieces" / head["document"]).write_text("{}")
    elif what == "gone":
        head = json.loads((folder / "session.json").read_text())
        (folder / "pieces" / head["document"]).unlink()


@pytest.mark.parametrize("what", ["head", "nonsense", "list", "present", "gone"])
def test_damaged_sessions_are_told_and_put_aside(what: str, tmp_path: Path) -> None:
    for _ in range(5):
        stage = built(Stage())
        Autosave(stage, tmp_path).close()
        damaged(tmp_path, what)
        stage, told = restored(tmp_path)
        assert any("could not be restored" in each for each in told)
        assert not stage.document.description.bodies
    # nothing grows without end
    assert len(list(tmp_path.glob("aside-*"))) <= 3


def test_a_damaged_past_shortens_undo_only(tmp_path: Path) -> None:
    stage = built(Stage())
    Autosave(stage, tmp_path).close()
    head = json.loads((tmp_path / "session.json").read_text())
    (tmp_path / "pieces" / head["edits"][-4][0]).write_text("{")
    other, told = restored(tmp_path)
    assert any("undo reaches 3 edits only" in each for each in told)
    assert [edit.line for edit in other.edits] == [edit.line for edit in stage.edits][-3:]
    assert bits(other)["document"] == bits(stage)["document"]


def test_the_disk_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "MOST_BYTES", 40_000)
    stage = built(Stage())
    kept = Autosave(stage, tmp_path)
    for number in range(40):
        stage.run(f"set soft -stiffness {number + 1}")
        kept.save()
    size = sum(file.stat().st_size for file in (tmp_path / "pieces").iterdir())
    assert size < 60_000 and len(stage.edits) > 40
    # undo beyond what is kept is kept again
    for _ in range(30):
        stage.run("undo")
        kept.save()
    kept.close()
    other, _ = restored(tmp_path)
    assert bits(other)["document"] == bits(stage)["document"]


def test_two_processes_have_two_sessions(tmp_path: Path) -> None:
    first = Autosave(Stage(), tmp_path / "session")
    second = Autosave(Stage(), tmp_path / "session")
    assert first.folder != second.folder
    first.close(), second.close()
    third = Autosave(Stage(), tmp_path / "session")
    assert third.folder == first.folder
    third.close()


def test_a_stage_with_something_on_it_puts_the_old_aside(tmp_path: Path) -> None:
    Autosave(built(Stage()), tmp_path).close()
    stage = Stage()
    stage.run("add box mine")
    kept = Autosave(stage, tmp_path)
    kept.close()
    assert not kept.restored and (tmp_path / "aside-1" / "session.json").exists()
    assert [body.name for body in stage.document.description.bodies] == ["mine"]


@pytest.mark.parametrize("scene", ["drop", "cans", "snakeboard", "walk(anymal)"])
def test_scenes_go_on_with_who_drives(scene: str, tmp_path: Path) -> None:
    stage = Stage()
    kept = Autosave(stage, tmp_path)
    stage.run(f"load {scene}\nadvance 40")
    kept.close()
    other, _ = restored(tmp_path)
    for each in (stage, other):
        each.run("advance 40")
    assert bits(other) == bits(stage)


@pytest.mark.parametrize("name", ENTRIES)
def test_scenes_of_the_gallery_are_kept(name: str, tmp_path: Path) -> None:
    """As files and as sessions, with who drives and walks; they move on to the same bits."""
    stage = Stage(root=tmp_path)
    kept = Autosave(stage, tmp_path / "session")
    stage.run(f"open {name}\nadvance 20\nsave scene.json")
    kept.close()
    read, again = Stage(root=tmp_path), Stage()
    read.run("load scene.json")
    for part in ("document", "q", "v", "t"):
        assert bits(read)[part] == bits(stage)[part], part
    Autosave(again, tmp_path / "session").close()
    for each in (stage, again):
        each.run("advance 20")
    assert bits(again) == bits(stage)

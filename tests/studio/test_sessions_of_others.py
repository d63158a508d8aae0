"""Session folders of somebody else: their state is restored, their lines are not executed."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from worlds import append_rows, bits, built

from tarsus.studio import Stage
from tarsus.studio.autosave import Autosave
from tarsus.studio.session_file import KEY, KEY_BYTES, user_sealer
from tarsus.studio.session_folder import HEAD, PENDING, PIECES, REJECTED, TAKE, default_folder

MINE = "a file of the user\n"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The folder of a session with a machine."""
    Autosave(built(Stage(root=tmp_path)), tmp_path / "session").close()
    return tmp_path / "session"


def restored(folder: Path, *, replay: bool = False) -> tuple[Stage, Autosave]:
    """Return a stage that has been restored from a folder, and what has restored it."""
    stage = Stage(root=folder.parent)
    kept = Autosave(stage, folder, replay=replay)
    kept.close()
    return stage, kept


def append(folder: Path, *rows: object) -> None:
    """Append rows to the take as an editor does."""
    with (folder / TAKE).open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def other_user(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Go on as another user, with another key."""
    patch.setenv("XDG_STATE_HOME", str(folder))


@pytest.mark.parametrize("seal", [None, "", "0" * 64])
@pytest.mark.parametrize("line", ["add box evil", "save package.json", "load evil.xacro"])
def test_lines_that_were_appended_are_never_done(
    line: str, seal: str | None, session: Path
) -> None:
    before = bits(restored(session)[0])
    (session.parent / "package.json").write_text(MINE)
    append(session, line if seal is None else [line, seal], "advance nonsense")
    stage, kept = restored(session, replay=True)
    assert bits(stage) == before and not kept.pending
    assert any(line in text and "did not record" in text for text in stage.told)
    assert (session / REJECTED).read_text() == f"{line}\nadvance nonsense\n"
    assert (session.parent / "package.json").read_text() == MINE


def test_lines_of_another_user_are_not_done(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_rows(session, "add box late")
    other_user(monkeypatch, tmp_path / "other")
    stage, kept = restored(session, replay=True)
    assert kept.restored and (session / REJECTED).read_text() == "add box late\n"
    assert "late" not in stage.document.names and "cart" in stage.document.names
    assert any("another user" in text for text in stage.told)
    # from now on the session is that of the other one
    append_rows(session, "add box later")
    stage, kept = restored(session)
    assert "later" in stage.document.names and "late" not in stage.document.names


def test_rows_of_one_session_do_not_fit_into_another(session: Path, tmp_path: Path) -> None:
    stage = Stage()
    stage.run("add box a -t 0 0 1\nadd box b -t 1 0 1")
    Autosave(stage, tmp_path / "own").close()
    append_rows(tmp_path / "own", "delete a")
    rows = [json.loads(row) for row in (tmp_path / "own" / TAKE).read_text().splitlines()]
    append(session, rows[-1])
    restored(session)
    assert (session / REJECTED).read_text() == "delete a\n"


def test_a_head_that_was_changed_has_no_later_lines(session: Path) -> None:
    append_rows(session, "add box late")
    head = json.loads((session / HEAD).read_text())
    (session / HEAD).write_text(json.dumps({**head, "speed": 2.0}))
    stage, _ = restored(session)
    assert stage.speed == 2.0 and "late" not in stage.document.names
    assert (session / REJECTED).read_text() == "add box late\n"


def test_lines_with_files_need_a_confirmation_even_of_this_user(session: Path) -> None:
    (session.parent / "package.json").write_text(MINE)
    append_rows(session, "add box early", "save package.json", "add box late")
    stage, kept = restored(session)
    assert "early" in stage.document.names and "late" not in stage.document.names
    assert kept.pending == ["save package.json", "add box late"]
    # it is asked again until the user decides
    stage, kept = restored(session)
    assert kept.pending == ["save package.json", "add box late"]
    # a confirmation to do them is none to replace files
    stage, kept = restored(session, replay=True)
    assert any("package.json" in text and "not written" in text for text in stage.told)
    assert (session.parent / "package.json").read_text() == MINE and not kept.pending
    assert not restored(session)[1].pending


def test_pending_lines_are_done_if_the_user_says_so(session: Path) -> None:
    append_rows(session, "save mine.json", "add box late")
    stage = Stage(root=session.parent)
    kept = Autosave(stage, session)
    assert not (session.parent / "mine.json").exists()
    answer = kept.replay()
    assert answer.ok and not kept.pending and not (session / PENDING).exists()
    assert (session.parent / "mine.json").exists() and "late" in stage.document.names
    kept.close()
    assert bits(restored(session)[0]) == bits(stage)


def test_pending_lines_are_forgotten_if_the_user_says_so(session: Path) -> None:
    append_rows(session, "save mine.json", "add box late")
    kept = restored(session)[1]
    assert kept.pending and kept.dismiss().ok
    stage, kept = restored(session)
    assert not kept.pending and "late" not in stage.document.names


@pytest.mark.parametrize(
    "line", ["load other.json", "run lines.ves", "add mesh m -file t.obj", "open tensegrity"]
)
def test_lines_with_files_are_saved_whole_before_they_are_answered(
    line: str, tmp_path: Path
) -> None:
    """So that nothing is pending after a crash."""
    stage = Stage(root=tmp_path)
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    (tmp_path / "lines.ves").write_text("add box x\nadd mesh y -file t.obj\n")
    Stage(root=tmp_path).run("add box z\nsave other.json")
    kept = Autosave(stage, tmp_path / "session")
    assert stage.do(line).ok
    shutil.copytree(tmp_path / "session", tmp_path / "crashed")
    kept.close()
    other, after = restored(tmp_path / "crashed")
    assert bits(other) == bits(stage) and not after.pending


def test_pending_lines_of_somebody_else_are_rejected(session: Path) -> None:
    (session / PENDING).write_text(json.dumps([["add box evil"], "0" * 64]))
    stage, kept = restored(session, replay=True)
    assert kept.restored and not kept.pending and "evil" not in stage.document.names
    assert (session / REJECTED).read_text() == "add box evil\n"


@pytest.mark.parametrize("name", [HEAD, TAKE, PENDING, REJECTED, PIECES, "piece"])
def test_links_in_a_session_are_not_followed(name: str, session: Path, tmp_path: Path) -> None:
    """What they lead to would be truncated, replaced or removed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / ("0" * 32)
    target.write_text(MINE)
    if name == "piece":
        head = json.loads((session / HEAD).read_text())
        link = session / PIECES / head["document"]
    else:
        link = session / name
    if link.is_dir():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.symlink_to(outside if name == PIECES else target)
    stage, kept = restored(session)
    stage.run("add box after")
    assert not kept.restored and any("could not be restored" in text for text in stage.told)
    assert target.read_text() == MINE and [*outside.iterdir()] == [target]
    assert not (session / HEAD).is_symlink()


def test_pipes_in_a_session_are_not_waited_for(session: Path) -> None:
    (session / TAKE).unlink()
    os.mkfifo(session / TAKE)
    assert not restored(session)[1].restored


def test_names_of_pieces_stay_in_their_folder(session: Path) -> None:
    head = json.loads((session / HEAD).read_text())
    for name in ("../session.json", "/etc/passwd", "..", "x" * 32, 3, None):
        (session / HEAD).write_text(json.dumps({**head, "document": name}))
        stage, kept = restored(session)
        assert not kept.restored and any("no name of a piece" in text for text in stage.told)
        shutil.copytree(session / "aside-1", session, dirs_exist_ok=True)
        shutil.rmtree(session / "aside-1")


def test_meshes_elsewhere_are_read_for_own_sessions_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, root = tmp_path / "elsewhere", tmp_path / "root"
    for folder in (elsewhere, root):
        folder.mkdir()
    (elsewhere / "t.obj").write_text(TETRAHEDRON)
    stage = Stage(root=elsewhere)
    kept = Autosave(stage, root / "session")
    stage.run("add mesh m -file t.obj")
    kept.close()

    shutil.copytree(root / "session", root / "copy")
    stage, kept = restored(root / "session")
    assert {shape.file for shape in stage.document.description.shapes} == {str(elsewhere / "t.obj")}
    other_user(monkeypatch, tmp_path / "other")
    stage, kept = restored(root / "copy")
    assert not kept.restored
    assert any("t.obj" in text and f"below {root} only" in text for text in stage.told)


def test_scenes_that_files_name_are_bounded(session: Path) -> None:
    stage = Stage(root=session.parent)
    stage.run("load cans(3)\nsave scene.json")
    path = session.parent / "scene.json"
    path.write_text(path.read_text().replace("cans(3)", "cans(1000000)"))
    answer = stage.do("load scene.json")
    assert not answer.ok and "1000000" in answer.text


def test_the_key_is_a_secret_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other_user(monkeypatch, tmp_path / "state")
    first, again = user_sealer(), user_sealer()
    path = default_folder().parent / KEY
    assert not first.problem and path.stat().st_size == KEY_BYTES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    seal = first.seal("a", "b")
    assert again.fits(seal, "a", "b") and not again.fits(seal, "ab") and not again.fits(None, "a")
    for spoil in (lambda: path.chmod(0o644), lambda: path.write_bytes(b"short")):
        spoil()
        assert str(path) in user_sealer().problem
        assert not user_sealer().fits(seal, "a", "b")
        path.chmod(0o600)


def test_without_a_key_every_edit_is_saved_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("no folder")
    other_user(monkeypatch, tmp_path / "state")
    stage = Stage(root=tmp_path)
    kept = Autosave(stage, tmp_path / "session")
    assert any("cannot be sealed" in text for text in stage.told)
    stage.run("add box a")
    shutil.copytree(tmp_path / "session", tmp_path / "crashed")
    kept.close()
    other, after = restored(tmp_path / "crashed")
    assert bits(other) == bits(stage) and not after.pending


def test_an_edit_that_is_listed_often_is_read_once(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = json.loads((session / HEAD).read_text())
    head["edits"] = head["edits"][:1] * 5000
    (session / HEAD).write_text(json.dumps(head))
    read = list[str]()
    reader = Autosave._read
    monkeypatch.setattr(
        Autosave, "_read", lambda self, name: read.append(name) or reader(self, name)
    )
    stage, _ = restored(session)
    assert len(stage.edits) == 5000
    assert max(map(read.count, read)) == 1


def test_a_head_with_too_many_values_is_put_aside(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsus.formats.text.MAX_VALUES", 10)
    stage, kept = restored(session)
    assert not kept.restored
    assert any("more than 10 values" in text for text in stage.told)


def test_a_folder_with_the_name_of_a_temporary_file_is_left_alone(session: Path) -> None:
    (session / ".tarsus-folder").mkdir()
    assert restored(session)[1].restored

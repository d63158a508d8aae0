"""The demo: its page, its files and figures, and what happens if something is missing or fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "demo"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module with `main`; the modules of the demo have names that others may use, too."""
    names = [file.stem for file in FOLDER.glob("*.py") if file.stem != "__main__"]
    monkeypatch.syspath_prepend(FOLDER)
    import program

    yield program
    import sections

    for server in sections.SERVERS:
        server.terminate()
        server.wait()
    for name in names:
        sys.modules.pop(name, None)


def page(folder: Path) -> str:
    return (folder / "index.html").read_text("utf-8")


def figure(text: str, name: str) -> float:
    """Return the first figure with this name on the page."""
    found = re.search(rf"<dt>{name}</dt><dd>([\d.,e+-]+)", text)
    assert found, f"there is no figure {name!r}"
    return float(found[1].replace(",", ""))


def test_demo_writes_a_page_with_films_figures_and_code(
    program: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["--short", "--studio-seconds", "60", "--output", str(tmp_path)]) == 0
    text = page(tmp_path)
    local = set(re.findall(r'(?:src|href)="([\w.]+)"', text))
    assert {"walk.webp", "trot.webp", "four_bar.webp", "fall.webp", "walk.html"} <= local
    assert all((tmp_path / file).stat().st_size > 1000 for file in local)
    anchors = set(re.findall(r'href="#([\w-]+)"', text))
    assert anchors == set(re.findall(r'<section id="([\w-]+)"', text))
    # apart from the studio nothing is loaded from elsewhere
    assert all(
        link.startswith("http://127.0.0.1:") for link in re.findall(r"https?://[^<\"]+", text)
    )
    _, walk, trot, linkage, fall, timings, studio = text.split('<section id="')
    assert 0.1 < figure(walk, "mean speed") < 0.5
    assert 0.5 < figure(trot, "mean speed") < 0.7
    assert figure(trot, "largest energy residual") < 0.01
    assert figure(linkage, "largest loop error") < 1e-12
    assert figure(linkage, "largest energy residual") < 1e-12
    assert figure(fall, "robot steps per second") > 1000
    assert timings.count("<tr>") == 6
    assert "def trot(" in trot and 'run.animate("trot.html")' in unescape(trot)
    assert "http://127.0.0.1:" in studio
    printed = capsys.readouterr().out
    assert printed.count(" s  ") == 6
    assert (tmp_path / "index.html").as_uri() in printed


def test_demo_runs_without_pinocchio_and_without_example_robot_data(
    program: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import sections

    monkeypatch.setattr(sections, "example_folder", lambda: None)
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    chosen = {"Walk": sections.walking, "Trot": sections.trotting, "Timings": sections.timings}
    monkeypatch.setattr(program, "SECTIONS", chosen)
    assert program.main(["--short", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("pip install example-robot-data") == 3
    assert printed.count("pip install pin\n") == 1
    text = page(tmp_path)
    assert "The humanoid lola walks" in text
    assert figure(text.split('id="trot"')[1], "mean speed") > 0.5
    assert "<td>–</td>" in text


def test_a_section_that_fails_is_on_the_page_and_in_the_exit_code(
    program: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sections import Section

    def broken(demo: object) -> Section:
        raise ValueError("<the cause>")

    sections = {"Broken": broken, "Working": lambda demo: Section("text", summary="well")}
    monkeypatch.setattr(program, "SECTIONS", sections)
    assert program.main(["--output", str(tmp_path)]) == 1
    assert "ValueError: &lt;the cause&gt;" in page(tmp_path)
    assert "text" in page(tmp_path)
    assert "failed: ValueError: <the cause>" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_named(
    program: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert program.main(["--output", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err

"""The examples and every Python block of the README and the documentation run as they stand."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

import tarsus as ts

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[int, str]]:
    """Return the Python blocks of a page with the lines at which they start."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start(1)), m.group(1)) for m in BLOCK.finditer(text)]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", EXAMPLES, ids=name)
def test_example_runs_and_prints(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name)
def test_blocks_of_page_run_in_order(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    scope: dict[str, object] = {"__name__": "__main__"}
    for line, source in blocks(page):
        # blank lines in front make a traceback point into the page
        exec(compile("\n" * line + source, str(page), "exec"), scope)


def test_the_file_in_the_documentation_loads(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "cart.yaml"
    file.write_text(text, encoding="utf-8")
    model = ts.load(file, strict=True)
    assert set(model.joint_names) == {"slide", "hinge", "motor"}
    assert model.motors == ("motor",)
    assert ts.check(model, states=2).ok


def test_every_example_is_on_its_page_and_in_the_gallery() -> None:
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for example in EXAMPLES:
        picture = f"images/gallery/{example.name[:2]}.webp"
        assert f"examples/{example.name}" in page
        assert picture in gallery, "python docs/images/draw_gallery.py draws it"
        assert (ROOT / "docs" / picture).is_file()

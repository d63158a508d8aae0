"""Modules of pages as one script: order, names, and lines that the rule does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from tarsus.view.page import PAGE, bundle


def test_modules_stand_before_those_that_need_them_and_once(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("export const one = 1\nexport function two() { return 2 }\n")
    (tmp_path / "b.js").write_text('import { one } from "./a.js"\nexport class Three {}\n')
    (tmp_path / "c.js").write_text(
        'import {\n  one, two,\n} from "./a.js"\nimport { Three } from "./b.js"\nrun(one, two)\n'
    )
    text = bundle("c.js", tmp_path)
    assert text.index("const _a =") < text.index("const _b =") < text.index("const _c =")
    assert text.count("const _a =") == 1
    assert "return { one, two }" in text and "return { Three }" in text
    assert "export" not in text and "import" not in text


@pytest.mark.parametrize(
    "line",
    ['import * as a from "./b.js"', "export default 3", 'import a from "./b.js"', "export { a }"],
)
def test_other_forms_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"a\.js has a line that cannot be bundled"):
        bundle("a.js", tmp_path)


def test_modules_that_need_each_other_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js"\nexport const a = 1\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js"\nexport const b = 1\n')
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        bundle("a.js", tmp_path)


@pytest.mark.parametrize("entry", ["player_page.js", "viewer.js", "scene.js"])
def test_the_pages_can_be_bundled(entry: str) -> None:
    assert "const _scene =" in bundle(entry)


def test_modules_are_short() -> None:
    """One idea a file."""
    for file in PAGE.glob("*.js"):
        assert len(file.read_text("utf-8").splitlines()) <= 275, file.name

"""Small files and lines that ask for much time or memory are rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.studio.language import LineError
from tarsus.studio.sizing import check_call
from tarsus.view.page import page_text

XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><link name="a"/>{}</robot>'


def _load(folder: Path, content: str) -> None:
    file = folder / "r.xacro"
    file.write_text(XACRO.format(content))
    ts.load(file)


def test_lcm_bounds_intermediate_results(tmp_path: Path) -> None:
    numbers = ", ".join(f"2**1000+{2 * k + 1}" for k in range(500))
    with pytest.raises(ModelError, match="more than 1024 bits"):
        _load(tmp_path, f'<link name="${{lcm({numbers}, 0)}}"/>')


def test_repeated_cdata_spends_work(tmp_path: Path) -> None:
    macros = f'<xacro:macro name="m0"><![CDATA[{"A" * 100_000}]]></xacro:macro>'
    for k in range(1, 4):
        macros += f'<xacro:macro name="m{k}">{f"<xacro:m{k - 1}/>" * 10}</xacro:macro>'
    with pytest.raises(ModelError, match="units of work"):
        _load(tmp_path, f"{macros}<xacro:m3/>")


def test_included_elements_that_are_not_expanded_spend_work(tmp_path: Path) -> None:
    macro = f'<xacro:macro name="k">{"<a/>" * 25_000}</xacro:macro>'
    (tmp_path / "inc.xacro").write_text(XACRO.format(macro))
    includes = (f'<xacro:include filename="inc.xacro" ns="n{k}"/>' for k in range(60))
    with pytest.raises(ModelError, match="units of work"):
        _load(tmp_path, "".join(includes))


def test_hexadecimal_sizes_of_robots_are_limited() -> None:
    check_call("chain(0x10)")
    with pytest.raises(LineError, match="0xffff is more than 2000"):
        check_call("chain(0xffff)")


def test_names_cannot_open_scripts_in_pages() -> None:
    page = page_text("r", "player_page.js", '{"name": "<!--<script></script>"}')
    assert '"name": "\\u003c!--\\u003cscript>\\u003c/script>"' in page

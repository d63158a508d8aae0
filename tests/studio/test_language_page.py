"""The page about the language says what there is."""

from __future__ import annotations

from pathlib import Path

from tarsus.studio.commands import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "studio_language.md"


def test_the_table_has_all_commands() -> None:
    text = PAGE.read_text("utf-8")
    stated = [line for line in text.splitlines() if line.startswith("| `")]
    expected = [
        f"| `{each.usage.replace('|', chr(92) + '|')}` | {each.summary} |"
        for verb, each in sorted(COMMANDS.items())
        if verb != "?"
    ]
    assert stated == expected

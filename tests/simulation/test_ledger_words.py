"""Every word of the ledger is explained on its page."""

from __future__ import annotations

import re
from pathlib import Path

import tarsus as ts

PAGE = Path(__file__).parents[2] / "docs/ledger.md"


def test_every_word_is_on_the_page() -> None:
    words = set(re.findall(r"^\| `(\w+)`", PAGE.read_text("utf-8"), re.MULTILINE))
    ledger = ts.scenes.drop(0.1).run(duration=0.01).energy
    table = {line.split()[0] for line in ledger.table().splitlines()[1:]}
    assert table | set(ledger.names) <= words
    assert all(hasattr(ledger, word) for word in words)

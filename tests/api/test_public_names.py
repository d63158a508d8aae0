"""Public names and signatures change only on purpose."""

from __future__ import annotations

import difflib

from api_snapshot import FILE, snapshot


def test_public_names_and_signatures_are_those_of_the_snapshot() -> None:
    recorded, now = FILE.read_text("utf-8"), snapshot()
    changes = difflib.unified_diff(
        recorded.splitlines(), now.splitlines(), "recorded", "now", n=0, lineterm=""
    )
    assert recorded == now, "\n".join(
        ["run python tests/api/api_snapshot.py if these changes are meant:", *changes]
    )

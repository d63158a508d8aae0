"""One browser for all tests of the studio's page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import CHROMIUM, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; without one, the tests that need it say what is missing."""
    pytest.importorskip("playwright", reason="pip install playwright")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}: apt install chromium")
    with browser() as found:
        yield found

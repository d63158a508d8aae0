"""Colours of the page can be read: the contrast that WCAG 2.2 asks for at level AA."""

from __future__ import annotations

import re
from importlib import resources

import pytest

STYLE = resources.files("tarsus.studio").joinpath("page", "style.css").read_text()
TEXT, DRAWN = 4.5, 3.0
"""Least ratios: of text, and of what is drawn (WCAG 2.2, 1.4.3 and 1.4.11)."""
PAIRS = [
    ("ink", "paper", TEXT),
    ("ink-soft", "paper", TEXT),
    ("ink-soft", "field", TEXT),
    ("ink", "field", TEXT),
    ("accent", "paper", TEXT),
    ("accent-ink", "accent", TEXT),
    ("paper", "ink", TEXT),
    ("wrong", "paper", TEXT),
    ("wrong", "wrong-wash", TEXT),
    ("warning-ink", "warning-wash", TEXT),
    *((f"series-{k}", "paper", DRAWN) for k in range(1, 7)),
]


def colors(theme: str) -> dict[str, str]:
    """Return the opaque colours of a theme by name."""
    light, dark = STYLE.split(':root[data-theme="dark"]', 1)
    named = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
    found = dict(named.findall(light))
    return found if theme == "light" else found | dict(named.findall(dark))


def luminance(color: str) -> float:
    """Return the relative luminance of #rrggbb as WCAG defines it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("above", "below", "least"), PAIRS)
def test_contrast(theme: str, above: str, below: str, least: float) -> None:
    found = colors(theme)
    high, low = sorted((luminance(found[above]), luminance(found[below])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= least

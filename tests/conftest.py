"""Settings of all tests, a browser, the summary of skipped tests, and the option `--perturb`."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# hypothesis tries the same examples each time and has no deadline
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run"),
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
"""Without a window, a graphics card or a network."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Headless Chromium; where it is missing, a skip, or a failure with TARSUS_REQUIRE_BROWSER."""
    missing = pytest.fail if os.environ.get("TARSUS_REQUIRE_BROWSER") else pytest.skip
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("Playwright is missing: pip install playwright")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        missing("Chromium is missing: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(BROWSER_ARGUMENTS)
        )
        try:
            yield browser
        finally:
            browser.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test in a browser try a second time; the summary lists the first failure as a rerun.

    Its steps run in real time beside other tests, so that a busy machine can make it fail.
    """
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--perturb",
        type=float,
        default=0.0,
        metavar="SIZE",
        help="move the initial state of every simulation by SIZE [rad, m]: a test that fails with "
        "1e-12, other than by comparing exact values, asserts one trajectory of a chaotic motion",
    )


@pytest.fixture(autouse=True, scope="session")
def perturbed_starts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Move initial states by the same small displacement in each state of a batch."""
    size = request.config.getoption("--perturb")
    if not size:
        yield
        return
    from tarsus.simulation.starts import Starts

    prepare = Starts.prepare

    def perturbed(self: Starts, *arguments: Any) -> Any:
        world, state, parameters = prepare(self, *arguments)
        shift = size * np.cos(1.0 + np.arange(self.model.nv))
        state.q = self.model.integrate(state.q, np.broadcast_to(shift, state.v.shape))
        return world, state, parameters

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Starts, "prepare", perturbed)
        yield


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line how many tests were skipped, why, and which command would run them.

    The reason of a skip has the form "what is missing: the command that changes it".
    """
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    if reasons:
        listed = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"{len(reports)} skipped: {listed}")

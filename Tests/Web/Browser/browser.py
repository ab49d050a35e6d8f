"""Debian's Chromium, headless, as people have it in their hands (390 px) and on their desks (1280 px).

A test that opens a page fails when the page logs an error or breaks its Content-Security-Policy, unless the test says that it
expects it. `Screen.check` looks for what keeps people from using the page (axe-core), and keeps a picture of it in
`.build/screenshots`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
SCREENSHOTS = ROOT / ".build/screenshots"
# All that these tests try; else what a minute allows.
ALL = os.environ.get("DARKROOM_BROWSER") == "all"
HEIGHTS = {390: 844, 1280: 800}
# A machine that runs other tests too is slow.
expect.set_options(timeout=20_000)


class Screen:
    """A page in a window of its own, with nothing of the other windows: no storage, no cache, no sign-in."""

    def __init__(self, context: BrowserContext, width: int) -> None:
        self.context = context
        self.width = width
        self.errors: list[str] = []
        self.expected: list[str] = []
        context.on("console", lambda message: self._note(f"{message.text} ({message.location['url']})") if message.type == "error" else None)
        context.on("weberror", lambda error: self._note(str(error.error)))
        self.page: Page = context.new_page()

    def _note(self, error: str) -> None:
        self.errors.append(error)

    def expect_error(self, pattern: str) -> None:
        """Errors that contain this regular expression are part of the test."""
        self.expected.append(pattern)

    @property
    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(re.search(pattern, error) for pattern in self.expected)]

    def violations(self) -> list[str]:
        """What axe-core finds: each rule with the first element that breaks it."""
        found = Axe().run(self.page).response["violations"]
        return [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:300]} ({len(rule['nodes'])})" for rule in found]

    def screenshot(self, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}-{self.width}.png"
        self.page.screenshot(path=path)
        return path

    def check(self, name: str) -> None:
        """Keeps a picture of the page, and asserts that all can use it and that nothing is wider than the window."""
        self.screenshot(name)
        assert self.violations() == [], name
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is {wide} px wider than its window"
        assert self.unexpected == [], name


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(params=[390, 1280] if ALL else [390])
def width(request: pytest.FixtureRequest) -> int:
    chosen: int = request.param
    return chosen


@pytest.fixture
def open_screen(browser: Browser) -> Iterator[Callable[..., Screen]]:
    """Opens windows of a width, with further options of Playwright's `new_context`."""
    screens: list[Screen] = []

    def open_screen(width: int = 1280, **options: Any) -> Screen:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHTS.get(width, 900)},
            **{"locale": "en-GB", "timezone_id": "America/Los_Angeles", "reduced_motion": "reduce", **options})
        context.set_default_timeout(20_000)
        screens.append(Screen(context, width))
        return screens[-1]

    yield open_screen
    for screen in screens:
        screen.context.close()
    for screen in screens:
        assert screen.unexpected == []


@pytest.fixture
def screen(open_screen: Callable[..., Screen], width: int) -> Screen:
    """A window of each width."""
    return open_screen(width)

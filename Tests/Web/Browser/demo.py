"""What the tests of the demo app share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from browser import Screen
from installation import Server
from playwright.sync_api import Page, expect
from world import World


def at(latitude: float, longitude: float) -> dict[str, Any]:
    """A window of somebody who is there and says so."""
    return {"permissions": ["geolocation"], "geolocation": {"latitude": latitude, "longitude": longitude}}


# Where nobody has posted.
ISLAND = (47.65, -122.5)


class Demo:
    """A server with the demo app, on a copy of the world."""

    def __init__(self, world: World, server: Server) -> None:
        self.world = world
        self.url = server.url
        self.log = server.log

    def open(self, screen: Screen, path: str = "") -> Page:
        """Opens a screen of the app, and waits until it has loaded what it shows."""
        page = screen.page
        if page.url.startswith(f"{self.url}/demo/"):
            page.evaluate("hash => { location.hash = hash }", f"#/{path}")
        else:
            page.goto(f"{self.url}/demo/#/{path}")
        self.loaded(page)
        return page

    @staticmethod
    def loaded(page: Page) -> None:
        expect(page.locator("main .screen")).to_be_visible()
        expect(page.locator("main .loading")).to_have_count(0)

    def person(self, name: str) -> tuple[str, httpx.Client]:
        """Somebody new with a name: the person, and a client of the API."""
        identity = httpx.post(f"{self.url}/demo/token").json()
        client = httpx.Client(base_url=f"{self.url}/v1", headers={"Authorization": f"Bearer {identity['token']}"}, timeout=30)
        client.put("/me/name", json={"name": name}).raise_for_status()
        return identity["person"], client

    def visitor(self, page: Page) -> str:
        """Who the page's visitor is."""
        person: str = page.evaluate("JSON.parse(localStorage.getItem('identity')).person")
        return person


@pytest.fixture
def demo(make_world: Callable[[], World]) -> Iterator[Demo]:
    world = make_world()
    with world.serve("--demo", "--demo-for-anyone", "--gazetteer", os.environ["DARKROOM_GAZETTEER"]) as server:
        yield Demo(world, server)


def choose(page: Page, photo: bytes, name: str = "IMG_0001.jpg") -> None:
    page.locator("#photo").set_input_files({"name": name, "mimeType": "image/jpeg", "buffer": photo})

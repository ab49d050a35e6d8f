"""Each screen of the demo app, as a phone and a desk show it, and what it says when there is nothing or no connection."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from browser import ALL, Screen
from playwright.sync_api import expect
from world import SEATTLE

from demo import Demo, at, choose

# How much of a tile of the base map was drawn.
LAND = """() => {
    const canvas = document.querySelector("canvas.leaflet-tile-loaded");
    const points = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return points.filter((value, index) => index % 4 === 3 && value > 0).length / (points.length / 4);
}"""


def test_every_screen_can_be_used_by_everybody(demo: Demo, open_screen: Callable[..., Screen], width: int, photo: bytes) -> None:
    screen = open_screen(width, **at(*SEATTLE))
    posts = demo.world.posts()
    page = demo.open(screen, "map")
    expect(page.get_by_role("heading", name="posts here")).to_be_visible()
    expect(page.locator(".leaflet-tile-loaded").first).to_be_visible()
    borders = httpx.get(f"{demo.url}/v1/places/borders/0/0/0").json()["items"]
    land = page.evaluate(LAND)
    # The index of the tests may have no borders.
    assert 0.01 < land < 0.9 if borders else land == 0, "the base map has land and sea"
    screen.check("map")
    demo.open(screen, "near")
    expect(page.locator(".card", has_text="The ferry")).to_be_visible()
    screen.check("near")
    demo.open(screen, "boards/likes")
    expect(page.locator(".card").first).to_contain_text("The ferry")
    screen.check("boards")
    page.get_by_label("Album of a place").fill("seat")
    page.get_by_role("link", name="Seattle").first.click()
    expect(page.get_by_role("heading", name="Seattle")).to_be_visible()
    demo.loaded(page)
    screen.check("album")
    page.get_by_role("button", name="Follow", exact=True).click()
    expect(page.get_by_role("button", name="Unfollow")).to_be_visible()
    page.goto(page.url.split("#")[0] + "#/boards/followed")
    expect(page.locator(".card", has_text="The ferry")).to_be_visible()
    screen.check("followed")
    demo.open(screen, f"post/{posts['The ferry']}")
    expect(page.locator(".comment")).to_have_count(4)
    screen.check("post")
    page.get_by_role("button", name="Report this post").click()
    screen.check("report")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("link", name="A page to share").click()
    expect(page.get_by_role("heading", name="The ferry")).to_be_visible()
    expect(page.get_by_role("img", name="A photo from Seattle")).to_be_visible()
    screen.check("share")
    page.get_by_role("link", name="Open in the app").click()
    expect(page.locator(".comment")).to_have_count(4)
    demo.open(screen, "new")
    choose(page, photo)
    expect(page.locator(".preview img")).to_be_visible()
    page.get_by_text("Venue, credit and licence").click()
    expect(page.get_by_label("Who made the photo")).to_be_visible()
    screen.check("new")
    demo.open(screen, "me")
    expect(page.get_by_text("You have not posted yet.")).to_be_visible()
    screen.check("me-empty")
    demo.open(screen, "inbox")
    expect(page.get_by_text("Nothing has happened yet.")).to_be_visible()
    screen.check("inbox-empty")


@pytest.mark.check
@pytest.mark.parametrize("scheme", ["light", "dark"] if ALL else ["dark"])
@pytest.mark.parametrize("wide", [360, 3840] if ALL else [3840])
def test_the_smallest_phone_and_the_largest_desk(demo: Demo, open_screen: Callable[..., Screen], wide: int, scheme: str) -> None:
    screen = open_screen(wide, color_scheme=scheme)
    page = demo.open(screen, "map")
    expect(page.get_by_role("heading", name="posts here")).to_be_visible()
    screen.check(f"map-{scheme}")
    demo.open(screen, f"post/{demo.world.posts()['The ferry']}")
    expect(page.locator(".comment")).to_have_count(4)
    screen.check(f"post-{scheme}")


@pytest.mark.check
def test_times_are_in_the_readers_zone_with_utc_next_to_them(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    demo.world.sql("update darkroom.posts set published_at = '2026-01-02 03:04:05Z' where headline = 'The ferry'")
    screen = open_screen(1280, timezone_id="Pacific/Auckland")
    page = demo.open(screen, f"post/{demo.world.posts()['The ferry']}")
    shown = page.locator(".facts time")
    expect(shown).to_have_text("2 Jan 2026, 16:04")
    expect(shown).to_have_attribute("title", "2026-01-02 03:04:05 UTC")


@pytest.mark.check
def test_without_a_connection_the_app_says_so_and_comes_back(demo: Demo, open_screen: Callable[..., Screen], width: int) -> None:
    screen = open_screen(width, **at(*SEATTLE))
    screen.expect_error("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    page = demo.open(screen, "boards/likes")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    screen.context.set_offline(True)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    demo.open(screen, "me")
    expect(page.get_by_text("cannot be reached")).to_be_visible()
    screen.check("offline")
    page.reload()
    expect(page.get_by_role("link", name="New photo")).to_be_visible()
    expect(page.get_by_text("You are offline.")).to_be_visible()
    screen.context.set_offline(False)
    expect(page.get_by_text("You are offline.")).to_be_hidden()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("You have not posted yet.")).to_be_visible()


@pytest.mark.check
def test_what_is_not_there_and_what_is_refused_has_a_sentence(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(390)
    screen.expect_error("404|422")
    page = demo.open(screen, "post/999999")
    expect(page.get_by_role("alert")).to_be_visible()
    screen.check("missing-post")
    demo.open(screen, "cluster/1")
    expect(page.get_by_role("alert").or_(page.get_by_text("The posts are gone."))).to_be_visible()


@pytest.mark.check
def test_addresses_and_links_that_name_no_screen(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(390)
    page = demo.open(screen, "boards/likes")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    assert page.url.endswith("#/boards/likes")
    for name in ("constructor", "toString", "__proto__", "%E0%A4%A", "no/such"):
        demo.open(screen, name)
        expect(page.locator("main .map")).to_be_visible()

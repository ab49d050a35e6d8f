"""A photo's way from a phone to the map, whatever happens to the connection and the page."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from browser import Screen
from playwright.sync_api import Route, expect

from demo import ISLAND, Demo, at, choose


def large(photo: bytes) -> bytes:
    """Four parts of half a megabyte; what comes after the end of a JPEG file does not matter."""
    return photo + random.Random(1).randbytes(2_000_000 - len(photo))


def test_a_photo_gets_from_the_phone_to_the_map(demo: Demo, open_screen: Callable[..., Screen], width: int, photo: bytes) -> None:
    screen = open_screen(width, **at(*ISLAND))
    page = demo.open(screen, "new")
    choose(page, photo)
    page.get_by_label("Headline").fill("My first photo")
    page.get_by_label("Where I am now").check()
    page.get_by_role("button", name="Post it").click()
    # It waits: no worker runs yet.
    expect(page.get_by_text("Waiting for its turn.")).to_be_visible()
    screen.check("upload-waiting")
    with demo.world.worker():
        expect(page.get_by_text("It is a post.")).to_be_visible()
        steps = page.locator(".steps li")
        assert [row.get_attribute("class") for row in steps.all()] == ["finished"] * 6
        expect(steps.nth(2)).to_contain_text(re.compile(r"[1-9][0-9]* EXIF fields, .*GPS.*, your position to 10 m"))
        screen.check("upload-finished")
        # The map has not counted it yet when it is read for the first time.
        for kind in ("clusters", "photos"):
            page.route(f"**/v1/map/{kind}*", lambda route: route.fulfill(json={"items": []}), times=1)
        page.get_by_role("link", name="see it on the map").click()
        expect(page.get_by_role("heading", name="0 posts here")).to_be_visible()
        expect(page.locator(".list").get_by_text("My first photo")).to_be_visible()
        screen.check("map-with-new-post")
        page.locator(".list").get_by_role("link", name="My first photo").click()
        expect(page.get_by_role("heading", name="My first photo")).to_be_visible()
        demo.open(screen, "inbox")
        page.reload()
        expect(page.get_by_text("Your photo was published")).to_be_visible()
        screen.check("inbox")
    demo.open(screen, "me")
    expect(page.get_by_text("Published", exact=True)).to_be_visible()
    screen.check("me")


@pytest.mark.check
def test_an_upload_goes_on_after_a_cut_and_a_reload(demo: Demo, open_screen: Callable[..., Screen], photo: bytes) -> None:
    screen = open_screen(390, **at(*ISLAND))
    screen.expect_error("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    page = demo.open(screen, "new")
    sent: list[str] = []
    answers = 0

    def cut(route: Route) -> None:
        """Two parts arrive, of which the second is not confirmed; then the connection is lost."""
        nonlocal answers
        answers += 1
        sent.append(route.request.headers["upload-offset"])
        if answers == 1:
            route.continue_()
        elif answers == 2:
            route.fetch()
            screen.context.set_offline(True)
            route.abort("internetdisconnected")
        else:
            route.abort("internetdisconnected")

    page.route("**/v1/files/*", lambda route: cut(route) if route.request.method == "PATCH" else route.fallback())
    choose(page, large(photo))
    page.get_by_label("Headline").fill("Cut")
    page.get_by_role("button", name="Post it").click()
    expect(page.get_by_text("waiting for the connection")).to_be_visible()
    screen.check("upload-cut")
    assert sent[:2] == ["0", "524288"]
    assert demo.world.sql("select count(*) from darkroom.uploads where headline = 'Cut'") == [(0,)]
    page.unroute("**/v1/files/*")
    # The page is gone while there is no connection; another one goes on.
    went_on: list[str] = []
    page.close()
    screen.context.set_offline(False)
    screen.page = page = screen.context.new_page()
    page.on("request", lambda request: went_on.append(request.headers["upload-offset"]) if request.method == "PATCH" else None)
    with page.expect_response(lambda response: "darkroom-upload" in response.headers):
        page.goto(f"{demo.url}/demo/#/me")
    expect(page.locator("#sending")).to_be_hidden()
    assert went_on == ["1048576", "1572864"], "what the server has is not sent again"
    assert demo.world.sql("select count(*), min(original_bytes) from darkroom.uploads where headline = 'Cut'") == [(1, 2_000_000)]


@pytest.mark.check
def test_what_is_no_photo_is_refused_with_a_reason(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(390)
    screen.expect_error("415|422")
    page = demo.open(screen, "new")
    choose(page, b"<svg onload=alert(1)>" * 1000)
    page.get_by_role("button", name="Post it").click()
    expect(page.get_by_role("alert")).to_be_visible()
    screen.check("upload-refused")

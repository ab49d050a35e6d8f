"""What people do to each other's posts: by keyboard alone, and with texts that try to be code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import Screen
from playwright.sync_api import expect
from world import upload

from demo import ISLAND, Demo

CODE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>"\'>${window.broken=1}'


@pytest.mark.check
def test_a_vote_and_a_report_need_no_mouse(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(1280)
    number = demo.world.posts()["Coffee"]
    page = demo.open(screen, f"post/{number}")

    def tab_to(name: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            focused = page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent")
            if name in focused:
                return
        raise AssertionError(f"the keyboard does not get to {name}")

    tab_to("Like")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Like", exact=False).first).to_have_attribute("aria-pressed", "true")
    tab_to("Report this post")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Space")
    tab_to("Report")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Reported. Thank you.")).to_be_visible()
    visitor = demo.visitor(page)
    assert demo.world.sql("select reason::text from darkroom.reports where post_id = %s and reporter = %s", number, visitor) == [("spam",)]
    assert demo.world.sql("select vote::text from darkroom.votes where post_id = %s and voter = %s", number, visitor) == [("like",)]
    # The keyboard is back where it was.
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Report this post"


@pytest.mark.check
def test_a_cluster_opens_by_keyboard(demo: Demo, open_screen: Callable[..., Screen]) -> None:
    _, zoe = demo.person("Zoë Two")
    for headline in ("One", "Two"):
        upload(zoe, None, *ISLAND, headline=headline)
    demo.world.drain()
    screen = open_screen(1280)
    page = demo.open(screen, f"map/{ISLAND[0]}/{ISLAND[1]}")
    marker = page.get_by_role("button", name="2 posts: show")
    expect(marker).to_be_visible()
    # The map comes nearer first.
    with page.expect_response(lambda response: "/v1/map/clusters" in response.url):
        marker.press("Enter")
    demo.loaded(page)
    marker.press("Enter")
    expect(page.get_by_role("heading", name="Here", exact=True)).to_be_visible()
    for headline in ("One", "Two"):
        expect(page.locator(".card", has_text=headline)).to_be_visible()
    screen.check("cluster")


def test_texts_of_people_are_never_code(demo: Demo, open_screen: Callable[..., Screen], photo: bytes) -> None:
    _, bad = demo.person(f"Bad {CODE}"[:100])
    job = upload(bad, photo, *ISLAND, headline=f"H {CODE}", caption=f"C {CODE}", category="<b onclick=x>")
    demo.world.drain()
    number = bad.get(f"/uploads/{job}").json()["post_id"]
    bad.post(f"/posts/{number}/comments", json={"body": f"K {CODE}"}).raise_for_status()
    # What the posting policy would not let in, and what a gazetteer could have.
    demo.world.sql("alter table darkroom.posts disable trigger user")
    demo.world.sql(
        "update darkroom.posts set link = %s, place_name = %s, place_geonameid = 1, city_name = %s where post_id = %s",
        "javascript:window.broken=1", f"P {CODE}", f"Y {CODE}", number)
    screen = open_screen(390)
    page = demo.open(screen, f"post/{number}")
    for text in ("H <img", "C <img", "K <img", "P <img", "Bad <img", "<b onclick=x>"):
        expect(page.get_by_text(text).first).to_be_visible()
    assert page.locator("a[href^='javascript:' i]").count() == 0
    expect(page.get_by_text("javascript:window.broken=1")).to_be_visible()
    screen.check("hostile-post")
    for path in (f"map/{ISLAND[0]}/{ISLAND[1]}", "boards/newest", "boards/hot"):
        demo.open(screen, path)
        expect(page.get_by_text("H <img").first).to_be_visible()
    page.get_by_role("link", name="H <img").first.click()
    page.locator(".facts a").first.click()
    expect(page.get_by_role("heading", name="P <img")).to_be_visible()
    assert page.evaluate("window.broken") is None
    assert page.locator("main img[src='x'], main script").count() == 0

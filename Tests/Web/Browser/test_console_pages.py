"""Each page of the console and each action, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import ALL, Screen
from consoles import HOSTILE, Console, act
from playwright.sync_api import expect
from world import upload

OPERATORS = [
    "/", "/jobs", "/jobs?state=failed", "/jobs/groups", "/queues", "/record", "/review", "/review?state=published", "/policies",
    "/policies?preset=launch", "/policies?try=month&hide-threshold=2", "/people", "/people?person=zoe",
    "/places?point=47.6,-122.3&text=Seattle",
]


def job(console: Console, state: str) -> int:
    found: int = console.installation.sql("select max(job_id) from darkroom.finished_jobs where state::text = %s and kind = 'ingest'", state)[0][0]
    return found


def test_every_page_can_be_used_and_shows_hostile_texts_as_texts(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    posts = [number for (number,) in console.installation.sql("select post_id from darkroom.reviews order by 1")]
    failed, discarded = job(console, "failed"), job(console, "cancelled")
    pages = OPERATORS + [f"/jobs/{failed}", f"/jobs/{discarded}", f"/jobs/change?action=replay&job={failed}", "/record/1"]
    pages += [f"/posts/{post}" for post in posts]
    decision = console.installation.sql("select post_id, max(decision_id) from darkroom.moderation_decisions where decision = 'remove' group by 1")[0]
    pages.append(f"/posts/{decision[0]}?statement={decision[1]}")
    # A photo that is none cannot be shown.
    screen.expect_error("422")
    for number, path in enumerate(pages):
        reply = screen.page.goto(console.url + path)
        assert reply and reply.status == 200, path
        assert screen.page.title().endswith(" · Darkroom"), path
        assert screen.unexpected == [], path
        if ALL or number % 3 == 0:
            screen.check("console" + path.split("?")[0].replace("/", "-").rstrip("-0123456789") + ("-query" if "?" in path else ""))
    screen.page.goto(f"{console.url}/jobs?state=failed")
    expect(screen.page.locator("td", has_text=HOSTILE).first).to_be_visible()


@pytest.mark.check
def test_without_anything_every_page_says_so(empty_console: Console, screen: Screen) -> None:
    empty_console.sign_in(screen)
    for path in ["/", "/jobs", "/jobs/groups", "/queues", "/record", "/review", "/policies", "/people", "/places"]:
        reply = screen.page.goto(empty_console.url + path)
        assert reply and reply.status == 200, path
        screen.check("console-empty" + path.replace("/", "-"))


@pytest.mark.check
def test_figures_move_without_a_reload_and_say_when_they_do_not(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    live = screen.page.locator("#live")
    waiting = int(live.locator("dd").first.inner_text())
    with console.installation.serve() as server, server.client("ada") as ada:
        upload(ada, None, 47.6, -122.3, headline="One more")
    expect(live.locator("dd").first).to_have_text(str(waiting + 1))
    if not ALL:  # A stream looks once a minute whether its session goes on.
        return
    screen.expect_error("ERR_INTERNET_DISCONNECTED|ERR_INCOMPLETE_CHUNKED|ERR_NETWORK")
    console.installation.sql("update darkroom.console_sessions set expires_at = now()")
    screen.expect_error("401")
    expect(screen.page.get_by_role("alert")).to_contain_text("not up to date", timeout=90_000)


@pytest.mark.check
def test_times_are_in_the_zone_of_the_reader_with_utc_as_their_title(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    number = job(console, "failed")
    console.installation.sql("update darkroom.finished_jobs set created_at = '2026-05-01 12:00:07Z' where job_id = %s", number)
    screen.page.goto(f"{console.url}/jobs/{number}")
    time = screen.page.locator("time[datetime='2026-05-01T12:00:07Z']")
    expect(time).to_have_attribute("title", "2026-05-01 12:00:07 UTC")
    expect(time).to_contain_text("05:00:07")


@pytest.mark.check
def test_a_photo_is_rendered_and_blurred_until_someone_asks(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    number = console.installation.sql("select job_id from darkroom.finished_jobs where fair_key = 'zoe' and state = 'succeeded' and kind = 'ingest' limit 1")[0][0]
    screen.page.goto(f"{console.url}/jobs/{number}")
    picture = screen.page.locator(".picture img")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    assert "blur" in picture.evaluate("image => getComputedStyle(image).filter")
    screen.page.get_by_label("Show the picture").check()
    assert picture.evaluate("image => getComputedStyle(image).filter") == "none"
    # What came is not the original: it has neither its bytes nor its metadata.
    body = screen.page.request.get(picture.evaluate("image => image.src")).body()
    assert body[:2] == b"\xff\xd8" and b"Exif" not in body


@pytest.mark.check
def test_jobs_that_match_a_filter_are_replayed_after_a_look_at_them(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    page = screen.page
    page.goto(f"{console.url}/jobs?state=failed")
    page.locator(".orders").first.get_by_role("link", name="Replay").click()
    expect(page.get_by_text("3 jobs would be replayed")).to_be_visible()
    page.get_by_label("Why").fill("The disk was replaced")
    screen.check("console-replay")
    page.get_by_role("button", name="Replay 3 jobs").click()
    expect(page.get_by_text("3 of 3")).to_be_visible()
    screen.check("console-progress")
    assert console.installation.sql("select count(*) from darkroom.replays where replayed_by = 'olga' and why = 'The disk was replaced'") == [(3,)]
    [row] = console.installation.sql("select requested_by, role, source, action, filter, why, matching, done, ended_at is not null from darkroom.operator_actions order by action_id desc limit 1")
    assert row[:4] == ("olga", "operator", "console", "replay jobs") and "state failed" in row[4] and row[5:] == ("The disk was replaced", 3, 3, True)


@pytest.mark.check
def test_selected_jobs_are_discarded(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    page = screen.page
    page.goto(f"{console.url}/jobs?state=failed")
    chosen = job(console, "failed")
    page.get_by_label(f"Select job {chosen}").check()
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Discard 1 job").click()
    expect(page.get_by_text("1 of 1")).to_be_visible()
    assert console.installation.sql("select state::text, reason from darkroom.finished_jobs where job_id = %s", chosen) == [("cancelled", "discarded")]


@pytest.mark.check
def test_nothing_selected_is_not_everything(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    screen.expect_error("400")
    screen.page.goto(f"{console.url}/jobs")
    screen.page.get_by_role("button", name="Replay").click()
    expect(screen.page.get_by_text("Select jobs, or give a filter.")).to_be_visible()


@pytest.mark.check
def test_queues_are_paused_and_resumed_schedules_run_and_workers_drained(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    page = screen.page
    page.goto(f"{console.url}/queues")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Nothing is paused.")).to_be_visible()
    page.get_by_label("Kind").select_option("ingest")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("cell", name="kind ingest")).to_be_visible()
    assert console.installation.sql("select kind, drains, paused_by from darkroom.pauses") == [("ingest", False, "olga")]
    page.get_by_role("row", name="prune-history").get_by_role("button", name="Run now").click()
    expect(page.get_by_role("heading", name="Queues, schedules and workers")).to_be_visible()
    assert console.installation.sql("select next_run_at <= now() from darkroom.schedules where name = 'prune-history'") == [(True,)]
    page.get_by_role("button", name="Drain", exact=True).last.click()
    expect(page.get_by_text("drains").last).to_be_visible()
    assert console.installation.sql("select bool_or(drain_requested) from darkroom.workers") == [(True,)]
    actions = [action for (action,) in console.installation.sql("select action from darkroom.operator_actions where source = 'console' order by action_id")]
    assert actions == ["resume", "pause", "run schedule", "drain worker"]


def test_a_moderator_decides_with_keys_and_undoes(console: Console, screen: Screen) -> None:
    console.sign_in(screen, name="mia", role="moderator")
    page = screen.page
    expect(page).to_have_url(f"{console.url}/review")
    ferry = console.installation.sql("select post_id from darkroom.posts where headline = 'The ferry'")[0][0]
    page.goto(f"{console.url}/review?state=published")
    screen.check("console-review")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text(f"Post {ferry}: removed")
    assert console.installation.sql("select state::text from darkroom.posts where post_id = %s", ferry) == [("removed",)]
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("restored")
    assert console.installation.sql("select state::text from darkroom.posts where post_id = %s", ferry) == [("published",)]
    deciders = console.installation.sql("select decision, decider from darkroom.moderation_decisions where post_id = %s and decider is not null order by 1", ferry)
    assert deciders == [("remove", "mia"), ("restore", "mia")]


@pytest.mark.check
def test_two_moderators_who_decide_at_once_are_told(console: Console, open_screen: Callable[..., Screen]) -> None:
    ferry = console.installation.sql("select post_id from darkroom.posts where headline = 'The ferry'")[0][0]
    first, second = open_screen(), open_screen()
    for screen, name in [(first, "mia"), (second, "max")]:
        console.sign_in(screen, name=name, role="moderator")
        screen.page.goto(f"{console.url}/posts/{ferry}")
    first.page.get_by_role("button", name="Remove").click()
    expect(first.page.get_by_role("status")).to_be_visible()
    second.expect_error("409")
    second.page.get_by_role("button", name="Approve").click()
    expect(second.page.get_by_text("mia has decided on it")).to_be_visible()
    second.check("console-conflict")
    assert console.installation.sql("select state::text from darkroom.posts where post_id = %s", ferry) == [("removed",)]


@pytest.mark.check
def test_a_policy_is_tried_and_put_in_force_with_a_note(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    page = screen.page
    page.goto(f"{console.url}/policies")
    page.get_by_label("hide-threshold: score").fill("6")
    page.get_by_role("button", name="Try against the last month").click()
    expect(page.get_by_role("heading", name="Against the last month")).to_be_visible()
    expect(page.get_by_text("hide-threshold 5 → 6").first).to_be_visible()
    page.get_by_label("Note").fill("Fewer false alarms")
    page.get_by_role("button", name="Put it in force").click()
    expect(page.get_by_text("Fewer false alarms").first).to_be_visible()
    assert console.installation.sql("select hide_threshold, note from darkroom.moderation_policies order by version desc limit 1") == [(6.0, "Fewer false alarms")]


@pytest.mark.check
def test_a_person_is_erased_only_by_someone_who_has_just_signed_in(console: Console, screen: Screen) -> None:
    console.sign_in(screen)
    page = screen.page
    console.installation.sql("update darkroom.console_sessions set signed_in_at = now() - interval '11 minutes'")
    page.goto(f"{console.url}/people?person=zoe")
    expect(page.get_by_text("sign in again with a new link")).to_be_visible()
    with console.client(name="olga") as client:
        assert act(client, "/people/erase", person="zoe", repeated="zoo").status_code == 400
        console.installation.sql("update darkroom.console_sessions set signed_in_at = now() - interval '11 minutes'")
        assert act(client, "/people/erase", person="zoe", repeated="zoe").status_code == 403
    assert console.installation.sql("select count(*) from darkroom.person_erasures where person = 'zoe'") == [(0,)]
    console.sign_in(screen)
    page.goto(f"{console.url}/people?person=zoe")
    page.get_by_label("Write the identifier again").fill("zoe")
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_role("heading", name="Erasures")).to_be_visible()
    console.installation.drain()
    page.goto(f"{console.url}/people")
    expect(page.locator(".badge", has_text="finished").first).to_be_visible()
    # The record keeps that somebody was erased, and not who.
    [(uploader,)] = console.installation.sql("select uploader from darkroom.operator_actions where action = 'erase person' and source = 'console' and ended_at is not null and fault is null")
    assert uploader != "zoe"


@pytest.mark.check
def test_everything_works_without_a_script_but_the_figures(console: Console, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(1280, java_script_enabled=False)
    console.sign_in(screen)
    page = screen.page
    page.goto(f"{console.url}/jobs?state=failed")
    page.locator(".orders").first.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Replay 3 jobs").click()
    expect(page.get_by_text("3 of 3")).to_be_visible()
    page.goto(f"{console.url}/")
    expect(page.get_by_role("heading", name="Depth")).to_be_visible()

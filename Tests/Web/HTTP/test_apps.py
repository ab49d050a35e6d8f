"""GeoPic and Breakit over HTTP: each test makes the calls of its rows in docs/http-apps.md, from several phones."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apps import JPEG, PAGE, STREAM, App, block, items, numbers, ok, picture, rows, running, until
from conftest import ALL, Installation, _drop, _make
from conftest import numbers as serial
from resumable import TUS, address, begin, enlarged, metadata, patch
from world import SEATTLE, variant

HERE = {"latitude": SEATTLE[0], "longitude": SEATTLE[1]}
METRE = 1 / 111_195
"""A metre to the north, in degrees."""


def place(number: int) -> dict[str, float]:
    """A place of its own for each test, kilometres from the others and near Seattle."""
    return {"latitude": SEATTLE[0], "longitude": SEATTLE[1] + 0.03 * number}


def north(position: dict[str, float], metres: float) -> dict[str, float]:
    return {**position, "latitude": position["latitude"] + metres * METRE}


def installed(name: str, migrated: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    database = f"{migrated}_{name}_{next(serial)}"
    installation = Installation(_make(database, migrated), tmp_path_factory.mktemp(name))
    try:
        with running(name, installation) as app:
            yield app
    finally:
        _drop(database)


@pytest.fixture(scope="module")
def geopic(migrated: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    yield from installed("geopic", migrated, tmp_path_factory)


@pytest.fixture(scope="module")
def breakit(migrated: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    yield from installed("breakit", migrated, tmp_path_factory)


@pytest.fixture(params=["geopic", "breakit"] if ALL else ["geopic"])
def app(request: pytest.FixtureRequest) -> App:
    """What both apps do is tried in both if all is tried."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, App)
    return found


@pytest.fixture(autouse=True)
def makes_the_calls_of_its_rows(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that a row names makes all calls of the row."""
    name = request.function.__name__
    running = [request.getfixturevalue(fixture) for fixture in ("geopic", "breakit", "app") if fixture in request.fixturenames]
    before = [len(app.requests) for app in running]
    yield
    made = [one for app, first in zip(running, before, strict=True) for one in app.requests[first:]]
    missing = [str(call) for row in rows() if name in row.tests for call in row.calls
               if not any(call.is_made_by(one) for one in made)]
    assert missing == []


# Both apps: profile


def test_a_token_is_an_account(app: App) -> None:
    assert app.phone(None).get("/me/posts").status_code == 401
    assert ok(app.phone("newcomer").get("/me/posts")) == {"items": [], "next": None}


def test_a_name_has_one_owner(app: App) -> None:
    ok(app.phone("zoe").put("/me/name", json={"name": "Zoë"}), 204)
    for imitation in ("ZOË", "Zoe\u0308", "Zoë\u200b"):
        taken = app.phone("ada").put("/me/name", json={"name": imitation})
        assert (taken.status_code, taken.json()["reason"]) == (409, "display_name_is_taken")
    post = app.post("zoe", **place(1))
    assert ok(app.phone("ada").get(f"/posts/{post}"))["display_name"] == "Zoë"


def test_a_name_is_kept_for_its_former_owner(app: App) -> None:
    def told() -> list[str]:
        return [one["reason"] for one in ok(app.phone("ada").post("/me/name/check", json={"name": "FÉE"}))["items"]]

    assert told() == []
    ok(app.phone("gil").put("/me/name", json={"name": "Fée"}), 204)
    assert told() == ["display_name_is_taken"]
    ok(app.phone("gil").put("/me/name", json={"name": None}), 204)
    assert told() == ["display_name_was_given_up"]
    kept = app.phone("ada").put("/me/name", json={"name": "Fée"})
    assert (kept.status_code, kept.json()["reason"]) == (409, "display_name_was_given_up")
    assert "This one is free from" in kept.json()["detail"]
    ok(app.phone("gil").put("/me/name", json={"name": "Fée"}), 204)
    # So that nobody else in these tests finds it.
    ok(app.phone("gil").put("/me/name", json={"name": None}), 204)


def test_a_person_finds_what_they_liked(app: App) -> None:
    phone, posts = app.phone("gil"), [app.post("zoe", **place(34)) for _ in range(3)]
    for post in posts:
        ok(phone.put(f"/posts/{post}/vote", json={"vote": "like"}), 204)
    ok(phone.put(f"/posts/{posts[1]}/vote", json={"vote": "dislike"}), 204)
    page = ok(phone.get("/me/votes", params={"in_vote": "like", "at_most": 1}))
    assert [one["post_id"] for one in page["items"]] == [posts[2]]
    rest = items(phone, "/me/votes", in_vote="like", at_most=1, after=page["next"])
    assert [one["post_id"] for one in rest][:1] == [posts[0]]


def test_people_block_authors(app: App) -> None:
    here = place(31)
    post, other = app.post("gil", **here), app.post("zoe", **here)
    ada, gil = app.phone("ada"), app.phone("gil")
    comment = ok(gil.post(f"/posts/{other}/comments", json={"body": "Hello"}), 201)["comment_id"]
    handle = ok(ada.get(f"/posts/{post}"))["author_handle"]
    assert items(ada, "/people", author_handles=handle) == [
        {"author_handle": handle, "display_name": None, "is_blocked": False}]

    def seen() -> list[int]:
        return [one["post_id"] for one in items(ada, "/posts/within", **here, radius_m=500)]

    box = {"south": here["latitude"] - 0.01, "north": here["latitude"] + 0.01,
           "west": here["longitude"] - 0.01, "east": here["longitude"] + 0.01, "zoom": 10}

    def counted() -> int:
        return sum(one["posts"] for one in items(ada, "/map/clusters", **box))

    assert seen() == [other, post]
    until(lambda: counted() == 2)
    ok(ada.put(f"/me/blocks/{handle}"), 204)
    assert seen() == [other] and counted() == 1
    assert ada.get(f"/posts/{post}").status_code == 404
    assert ada.get(f"/comments/{comment}").status_code == 404
    assert items(ada, f"/posts/{other}/comments") == [] and ok(ada.get(f"/posts/{other}"))["comments"] == 0
    assert [one["author_handle"] for one in items(ada, "/me/blocks", at_most=5)] == [handle]
    assert len(items(app.phone("bob"), f"/posts/{other}/comments")) == 1
    assert ada.put("/me/blocks/nobody").status_code == 422
    ok(ada.delete(f"/me/blocks/{handle}"), 204)
    assert ada.delete(f"/me/blocks/{handle}").status_code == 404
    assert seen() == [other, post]


def test_people_follow_places_and_areas(app: App) -> None:
    here, phone = place(36), app.phone("fay")
    city = ok(phone.get(f"/posts/{app.post('zoe', **here)}"))["city_geonameid"]
    area = ok(phone.post("/me/follows", json={**here, "radius_m": 400}), 201)["follow_id"]
    food = ok(phone.post("/me/follows", json={"in_place": f"city:{city}", "in_category": "food"}), 201)["follow_id"]
    assert ok(phone.post("/me/follows", json={**here, "radius_m": 400}), 201) == {"follow_id": area}
    listed = items(phone, "/me/follows", at_most=5)
    assert [one["follow_id"] for one in listed] == [food, area] and listed[1]["radius_m"] == 400
    near, far, soup = app.post("zoe", **here), app.post("zoe", **place(37)), app.post("zoe", category="food", **place(37))
    seen = numbers(phone, "/me/followed-posts", at_most=100)
    assert seen[:2] == [soup, near] and far not in seen
    assert phone.post("/me/follows", json={"radius_m": 400}).status_code == 422
    assert app.phone("zoe").delete(f"/me/follows/{food}").status_code == 404
    ok(phone.delete(f"/me/follows/{food}"), 204)
    assert soup not in numbers(phone, "/me/followed-posts") and near in numbers(phone, "/me/followed-posts")


def test_a_barred_person_is_told_why(app: App, photo: bytes) -> None:
    guest, post = app.phone("rude guest"), app.post("zoe", **place(32))
    assert items(guest, "/me/bar") == []
    app.installation("people", "bar", "rude guest", "--reason", "Rude comments.", "--days", "7", "--by", "mo")
    said = {"headline": "News", "category": "news", **place(32)}
    for refused in (guest.post("/uploads", params=said, content=photo, headers=JPEG),
                    guest.post(f"/posts/{post}/comments", json={"body": "You again"}),
                    guest.put(f"/posts/{post}/vote", json={"vote": "like"}),
                    guest.post(f"/posts/{post}/reports", json={"reason": "spam"})):
        assert (refused.status_code, refused.json()["reason"]) == (403, "person_is_barred")
        assert "Rude comments." in refused.json()["detail"]
    assert [one["reason"] for one in items(guest, "/me/bar")] == ["Rude comments."]
    told = ok(guest.post(f"/posts/{post}/comments/check", json={"body": " "}))["items"]
    assert [one["reason"] for one in told] == ["comment_is_not_blank", "person_is_barred"]
    app.installation("people", "unbar", "rude guest", "--by", "mo")
    ok(guest.post(f"/posts/{post}/comments", json={"body": "Sorry"}), 201)


def test_a_photo_is_a_draft_first(app: App, photo: bytes) -> None:
    phone, details = app.phone("ada"), {"headline": "Later", "category": "news"}
    job = ok(phone.post("/uploads", params={"is_draft": True, **details}, content=variant(photo, 31), headers=JPEG), 202)["job_id"]
    assert ok(phone.get(f"/uploads/{job}"))["state"] == "draft"
    assert (items(phone, "/me/posts")[0]["job_id"], items(phone, "/me/posts")[0]["state"]) == (job, "draft")
    assert app.phone("zoe").post(f"/uploads/{job}/publish", json={}).status_code == 404
    ok(phone.post(f"/uploads/{job}/publish", json={"caption": "Soon", "is_draft": True}), 204)
    assert (items(phone, "/me/posts")[0]["caption"], items(phone, "/me/posts")[0]["state"]) == ("Soon", "draft")
    ok(phone.post(f"/uploads/{job}/publish", json={"headline": "Now", **place(35)}), 204)
    post = ok(phone.get(f"/posts/{app.follow('ada', job)['post_id']}"))
    assert post["headline"] == "Now" and abs(post["latitude"] - place(35)["latitude"]) < 0.001


def test_comments_are_moderated(app: App) -> None:
    author, post = app.phone("loud guest"), app.post("zoe", **place(34))
    comment = ok(author.post(f"/posts/{post}/comments", json={"body": "You are ugly"}), 201)["comment_id"]
    for number in range(5):
        reporter = app.phone(f"reader {number}")
        reported = reporter.post(f"/comments/{comment}/reports", json={"reason": "harassment"})
        # Three hide it by the policy of one app, and nobody can report what is hidden.
        if reported.status_code == 404 and number >= 3:
            break
        assert ok(reported) == {"is_new": True}
    until(lambda: items(author, f"/posts/{post}/comments") == [])
    own = items(author, "/me/comments")[0]
    assert (own["comment_id"], own["state"]) == (comment, "hidden") and "Readers have reported" in own["message"]
    ok(author.post(f"/comments/{comment}/appeals", json={"text": "It is a quotation."}), 201)
    app.installation("review", "comments", "approve", str(comment), "--reviewer", "mo")
    until(lambda: {"comment_hidden", "comment_restored", "comment_appeal_answered"}
          <= {event["event"] for event in items(author, "/me/inbox")})
    assert [one["comment_id"] for one in items(author, f"/posts/{post}/comments")] == [comment]


def test_forms_know_the_rules(app: App) -> None:
    rules = ok(app.phone("ada").get("/posting-rules", params={"in_category": "news"}))
    assert rules["headline_at_most"] == 200 and "spam" in rules["report_reasons"]


def test_noted_posts_are_shown_together(app: App) -> None:
    here = place(33)
    first, second = app.post("zoe", **here), app.post("ada", **north(here, 300))
    shown = items(app.phone("ada"), "/posts/by-id", post_ids=[second, 999_999_999, first], **here)
    assert [one["post_id"] for one in shown] == [second, first]
    assert 290 < shown[0]["distance_m"] < 310 and shown[1]["distance_m"] < 10


def test_a_person_is_erased(app: App) -> None:
    phone, reader = app.phone("guest"), app.phone("ada")
    post, other = app.post("guest", picture(1), **place(2)), app.post("ada", **place(2))
    where = app.picture("guest", post, **place(2))
    ok(phone.post(f"/posts/{other}/comments", json={"body": "Hello"}), 201)
    ok(phone.put(f"/posts/{other}/vote", json={"vote": "like"}), 204)
    assert ok(phone.delete("/me"), 202)["erasure_id"] > 0
    until(lambda: reader.get(f"/posts/{post}").status_code == 404)
    until(lambda: (seen := ok(reader.get(f"/posts/{other}")))["likes"] == seen["comments"] == 0)
    until(lambda: reader.get(where).status_code == 404)
    assert items(reader, f"/posts/{other}/comments") == items(phone, "/me/posts") == []


# Both apps: camera


def test_what_is_wrong_is_told_before_the_photo_is_sent(app: App) -> None:
    good = {"headline": "Ferry", "caption": "At noon", "link": "https://example.org/a", "category": "news", "accuracy_m": 10, "has_photo": True, **HERE}
    ok(app.phone("zoe").post("/uploads/check", json=good), 204)
    for wrong, argument in (({"link": "ftp://example.org"}, "link"), ({"caption": "\u202e"}, "caption"), ({"latitude": 147.6}, "latitude")):
        refused = app.phone("zoe").post("/uploads/check", json={**good, **wrong})
        assert (refused.status_code, refused.json()["argument"]) == (422, argument), refused.text


def test_a_photo_is_followed_to_its_post(app: App, photo: bytes) -> None:
    here = place(3)
    job = app.send("zoe", photo, headline="Ferry", accuracy_m=8, **here)
    assert app.phone("ada").get(f"/uploads/{job}").status_code == 404
    with app.phone("zoe").stream("GET", f"/uploads/{job}", headers=STREAM) as events:
        states = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
    state = states[-1]
    assert (state["state"], state["post_state"]) == ("succeeded", "published")
    post = ok(app.phone("ada").get(f"/posts/{state['post_id']}"))
    assert (post["headline"], post["location_accuracy_m"]) == ("Ferry", 8)
    shown = app.phone("ada").get(app.picture("ada", post["post_id"], **here))
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/jpeg")


def test_an_upload_is_sent_twice(app: App, photo: bytes) -> None:
    sent = [ok(app.phone("eve").post("/uploads", content=photo, headers={**JPEG, "Idempotency-Key": "1"}, params={"headline": "Once", "category": "news", **HERE}), 202)
            for _ in range(2)]
    assert sent[0]["job_id"] == sent[1]["job_id"]
    assert len(items(app.phone("eve"), "/me/posts")) == 1


def test_a_large_photo_goes_on_after_a_cut(app: App, photo: bytes) -> None:
    phone, large = app.phone("tus"), enlarged(photo)
    said = metadata(headline="Large", category="news", **{name: str(value) for name, value in place(4).items()})
    where = address(begin(phone, len(large), **{"Upload-Metadata": said}))
    assert patch(phone, where, 0, large[:7000]).status_code == 204
    assert phone.head(where, headers=TUS).headers["Upload-Offset"] == "7000"
    assert patch(phone, where, 7000, large[7000:]).status_code == 204
    job = phone.head(where, headers=TUS).headers["Darkroom-Upload"].rsplit("/", 1)[1]
    assert app.follow("tus", int(job))["post_state"] == "published"
    given_up = address(begin(phone, len(large), **{"Upload-Metadata": said}))
    assert phone.delete(given_up, headers=TUS).status_code == 204
    assert phone.head(given_up, headers=TUS).status_code in (404, 410)


def test_the_position_of_the_phone_or_of_the_photo(app: App, photo: bytes, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(photo)
    taken = json.loads(app.installation("inspect", "--json", str(tmp_path / "photo.jpg")))["gps"]
    phone, reader = app.phone("zoe"), app.phone("ada")
    said, unsaid = ok(reader.get(f"/posts/{app.post('zoe', photo, **place(5))}")), ok(reader.get(f"/posts/{app.post('zoe', variant(photo, 1))}"))
    assert [said["latitude"], said["longitude"]] == pytest.approx(list(place(5).values()))
    assert [unsaid["latitude"], unsaid["longitude"]] == pytest.approx([taken["lat"], taken["lon"]], abs=1e-4)
    there = {"latitude": unsaid["latitude"], "longitude": unsaid["longitude"]}
    for shown in unsaid["pictures"]:
        content = phone.get(f"/pictures/{shown['media_key']}", params=there).content
        assert content
        assert b"Exif" not in content


def test_a_position_is_coarse_if_its_uploader_wants(app: App, photo: bytes) -> None:
    exact = {"latitude": 47.612_345, "longitude": -122.312_345}
    post = ok(app.phone("ada").get(f"/posts/{app.post('zoe', variant(photo, 2), location_privacy='grid_1km', **exact)}"))
    for name, value in exact.items():
        assert 0 < abs(post[name] - value) < 0.02


# Both apps: my uploads


def test_people_see_all_their_uploads(app: App, photo: bytes) -> None:
    kept = app.post("cai", variant(photo, 3), headline="Kept", **place(6))
    broken = app.send("cai", photo[:60], headline="Broken", **place(6))
    state = app.follow("cai", broken)
    assert state["state"] == "rejected"
    assert (state["reason"], state["message"]) != (None, None)
    removed = app.post("cai", headline="Removed", **place(6))
    app.installation("review", "remove", str(removed), "--reviewer", "mo")
    mine = items(app.phone("cai"), "/me/posts", at_most=1)
    assert [(one["headline"], one["state"], one["post_id"]) for one in mine] == [
        ("Removed", "removed", removed), ("Broken", "rejected", None), ("Kept", "published", kept)]
    assert mine[1]["reason"] == state["reason"]
    assert all(one["message"] for one in mine[:2])


def test_an_upload_is_withdrawn(app: App) -> None:
    app.installation("queue", "pause", "--kind", "ingest_text")
    try:
        job = app.send("dan", None, **HERE)
        assert app.phone("eve").delete(f"/uploads/{job}").status_code == 404
        ok(app.phone("dan").delete(f"/uploads/{job}"), 204)
    finally:
        app.installation("queue", "resume", "--kind", "ingest_text")
    assert [one["state"] for one in items(app.phone("dan"), "/me/posts")] == ["cancelled"]


def test_a_post_is_edited(app: App) -> None:
    post = app.post("zoe", caption="Green", **place(7))
    text = {"headline": "Tea", "caption": "Black", "category": "food"}
    assert app.phone("ada").put(f"/posts/{post}/text", json=text).status_code == 404
    assert ok(app.phone("zoe").put(f"/posts/{post}/text", json=text)) == {"state": "published"}
    assert ok(app.phone("ada").get(f"/posts/{post}")).items() >= text.items()
    needed = {"geopic": "category", "breakit": "headline"}[app.name]
    refused = app.phone("zoe").put(f"/posts/{post}/text", json={**text, needed: None})
    assert (refused.status_code, refused.json()["reason"]) == (422, f"{needed}_missing")


def test_a_post_is_deleted(app: App) -> None:
    here = place(8)
    post = app.post("zoe", picture(2), **here)
    where = app.picture("ada", post, **here)
    assert app.phone("ada").delete(f"/posts/{post}").status_code == 404
    ok(app.phone("zoe").delete(f"/posts/{post}"), 204)
    reader = app.phone("ada")
    assert reader.get(f"/posts/{post}").status_code == 404
    assert post not in [*numbers(reader, "/posts", at_most=100), *numbers(reader, "/posts/nearest", **here), *numbers(reader, "/posts/top", board="hot")]
    assert post not in [one["post_id"] for one in items(app.phone("zoe"), "/me/posts")]
    assert reader.get(where).status_code == 404


def test_a_removed_photo_is_appealed_for_and_comes_back_to_be_reviewed(app: App) -> None:
    phone = app.phone("fay")
    post = app.post("fay", picture(3), **place(9))
    app.installation("review", "remove", str(post), "--reviewer", "mo")
    again = app.follow("fay", app.send("fay", picture(3), **place(9)))
    assert again["post_state"] == "held"
    assert numbers(app.phone("ada"), "/posts/within", **place(9)) == []
    assert ok(phone.post(f"/posts/{post}/appeals", json={"text": "It is my own."}), 201)["appeal_id"] > 0
    app.installation("review", "restore", str(post), "--reviewer", "mo", "--note", "It is harmless")
    app.installation("review", "approve", str(again["post_id"]), "--reviewer", "mo")
    assert {post, again["post_id"]} == set(numbers(app.phone("ada"), "/posts/within", **place(9)))
    for _ in range(3):
        app.installation("review", "remove", str(app.post("gil", **place(9))), "--reviewer", "mo")
    assert app.follow("gil", app.send("gil", picture(6), **place(9)))["post_state"] == "held"


# Both apps: a post


def test_a_post_has_its_places(app: App, photo: bytes) -> None:
    post = ok(app.phone("ada").get(f"/posts/{app.post('zoe', variant(photo, 4), **HERE)}"))
    known = json.loads(app.installation("gazetteer", "reverse", *map(str, SEATTLE), "--json"))
    assert (post["place_geonameid"], post["place_name"]) == (known["place"]["geonameid"], known["place"]["name"])
    assert (post["city_geonameid"], post["city_name"]) == (known["city"]["geonameid"], known["city"]["name"])
    assert (post["division_code"], post["division_name"]) == (known["division"]["code"], known["division"]["name"])
    assert (post["country_code"], post["country_name"]) == (known["country"]["code"], known["country"]["name"])
    assert post["division_geonameid"]
    assert post["country_geonameid"]


def test_a_person_has_one_vote(app: App) -> None:
    post, phone = app.post("zoe", **place(10)), app.phone("ada")
    for vote, likes, dislikes in (("like", 1, 0), ("like", 1, 0), ("dislike", 0, 1), ("none", 0, 0)):
        ok(phone.put(f"/posts/{post}/vote", json={"vote": vote}), 204)
        seen = ok(phone.get(f"/posts/{post}"))
        assert (seen["likes"], seen["dislikes"], seen["my_vote"]) == (likes, dislikes, None if vote == "none" else vote)
    ok(phone.post("/views", json={"post_ids": [post, 999_999], "views": [7, 1]}), 204)
    assert ok(phone.get(f"/posts/{post}"))["views"] == 7


def test_reporters_are_told_what_became_of_it(app: App) -> None:
    phone = app.phone("gus")
    posts = [app.post("zoe", **place(11)) for _ in range(2)]
    for post in posts:
        report = {"reason": "spam", "details": "Ads"}
        assert ok(phone.post(f"/posts/{post}/reports", json=report)) == {"is_new": True}
        assert ok(phone.post(f"/posts/{post}/reports", json=report)) == {"is_new": False}
        app.weigh()
        app.installation("review", "approve" if post == posts[0] else "remove", str(post), "--reviewer", "mo")
    told = items(phone, "/me/reports", at_most=1)
    assert {one["post_id"]: (one["decision"], one["is_automatic"]) for one in told} == {posts[0]: ("kept", False), posts[1]: ("removed", False)}


# Both apps: lists


def test_a_list_has_pages(app: App) -> None:
    posts = [app.post("hal", **place(12)) for _ in range(3)]
    found = numbers(app.phone("ada"), "/posts", at_most=2, by_uploader="hal")
    assert found == posts[::-1]
    every = numbers(app.phone("ada"), "/posts", at_most=2)
    assert len(every) == len(set(every))
    assert set(posts) <= set(every)


def test_lists_show_the_readers_vote(app: App) -> None:
    post = app.post("zoe", **place(13))
    ok(app.phone("ada").put(f"/posts/{post}/vote", json={"vote": "like"}), 204)
    comment = ok(app.phone("zoe").post(f"/posts/{post}/comments", json={"body": "First"}), 201)["comment_id"]
    ok(app.phone("ada").put(f"/comments/{comment}/vote", json={"vote": "dislike"}), 204)
    for person, vote, other in (("ada", "like", "dislike"), ("bob", None, None), (None, None, None)):
        assert items(app.phone(person), "/posts")[0]["my_vote"] == vote
        assert items(app.phone(person), f"/posts/{post}/comments")[0]["my_vote"] == other


def test_lists_have_filters(app: App) -> None:
    here, reader = place(14), app.phone("ada")
    details = {"category": "food", "activity": "market day", "taken_at": "2020-01-15T08:30:00-08:00"}
    post = app.post("ivy", **details, **here)
    app.post("jon", **here)
    known = ok(reader.get(f"/posts/{post}"))
    now = datetime.now(UTC)
    chosen = {
        "in_category": "food", "in_activity": "Market Day", "in_place": f"country:{known['country_geonameid']}", "by_uploader": "ivy",
        "published_since": (now - timedelta(hours=1)).isoformat(), "published_until": (now + timedelta(hours=1)).isoformat(),
        "taken_since": "2020-01-01T00:00:00Z", "taken_until": "2020-02-01T00:00:00Z"}
    local = {"from_hour": 8, "to_hour": 9, "in_season": "winter"}
    near = {**here, "radius_m": 100}
    # Hours and seasons are those of the place; an index without time zones knows none.
    assert numbers(reader, "/posts/nearest", **near, **chosen, **local) == ([post] if known["time_zone"] else [])
    assert numbers(reader, "/posts/nearest", **near, **chosen) == [post]
    for name, other in (
        ("in_category", "news"), ("in_activity", "other"), ("in_place", "country:1"), ("by_uploader", "jon"), ("published_since", "2190-01-01T00:00:00Z"),
        ("published_until", "2020-01-01T00:00:00Z"), ("taken_since", "2021-01-01T00:00:00Z"), ("taken_until", "2019-01-01T00:00:00Z"), ("in_season", "summer"),
    ):
        assert numbers(reader, "/posts/nearest", **near, **{**chosen, name: other}) == [], name
    assert numbers(reader, "/posts/nearest", **near, **chosen, from_hour=9, to_hour=8) == []


def test_what_is_removed_is_in_no_list(app: App) -> None:
    here, reader = place(15), app.phone("ada")
    post = app.post("kim", picture(4), **here)
    where = app.picture("ada", post, **here)
    assert reader.get(where).status_code == 200
    app.installation("review", "remove", str(post), "--reviewer", "mo")
    assert post not in numbers(reader, "/posts", at_most=100)
    assert post not in numbers(reader, "/posts/nearest", **here)
    assert reader.get(f"/posts/{post}").status_code == 404
    until(lambda: reader.get(where).status_code == 404)


# Both apps: inbox


def test_an_inbox(app: App) -> None:
    phone, reader = app.phone("lea"), app.phone("ada")
    with phone.stream("GET", "/me/inbox/live") as live:
        unread = (json.loads(line[6:])["unread"] for line in live.iter_lines() if line.startswith("data: "))
        assert next(unread) == 0
        post = app.post("lea", **place(16))
        for person in ("ada", "bob"):
            ok(app.phone(person).post(f"/posts/{post}/comments", json={"body": "Where?"}), 201)
        until(lambda: next(unread) == 2)
    until(lambda: {one["event"]: one["times"] for one in items(phone, "/me/inbox", at_most=1)} == {"published": 1, "commented": 2})
    assert ok(phone.get("/me/inbox/unread")) == {"unread": 2}
    ok(phone.put("/me/inbox/read", json={"up_to": items(phone, "/me/inbox")[0]["number"]}), 204)
    assert ok(phone.get("/me/inbox/unread")) == {"unread": 0}
    ok(phone.put("/me/inbox/events", json={"events": ["hidden"]}), 204)
    assert ok(phone.get("/me/inbox/events")) == {"events": ["hidden"]}
    assert ok(reader.get("/me/inbox/events")) != {"events": ["hidden"]}


# GeoPic


def test_geopic_shows_what_is_within_100_m(geopic: App) -> None:
    here, phone = place(20), geopic.phone("ada")
    # By default a post is shown in the middle of a square of 10 m, so up to 7 m from where it is.
    near, far, away = (geopic.post("zoe", **north(here, metres)) for metres in (20, 90, 110))
    assert numbers(phone, "/posts/within", radius_m=100, **here) == [far, near]
    found = items(phone, "/posts/nearest", radius_m=100, **here)
    assert [(one["post_id"], one["distance_m"]) for one in found] == [(near, pytest.approx(20, abs=8)), (far, pytest.approx(90, abs=8))]
    assert away in numbers(phone, "/posts/within", radius_m=120, **here)


def test_geopic_brings_a_photo_from_the_phone_to_the_map(geopic: App, photo: bytes) -> None:
    here, phone = place(21), geopic.phone("ada")
    box = {"south": here["latitude"] - 0.01, "north": here["latitude"] + 0.01, "west": here["longitude"] - 0.01, "east": here["longitude"] + 0.01}
    assert items(phone, "/map/clusters", zoom=14, **box) == []
    posts = [geopic.post("zoe", variant(photo, 5 + number), **here) for number in range(3)]
    [cluster] = until(lambda: (found := items(phone, "/map/clusters", zoom=14, **box)) and found[0]["posts"] == 3 and found)
    assert [cluster["latitude"], cluster["longitude"]] == pytest.approx(list(here.values()), abs=1e-4)
    assert numbers(phone, f"/map/clusters/{cluster['cluster_id']}/posts", at_most=2) == posts[::-1]


def test_geopic_shows_pictures_to_those_who_are_there(geopic: App, photo: bytes) -> None:
    here, phone = place(22), geopic.phone("ada")
    post = geopic.post("zoe", variant(photo, 9), **here)
    seen = ok(phone.get(f"/posts/{post}", params=here))
    key = seen["pictures"][0]["media_key"]
    for metres, status in ((0, 200), (90, 200), (110, 404)):
        assert phone.get(f"/pictures/{key}", params=north(here, metres)).status_code == status
    far = ok(phone.get(f"/posts/{post}", params=north(here, 110)))
    assert far["pictures"] == [] and 105 < far["distance_m"] < 115
    assert ok(phone.get("/posting-rules"))["pictures_within_m"] == 100
    assert phone.get(geopic.picture("ada", post, **north(here, 90))).status_code == 200
    assert phone.get(f"/pictures/{key}").status_code == 404
    assert geopic.phone("zoe").get(f"/pictures/{key}").status_code == 200


def test_geopic_filters_what_is_around(geopic: App) -> None:
    here, phone = place(23), geopic.phone("ada")
    food, news = geopic.post("zoe", category="food", taken_at="2026-01-15T08:30:00-08:00", **here), geopic.post("zoe", **here)
    box = {"south": here["latitude"] - 0.01, "north": here["latitude"] + 0.01, "west": here["longitude"] - 0.01, "east": here["longitude"] + 0.01}
    since = (datetime.now(UTC) - timedelta(hours=2)).isoformat()
    around = {"radius_m": 100, "published_since": since, **here}
    assert set(numbers(phone, "/posts/nearest", **around)) == {food, news}
    assert numbers(phone, "/posts/nearest", in_category="food", **around) == [food]
    zone = json.loads(geopic.installation("gazetteer", "reverse", str(here["latitude"]), str(here["longitude"]), "--json"))["time_zone"]
    # Hours of the day are those of the place; an index without time zones knows none.
    for hours, found in (((8, 9), [food] if zone else []), ((10, 12), [])):
        assert numbers(phone, "/posts/nearest", in_category="food", from_hour=hours[0], to_hour=hours[1], **around) == found
    for chosen, count in (({"in_category": "food"}, 1), ({"in_category": "deals"}, 0), ({}, 2)):
        assert sum(one["posts"] for one in items(phone, "/map/clusters", zoom=14, published_since=since, **box, **chosen)) == count
    assert items(phone, "/map/clusters", zoom=14, in_category="food", published_since="2190-01-01T00:00:00Z", **box) == []


def test_geopic_expires_posts_by_category(geopic: App) -> None:
    geopic.post("max", category="deals", **place(24))
    geopic.post("max", category="news", **place(24))
    lifetimes = {one["category"]: datetime.fromisoformat(one["expires_at"]) - datetime.fromisoformat(one["published_at"])
                 for one in items(geopic.phone("max"), "/me/posts")}
    assert lifetimes == {"deals": timedelta(days=2), "news": timedelta(days=30)}
    geopic.run("""psql --quiet "$DATABASE_URL" -c "insert into darkroom.expiry_policies (category, lifetime, note) values ('deals', '4 seconds', 'Very short')" """)
    post, reader = geopic.post("max", category="deals", **place(24)), geopic.phone("ada")
    assert ok(reader.get(f"/posts/{post}"))["category"] == "deals"
    ends = datetime.fromisoformat(items(geopic.phone("max"), "/me/posts")[0]["expires_at"])
    until(lambda: reader.get(f"/posts/{post}").status_code == 404)
    assert post not in numbers(reader, "/posts/within", **place(24))
    assert datetime.now(UTC) > ends - timedelta(milliseconds=100)
    assert items(geopic.phone("max"), "/me/posts")[0]["state"] == "expired"


def test_geopic_has_a_list_of_categories(geopic: App, photo: bytes) -> None:
    phone = geopic.phone("zoe")
    for category, reason in ((None, "category_missing"), ("cats", "category_unknown")):
        refused = phone.post("/uploads/check", json={"category": category, **HERE})
        assert (refused.status_code, refused.json()["reason"]) == (422, reason)
    refused = phone.post("/uploads", params={"category": "cats", **HERE}, content=photo, headers=JPEG)
    assert (refused.status_code, refused.json()["reason"]) == (422, "category_unknown")
    ok(phone.post("/uploads/check", json={"category": "FOOD", **HERE}), 204)


def test_geopic_hides_a_post_at_the_third_report(geopic: App) -> None:
    here, reader, author = place(25), geopic.phone("ada"), geopic.phone("nia")
    post = geopic.post("nia", picture(5), **here)
    where = geopic.picture("ada", post, **here)
    for number, reporter in enumerate(("oli", "pat", "quin")):
        assert numbers(reader, "/posts/within", **here) == [post], number
        assert ok(geopic.phone(reporter, days=0).post(f"/posts/{post}/reports", json={"reason": "spam"}))["is_new"]
    until(lambda: numbers(reader, "/posts/within", **here) == [])
    assert reader.get(f"/posts/{post}").status_code == reader.put(f"/posts/{post}/vote", json={"vote": "like"}).status_code == 404
    until(lambda: reader.get(where).status_code == 404)
    assert [(one["state"], one["reason"]) for one in items(author, "/me/posts")] == [("hidden", "score")]
    assert [one["decision"] for one in items(geopic.phone("oli"), "/me/reports")] == ["hidden"]
    ok(author.post(f"/posts/{post}/appeals", json={"text": "I took it myself."}), 201)

    geopic.installation("review", "approve", str(post), "--reviewer", "olga", "--note", "It is harmless")
    assert numbers(reader, "/posts/within", **here) == [post]
    until(lambda: reader.get(where).status_code == 200)
    ok(geopic.phone("rob").post(f"/posts/{post}/reports", json={"reason": "spam"}))
    geopic.weigh()
    until(lambda: [event["event"] for event in items(author, "/me/inbox")] == ["appeal_answered", "restored", "hidden", "published"])
    assert numbers(reader, "/posts/within", **here) == [post]
    assert [(one["decision"], one["is_automatic"]) for one in items(geopic.phone("oli"), "/me/reports")] == [("kept", False)]


def test_geopic_sees_through_a_gang(geopic: App) -> None:
    here, reader = place(26), geopic.phone("ada")
    posts = {geopic.post("sam", **here) for _ in range(5)}
    gang = [geopic.phone(f"gang {number}", days=0) for number in range(6)]
    for post in sorted(posts):
        for one in gang:
            # What the gang hid before it was known is not there for its other members to report.
            assert one.post(f"/posts/{post}/reports", json={"reason": "other"}).status_code in (200, 404)
    # It comes back when the gang's next reports are weighed.
    geopic.weigh()
    assert set(numbers(reader, "/posts/within", **here)) == posts


def test_geopic_has_comments(geopic: App) -> None:
    post, author, ada, bob = geopic.post("zoe", **place(27)), geopic.phone("zoe"), geopic.phone("ada"), geopic.phone("bob")
    first, second, third = (ok(phone.post(f"/posts/{post}/comments", json={"body": body}), 201)["comment_id"]
                            for phone, body in ((ada, "Which pier?"), (bob, "52"), (ada, "Thanks")))
    for phone in (author, ada):
        ok(phone.put(f"/comments/{second}/vote", json={"vote": "like"}), 204)

    def listed(**query: Any) -> list[int]:
        return [one["comment_id"] for one in items(ada, f"/posts/{post}/comments", **query)]

    assert listed(order_by="newest", at_most=2) == [third, second, first]
    until(lambda: listed(order_by="popular") == [second, third, first])
    assert ok(bob.get(f"/comments/{second}"))["body"] == "52"
    report = {"reason": "harassment", "details": "Rude"}
    assert ok(bob.post(f"/comments/{third}/reports", json=report)) == {"is_new": True}
    assert ok(bob.post(f"/comments/{third}/reports", json=report)) == {"is_new": False}
    assert bob.delete(f"/comments/{first}").status_code == 404
    ok(ada.delete(f"/comments/{first}"), 204)
    ok(author.delete(f"/comments/{second}"), 204)
    assert listed() == [third]
    assert ada.get(f"/comments/{first}").status_code == 404


# Breakit


def test_breakit_asks_for_a_headline_before_the_photo(breakit: App, photo: bytes) -> None:
    phone = breakit.phone("ada")
    for headline in (None, " "):
        refused = phone.post("/uploads/check", json={"headline": headline, **HERE})
        assert (refused.status_code, refused.json()["argument"], refused.json()["reason"]) == (422, "headline", "headline_missing")
    refused = phone.post("/uploads", params={"caption": "At noon", **HERE}, content=photo, headers=JPEG)
    assert (refused.status_code, refused.json()["reason"]) == (422, "headline_missing")
    ok(phone.post("/uploads/check", json={"headline": "Bridge", **HERE}), 204)


def vote(app: App, post: int, likes: int, dislikes: int = 0) -> None:
    for number in range(likes + dislikes):
        ok(app.phone(f"voter {number}").put(f"/posts/{post}/vote", json={"vote": "like" if number < likes else "dislike"}), 204)


def test_breakit_shows_votes_as_percentages(breakit: App) -> None:
    here, reader = place(30), breakit.phone("voter 2")
    post, rising = (breakit.post("ada", category="percent", **here) for _ in range(2))
    vote(breakit, post, 2, 1)
    vote(breakit, rising, 5)

    def percentages() -> dict[int, Any]:
        rows = items(reader, "/posts/near-and-good", **here)
        return {row["post_id"]: (round(100 * row["likes"] / (row["likes"] + row["dislikes"])), row["my_vote"])
                for row in rows if row["likes"] + row["dislikes"]}

    until(lambda: percentages().items() >= {post: (67, "dislike"), rising: (100, "like")}.items())
    assert numbers(reader, "/posts/top", board="hot", in_category="percent") == [rising, post]


def test_breakit_weighs_distance_time_votes_and_views(breakit: App) -> None:
    here, reader = place(31), breakit.phone("bob")
    near, liked, seen = (breakit.post("ada", category="weights", **north(here, metres)) for metres in (0, 2000, 4000))
    vote(breakit, liked, 6)
    ok(reader.post("/views", json={"post_ids": [seen], "views": [100_000]}), 204)

    def first(**weights: Any) -> int:
        given = {"radius_m": 9000, "half_life": "12 hours", "vote_weight": 0, "distance_weight": 0, "distance_scale_m": 100, **weights}
        return numbers(reader, "/posts/near-and-good", in_category="weights", **given, **here)[0]

    until(lambda: first(vote_weight=1) == liked and first(view_weight=1) == seen)
    assert first(distance_weight=1) == near
    assert first(half_life="1 minute") == seen, "the newest"


def report(app: App, post: int, first: int, end: int, reason: str) -> None:
    for number in range(first, end):
        ok(app.phone(f"reporter {number}").post(f"/posts/{post}/reports", json={"reason": reason}))


def test_breakit_hides_what_enough_people_report(breakit: App) -> None:
    here, reader = place(32), breakit.phone("bob")
    post = breakit.post("uma", **here)
    report(breakit, post, 0, 3, "violence")
    breakit.weigh()
    assert post in numbers(reader, "/posts/near-and-good", **here)
    report(breakit, post, 3, 4, "violence")
    until(lambda: post not in numbers(reader, "/posts/near-and-good", **here))
    until(lambda: "hidden" in [event["event"] for event in items(breakit.phone("uma"), "/me/inbox")])


def test_breakit_asks_for_more_reports_of_what_many_have_seen(breakit: App) -> None:
    post, reader = breakit.post("vic", **place(33)), breakit.phone("bob")
    for _ in range(2):
        ok(reader.post("/views", json={"post_ids": [post], "views": [1_000_000]}), 204)
    until(lambda: items(reader, "/posts", by_uploader="vic")[0]["views"] == 2_000_000)
    report(breakit, post, 10, 24, "spam")
    breakit.weigh()
    assert reader.get(f"/posts/{post}").status_code == 200
    report(breakit, post, 24, 25, "spam")
    until(lambda: reader.get(f"/posts/{post}").status_code == 404)


def test_breakit_has_an_album_of_each_place(breakit: App, photo: bytes) -> None:
    phone = breakit.phone("bob")
    elsewhere = {"latitude": 39.80172, "longitude": -89.64371}
    good, better, other = breakit.post("ada", variant(photo, 11), **HERE), breakit.post("ada", variant(photo, 12), **HERE), breakit.post("ada", **elsewhere)
    vote(breakit, better, 3)
    vote(breakit, good, 1)
    post = ok(phone.get(f"/posts/{good}"))
    for level in ("place", "city", "division", "country"):
        album = numbers(phone, "/posts", in_place=f"{level}:{post[f'{level}_geonameid']}")
        assert {good, better} <= set(album)
        assert (other in album) == (level == "country")
    city = f"city:{post['city_geonameid']}"
    until(lambda: [one for one in numbers(phone, "/posts/top", board="wilson", in_place=city) if one in (good, better)] == [better, good])
    for level in ("city", "division", "country"):
        found = ok(phone.get("/places", params={"q": post[f"{level}_name"][:9], "country": "US"}))["items"]
        typed = next(one["geonameid"] for one in found if one["level"] == level)
        assert good in numbers(phone, "/posts", in_place=f"{level}:{typed}")
    there = ok(phone.get("/places/at", params=HERE))["city"]["geonameid"]
    assert good in numbers(phone, "/posts", in_place=f"city:{there}")


def test_breakit_has_an_album_of_each_venue(breakit: App, photo: bytes) -> None:
    said = {"venue_id": "4b058804f964a520ebe822e3", "venue_name": "Pike Place Chowder", "credit": "Ada", "licence": "CC-BY-4.0"}
    posts = [breakit.post("ada", variant(photo, number), **said, **HERE) for number in (41, 42)]
    [latest, first] = items(breakit.phone("bob"), f"/venues/{said['venue_id']}/posts", **HERE)
    assert [first["post_id"], latest["post_id"]] == posts
    assert {key: latest[key] for key in said} == said and latest["distance_m"] < 20
    assert items(breakit.phone("bob"), "/venues/unknown/posts") == []


def test_breakit_tells_people_what_became_of_their_news(breakit: App) -> None:
    phone, reader = breakit.phone("wes"), breakit.phone("bob")
    post = breakit.post("wes", headline="Bridge", **place(34))
    other = breakit.post("wes", headline="Tunnel", **place(34))
    with breakit.counting_later():
        vote(breakit, post, 2, 1)
    ok(reader.post(f"/posts/{post}/comments", json={"body": "When?"}), 201)
    ok(reader.post("/views", json={"post_ids": [post], "views": [9]}), 204)
    counts = {"likes": 2, "dislikes": 1, "comments": 1, "views": 9}
    until(lambda: ok(phone.get("/me/statistics")).items() >= {"posts": 2, **counts}.items())
    mine = items(phone, "/me/posts", at_most=1)
    assert [one["headline"] for one in mine] == ["Tunnel", "Bridge"]
    assert mine[1].items() >= counts.items()
    until(lambda: {(one["post_id"], one["event"], one["times"]) for one in items(phone, "/me/inbox")}
          == {(post, "published", 1), (other, "published", 1), (post, "commented", 1), (post, "liked", 2)})
    ok(phone.delete(f"/posts/{post}"), 204)
    assert numbers(phone, "/me/posts") == [other]
    assert post not in numbers(reader, "/posts/top", board="hot")
    assert ok(phone.get("/me/statistics"))["posts"] == 1


def test_a_gang_of_new_accounts_hides_nothing(breakit: App) -> None:
    here, reader = place(35), breakit.phone("bob")
    post = breakit.post("xia", **here)
    for number in range(20):
        ok(breakit.phone(f"new account {number}", days=0).post(f"/posts/{post}/reports", json={"reason": "other"}))
    breakit.weigh()
    assert post in numbers(reader, "/posts/within", **here)


# The page


def document(app: App) -> dict[str, dict[str, Any]]:
    paths = ok(app.phone(None).get("/openapi.json"))["paths"]
    return {f"{method.upper()} {path}": operation for path, methods in paths.items() for method, operation in methods.items()}


def test_the_page_is_about_this_server(geopic: App) -> None:
    routes = document(geopic)
    for row in rows():
        assert row.calls, row.does
        for call in row.calls:
            operation = routes[f"{call.method} {call.path}"]
            schemas = {one["name"]: one["schema"] for one in operation.get("parameters", []) if one["in"] != "path"}
            schemas |= operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}).get("properties", {})
            assert set(call.parameters) | set(call.headers) <= set(schemas), call
            for name, value in call.parameters.items():
                allowed = re.findall(r'"enum": (\[.*?\])', json.dumps(schemas[name]))
                assert value is None or not allowed or value in json.loads(allowed[0]), (call, name)
    needed = {f"{call.method} {call.path}" for row in rows() for call in row.calls}
    unneeded = set(re.findall(r"`([A-Z]+ /[^`]+)`", PAGE.split("## What these apps do not call")[1]))
    assert needed | unneeded == set(routes)
    assert needed & unneeded == set()


def test_the_page_names_each_test() -> None:
    source = ast.parse(Path(__file__).read_text())
    tests = {one.name for one in source.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")}
    named = {name for row in rows() for name in row.tests}
    assert all(row.tests for row in rows())
    assert {name for name in tests if not name.startswith("test_the_page_")} == named


def test_the_page_names_commands_that_set_up_the_apps() -> None:
    set_up = block("geopic") + block("breakit")
    for row in rows():
        for command in row.commands:
            assert command in set_up or command.startswith(("darkroom review ", "darkroom people ")), command


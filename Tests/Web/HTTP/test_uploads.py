"""A photo from the phone to the feed, and what is refused on the way."""

import json
from typing import Any

import httpx
import psycopg
import pytest
from conftest import Installation, Server

JPEG = {"Content-Type": "image/jpeg"}


def events(response: httpx.Response) -> list[dict[str, Any]]:
    """The data of all events until the stream ends."""
    return [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]


def test_the_stream_of_a_draft_ends_when_it_is_discarded(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe, server.client("zoe") as phone:
        sent = zoe.post("/uploads", params={"is_draft": True}, content=photo, headers=JPEG)
        where = sent.headers["Location"].removeprefix("/v1")
        with zoe.stream("GET", where, headers={"Accept": "text/event-stream"}) as stream:
            assert phone.delete(where).status_code == 204
            states = [event["state"] for event in events(stream)]
        assert states == ["draft", None]


def test_a_photo_becomes_a_post_while_its_uploader_watches(installation: Installation, server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe, server.client() as reader:
        sent = zoe.post("/uploads", params={"caption": "The ferry"}, content=photo, headers=JPEG)
        assert sent.status_code == 202, sent.text
        assert sent.json()["state"] == "waiting"
        where = sent.headers["Location"].removeprefix("/v1")
        with installation.worker(), zoe.stream("GET", where, headers={"Accept": "text/event-stream"}) as stream:
            assert stream.headers["Content-Type"] == "text/event-stream"
            states = events(stream)
        assert states[-1]["state"] == "succeeded"
        assert states[-1]["post_state"] == "published"
        [post] = reader.get("/posts").json()["items"]
        assert post["caption"] == "The ferry"
        assert "uploader" not in post
        picture = reader.get(f"/pictures/{post['pictures'][0]['media_key']}")
        assert picture.status_code == 200
        assert picture.headers["Content-Type"] == "image/jpeg"
        assert len(picture.content) == post["pictures"][0]["bytes"]
        # The post is gone, and so is its picture.
        assert zoe.delete(f"/posts/{post['post_id']}").status_code == 204


def test_servers_hear_of_events_without_a_reader_of_events(installation: Installation, server: Server) -> None:
    """Otherwise phones would wait for the two seconds after which the server looks by itself."""
    with psycopg.connect(installation.database, autocommit=True) as listener, server.client("zoe") as zoe:
        listener.execute('listen "darkroom.events"')
        assert zoe.post("/uploads", json={"headline": "A pin", "latitude": 60.1, "longitude": 24.9}).status_code == 202
        installation.drain()
        assert [event.channel for event in listener.notifies(timeout=20, stop_after=1)] == ["darkroom.events"]


def test_a_form_has_its_fields_before_the_photo(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        sent = zoe.post("/uploads", data={"caption": "Ä form", "latitude": "60.1", "longitude": "24.9"}, files={"photo": photo})
        assert sent.status_code == 202, sent.text
        assert zoe.get("/me/posts").json()["items"][0]["caption"] == "Ä form"
        late = zoe.post("/uploads", files=[("photo", photo), ("caption", (None, b"late"))])
        assert late.status_code == 400
        assert late.json()["argument"] == "caption"


def test_a_text_needs_no_photo(server: Server) -> None:
    with server.client("zoe") as zoe:
        text = {"headline": "A pin", "latitude": 60.1, "longitude": 24.9}
        assert zoe.post("/uploads", json=text).status_code == 202


def test_an_idempotency_key_makes_one_job(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        jobs = {
            zoe.post("/uploads", content=photo, headers={**JPEG, "Idempotency-Key": "a"}).json()["job_id"] for _ in range(3)}
        assert len(jobs) == 1


@pytest.mark.parametrize(("status", "code", "options"), [
    (401, "unauthenticated", {"headers": {**JPEG, "Authorization": "", "Darkroom-Person": ""}}),
    (415, "unsupported_type", {"content": b"no photo" * 100}),
    (415, "unsupported_type", {"headers": {"Content-Type": "text/html"}}),
    (422, "invalid_argument", {"params": {"latitude": "91", "longitude": "0"}}),
    (422, "invalid_argument", {"params": {"latitude": "north"}}),
    (400, "unknown_parameter", {"params": {"captoin": "x"}}),
])
def test_what_is_refused_is_a_problem(
    server: Server, photo: bytes, status: int, code: str, options: dict[str, Any]
) -> None:
    with server.client("zoe") as zoe:
        refused = zoe.post("/uploads", **{"content": photo, "headers": JPEG, **options})
        assert refused.status_code == status, refused.text
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert refused.json()["code"] == code
        assert zoe.get("/me/posts").json()["items"] == []


def test_too_many_bytes_are_refused_before_they_are_sent(installation: Installation) -> None:
    with installation.serve("--most-bytes", "1000") as server, server.client("zoe") as zoe:

        def never() -> Any:
            raise AssertionError("the body was asked for")
            yield b""

        headers = {**JPEG, "Content-Length": "1001", "Expect": "100-continue"}
        # httpx sends the body at once; the server reads none of it.
        with pytest.raises((AssertionError, httpx.HTTPError)):
            zoe.post("/uploads", content=never(), headers=headers)
        refused = zoe.post("/uploads", content=b"x" * 1001, headers=JPEG)
        assert refused.status_code == 413
        assert refused.json()["reason"] == "too_many_bytes"


def test_uploads_belong_to_their_people(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe, server.client("mallory") as mallory:
        where = zoe.post("/uploads", content=photo, headers=JPEG).headers["Location"].removeprefix("/v1")
        assert mallory.get(where).status_code == 404
        assert mallory.delete(where).status_code == 404
        assert zoe.delete(where).status_code == 204
        assert zoe.get(where).json()["state"] == "cancelled"

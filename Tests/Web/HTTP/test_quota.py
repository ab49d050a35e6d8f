"""Quotas over HTTP: 429 with the time to wait, before the bytes of a photo where that can be."""

from __future__ import annotations

from typing import Any

import httpx
from conftest import Installation, Server
from resumable import TUS, address, begin, jobs, patch

JPEG = {"Content-Type": "image/jpeg"}
TEXT = {"headline": "A pin", "latitude": 60.1, "longitude": 24.9}


def beyond(reply: httpx.Response, reason: str) -> dict[str, Any]:
    assert reply.status_code == 429, reply.text
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert 86_000 < int(reply.headers["Retry-After"]) <= 86_400
    problem: dict[str, Any] = reply.json()
    assert (problem["code"], problem["reason"]) == ("too_many_requests", reason)
    assert problem["detail"].endswith("You can go on in 24 h.")
    return problem


def test_photos_a_day(installation: Installation, server: Server, photo: bytes) -> None:
    installation("policy", "posting", "set", "--photos-a-day", "2", "--note", "test")
    with server.client("zoe") as zoe, server.client("bob") as bob:
        assert zoe.get("/me/quota").json() == {
            "photos_a_day": 2, "photos_left": 2, "bytes_a_day": None, "bytes_left": None, "more_at": None}
        first = zoe.post("/uploads", content=photo, headers={**JPEG, "Idempotency-Key": "a"})
        assert first.status_code == 202
        assert zoe.post("/uploads", json=TEXT).status_code == 202
        for refused in (
            zoe.post("/uploads", content=photo, headers=JPEG), zoe.post("/uploads", files={"photo": photo}),
            zoe.post("/uploads", json=TEXT), zoe.post("/uploads/check", json=TEXT), begin(zoe, len(photo)),
        ):
            beyond(refused, "too_many_photos_today")
        assert not list(installation.uploads.rglob("record"))
        quota = zoe.get("/me/quota").json()
        assert (quota["photos_left"], quota["more_at"] is None) == (0, False)
        # It is the one that was counted.
        again = zoe.post("/uploads", content=photo, headers={**JPEG, "Idempotency-Key": "a"})
        assert (again.status_code, again.json()["job_id"]) == (202, first.json()["job_id"])
        assert bob.post("/uploads", json=TEXT).status_code == 202
        installation.sql("update darkroom.uploads set created_at = created_at - interval '1 day' where uploader = 'zoe'")
        assert zoe.post("/uploads", json=TEXT).status_code == 202


def test_bytes_a_day(installation: Installation, server: Server, photo: bytes) -> None:
    installation("policy", "posting", "set", "--bytes-a-day", str(2 * len(photo) - 1), "--note", "test")
    with server.client("zoe") as zoe:
        assert zoe.post("/uploads", content=photo, headers=JPEG).status_code == 202
        assert zoe.get("/me/quota").json()["bytes_left"] == len(photo) - 1
        # Only its size tells that it is too much.
        beyond(zoe.post("/uploads", content=photo, headers=JPEG), "too_many_bytes_today")
        installation("policy", "posting", "set", "--bytes-a-day", str(len(photo) - 1), "--note", "test")
        assert zoe.get("/me/quota").json()["bytes_left"] == 0
    with server.client("bob") as bob:
        never = bob.post("/uploads", content=photo, headers=JPEG)
        assert (never.status_code, never.json()["reason"]) == (413, "too_many_bytes_today")
        assert "Retry-After" not in never.headers


def test_a_resumable_upload_counts_when_it_is_queued(installation: Installation, server: Server, photo: bytes) -> None:
    installation("policy", "posting", "set", "--photos-a-day", "1", "--note", "test")
    with server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        assert zoe.post("/uploads", json=TEXT).status_code == 202
        beyond(patch(zoe, where, 0, photo), "too_many_photos_today")
        installation.sql("update darkroom.uploads set created_at = created_at - interval '1 day'")
        # Its bytes are all there.
        assert "Darkroom-Upload" in zoe.head(where, headers=TUS).headers
        assert len(jobs(installation)) == 2

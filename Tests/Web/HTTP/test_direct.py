"""Photos that a phone puts into the object store itself. DARKROOM_BUCKET is the location of a bucket of a real store."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Installation, Server
from world import variant

HERE = {"latitude": 47.6, "longitude": -122.3}


@pytest.fixture
def link_key(installation: Installation) -> Path:
    path = installation.folder / "link.key"
    path.write_bytes(os.urandom(32))
    return path


@pytest.fixture
def bucket(installation: Installation, link_key: Path) -> Iterator[Server]:
    place, query = os.environ["DARKROOM_BUCKET"].split("?")
    installation.environment["DARKROOM_MEDIA"] = f"{place}{installation.folder.name}/?{query}"
    with installation.serve("--link-key", str(link_key)) as server:
        yield server


def facts(photo: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(photo).hexdigest(), "bytes": len(photo)}


def put(signed: dict[str, Any], photo: bytes) -> str | None:
    """What the store calls the photo; None if it does not take it."""
    headers = {name: value for name, value in signed["headers"].items() if name != "content-length"}
    reply = httpx.request(signed["method"], signed["url"], headers=headers, content=photo)
    return reply.headers["ETag"] if reply.status_code == 200 else None


def code(reply: httpx.Response) -> tuple[int, str, str | None]:
    problem = reply.json()
    return reply.status_code, problem["code"], problem.get("reason")


def test_a_photo_in_the_store_becomes_one_post(installation: Installation, bucket: Server, photo: bytes) -> None:
    with bucket.client("ada") as ada:
        signed = ada.post("/uploads/direct", json={**facts(photo), **HERE, "headline": "A ferry"})
        assert signed.status_code == 201, signed.text
        path = f"/uploads/direct/{signed.json()['ticket']}"
        md5 = hashlib.md5(photo).hexdigest()
        assert code(ada.post(path, json={**HERE, "etag": md5})) == (422, "not_possible", "not_arrived")
        assert put(signed.json(), photo[::-1]) is None
        assert put(signed.json(), photo + b"0") is None
        assert code(ada.post(path, json={**HERE, "etag": md5})) == (422, "not_possible", "not_arrived")
        tag = put(signed.json(), photo)
        assert tag is not None
        given = {**HERE, "headline": "A ferry", "etag": tag}
        queued = ada.post(path, json=given)
        assert queued.status_code == 202, queued.text
        assert ada.post(path, json=given).headers["Location"] == queued.headers["Location"]
        installation.drain()
        status = ada.get(queued.headers["Location"].removeprefix("/v1")).json()
        assert status["state"] == "succeeded", status
        assert [post["headline"] for post in ada.get("/posts").json()["items"]] == ["A ferry"]
        # Also when the post is there.
        assert ada.post(path, json={"etag": tag}).headers["Location"] == queued.headers["Location"]
    assert installation.sql("select count(*) from darkroom.posts") == [(1,)]


def test_one_ticket_makes_one_post_at_once(installation: Installation, bucket: Server, photo: bytes) -> None:
    with bucket.client("ada") as ada:
        signed = ada.post("/uploads/direct", json=facts(photo)).json()
        given = {**HERE, "etag": put(signed, photo)}
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda _: ada.post(f"/uploads/direct/{signed['ticket']}", json=given), range(20)))
    assert {reply.status_code for reply in replies} == {202}
    assert len({reply.headers["Location"] for reply in replies}) == 1
    assert installation.sql("select count(*) from darkroom.jobs where kind = 'ingest'") == [(1,)]


def test_a_hash_alone_gives_nobody_the_photo(bucket: Server, photo: bytes) -> None:
    """Mallory knows the hash and the size of a photo that ada stores at the same time."""
    with bucket.client("ada") as ada, bucket.client("mallory") as mallory:
        signed = ada.post("/uploads/direct", json=facts(photo)).json()
        own = mallory.post("/uploads/direct", json=facts(photo)).json()
        tag = put(signed, photo)
        assert code(mallory.post(f"/uploads/direct/{signed['ticket']}", json={**HERE, "etag": tag})) == (404, "not_found", None)
        path = f"/uploads/direct/{own['ticket']}"
        assert code(mallory.post(path, json=HERE)) == (400, "missing_parameter", None)
        for guess in ("*", facts(photo)["sha256"], '""', "W/", "0" * 32, " "):
            assert code(mallory.post(path, json={**HERE, "etag": guess})) == (422, "not_possible", "not_arrived"), guess
        for wrong in ("", 7, None, ["x"], "x" * 201):
            assert code(mallory.post(path, json={**HERE, "etag": wrong})) == (422, "invalid_argument", None), wrong
        # Anyone who has the photo may post it too, as with any upload.
        assert mallory.post(path, json={**HERE, "etag": put(own, photo)}).status_code == 202


def test_tickets_cannot_be_made_or_changed(bucket: Server, photo: bytes) -> None:
    with bucket.client("ada") as ada:
        ticket = ada.post("/uploads/direct", json=facts(photo)).json()["ticket"]
        issued, size, digest, mac = ticket.split(".")
        for forged in (
            f"{int(issued) - 1}.{size}.{digest}.{mac}", f"{issued}.{int(size) + 1}.{digest}.{mac}",
            f"{issued}.{size}.{'0' * 64}.{mac}", f"{issued}.{size}.{digest}.{'0' * 64}", f"{issued}.{size}.{digest}",
            f"{issued}.{size}.{digest.upper()}.{mac}", f"{issued}.{size}.{digest}.{mac.upper()}", f"0{ticket}", f"{ticket}.",
            f"+{ticket}", "x", ".", "..." * 1000,
        ):
            assert ada.post(f"/uploads/direct/{forged}", json=HERE).status_code in (400, 404), forged


def test_what_would_be_refused_is_refused_before_it_is_signed(bucket: Server, photo: bytes) -> None:
    with bucket.client("ada") as ada:
        for change, expected in [
            ({"sha256": None}, (422, "invalid_argument", None)), ({"sha256": "ab"}, (422, "invalid_argument", None)),
            ({"sha256": 7}, (422, "invalid_argument", None)), ({"bytes": 0}, (422, "invalid_argument", None)),
            ({"bytes": -1}, (422, "invalid_argument", None)), ({"bytes": 1.5}, (422, "invalid_argument", None)),
            ({"bytes": 2**63 - 1}, (413, "too_large", "too_many_bytes")), ({"bytes": "12"}, (422, "invalid_argument", None)),
            ({"nothing": 1}, (400, "unknown_parameter", None)), ({"latitude": 91, "longitude": 0}, (422, "invalid_argument", None)),
        ]:
            assert code(ada.post("/uploads/direct", json={**facts(photo), **change})) == expected, change
        for missing in ("sha256", "bytes"):
            given = facts(photo)
            del given[missing]
            assert code(ada.post("/uploads/direct", json=given)) == (400, "missing_parameter", None)
        assert httpx.post(f"{bucket.url}/v1/uploads/direct", json=facts(photo)).status_code == 401
        assert code(ada.post("/uploads/direct?caption=x", json=facts(photo))) == (400, "unknown_parameter", None)
        assert code(ada.post("/uploads/direct/1.1.1.1?caption=x", json=HERE)) == (400, "unknown_parameter", None)
        refused = ada.post("/uploads/direct", json={**facts(photo), "headline": "x" * 10_000}).json()
        assert refused["argument"] == "headline"


@pytest.mark.check
def test_nobody_gets_signatures_without_end(bucket: Server) -> None:
    with bucket.client("ada") as ada, bucket.client("bob") as bob:
        for number in range(100):
            assert ada.post("/uploads/direct", json={"sha256": f"{number:064x}", "bytes": 1}).status_code == 201
        refused = ada.post("/uploads/direct", json={"sha256": "a" * 64, "bytes": 1})
        assert refused.status_code == 429 and int(refused.headers["Retry-After"]) > 0
        assert bob.post("/uploads/direct", json={"sha256": "a" * 64, "bytes": 1}).status_code == 201


def test_bytes_that_are_no_photo_are_rejected_with_a_reason(installation: Installation, bucket: Server) -> None:
    text = b"no photo at all, whatever its name says"
    with bucket.client("ada") as ada:
        signed = ada.post("/uploads/direct", json=facts(text)).json()
        queued = ada.post(f"/uploads/direct/{signed['ticket']}", json={**HERE, "etag": put(signed, text)})
        installation.drain()
        status = ada.get(queued.headers["Location"].removeprefix("/v1")).json()
        assert (status["state"], status["reason"]) == ("rejected", "not_an_image"), status


def test_the_store_and_the_key_are_needed(installation: Installation, link_key: Path, photo: bytes) -> None:
    with installation.serve("--link-key", str(link_key)) as server, server.client("ada") as ada:
        assert code(ada.post("/uploads/direct", json=facts(photo))) == (422, "not_possible", "no_direct_uploads")
    with installation.serve() as server, server.client("ada") as ada:
        assert code(ada.post("/uploads/direct", json=facts(photo))) == (422, "not_possible", "no_direct_uploads")
        assert code(ada.post("/uploads/direct/1.1.1.1", json=HERE)) == (422, "not_possible", "no_direct_uploads")


def test_any_server_with_the_key_takes_the_ticket(
    installation: Installation, bucket: Server, link_key: Path, photo: bytes
) -> None:
    photo = variant(photo, 1)
    with bucket.client("ada") as ada, installation.serve("--link-key", str(link_key)) as second, second.client("ada") as later:
        signed = ada.post("/uploads/direct", json=facts(photo)).json()
        assert later.post(f"/uploads/direct/{signed['ticket']}", json={**HERE, "etag": put(signed, photo)}).status_code == 202

"""A phone stores a photo itself, with a signed request: in a real store, OpenStack Swift, which checks what is signed."""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import re
import time
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import psycopg
import pytest
from conftest import Bucket, Program
from darkroom import Darkroom, InvalidArgument, MediaError, StoredPhoto, StoreUnavailable

PHOTO = b"a photo, as far as a store can tell"
SHA256 = hashlib.sha256(PHOTO).hexdigest()
TYPE = {"content-type": "application/octet-stream"}


@pytest.fixture
def darkroom(bucket: Bucket) -> Darkroom:
    return Darkroom(bucket.location)


def send(method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> int:
    """The status of a request that has these headers and no others."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        connection.putrequest(method, f"{parts.path}?{parts.query}", skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        reply = connection.getresponse()
        reply.read()
        return reply.status
    finally:
        connection.close()


def test_a_phone_uploads_with_plain_urllib(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    before = datetime.now(UTC)
    upload = darkroom.direct_upload(connection, sha256=SHA256, size=len(PHOTO))
    assert upload.method == "PUT" and upload.photo == StoredPhoto.of(SHA256, len(PHOTO))
    assert upload.headers == {"content-length": str(len(PHOTO)), **TYPE, "x-amz-content-sha256": SHA256}
    assert 898 <= (upload.expires_at - before).total_seconds() <= 930
    # Nobody finds the signature in a log.
    assert "Signature" in upload.url and "Signature" not in repr(upload)
    assert not darkroom.has_arrived(connection, upload.photo)
    # A phone's library adds headers of its own, such as its name.
    for _ in range(2):
        request = urllib.request.Request(upload.url, PHOTO, upload.headers, method=upload.method)
        with urllib.request.urlopen(request) as reply:
            assert reply.status == 200
        assert darkroom.has_arrived(connection, upload.photo)
    assert bucket.photos() == [upload.photo.original_key] and bucket.read(upload.photo.original_key) == PHOTO
    job = darkroom.enqueue(connection, upload.photo, uploader="ada")
    status = darkroom.status(connection, job)
    assert status is not None and status.state == "waiting"
    # Of another size it is not the photo that was announced.
    assert not darkroom.has_arrived(connection, StoredPhoto.of(SHA256, len(PHOTO) + 1))


def test_a_worker_publishes_what_a_phone_has_uploaded(
    connection: psycopg.Connection, database: str, darkroom: Darkroom, bucket: Bucket
) -> None:
    photo = Path(os.environ["DARKROOM_PHOTO"]).read_bytes()
    upload = darkroom.direct_upload(connection, sha256=hashlib.sha256(photo).hexdigest(), size=len(photo))
    assert send(upload.method, upload.url, upload.headers, photo) == 200
    job = darkroom.enqueue(connection, upload.photo, uploader="ada", latitude=47.6, longitude=-122.3)
    connection.commit()
    Program(database, bucket.location)("work", "--drain", "--concurrency", "1")
    status = darkroom.status(connection, job)
    assert status is not None and status.state == "succeeded"


OTHER = hashlib.sha256(PHOTO[::-1]).hexdigest()


def other_key(url: str) -> str:
    return url.replace(f"{SHA256[:2]}/{SHA256[2:4]}/{SHA256}", f"{OTHER[:2]}/{OTHER[2:4]}/{OTHER}")


def test_a_signed_request_stores_nothing_else(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    upload = darkroom.direct_upload(connection, sha256=SHA256, size=len(PHOTO))
    url, hashed, other = upload.url, {**TYPE, "x-amz-content-sha256": SHA256}, {**TYPE, "x-amz-content-sha256": OTHER}
    sized = {**TYPE, "content-length": str(len(PHOTO))}
    misuses: dict[str, tuple[str, str, Mapping[str, str], bytes]] = {
        "other bytes": ("PUT", url, upload.headers, PHOTO[::-1]),
        "fewer bytes": ("PUT", url, {**hashed, "content-length": str(len(PHOTO) - 1)}, PHOTO[:-1]),
        "more bytes": ("PUT", url, {**hashed, "content-length": str(len(PHOTO) + 1)}, PHOTO + b"!"),
        "another key": ("PUT", other_key(url), upload.headers, PHOTO),
        "another hash": ("PUT", url, {**sized, **other}, PHOTO[::-1]),
        "another key and hash": ("PUT", other_key(url), {**sized, **other}, PHOTO[::-1]),
        "no hash": ("PUT", url, sized, PHOTO),
        "any bytes": ("PUT", url, {**sized, "x-amz-content-sha256": "UNSIGNED-PAYLOAD"}, PHOTO),
        "a page": ("PUT", url, {**upload.headers, "content-type": "text/html"}, PHOTO),
        "no type": ("PUT", url, {"content-length": str(len(PHOTO)), "x-amz-content-sha256": SHA256}, PHOTO),
        "unsigned size": ("PUT", url.replace("Headers=content-length%3B", "Headers="), upload.headers, PHOTO),
        "later expiry": ("PUT", url.replace("X-Amz-Expires=900", "X-Amz-Expires=604800"), upload.headers, PHOTO),
        "another method": ("DELETE", url, hashed, b""),
        "reading": ("GET", url, hashed, b""),
        "another parameter": ("PUT", f"{url}&x-id=PutObject", upload.headers, PHOTO),
    }
    right = ("PUT", url, upload.headers, PHOTO)
    for name, request in misuses.items():
        assert request != right and send(*request) in (400, 403), name
        assert bucket.photos() == [] and not darkroom.has_arrived(connection, upload.photo), name
    assert send(*right) == 200
    # Nor when it is there.
    for name, request in misuses.items():
        assert send(*request) in (400, 403), name
        assert bucket.photos() == [upload.photo.original_key] and bucket.read(upload.photo.original_key) == PHOTO, name


def test_what_has_expired_is_refused(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    upload = darkroom.direct_upload(connection, sha256=SHA256, size=len(PHOTO), expires_in=1)
    stored = darkroom.store(connection, io.BytesIO(b"one"))
    url = darkroom.original_url(connection, stored.original_key, expires_in=1)
    # The second ends while this waits for the store's refusal; until then reading is allowed.
    while (status := send("GET", url, {})) == 200:
        assert datetime.now(UTC) < upload.expires_at + timedelta(seconds=20)
    assert status == 403 and datetime.now(UTC) >= upload.expires_at
    assert send(upload.method, upload.url, upload.headers, PHOTO) == 403
    assert bucket.photos() == [stored.original_key]


def test_an_originals_url_reads_no_other(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    mine, theirs = (darkroom.store(connection, io.BytesIO(photo)) for photo in (b"mine", b"theirs"))
    url = darkroom.original_url(connection, mine.original_key)
    with urllib.request.urlopen(url) as reply:
        assert reply.read() == b"mine"
    swapped = url.replace(mine.original_key, theirs.original_key)
    assert swapped != url and send("GET", swapped, {}) == 403
    assert send("PUT", url, {"content-length": "3"}, b"bad") == 403
    assert send("DELETE", url, {}) == 403
    assert send("GET", url.partition("?")[0], {}) in (400, 401, 403)
    with pytest.raises(HTTPError) as refused:
        urllib.request.urlopen(swapped)
    refused.value.close()
    assert bucket.read(mine.original_key) == b"mine" and bucket.read(theirs.original_key) == b"theirs"
    # Other programs may give other keys.
    bucket.write("originals/2026/it's 100%?.jpg".replace(" ", "+"), b"odd")
    with urllib.request.urlopen(darkroom.original_url(connection, "originals/2026/it's+100%?.jpg")) as reply:
        assert reply.read() == b"odd"


def test_what_is_no_originals_key(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    for key in (
        "originals/.darkroom-store", "originals/a/.b", "renditions/ab/cd/x.jpg", "originals/", "originals", "originals//a",
        "originals/../renditions/a", "/originals/a", "originals/a b", "originals/a\n", "originals/ä",
        "originals/" + "a" * 503, "",
    ):
        with pytest.raises(InvalidArgument) as error:
            darkroom.original_url(connection, key)
        assert error.value.constraint == "media_key_is_of_an_original", key


def test_arguments_are_checked(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    for name, constraint, values in (
        ("sha256", "sha256_is_64_hexadecimal_digits", [
            "", SHA256[1:], SHA256 + "0", SHA256.upper(), SHA256[:-1] + "g", SHA256 + "\n", f"../{SHA256[3:]}", bytes(32),
            None]),
        ("size", "size_is_1_or_more", [0, -1, 1.5, "1", True, None]),
        ("expires_in", "expires_in_is_1_to_86400_seconds", [0, -1, 86_401, 1.5, "900", True, None]),
    ):
        for value in values:
            wrong: Any = {"sha256": SHA256, "size": 1, name: value}
            with pytest.raises(InvalidArgument) as error:
                darkroom.direct_upload(connection, **wrong)
            assert error.value.constraint == constraint, value


def test_the_shortest_and_the_longest_time(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    stored = darkroom.store(connection, io.BytesIO(b"one"))
    for seconds in (1, 604_800):
        assert f"X-Amz-Expires={seconds}&" in darkroom.original_url(connection, stored.original_key, expires_in=seconds)
    with pytest.raises(InvalidArgument) as error:
        darkroom.original_url(connection, stored.original_key, expires_in=604_801)
    assert error.value.constraint == "expires_in_is_1_to_604800_seconds"
    for seconds in (1, 86_400):
        earliest = time.time() + seconds - 1
        upload = darkroom.direct_upload(connection, sha256=SHA256, size=1, expires_in=seconds)
        assert f"X-Amz-Expires={seconds}&" in upload.url
        assert earliest <= upload.expires_at.timestamp() <= time.time() + seconds


def test_nothing_is_read_before_anything_was_stored(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket
) -> None:
    photo = StoredPhoto.of(SHA256, 1)
    with pytest.raises(StoreUnavailable, match="nothing was ever stored"):
        darkroom.has_arrived(connection, photo)
    with pytest.raises(StoreUnavailable, match="nothing was ever stored"):
        darkroom.original_url(connection, photo.original_key)
    assert bucket.keys() == []


def test_a_directory_has_no_direct_uploads(connection: psycopg.Connection, media: Path) -> None:
    darkroom = Darkroom(media)
    photo = darkroom.store(connection, io.BytesIO(PHOTO))
    for call in (
        lambda: darkroom.direct_upload(connection, sha256=SHA256, size=1),
        lambda: darkroom.has_arrived(connection, photo),
        lambda: darkroom.original_url(connection, photo.original_key),
    ):
        with pytest.raises(MediaError, match="is a directory.* need an object store"):
            call()


def test_the_readmes_endpoint(connection: psycopg.Connection, bucket: Bucket) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    [code] = [block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "def begin_upload" in block]
    assert '"s3://photos/darkroom?region=eu-central-1"' in code
    scope: dict[str, Any] = {}
    exec(code.replace("s3://photos/darkroom?region=eu-central-1", bucket.location), scope)
    asked = {"sha256": SHA256, "size": len(PHOTO), "caption": "The ferry at dawn"}
    began = scope["begin_upload"](connection, asked)
    with pytest.raises(LookupError):
        scope["finish_upload"](connection, "ada", asked)
    assert send(began["method"], began["url"], began["headers"], PHOTO) == 200
    job = scope["finish_upload"](connection, "ada", asked)
    assert Darkroom(bucket.location).status(connection, job, uploader="ada") is not None

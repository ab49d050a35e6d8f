"""An object store that is away, another one, full or refusing."""

from __future__ import annotations

import errno
import hashlib
import io
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import psycopg
import pytest
from botocore.config import Config
from conftest import MARKER, Bucket, jobs
from darkroom import Darkroom, MediaError, StoreFull, StoreUnavailable, _objects

pytestmark = pytest.mark.check


@pytest.fixture
def darkroom(bucket: Bucket) -> Darkroom:
    return Darkroom(bucket.location)


def test_the_store_of_another_database_is_refused(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket, another_database: Callable[[], str]
) -> None:
    with psycopg.connect(another_database()) as owner:
        owner.execute("update darkroom.settings set installation = '0000ffff'")
        theirs = darkroom.store(owner, io.BytesIO(b"theirs"))
    before = bucket.keys()
    sha256 = hashlib.sha256(b"ours").hexdigest()
    # As long as this database has no store, and when it has one.
    for remedy in ("of another database", "correct bucket and prefix"):
        with pytest.raises(StoreUnavailable, match=remedy):
            darkroom.enqueue(connection, io.BytesIO(b"ours"), uploader="ada")
        with pytest.raises(StoreUnavailable, match=remedy):
            darkroom.direct_upload(connection, sha256=sha256, size=4)
        with pytest.raises(StoreUnavailable):
            darkroom.original_url(connection, theirs.original_key)
        with pytest.raises(StoreUnavailable):
            darkroom.has_arrived(connection, theirs)
        connection.execute("update darkroom.settings set media_identity = installation || '00000001'")
    assert bucket.keys() == before and jobs(connection) == 0


def test_an_emptied_bucket_is_refused(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    for key in bucket.keys():
        bucket.remove(key)
    with pytest.raises(StoreUnavailable, match="has no marker"):
        darkroom.store(connection, io.BytesIO(b"two"))
    bucket.write(MARKER, b"0123456789ABCDEF\n")
    with pytest.raises(StoreUnavailable, match="is not a file with the identity"):
        darkroom.store(connection, io.BytesIO(b"two"))
    assert bucket.keys() == [MARKER]


def test_a_store_that_is_replaced_while_a_photo_arrives(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Replacing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            bucket.write(MARKER, b"0000ffff00000001\n")
            return super().read(size)

    monkeypatch.setattr("darkroom._objects._PATIENCE", 0)
    darkroom.store(connection, io.BytesIO(b"one"))
    with pytest.raises(StoreUnavailable, match="is the media store 0000ffff00000001"):
        darkroom.store(connection, Replacing(b"two"))
    assert len(bucket.photos()) == 1


class Refusing(BaseHTTPRequestHandler):
    """Replies as other stores do, or as this one does not on demand."""

    replies: list[tuple[int, str]] = []

    def do_GET(self) -> None:
        status, code = self.replies.pop(0)
        body = f"<Error><Code>{code}</Code></Error>".encode() if code else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def refusing(bucket: Bucket) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"s3://photos?endpoint=http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_refusals_say_what_to_do(refusing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = Config(retries={"mode": "standard", "total_max_attempts": 1})
    monkeypatch.setattr("darkroom._objects._CONFIGURATION", _objects._CONFIGURATION.merge(once))
    store = _objects.ObjectStore(refusing)
    for status, code, kind, why in (
        (403, "AccessDenied", MediaError, "give the access key the right"),
        (403, "", MediaError, "give the access key the right"),
        (403, "InvalidAccessKeyId", StoreUnavailable, "correct the access key"),
        (400, "ExpiredToken", StoreUnavailable, "renew them"),
        (403, "RequestTimeTooSkewed", StoreUnavailable, "set the wrong one"),
        (400, "AuthorizationHeaderMalformed", StoreUnavailable, "correct endpoint, region or style"),
        (404, "NoSuchBucket", StoreUnavailable, "make it, or correct the location"),
        (403, "QuotaExceeded", StoreFull, "free or add space"),
        (507, "", StoreFull, "free or add space"),
        (400, "BadDigest", MediaError, "do not match their SHA-256"),
        (400, "EntityTooLarge", MediaError, "no objects of this size"),
        (503, "SlowDown", StoreUnavailable, "try later"),
        (429, "", StoreUnavailable, "try later"),
        (400, "IncompleteBody", StoreUnavailable, "look at the network"),
        (500, "InternalError", StoreUnavailable, "look at its log"),
        (503, "Whatever", StoreUnavailable, "try later"),
        (400, "Whatever", StoreUnavailable, "check whether it supports"),
    ):
        Refusing.replies = [(status, code)]
        with pytest.raises(MediaError, match=why) as error:
            store.identity()
        assert type(error.value) is kind, code
        assert f"(status {status}, '{code or status}')" in str(error.value)


def test_a_passing_fault_is_tried_again(refusing: str) -> None:
    Refusing.replies = [(503, "SlowDown"), (500, "InternalError"), (404, "NoSuchKey")]
    assert _objects.ObjectStore(refusing).identity() is None and Refusing.replies == []


def test_a_store_that_is_away(connection: psycopg.Connection, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(location: str, why: str) -> None:
        with pytest.raises(StoreUnavailable, match=why):
            Darkroom(location).enqueue(connection, io.BytesIO(b"one"), uploader="ada")

    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    refused(f"s3://{bucket.name}?endpoint=http://127.0.0.1:{port}", "look at the network and the store")
    # Which speaks no TLS.
    refused(bucket.location.replace("endpoint=http%", "endpoint=https%"), "correct its certificate")
    refused(bucket.location.replace(bucket.name, "no-such-bucket"), "no such bucket; make it")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused(bucket.location, "correct the access key and the secret key")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    refused(bucket.location, "no keys to it; set AWS_ACCESS_KEY_ID")
    darkroom = Darkroom(bucket.location)
    with pytest.raises(StoreUnavailable, match="no keys to it"):
        darkroom.store(connection, io.BytesIO(b"one"))
    assert jobs(connection) == 0 and bucket.keys() == []
    # They may come later.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test:tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    darkroom.store(connection, io.BytesIO(b"one"))


def test_keys_without_the_right_to_store(
    connection: psycopg.Connection, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "other:reader")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "reading")
    with pytest.raises(MediaError) as error:
        Darkroom(bucket.location).enqueue(connection, io.BytesIO(b"one"), uploader="ada")
    assert jobs(connection) == 0 and bucket.keys() == []
    assert "reading" not in str(error.value)


def test_a_photo_that_changes_on_the_way_is_not_stored(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    before = bucket.keys()

    class Rotten(io.BytesIO):
        def write(self, data: bytes, /) -> int:  # type: ignore[override]
            return super().write(bytes(len(data)))

    monkeypatch.setattr("darkroom._objects.tempfile.TemporaryFile", lambda **_: Rotten())
    with pytest.raises(MediaError, match="has changed: nothing was stored"):
        darkroom.store(connection, io.BytesIO(b"two"))
    assert bucket.keys() == before


def test_a_full_temporary_directory(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, data: bytes, /) -> int:  # type: ignore[override]
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("darkroom._objects.tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(StoreFull, match="set TMPDIR"):
        darkroom.enqueue(connection, io.BytesIO(b"one"), uploader="ada")
    monkeypatch.undo()
    assert jobs(connection) == 0

"""Photos in an object store: a real one, OpenStack Swift."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import psycopg
import pytest
from conftest import MARKER, Bucket, Program, jobs
from darkroom import AsyncDarkroom, Darkroom, StoredPhoto, StoreUnavailable

PHOTO = Path(os.environ["DARKROOM_PHOTO"])


@pytest.fixture
def darkroom(bucket: Bucket) -> Darkroom:
    return Darkroom(bucket.location)


def test_bytes_are_stored_under_their_key(connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket) -> None:
    photo = darkroom.store(connection, io.BytesIO(b"one"))
    name = hashlib.sha256(b"one").hexdigest()
    assert photo == StoredPhoto(f"originals/{name[:2]}/{name[2:4]}/{name}", name, 3) == StoredPhoto.of(name, 3)
    assert bucket.read(photo.original_key) == b"one"
    identity = bucket.read(MARKER)
    assert connection.execute("select identity from darkroom.media_identity()").fetchone() == (identity.decode().strip(),)
    # Another program may then find the wrong marker: see S3MediaStore+Identity.swift.
    assert bucket.keys() == [MARKER, f"{MARKER}-{identity.decode().strip()}", photo.original_key]
    head = bucket.client.head_object(Bucket=bucket.name, Key=f"photos/{photo.original_key}")
    assert head["Metadata"] == {"sha256": name}


def test_swift_and_python_store_one_photo_once(
    connection: psycopg.Connection, database: str, darkroom: Darkroom, bucket: Bucket
) -> None:
    program = Program(database, bucket.location)
    program("enqueue", "--uploader", "ada", "--lat", "47.6", "--lon", "-122.3", str(PHOTO))
    job = darkroom.enqueue(connection, PHOTO, uploader="bob", latitude=-33.9, longitude=18.4)
    connection.commit()
    assert len([key for key in bucket.photos() if key.startswith("originals/")]) == 1
    program("work", "--drain", "--concurrency", "1")
    status = darkroom.status(connection, job, uploader="bob")
    assert status is not None and status.state == "succeeded" and status.post_id is not None


def test_six_processes_store_one_photo_in_a_new_store(database: str, connection: psycopg.Connection, bucket: Bucket) -> None:
    script = """
import io, sys, psycopg
from darkroom import Darkroom
darkroom = Darkroom(sys.argv[2])
with psycopg.connect(sys.argv[1]) as connection:
    print("ready", flush=True)
    sys.stdin.readline()
    darkroom.enqueue(connection, io.BytesIO(bytes(range(256)) * 4096), uploader="ada")
"""
    with contextlib.ExitStack() as ended:
        children = [
            ended.enter_context(subprocess.Popen(
                [sys.executable, "-c", script, database, bucket.location], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True))
            for _ in range(6)]
        for child in children:
            assert child.stdout is not None and child.stdout.readline() == "ready\n", child.communicate()
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        for child in children:
            errors = child.communicate()[1]
            assert child.returncode == 0, errors
    [key] = bucket.photos()
    assert bucket.read(key) == bytes(range(256)) * 4096 and jobs(connection) == 6
    # The recorded marker is there, or is put back by the next photo.
    darkroom = Darkroom(bucket.location)
    darkroom.store(connection, io.BytesIO(b"one"))
    recorded = connection.execute("select identity from darkroom.media_identity()").fetchone()
    assert recorded == (bucket.read(MARKER).decode().strip(),)


def test_a_rivals_marker_is_replaced_by_the_recorded_one(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket
) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    recorded = bucket.read(MARKER)
    rival = recorded[:8] + (b"00000000\n" if recorded[8:16] != b"00000000" else b"00000001\n")
    bucket.write(MARKER, rival)
    bucket.remove(f"{MARKER}-{recorded.decode().strip()}")
    # Without the trace of the recorded one, it is the store of a copy of this database.
    with pytest.raises(StoreUnavailable, match="is the media store"):
        Darkroom(bucket.location).store(connection, io.BytesIO(b"two"))
    assert bucket.read(MARKER) == rival and len(bucket.photos()) == 1
    bucket.write(f"{MARKER}-{recorded.decode().strip()}", recorded)
    # Nor is another database's store a rival's.
    bucket.write(MARKER, b"0000ffff00000001\n")
    with pytest.raises(StoreUnavailable, match="is the media store 0000ffff00000001"):
        darkroom.store(connection, io.BytesIO(b"two"))
    bucket.write(MARKER, rival)
    darkroom.store(connection, io.BytesIO(b"two"))
    assert bucket.read(MARKER) == recorded and len(bucket.photos()) == 2


def test_a_large_photo_without_a_length_is_read_in_pieces(
    connection: psycopg.Connection, darkroom: Darkroom, bucket: Bucket
) -> None:
    class Endless:
        left = 64 << 20

        def read(self, size: int, /) -> bytes:
            piece = bytes(min(size, self.left))
            self.left -= len(piece)
            return piece

    darkroom.store(connection, io.BytesIO(b"one"))
    tracemalloc.start()
    try:
        photo = darkroom.store(connection, Endless())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert photo.original_bytes == 64 << 20 and darkroom.has_arrived(connection, photo)
    assert peak < 4 << 20


def test_async_connections_do_the_same(database: str, bucket: Bucket) -> None:
    async def run() -> None:
        darkroom = AsyncDarkroom(bucket.location)
        async with await psycopg.AsyncConnection.connect(database) as connection:
            photo = await darkroom.store(connection, io.BytesIO(b"one"))
            assert await darkroom.has_arrived(connection, photo)
            upload = await darkroom.direct_upload(connection, sha256=photo.original_sha256, size=3)
            assert upload.photo == photo
            assert bucket.name in await darkroom.original_url(connection, photo.original_key)

    asyncio.run(run())


def test_without_botocore_it_says_how_to_install_it() -> None:
    script = """
import sys
sys.modules["botocore"] = None
from darkroom import Darkroom, MediaError
Darkroom("/tmp")
try: Darkroom("s3://photos?region=eu-central-1")
except MediaError as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'darkroom-client[s3]'" in done.stdout

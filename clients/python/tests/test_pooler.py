"""Behind PgBouncer in transaction mode, with two sessions of the server: every call does what it does without."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import Bucket, Program, jobs
from darkroom import AsyncDarkroom, Darkroom, StoredPhoto
from psycopg.conninfo import make_conninfo

#: More often than psycopg executes a statement before it prepares it.
OFTEN = 7


@pytest.fixture
def pooled(database: str) -> str:
    """The database through PgBouncer, in whose folder DARKROOM_POOLER is its socket."""
    if not (folder := os.environ.get("DARKROOM_POOLER")):
        pytest.skip("needs PgBouncer: set DARKROOM_POOLER to the folder of its socket")
    return make_conninfo(database, host=folder, port=6432)


def connect(pooled: str) -> psycopg.Connection:
    return psycopg.connect(pooled, prepare_threshold=None)


def reads(job: int, post: int) -> list[Callable[[psycopg.Connection, Darkroom], Any]]:
    """Every call that changes nothing."""
    here: dict[str, object] = {"latitude": -33.9, "longitude": 18.4}
    box = {"south": -34, "west": 18, "north": -33, "east": 19, "zoom": 12}
    functions: list[tuple[str, dict[str, object]]] = [
        ("latest_posts", {}), ("nearest_posts", here), ("posts_within", {**here, "radius_m": 5000}),
        ("near_and_good_posts", here), ("top_posts", {"board": "wilson"}), ("map_clusters", {**box}),
        ("map_photos", {**box}), ("post_details", {"post_id": post}), ("post_comments", {"post_id": post}),
        ("uploader_posts", {"uploader": "ada"}), ("inbox", {"person": "ada"}), ("read_events", {"consumer": "mail"}),
        ("queue_depth", {}),
    ]
    calls = [lambda connection, darkroom, f=name, a=arguments: darkroom.call(connection, f, **a)
             for name, arguments in functions]
    return [
        *calls, lambda connection, darkroom: darkroom.status(connection, job, uploader="ada"),
    ]


def test_every_call_does_what_it_does_without(pooled: str, database: str, media: Path, darkroom: Darkroom) -> None:
    photo = Path(os.environ["DARKROOM_PHOTO"])
    with connect(pooled) as connection, connect(pooled) as rival, psycopg.connect(database, autocommit=True) as direct:
        job = darkroom.enqueue(connection, photo, uploader="ada", caption="At dawn", latitude=-33.9, longitude=18.4)
        connection.commit()
        Program(pooled, media)("work", "--drain", "--concurrency", "1")
        status = darkroom.status(direct, job)
        assert status is not None and status.state == "succeeded" and status.post_id is not None
        darkroom.call(direct, "add_consumer", consumer="mail", is_from_start=True)
        darkroom.call(direct, "add_comment", post_id=status.post_id, author="bob", body="Where?")
        for call in reads(job, status.post_id):
            expected = call(direct, darkroom)
            assert expected is not None
            for _ in range(OFTEN):
                assert call(connection, darkroom) == expected
                connection.commit()
            # The rival gets the session that was used last, and the next call another one.
            rival.execute("select 1")
            assert call(connection, darkroom) == expected
            connection.commit()
            rival.rollback()
        # And what writes.
        for number in range(OFTEN):
            for held in (False, True):
                if held:
                    rival.execute("select 1")
                stored = darkroom.store(connection, io.BytesIO(b"%d" % number))
                one = darkroom.enqueue(connection, stored, uploader="ada")
                connection.commit()
                assert darkroom.cancel(connection, one, uploader="ada")
                darkroom.call(connection, "vote_on_post", post_id=status.post_id, voter=f"user-{number}", vote="like")
                connection.commit()
                rival.rollback()
        [details] = darkroom.call(direct, "post_details", post_id=status.post_id)
        assert details["likes"] == OFTEN and details["comments"] == 1


def test_many_threads_share_two_sessions(
    pooled: str, database: str, connection: psycopg.Connection, darkroom: Darkroom
) -> None:
    def enqueue(person: int) -> None:
        with connect(pooled) as mine:
            for number in range(10):
                job = darkroom.enqueue(mine, io.BytesIO(b"%d %d" % (person, number)), uploader=f"user-{person}")
                mine.commit()
                assert darkroom.status(mine, job, uploader=f"user-{person}") is not None
                assert darkroom.call(mine, "latest_posts") == []
                mine.commit()

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(enqueue, range(12)))
    assert jobs(connection) == 120
    [(sessions,)] = connection.execute(
        "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()").fetchall()
    assert sessions <= 2


def test_coroutines_too(pooled: str, database: str, media: Path) -> None:
    async def enqueue(darkroom: AsyncDarkroom, person: int) -> int:
        async with await psycopg.AsyncConnection.connect(pooled, prepare_threshold=None) as mine:
            for number in range(OFTEN):
                job = await darkroom.enqueue(mine, io.BytesIO(b"%d %d" % (person, number)), uploader="ada")
                await mine.commit()
                assert await darkroom.cancel(mine, job)
            return len(await darkroom.call(mine, "latest_posts"))

    async def run() -> list[int]:
        darkroom = AsyncDarkroom(media)
        return await asyncio.gather(*(enqueue(darkroom, person) for person in range(6)))

    assert asyncio.run(run()) == [0] * 6


def test_direct_uploads_too(pooled: str, bucket: Bucket) -> None:
    darkroom = Darkroom(bucket.location)
    photo = StoredPhoto.of(hashlib.sha256(b"photo").hexdigest(), 5)
    with connect(pooled) as connection, connect(pooled) as rival:
        for number in range(2 * OFTEN):
            if number % 2:
                rival.execute("select 1")
            upload = darkroom.direct_upload(connection, sha256=photo.original_sha256, size=5)
            assert upload.method == "PUT"
            assert darkroom.has_arrived(connection, photo) is False
            assert darkroom.original_url(connection, photo.original_key).startswith("http")
            connection.commit()
            rival.rollback()

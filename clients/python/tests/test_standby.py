"""README's example for readers, with a real standby. DARKROOM_PRIMARY and DARKROOM_STANDBY are a superuser's; posts are published
there."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from darkroom import Darkroom

pytestmark = pytest.mark.standby

Latest = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def latest_posts() -> Latest:
    readme = Path(__file__).parents[1].joinpath("README.md").read_text()
    [example] = [text for text in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "def latest_posts" in text]
    names: dict[str, Any] = {}
    exec(example, names)
    found: Latest = names["latest_posts"]
    return found


@pytest.fixture
def writer() -> Iterator[psycopg.Connection]:
    with psycopg.connect(os.environ["DARKROOM_PRIMARY"]) as connection:
        yield connection


@pytest.fixture
def reader() -> Iterator[psycopg.Connection]:
    with psycopg.connect(os.environ["DARKROOM_STANDBY"]) as connection:
        yield connection


def await_replay(darkroom: Darkroom, reader: psycopg.Connection, position: str) -> None:
    while not darkroom.has_replayed(reader, position):
        reader.rollback()
        time.sleep(0.005)
    reader.rollback()


def test_readers_by_hand(latest_posts: Latest, writer: psycopg.Connection, reader: psycopg.Connection, media: Path) -> None:
    darkroom = Darkroom(media)
    await_replay(darkroom, reader, darkroom.write_position(writer))
    writer.rollback()
    posts = latest_posts(reader, writer)
    assert len(posts) >= 2

    # A post is deleted, which the standby does not know yet.
    with psycopg.connect(os.environ["DARKROOM_STANDBY"], autocommit=True) as operator:
        operator.execute("select pg_wal_replay_pause()")
        darkroom.call(writer, "delete_post", post_id=posts[0]["post_id"], uploader=posts[0]["uploader"])
        writer.commit()
        position = darkroom.write_position(writer)
        writer.commit()
        assert not darkroom.has_replayed(reader, position)
        reader.rollback()
        assert len(latest_posts(reader, writer)) == len(posts)
        assert len(latest_posts(reader, writer, position)) == len(posts) - 1
        operator.execute("select pg_wal_replay_resume()")
        await_replay(darkroom, reader, position)
    # The writing server is not asked, then the standby is away.
    with psycopg.connect(os.environ["DARKROOM_PRIMARY"]) as lost:
        lost.close()
        assert len(latest_posts(reader, lost, position)) == len(posts) - 1
        assert len(latest_posts(lost, writer, position)) == len(posts) - 1
    # Nobody waits in an open transaction.
    assert {each.info.transaction_status for each in (reader, writer)} == {psycopg.pq.TransactionStatus.IDLE}

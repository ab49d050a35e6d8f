"""README's example for readers, with a real standby. DARKROOM_PRIMARY and DARKROOM_STANDBY are a superuser's; posts are published
there."""

from __future__ import annotations

import os
import re
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


def test_feeds_are_from_the_standby_and_own_posts_from_the_writing_server(
    latest_posts: Latest, writer: psycopg.Connection, reader: psycopg.Connection, media: Path
) -> None:
    darkroom = Darkroom(media)
    posts = latest_posts(reader, writer)
    assert len(posts) >= 2
    uploader = posts[0]["uploader"]
    own = darkroom.call(writer, "uploader_posts", uploader=uploader)
    writer.commit()

    # A post is deleted, which the standby does not know yet.
    with psycopg.connect(os.environ["DARKROOM_STANDBY"], autocommit=True) as operator:
        operator.execute("select pg_wal_replay_pause()")
        darkroom.call(writer, "delete_post", post_id=posts[0]["post_id"], uploader=uploader)
        writer.commit()
        assert len(latest_posts(reader, writer)) == len(posts)
        assert len(darkroom.call(writer, "uploader_posts", uploader=uploader)) == len(own) - 1
        writer.commit()
        # The standby ends the connection.
        operator.execute("select pg_terminate_backend(%s)", [reader.info.backend_pid])
        assert len(latest_posts(reader, writer)) == len(posts) - 1
        operator.execute("select pg_wal_replay_resume()")
    # Nobody waits in an open transaction.
    assert writer.info.transaction_status == psycopg.pq.TransactionStatus.IDLE

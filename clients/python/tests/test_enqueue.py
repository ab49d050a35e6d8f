"""Storing and enqueueing belong to the caller's transaction."""

from __future__ import annotations

import asyncio
import hashlib
import io
from dataclasses import fields
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import Program, files
from darkroom import (
    AsyncDarkroom,
    Conflict,
    Darkroom,
    Details,
    InvalidArgument,
    NotFound,
    NotPermitted,
    NotPossible,
    UnknownState,
    UploadStatus,
)
from psycopg import sql
from psycopg.rows import tuple_row

PHOTO = b"a photo, as far as a queue can tell"
KEY = "originals/{0:.2}/{1}/{0}".format(hashlib.sha256(PHOTO).hexdigest(), hashlib.sha256(PHOTO).hexdigest()[2:4])


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(*table.split(".")))).fetchone()
    assert row is not None
    return int(row[0])


def test_a_photo_and_the_callers_statements_commit_together(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path, tmp_path: Path
) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(PHOTO)
    job = darkroom.enqueue(connection, path, uploader="ada", caption="It's 100 %s", latitude=47, longitude=-122.5, priority=3)
    connection.execute("insert into drafts values (1, %s)", [job])
    connection.commit()
    upload = connection.execute(
        "select uploader, caption, latitude, longitude, original_key, encode(original_sha256, 'hex'), original_bytes, job_id"
        " from darkroom.uploads").fetchall()
    sha256 = hashlib.sha256(PHOTO).hexdigest()
    assert upload == [("ada", "It's 100 %s", 47.0, -122.5, KEY, sha256, len(PHOTO), job)]
    assert (media / KEY).read_bytes() == PHOTO
    assert files(media) == [KEY]


def test_a_rollback_takes_the_job_and_the_callers_statements(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path
) -> None:
    with pytest.raises(RuntimeError), connection.transaction():
        connection.execute("insert into drafts values (1, 2)")
        darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
        assert count(connection, "darkroom.jobs") == 1
        raise RuntimeError
    assert count(connection, "drafts") == count(connection, "darkroom.jobs") == count(connection, "darkroom.uploads") == 0
    # The store that was made in this transaction is recorded again.
    darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
    connection.commit()
    assert count(connection, "darkroom.jobs") == 1
    assert files(media) == [KEY]


def test_a_stored_photo_is_enqueued_later(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    with connection.transaction():
        photo = darkroom.store(connection, io.BytesIO(PHOTO))
    assert photo.original_key == KEY and photo.original_bytes == len(PHOTO)
    assert darkroom.enqueue(connection, photo, uploader="ada", idempotency_key="1") == darkroom.enqueue(
        connection, photo, uploader="ada", idempotency_key="1")


def test_async_connections_do_the_same(database: str, media: Path) -> None:
    async def run() -> None:
        darkroom = AsyncDarkroom(media)
        async with await psycopg.AsyncConnection.connect(database) as connection:
            lost = await darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
            await connection.rollback()
            assert await darkroom.status(connection, lost) is None
            job = await darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
            await connection.commit()
            status = await darkroom.status(connection, job, uploader="ada")
            assert status is not None and status.state == "waiting"
            assert await darkroom.cancel(connection, job)
            [row] = await darkroom.call(connection, "media_identity")
            assert row["identity"] == (media / "originals/.darkroom-store").read_text().strip()
            with pytest.raises(InvalidArgument):
                await darkroom.store(connection, io.BytesIO(PHOTO))
                await darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="")

    asyncio.run(run())
    assert files(media) == [KEY]


def test_status_and_cancel_know_only_ones_own_jobs(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    job = darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
    assert darkroom.status(connection, job, uploader="bob") is None
    assert not darkroom.cancel(connection, job, uploader="bob")
    status = darkroom.status(connection, job, uploader="ada")
    assert status is not None and (status.job_id, status.state, status.attempts) == (job, "waiting", 0)
    assert darkroom.cancel(connection, job, uploader="ada")
    status = darkroom.status(connection, job)
    assert status is not None and status.state == "cancelled" and status.finished_at is not None
    assert not darkroom.cancel(connection, job)
    assert darkroom.status(connection, 999) is None


def test_a_state_of_a_later_release_is_an_error(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    connection.execute("alter type darkroom.job_state add value 'pondering'")
    connection.commit()
    connection.execute("""
        create or replace function darkroom.job_status(job_id bigint, uploader text default null)
        returns setof darkroom.upload_status language sql as $$
        select (json_populate_record(null::darkroom.upload_status, '{"state": "pondering"}')).* $$""")
    with pytest.raises(UnknownState, match="pondering"):
        darkroom.status(connection, 1)


def test_errors_are_typed_by_sqlstate_and_name_the_constraint(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    connection.commit()
    with pytest.raises(InvalidArgument) as invalid, connection.transaction():
        darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada", caption="x" * 5001)
    assert (invalid.value.sqlstate, invalid.value.constraint) == (
        "23514", "prose_has_at_most_5000_characters_and_no_control_characters")
    with pytest.raises(Conflict) as conflict, connection.transaction():
        darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada", idempotency_key="1")
        darkroom.enqueue(connection, io.BytesIO(b"another"), uploader="ada", idempotency_key="1")
    assert conflict.value.constraint == "uploads_idempotency" and conflict.value.hint
    assert isinstance(conflict.value.__cause__, psycopg.errors.UniqueViolation)
    with pytest.raises(NotFound), connection.transaction():
        darkroom.call(connection, "add_comment", post_id=999, author="ada", body="Hello")
    connection.execute("update darkroom.settings set activities_at_most = 0")
    with pytest.raises(NotPossible) as limited, connection.transaction():
        darkroom.call(connection, "create_activity", activity="fair")
    assert limited.value.constraint == "activities_at_most"
    # What is not about the call stays an error of psycopg.
    with pytest.raises(psycopg.errors.UndefinedFunction), connection.transaction():
        darkroom.call(connection, "no such function")


def test_a_reader_may_not_enqueue(connection: psycopg.Connection, darkroom: Darkroom, program: Program) -> None:
    program("roles", "create")
    photo = darkroom.store(connection, io.BytesIO(PHOTO))
    connection.commit()
    connection.execute("set role darkroom_reader")
    with pytest.raises(NotPermitted):
        darkroom.enqueue(connection, photo, uploader="ada")


def test_details_and_status_have_what_the_functions_have(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    [(arguments, columns)] = connection.execute("""
        select (select proargnames from pg_proc where oid = 'darkroom.enqueue_upload'::regproc),
               (select array_agg(attname::text) from pg_attribute where attrelid = 'darkroom.upload_status'::regclass)""").fetchall()
    assert Details.__annotations__.keys() | {"original_key", "original_sha256", "original_bytes"} == set(arguments)
    assert {field.name for field in fields(UploadStatus)} == set(columns)
    darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada", anonymous=True)
    assert connection.execute("select anonymous from darkroom.uploads").fetchall() == [(True,)]


def test_an_unknown_detail_is_the_programs_fault(connection: psycopg.Connection, darkroom: Darkroom) -> None:
    wrong: Any = {"uploader": "ada", "titel": "x"}
    with pytest.raises(TypeError, match="titel"):
        darkroom.enqueue(connection, io.BytesIO(PHOTO), **wrong)


def test_the_connections_own_cursors_and_rows_do_not_matter(database: str, darkroom: Darkroom) -> None:
    with psycopg.connect(database, cursor_factory=psycopg.RawCursor, row_factory=tuple_row) as connection:
        job = darkroom.enqueue(connection, io.BytesIO(PHOTO), uploader="ada")
        assert darkroom.cancel(connection, job)

"""A store that is moved to another place."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
from conftest import files
from darkroom import Darkroom, StoreUnavailable


def test_photos_are_in_both_places_during_a_move(connection: psycopg.Connection, darkroom: Darkroom, media: Path) -> None:
    new = media.with_name("new")
    both = Darkroom(media=media, next_media=new)
    # Before there is any store, and before a move, the next place is left alone.
    before = both.store(connection, io.BytesIO(b"one"))
    assert files(media) and not new.exists()
    (new / "originals").mkdir(parents=True)
    (new / "originals" / ".darkroom-store").write_text("00000000000000aa\n")
    connection.execute(
        "insert into darkroom.media_migration (identity, previous, location, moved_by) "
        "select '00000000000000aa', media_identity, '/new', 'ada' from darkroom.settings")
    during = both.store(connection, io.BytesIO(b"two"))
    for place in media, new:
        assert (place / during.original_key).read_bytes() == b"two"
    assert not (new / before.original_key).exists()
    # Only one of the two would not do, and reads stay possible.
    with pytest.raises(StoreUnavailable, match="moved to /new .*next_media"):
        darkroom.store(connection, io.BytesIO(b"three"))
    new.rename(media.with_name("away"))
    with pytest.raises(StoreUnavailable, match="is no directory"):
        both.store(connection, io.BytesIO(b"three"))
    media.with_name("away").rename(new)
    # Whoever has the new place goes on after the move, in whichever order it is given.
    connection.execute("update darkroom.media_migration set finished_at = now()")
    connection.execute("update darkroom.settings set media_identity = '00000000000000aa'")
    for number, client in enumerate([both, Darkroom(media=new), Darkroom(media=new, next_media=media)]):
        stored = client.store(connection, io.BytesIO(b"%d" % number))
        assert (new / stored.original_key).exists() and not (media / stored.original_key).exists()
    with pytest.raises(StoreUnavailable, match="was moved: give /new as media"):
        darkroom.store(connection, io.BytesIO(b"three"))


def test_a_move_that_begins_while_a_photo_is_stored(connection: psycopg.Connection, media: Path) -> None:
    new = media.with_name("new")
    both = Darkroom(media=media, next_media=new)
    both.store(connection, io.BytesIO(b"one"))
    (new / "originals").mkdir(parents=True)
    (new / "originals" / ".darkroom-store").write_text("00000000000000aa\n")
    steps = both._calls.store(io.BytesIO(b"two"))  # noqa: SLF001
    calls, answer = 0, None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            stored = end.value
            break
        if callable(step):
            answer = step()
            continue
        calls += 1
        with connection.cursor(row_factory=psycopg.rows.dict_row) as cursor:
            answer = cursor.execute(step.statement, step.values).fetchall()
        if calls == 1:
            connection.execute(
                "insert into darkroom.media_migration (identity, previous, location, moved_by) "
                "select '00000000000000aa', media_identity, '/new', 'ada' from darkroom.settings")
    assert (new / stored.original_key).read_bytes() == b"two"

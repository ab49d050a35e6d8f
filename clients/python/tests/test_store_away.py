"""A store that is away, another one, damaged or full."""

from __future__ import annotations

import io
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from conftest import files
from darkroom import Darkroom, StoreFull, StoreUnavailable


def test_a_disk_that_is_not_mounted_and_is_back_later(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path
) -> None:
    darkroom.enqueue(connection, io.BytesIO(b"one"), uploader="ada")
    connection.commit()
    for is_there in (False, True):
        media.rename(media.with_name("disk"))
        if is_there:
            media.mkdir()
        with pytest.raises(StoreUnavailable):
            darkroom.enqueue(connection, io.BytesIO(b"two"), uploader="ada")
        assert not media.exists() or not list(media.iterdir())
        if is_there:
            media.rmdir()
        media.with_name("disk").rename(media)
    # No statement failed, so the transaction goes on.
    darkroom.enqueue(connection, io.BytesIO(b"two"), uploader="ada")
    connection.commit()
    assert len(files(media)) == 2


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_disk_that_is_unmounted_while_a_photo_arrives(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path, is_copied: bool
) -> None:
    class Unmounting(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if not (disk := media.with_name("disk")).exists():
                media.rename(disk)
                if is_copied:
                    shutil.copytree(disk, media)
            return super().read(size)

    darkroom.store(connection, io.BytesIO(b"one"))
    with pytest.raises(StoreUnavailable, match="was replaced" if is_copied else "is no directory"):
        darkroom.store(connection, Unmounting(b"two"))


def test_the_store_of_another_database_is_refused(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path, another_database: Callable[[], str]
) -> None:
    # Tests clone one database, so that their installations have the same digits.
    other = another_database()
    with psycopg.connect(other) as owner:
        owner.execute("update darkroom.settings set installation = '0000ffff'")
        darkroom.store(owner, io.BytesIO(b"theirs"))
    with pytest.raises(StoreUnavailable, match="of another database"):
        darkroom.store(connection, io.BytesIO(b"ours"))
    # Another store at the path of ours.
    ours = Darkroom(media.with_name("ours"))
    ours.store(connection, io.BytesIO(b"ours"))
    with pytest.raises(StoreUnavailable, match="is the media store 0000ffff"):
        darkroom.store(connection, io.BytesIO(b"ours"))
    assert len(files(media)) == 1


@pytest.mark.parametrize("damage", ["nonsense", "link", "folder", "linked folder"])
def test_a_marker_that_is_none(connection: psycopg.Connection, darkroom: Darkroom, media: Path, damage: str) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    marker = media / "originals/.darkroom-store"
    marker.rename(marker.with_name(".kept"))
    match damage:
        case "nonsense":
            marker.write_text("0123456789ABCDEF\n")
        case "link":
            marker.symlink_to(".kept")
        case "folder":
            marker.mkdir()
        case "linked folder":
            marker.with_name(".kept").rename(marker)
            marker.parent.rename(media / "elsewhere")
            marker.parent.symlink_to("elsewhere")
    with pytest.raises(StoreUnavailable, match="is not a file with the identity"):
        darkroom.store(connection, io.BytesIO(b"two"))


def test_a_full_disk(database: str, media: Path, darkroom: Darkroom, connection: psycopg.Connection) -> None:
    darkroom.store(connection, io.BytesIO(b"one"))
    connection.commit()

    class Growing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            # The limit for a file's size stands for the end of the disk.
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))
            return super().read(size)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(StoreFull):
            darkroom.enqueue(connection, Growing(bytes(1_000_000)), uploader="ada")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(files(media)) == 1
    darkroom.enqueue(connection, io.BytesIO(bytes(1_000_000)), uploader="ada")

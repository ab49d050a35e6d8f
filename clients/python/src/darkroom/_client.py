"""The calls, on connections of psycopg."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from typing import Any, TypeVar, Unpack

import psycopg
from psycopg.rows import dict_row

from ._calls import Calls, Details, Query, Step, UploadStatus
from ._errors import raise_typed
from ._photo import DirectUpload, Photo, StoredPhoto

Result = TypeVar("Result")


class _Client:
    def __init__(self, media: str | os.PathLike[str]) -> None:
        """
        :param media: the media store: a directory, or an object store's location, such as
            `s3://photos/darkroom?endpoint=https://s3.example.org&region=us-east-1`. The keys to it come from where Amazon's
            tools look for them.
        """
        self._calls = Calls(media)


class Darkroom(_Client):
    """Darkroom for an app with `psycopg.Connection`.

    Every call runs on the connection that it is given, in the transaction that is open there: what your own statements
    do and what Darkroom does commits together or not at all. Nothing here commits. Threads may share this object.
    """

    def store(self, connection: psycopg.Connection[Any], photo: Photo) -> StoredPhoto:
        """Puts a photo into the media store: a path, or a binary file that is read to its end.

        The photo is read in pieces. The same photo stored twice is one file. A photo that no committed upload refers to
        is removed after `settings.unclaimed_days`, 30 by default; `darkroom sweep --delete` may remove it an hour after it was
        last stored.

        The very first photo of an installation also records the store in the database. Until your transaction ends,
        others who store a first photo wait for it.

        :raises StoreUnavailable: the store is away, or it is not the store of this database.
        :raises StoreFull: there is no room.
        :raises MediaError: another error of the store. Errors of reading `photo` stay as they are.
        """
        return self._run(connection, self._calls.store(photo))

    def enqueue(
        self, connection: psycopg.Connection[Any], photo: Photo | StoredPhoto, **details: Unpack[Details]
    ) -> int:
        """Stores a photo and queues it. Returns the number of its job, which exists when your transaction commits.

        Photos that `store` has stored can be given too: store a large photo before your transaction starts, and the
        transaction is short.

        :raises InvalidArgument: a detail is out of range; `constraint` says which.
        :raises Conflict: the uploader has used the idempotency key for another photo.
        """
        return self._run(connection, self._calls.enqueue(photo, details))

    def direct_upload(
        self, connection: psycopg.Connection[Any], *, sha256: str, size: int, expires_in: int = 900
    ) -> DirectUpload:
        """Signs a request with which a phone stores one photo itself: exactly these bytes, at no other key. Needs an object
        store. Check with `has_arrived` before you enqueue its `photo`.

        Like `store`, it records the store of an installation that has none yet.

        :param sha256: of the photo, 64 lower-case hexadecimal digits.
        :param size: in bytes, from 1.
        :param expires_in: seconds, 1 to 86,400 (a day). Until it is over, the request can store the photo again, even after an
            erasure.
        :raises InvalidArgument: one of the three is out of range.
        :raises StoreUnavailable: the store is away, or it is not the store of this database.
        :raises MediaError: the media store is a directory.
        """
        return self._run(connection, self._calls.direct_upload(sha256, size, expires_in))

    def has_arrived(self, connection: psycopg.Connection[Any], photo: StoredPhoto) -> bool:
        """Whether a photo is in the object store, and as large as was said. A worker compares its SHA-256 when it reads it.

        :raises StoreUnavailable: the store is away, or it is not the store of this database.
        :raises MediaError: the media store is a directory.
        """
        return self._run(connection, self._calls.has_arrived(photo))

    def original_url(
        self, connection: psycopg.Connection[Any], original_key: str, *, expires_in: int = 900
    ) -> str:
        """A URL from which an original can be read until it expires, by anyone who has it. Originals hold positions: give it
        to nobody but the uploader. Whether the original is still there is not checked.

        :param expires_in: seconds, 1 to 604,800 (a week).
        :raises InvalidArgument: the key is not that of an original, or `expires_in` is out of range.
        :raises StoreUnavailable: the store is away, or it is not the store of this database.
        :raises MediaError: the media store is a directory.
        """
        return self._run(connection, self._calls.original_url(original_key, expires_in))

    def status(
        self, connection: psycopg.Connection[Any], job_id: int, *, uploader: str | None = None
    ) -> UploadStatus | None:
        """What became of a job; None if it is unknown, or so old that its record is gone.

        :param uploader: who asks; other people's jobs are unknown. Give it wherever the number comes from outside.
        """
        return self._run(connection, self._calls.status(job_id, uploader))

    def cancel(self, connection: psycopg.Connection[Any], job_id: int, *, uploader: str | None = None) -> bool:
        """Cancels a waiting job, or asks the worker of a running one to stop; False if it is finished or unknown.

        :param uploader: who asks; other people's jobs are unknown. Give it wherever the number comes from outside.
        """
        return self._run(connection, self._calls.cancel(job_id, uploader))

    def call(self, connection: psycopg.Connection[Any], function: str, /, **arguments: object) -> list[dict[str, Any]]:
        """The rows of any function of docs/sql-api.md, with its errors as those of this module."""
        return self._run(connection, self._calls.call(function, arguments))

    def _run(self, connection: psycopg.Connection[Any], steps: Generator[Step, Any, Result]) -> Result:
        given: Any = None
        while True:
            try:
                step = steps.send(given)
            except StopIteration as end:
                result: Result = end.value
                return result
            if not isinstance(step, Query):
                given = step()
                continue
            try:
                # A cursor of our own: the connection's may make other rows, or want other placeholders.
                with psycopg.Cursor(connection, row_factory=dict_row) as cursor:
                    given = cursor.execute(step.statement, step.values).fetchall()
            except psycopg.Error as error:
                raise_typed(error)


class AsyncDarkroom(_Client):
    """Darkroom for an app with `psycopg.AsyncConnection`: the calls of `Darkroom`, as coroutines.

    Photos are read and stored on threads, so a slow store holds up nobody else. A call that is cancelled leaves nothing
    half-done in the store; the file may still be stored.
    """

    async def store(self, connection: psycopg.AsyncConnection[Any], photo: Photo) -> StoredPhoto:
        """See `Darkroom.store`. A binary file is read on another thread."""
        return await self._run(connection, self._calls.store(photo))

    async def enqueue(
        self, connection: psycopg.AsyncConnection[Any], photo: Photo | StoredPhoto, **details: Unpack[Details]
    ) -> int:
        """See `Darkroom.enqueue`."""
        return await self._run(connection, self._calls.enqueue(photo, details))

    async def direct_upload(
        self, connection: psycopg.AsyncConnection[Any], *, sha256: str, size: int, expires_in: int = 900
    ) -> DirectUpload:
        """See `Darkroom.direct_upload`."""
        return await self._run(connection, self._calls.direct_upload(sha256, size, expires_in))

    async def has_arrived(self, connection: psycopg.AsyncConnection[Any], photo: StoredPhoto) -> bool:
        """See `Darkroom.has_arrived`."""
        return await self._run(connection, self._calls.has_arrived(photo))

    async def original_url(
        self, connection: psycopg.AsyncConnection[Any], original_key: str, *, expires_in: int = 900
    ) -> str:
        """See `Darkroom.original_url`."""
        return await self._run(connection, self._calls.original_url(original_key, expires_in))

    async def status(
        self, connection: psycopg.AsyncConnection[Any], job_id: int, *, uploader: str | None = None
    ) -> UploadStatus | None:
        """See `Darkroom.status`."""
        return await self._run(connection, self._calls.status(job_id, uploader))

    async def cancel(
        self, connection: psycopg.AsyncConnection[Any], job_id: int, *, uploader: str | None = None
    ) -> bool:
        """See `Darkroom.cancel`."""
        return await self._run(connection, self._calls.cancel(job_id, uploader))

    async def call(
        self, connection: psycopg.AsyncConnection[Any], function: str, /, **arguments: object
    ) -> list[dict[str, Any]]:
        """See `Darkroom.call`."""
        return await self._run(connection, self._calls.call(function, arguments))

    async def _run(
        self, connection: psycopg.AsyncConnection[Any], steps: Generator[Step, Any, Result]
    ) -> Result:
        given: Any = None
        while True:
            try:
                step = steps.send(given)
            except StopIteration as end:
                result: Result = end.value
                return result
            if not isinstance(step, Query):
                given = await asyncio.to_thread(step)
                continue
            try:
                async with psycopg.AsyncCursor(connection, row_factory=dict_row) as cursor:
                    await cursor.execute(step.statement, step.values)
                    given = await cursor.fetchall()
            except psycopg.Error as error:
                raise_typed(error)

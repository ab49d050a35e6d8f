"""What each call does: SQL for the caller's connection and work on files, the same for both kinds of connections."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NotRequired, Self, TypedDict, cast, get_args

from psycopg import sql

from ._errors import MediaError, StoreUnavailable, UnknownState
from ._photo import DirectUpload, Photo, StoredPhoto
from ._store import MediaStore

if TYPE_CHECKING:
    from ._objects import ObjectStore

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """A step that the connection does; it returns rows."""

    statement: sql.Composed
    values: Mapping[str, object]


#: A step is a query, or a function that blocks on files.
Step = Query | Callable[[], Any]

LocationPrivacy = Literal["exact", "grid_10m", "grid_100m", "grid_1km", "place"]
State = Literal["draft", "waiting", "scheduled", "parked", "running", "succeeded", "rejected", "failed", "cancelled"]


class Details(TypedDict):
    """What an uploader says of a photo: the arguments of `enqueue_upload`. docs/enqueueing.md has units and ranges."""

    uploader: str
    headline: NotRequired[str | None]
    caption: NotRequired[str | None]
    link: NotRequired[str | None]
    category: NotRequired[str | None]
    activity: NotRequired[str | None]
    venue_id: NotRequired[str | None]
    venue_name: NotRequired[str | None]
    credit: NotRequired[str | None]
    licence: NotRequired[str | None]
    latitude: NotRequired[float | None]
    longitude: NotRequired[float | None]
    accuracy_m: NotRequired[float | None]
    location_privacy: NotRequired[LocationPrivacy | None]
    anonymous: NotRequired[bool]
    is_draft: NotRequired[bool]
    replaces: NotRequired[int | None]
    place_text: NotRequired[str | None]
    place_near_latitude: NotRequired[float | None]
    place_near_longitude: NotRequired[float | None]
    place_country: NotRequired[str | None]
    taken_at: NotRequired[datetime | None]
    priority: NotRequired[int]
    run_at: NotRequired[datetime | None]
    idempotency_key: NotRequired[str | None]
    queue: NotRequired[str]


class _Columns:
    """A row whose columns are the fields of a class. Columns of a later release are left out."""

    @classmethod
    def read(cls, row: Row) -> Self:
        return cls(**{field.name: row[field.name] for field in fields(cast(Any, cls))})


@dataclass(frozen=True, slots=True)
class UploadStatus(_Columns):
    """What became of an upload. `reason` and `message` are for one that was rejected, failed or cancelled. `post_state` is
    that of its post now: published, held, hidden, removed or expired. `stripped` names the kinds of metadata that its photo had and
    its pictures do not, `exif_fields` counts the fields of its EXIF block, and `location_privacy` says how exactly its position is shown."""

    job_id: int
    state: State
    reason: str | None
    message: str | None
    attempts: int
    enqueued_at: datetime
    run_at: datetime | None
    finished_at: datetime | None
    post_id: int | None
    post_state: str | None
    stripped: list[str] | None
    exif_fields: int | None
    location_privacy: str | None


def media_store(media: str | os.PathLike[str]) -> MediaStore | ObjectStore:
    """The store in a directory, or at `s3://…`."""
    location = os.fspath(media)
    if not location.lower().startswith("s3:"):
        return MediaStore(media)
    try:
        from ._objects import ObjectStore
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "botocore":
            raise
        raise MediaError("photos in an object store need botocore: pip install 'darkroom-client[s3]'") from error
    return ObjectStore(location)


def _reachable(media: MediaStore | ObjectStore) -> ObjectStore:
    if isinstance(media, MediaStore):
        raise MediaError(
            f"{media.path} is a directory, to which no phone can connect: direct uploads and URLs of originals need "
            "an object store, such as media='s3://photos/darkroom?region=eu-central-1'")
    return media


class Calls:
    """The steps of each call."""

    def __init__(self, media: str | os.PathLike[str]) -> None:
        self.media = media_store(media)

    def function(self, name: str, arguments: Mapping[str, object]) -> Query:
        given = [sql.SQL("{} => {}").format(sql.Identifier(each), sql.Placeholder(each)) for each in arguments]
        called = sql.Identifier("darkroom", name)
        return Query(sql.SQL("select * from {}({})").format(called, sql.SQL(", ").join(given)), arguments)

    def store(self, photo: Photo) -> Generator[Step, Any, StoredPhoto]:
        identity = yield from self._identity()
        stored: StoredPhoto = yield lambda: self.media.put(photo, identity)
        return stored

    def direct_upload(self, sha256: str, size: int, expires_in: int) -> Generator[Step, Any, DirectUpload]:
        photo = StoredPhoto.of(sha256, size)
        objects, identity = yield from self._objects()
        upload: DirectUpload = yield lambda: objects.direct_upload(photo, identity, expires_in)
        return upload

    def has_arrived(self, photo: StoredPhoto) -> Generator[Step, Any, bool]:
        objects, identity = yield from self._objects(is_storing=False)
        arrived: bool = yield lambda: objects.has(photo, identity)
        return arrived

    def original_url(self, key: str, expires_in: int) -> Generator[Step, Any, str]:
        objects, identity = yield from self._objects(is_storing=False)
        url: str = yield lambda: objects.original_url(key, identity, expires_in)
        return url

    def _objects(self, is_storing: bool = True) -> Generator[Step, Any, tuple[ObjectStore, str]]:
        objects = _reachable(self.media)
        return objects, (yield from self._identity(is_storing))

    def _identity(self, is_storing: bool = True) -> Generator[Step, Any, str]:
        """The identity of the store that the database has recorded.

        The first photo of an installation makes the store.
        """
        found: str | None = yield self.media.identity
        [row] = yield self.function("media_identity", {"seen": found})
        if row["identity"] is None:
            if not is_storing:
                raise StoreUnavailable(f"nothing was ever stored at {self.media.path}: correct the location of the store")
            # The marker comes first: if this process dies before the identity is recorded, the next one finds it.
            proposal = row["proposal"]
            found = yield lambda: self.media.mark(proposal)
            [row] = yield self.function("media_identity", {"seen": found})
            # Another database's sweep would delete what this one stores, and this one's sweep the other's.
            if row["identity"] is None:
                raise StoreUnavailable(
                    f"{self.media.path} is the media store {found} of another database: give this database a place of "
                    "its own, or run 'darkroom store adopt' if it replaces the other one")
        return cast(str, row["identity"])

    def enqueue(self, photo: Photo | StoredPhoto, details: Details) -> Generator[Step, Any, int]:
        unknown = details.keys() - Details.__annotations__.keys()
        if unknown:
            raise TypeError(f"an upload has no {', '.join(sorted(unknown))}")
        stored = photo if isinstance(photo, StoredPhoto) else (yield from self.store(photo))
        original = {field.name: getattr(stored, field.name) for field in fields(stored)}
        [row] = yield self.function("enqueue_upload", {**original, **details})
        return cast(int, row["enqueue_upload"])

    def status(self, job_id: int, uploader: str | None) -> Generator[Step, Any, UploadStatus | None]:
        rows = yield self.function("job_status", {"job_id": job_id, "uploader": uploader})
        if not rows:
            return None
        status = UploadStatus.read(rows[0])
        if status.state not in get_args(State):
            raise UnknownState(f"job {job_id} has the state {status.state}, which this release of the module does not know")
        return status

    def cancel(self, job_id: int, uploader: str | None) -> Generator[Step, Any, bool]:
        [row] = yield self.function("cancel_job", {"job_id": job_id, "uploader": uploader})
        return cast(bool, row["cancel_job"])

    def call(self, function: str, arguments: Mapping[str, object]) -> Generator[Step, Any, list[dict[str, Any]]]:
        rows: list[dict[str, Any]] = yield self.function(function, arguments)
        return rows

"""Store photos and enqueue them for Darkroom, in your own PostgreSQL transaction."""

from ._calls import Details, LocationPrivacy, State, UploadStatus
from ._client import AsyncDarkroom, Darkroom
from ._errors import (
    Conflict,
    DarkroomError,
    InvalidArgument,
    MediaError,
    NotFound,
    NotPermitted,
    NotPossible,
    StoreFull,
    StoreUnavailable,
    UnknownState,
)
from ._photo import DirectUpload, Photo, Source, StoredPhoto

__all__ = [
    "AsyncDarkroom", "Conflict", "Darkroom", "DarkroomError", "Details", "DirectUpload", "InvalidArgument",
    "LocationPrivacy", "MediaError", "NotFound", "NotPermitted", "NotPossible", "Photo", "Source", "State", "StoreFull",
    "StoreUnavailable", "StoredPhoto", "UnknownState", "UploadStatus",
]

"""A photo on its way into the media store, and what directories and object stores have in common."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol, Self

from ._errors import InvalidArgument, StoreUnavailable

MARKER = ".darkroom-store"
#: More than any marker has; in bytes.
MARKER_LIMIT = 64
_CHUNK = 256 * 1024


class Source(Protocol):
    """A binary file: `open(path, "rb")`, `io.BytesIO`, or what a web framework makes of an upload."""

    def read(self, size: int, /) -> bytes: ...


Photo = str | os.PathLike[str] | Source


@dataclass(frozen=True, slots=True)
class StoredPhoto:
    """An original in the media store: what `enqueue_upload` needs to know of it."""

    original_key: str
    original_sha256: str
    original_bytes: int

    @classmethod
    def of(cls, sha256: str, size: int) -> Self:
        """The original with this SHA-256 (64 lower-case hexadecimal digits) and this size in bytes.

        :raises InvalidArgument: the SHA-256 has another form, or the size is less than 1.
        """
        if not isinstance(sha256, str) or not re.fullmatch("[0-9a-f]{64}", sha256):
            raise invalid("sha256_is_64_hexadecimal_digits", "the SHA-256 is not 64 lower-case hexadecimal digits")
        if type(size) is not int or size < 1:
            raise invalid("size_is_1_or_more", "the size is not a whole number of bytes from 1")
        return cls(_key(sha256), sha256, size)


@dataclass(frozen=True, slots=True)
class DirectUpload:
    """A request that stores one photo without passing your server: send it to the phone. It can be made more than once."""

    #: `PUT`.
    method: str
    #: Holds the signature: anyone who knows the URL may use it.
    url: str = field(repr=False)
    #: To be sent exactly like this; other headers may be added.
    headers: Mapping[str, str]
    #: From then on the store refuses it. Temporary keys of your server may end it before.
    expires_at: datetime
    #: What to enqueue when it `has_arrived`.
    photo: StoredPhoto


def invalid(constraint: str, message: str) -> InvalidArgument:
    error = InvalidArgument(message)
    error.constraint = constraint
    return error


def _key(sha256: str) -> str:
    return f"originals/{sha256[:2]}/{sha256[2:4]}/{sha256}"


def open_source(opened: contextlib.ExitStack, photo: Photo) -> Source:
    """The photo itself if it is a binary file, or the file at its path."""
    if not isinstance(photo, str | os.PathLike):
        return photo
    # O_NONBLOCK: a pipe at the path must be refused, not waited for.
    file = opened.enter_context(
        open(photo, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise ValueError(f"{Path(photo)} is not a regular file")
    return file


def copy(source: Source, write: Callable[[bytes], None]) -> StoredPhoto:
    """Writes a photo in pieces. The hashed bytes are the written bytes."""
    sha256, count = hashlib.sha256(), 0
    # Anything but bytes, such as the None of a file that would block, is an error here and not the end.
    while (chunk := source.read(_CHUNK)) != b"":
        sha256.update(chunk)
        count += len(chunk)
        write(chunk)
    return StoredPhoto(_key(sha256.hexdigest()), sha256.hexdigest(), count)


def no_marker(name: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"{name} is not a file with the identity of a media store: restore it, or remove it and run "
        "'darkroom store adopt'")


def identity_in(marker: bytes, name: str) -> str:
    """The identity in a marker with these bytes."""
    text = marker.removesuffix(b"\n")
    if not re.fullmatch(rb"[0-9a-f]{16}", text):
        raise no_marker(name)
    return text.decode()


def another_store(path: str, what: str, identity: str, remedy: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"{path} {what}, and the database's media store is {identity}: {remedy}. If the store was moved here on purpose, "
        "run 'darkroom store adopt'")

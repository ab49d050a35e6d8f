"""A media store in an S3-compatible object store, with the keys and the marker that Darkroom's own programs use there.

An object that was put is there for the next GET and HEAD; nothing else is asked of the store. All that is written is named by
its bytes, so racing writers of one key write the same. What must happen once is decided in PostgreSQL.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import IO, Any

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSPreparedRequest, AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, NoCredentialsError, PartialCredentialsError
from botocore.exceptions import ConnectionError as NoConnectionError
from botocore.exceptions import SSLError as CertificateError
from botocore.session import Session

from ._errors import MediaError, StoreFull, StoreUnavailable
from ._location import Location
from ._photo import (
    MARKER,
    MARKER_LIMIT,
    DirectUpload,
    Photo,
    StoredPhoto,
    another_store,
    copy,
    identity_in,
    invalid,
    open_source,
)

_MARKER = f"originals/{MARKER}"
#: A bucket is not unmounted, but somebody may empty it. Within so many seconds nobody looks at its marker again.
_PATIENCE = 10
_CONFIGURATION = Config(
    signature_version="s3v4", connect_timeout=10, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 5},
    # The SHA-256 of the body is signed. Other checksums would change how it is sent, which not every store understands.
    request_checksum_calculation="when_required", response_checksum_validation="when_required")


class ObjectStore:
    """The bucket of an installation. Every call blocks."""

    def __init__(self, location: str) -> None:
        self._location = Location.read(location)
        self.path = str(self._location)
        self._lock = threading.Lock()
        self._made: tuple[Any, Credentials] | None = None
        self._seen: tuple[str | None, float] = (None, 0)

    def identity(self) -> str | None:
        """The identity in the store's marker; None without a marker."""
        with self._errors():
            try:
                reply = self._client().get_object(**self._object(_MARKER))
            except ClientError as error:
                if not _is_missing(error):
                    raise
                found = None
            else:
                with contextlib.closing(reply["Body"]) as body:
                    found = identity_in(body.read(MARKER_LIMIT + 1), f"{_MARKER} in {self.path}")
        self._seen = found, time.monotonic()
        return found

    def mark(self, proposal: str) -> str:
        """Gives the store the identity that the database proposed. Returns the one that it has.

        Of several processes that do so at once, the last one's marker stays, and the database records one of them. Each has
        left a trace too, so that anyone who then finds another marker can tell that the recorded one was made here.
        """
        if found := self.identity():
            return found
        self._put_marker(_trace(proposal), proposal)
        self._put_marker(_MARKER, proposal)
        made = self.identity()
        if made is None:
            raise StoreUnavailable(f"{self.path} does not have the marker that was just put there: look at the store")
        return made

    def put(self, photo: Photo, identity: str) -> StoredPhoto:
        """Stores a photo in the store with this identity. The stored bytes are the bytes that were hashed.

        The store compares them with their SHA-256. The same bytes stored twice, even at once, are one object.
        """
        self._require(identity)
        with contextlib.ExitStack() as opened:
            source = open_source(opened, photo)
            # Its length and hash come before its bytes.
            with self._local_errors():
                spool = opened.enter_context(tempfile.TemporaryFile(dir=_scratch(), buffering=0))

            def write(chunk: bytes) -> None:
                with self._local_errors():
                    rest = memoryview(chunk)
                    while rest:
                        rest = rest[spool.write(rest) or 0:]

            stored = copy(source, write)
            self._require(identity)
            spool.seek(0)
            self._put(stored.original_key, spool, stored.original_sha256)
        return stored

    def direct_upload(self, photo: StoredPhoto, identity: str, expires_in: int) -> DirectUpload:
        self._require(identity)
        headers = {
            "content-length": str(photo.original_bytes),
            # No browser takes what it reads from the store for a page.
            "content-type": "application/octet-stream",
            "x-amz-content-sha256": photo.original_sha256,
        }
        url, expires_at = self._sign("PUT", photo.original_key, headers, expires_in, longest=86_400)
        return DirectUpload("PUT", url, headers, expires_at, photo)

    def original_url(self, key: str, identity: str, expires_in: int) -> str:
        # The marker is below originals/ too.
        if not re.fullmatch(r"originals(/[!-.0-~]+)+", key) or "/." in key or len(key) > 512:
            raise invalid("media_key_is_of_an_original", "the key is not that of an original: give its upload's original_key")
        self._require(identity)
        return self._sign("GET", key, {}, expires_in, longest=604_800)[0]

    def has(self, photo: StoredPhoto, identity: str) -> bool:
        """Whether the photo is there, and has its size. Workers compare its hash."""
        self._require(identity)
        size = self._size(photo.original_key)
        return size == photo.original_bytes

    def _size(self, key: str) -> int | None:
        with self._errors():
            try:
                size: int = self._client().head_object(**self._object(key))["ContentLength"]
            except ClientError as error:
                if _is_missing(error):
                    return None
                raise
        return size

    def _require(self, identity: str) -> None:
        seen, at = self._seen
        if seen == identity and time.monotonic() - at < _PATIENCE:
            return
        found = self.identity()
        if found == identity:
            return
        # The first half is the database's own: both were proposed by it, at the same time.
        if found and found[:8] == identity[:8] and self._size(_trace(identity)) is not None:
            self._put_marker(_MARKER, identity)
            self._seen = identity, time.monotonic()
            return
        what = f"is the media store {found}" if found else "has no marker of a media store"
        raise another_store(self.path, what, identity, "correct bucket and prefix, or restore the bucket")

    def _put_marker(self, key: str, identity: str) -> None:
        contents = f"{identity}\n".encode()
        self._put(key, contents, hashlib.sha256(contents).hexdigest())

    def _put(self, key: str, body: bytes | IO[bytes], sha256: str) -> None:
        with self._errors():
            self._client().put_object(**self._object(key), Body=body, Metadata={"sha256": sha256})

    def _sign(
        self, method: str, key: str, headers: dict[str, str], expires_in: int, *, longest: int
    ) -> tuple[str, datetime]:
        if type(expires_in) is not int or not 1 <= expires_in <= longest:
            raise invalid(f"expires_in_is_1_to_{longest}_seconds", f"expires_in is not 1 to {longest:,} seconds")
        request = AWSRequest(method, self._location.url(key), headers)
        with self._errors():
            credentials = self._credentials().get_frozen_credentials()
            # All headers are signed, and x-amz-content-sha256 is the hash of the payload.
            S3SigV4QueryAuth(credentials, "s3", self._location.region, expires_in).add_auth(request)
        signed_at = datetime.strptime(request.context["timestamp"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return str(request.url), signed_at + timedelta(seconds=expires_in)

    def _object(self, key: str) -> dict[str, str]:
        return {"Bucket": self._location.bucket, "Key": self._location.prefix + key}

    def _client(self) -> Any:
        return self._session()[0]

    def _credentials(self) -> Credentials:
        return self._session()[1]

    def _session(self) -> tuple[Any, Credentials]:
        # When first needed: to look for keys may mean to ask another machine.
        with self._lock:
            if self._made is None:
                session = Session()
                credentials = session.get_credentials()
                if credentials is None:
                    raise NoCredentialsError()
                client = session.create_client(
                    "s3", self._location.region, endpoint_url=self._location.endpoint, config=_CONFIGURATION.merge(
                        Config(s3={"addressing_style": self._location.style, "payload_signing_enabled": True})))
                client.meta.events.register("before-send.s3.PutObject", _check_digest)
                self._made = client, credentials
            return self._made

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            code = str(error.response.get("Error", {}).get("Code", ""))
            kind, why = _meaning(code, status)
            raise kind(f"the media store {self.path} cannot be used: {why} (status {status}, {code[:100]!a})") from error
        except (NoCredentialsError, PartialCredentialsError) as error:
            raise StoreUnavailable(
                f"the media store {self.path} cannot be used: there are no keys to it; set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or write them into ~/.aws/credentials") from error
        except CertificateError as error:
            raise StoreUnavailable(
                f"the media store {self.path} cannot be trusted: correct its certificate, or trust its issuer") from error
        except (HTTPClientError, NoConnectionError) as error:
            raise StoreUnavailable(
                f"the media store {self.path} gave no complete reply: look at the network and the store, and try later"
            ) from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"the media store {self.path} cannot be used: {error}") from error

    @contextlib.contextmanager
    def _local_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else MediaError
            raise kind(
                f"no temporary file in {_scratch()}: {error.strerror}; make room there, or set TMPDIR to another directory"
            ) from error


def _scratch() -> str:
    # /tmp is often in memory.
    return os.environ.get("TMPDIR") or "/var/tmp"


def _trace(identity: str) -> str:
    return f"{_MARKER}-{identity}"


def _is_missing(error: ClientError) -> bool:
    return error.response.get("Error", {}).get("Code") in ("NoSuchKey", "404")


def _check_digest(request: AWSPreparedRequest, **_: object) -> None:
    """What is about to be sent was hashed when it was signed: it must have the hash that it is named by."""
    named, signed = (
        text.decode() if isinstance(text, bytes) else text
        for text in (request.headers[name] for name in ("x-amz-meta-sha256", "X-Amz-Content-SHA256")))
    if named != signed:
        raise MediaError(f"a temporary file in {_scratch()} has changed: nothing was stored; look at the disk, and try again")


_MEANINGS: list[tuple[type[MediaError], str, str]] = [
    (StoreUnavailable, "there is no such bucket; make it, or correct the location", "NoSuchBucket"),
    (StoreUnavailable, "it does not accept the keys; correct the access key and the secret key",
     "SignatureDoesNotMatch InvalidAccessKeyId"),
    (StoreUnavailable, "the temporary keys have ended; renew them", "ExpiredToken InvalidToken TokenRefreshRequired"),
    (StoreUnavailable, "its clock and that of this machine differ too much; set the wrong one",
     "RequestTimeTooSkewed RequestExpired"),
    (StoreUnavailable, "the bucket is elsewhere; correct endpoint, region or style in the location",
     "AuthorizationHeaderMalformed PermanentRedirect TemporaryRedirect Redirect IllegalLocationConstraintException "
     "301 302 307 308"),
    (StoreFull, "it is full, or its quota is used up; free or add space",
     "QuotaExceeded QuotaExceededException InsufficientStorage NotEnoughSpace XMinioStorageFull "
     "XMinioAdminBucketQuotaExceeded 507"),
    (MediaError, "the bytes that came there do not match their SHA-256; nothing was stored, try again",
     "XAmzContentSHA256Mismatch BadDigest InvalidDigest"),
    (MediaError, "it takes no objects of this size", "EntityTooLarge MaxMessageLengthExceeded"),
    (MediaError, "it does not allow this; give the access key the right to it",
     "AccessDenied AllAccessDisabled AccountProblem InvalidObjectState 401 403"),
    (StoreUnavailable, "it asks for fewer requests; try later",
     "SlowDown SlowDownRead SlowDownWrite ServiceUnavailable Busy Throttling ThrottlingException RequestLimitExceeded "
     "TooManyRequests 429 503"),
    (StoreUnavailable, "the request was cut on its way; look at the network", "IncompleteBody RequestTimeout"),
]


def _meaning(code: str, status: int) -> tuple[type[MediaError], str]:
    """What a reply means: its code tells more than its status."""
    for told in (code, str(status)):
        for kind, why, names in _MEANINGS:
            if told in names.split():
                return kind, why
    if status >= 500:
        return StoreUnavailable, "it failed; look at its log"
    return StoreUnavailable, "it does not accept the request; check whether it supports what was asked"

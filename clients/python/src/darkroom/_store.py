"""A media store in a directory, and how a file gets there.

This does what Darkroom's own programs do (Sources/Media/MediaStore), with the same names, permissions and locks.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator

from ._errors import MediaError, StoreFull, StoreUnavailable
from ._photo import MARKER, MARKER_LIMIT, Photo, StoredPhoto, another_store, copy, identity_in, no_marker, open_source

# Originals contain positions: they are private to the owner and the group.
_FILE_MODE = 0o640
_DIRECTORY_MODE = 0o770
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class MediaStore:
    """The directory of an installation. Every call follows the path again, and blocks."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(path)

    def identity(self) -> str | None:
        """The identity in the store's marker; None without a marker or a directory."""
        with contextlib.ExitStack() as opened, self._errors():
            try:
                root = self._root(opened)
            except (FileNotFoundError, NotADirectoryError):
                return None
            return self._identity(root)

    def mark(self, proposal: str) -> str:
        """Makes the store, and gives it the identity that the database proposed. Returns the one that it has."""
        with contextlib.ExitStack() as opened, self._errors():
            os.makedirs(self.path, 0o775, exist_ok=True)
            root = self._root(opened)
            if found := self._identity(root):
                return found
            originals = _subdirectory(opened, root, "originals")
            file = _Unfinished(opened, originals)
            file.write(f"{proposal}\n".encode())
            file.persist(0o644)
            # Another process may just have made it: then its identity counts.
            with contextlib.suppress(FileExistsError):
                file.link(originals, MARKER)
            os.fsync(originals)
            made = self._identity(root)
        if made is None:
            raise StoreUnavailable(f"{self.path} lost its new marker: try again")
        return made

    def put(self, photo: Photo, identity: str) -> StoredPhoto:
        """Stores a photo in the store with this identity. The stored bytes are the bytes that were hashed.

        When this returns, the file survives a power cut. The same bytes stored twice, even at once, are one file.
        """
        with contextlib.ExitStack() as opened:
            source = open_source(opened, photo)
            with self._errors():
                root = self._root_of(opened, identity)
                originals = _subdirectory(opened, root, "originals")
                file = _Unfinished(opened, originals)

            def write(chunk: bytes) -> None:
                with self._errors():
                    file.write(chunk)

            stored = copy(source, write)
            name = stored.original_sha256
            with self._errors():
                file.persist(_FILE_MODE)
                first = _subdirectory(opened, originals, name[:2])
                second = _subdirectory(opened, first, name[2:4])
                while not (_linked(file, second, name) or _renewed(file, second, name)):
                    pass  # The file that had the name was removed at this very moment: there is room for ours.
                # Also if the file was there already: the writer that linked it may not have synced the directory yet.
                os.fsync(second)
                now = self._root_of(opened, identity)
                if not os.path.samestat(os.fstat(now), os.fstat(root)):
                    raise StoreUnavailable(f"{self.path} was replaced while a file was being stored: try again")
        return stored

    def _root(self, opened: contextlib.ExitStack) -> int:
        # Symbolic links above and at the root belong to the operator and are followed.
        return _opened(opened, os.open(self.path, _DIRECTORY))

    def _root_of(self, opened: contextlib.ExitStack, identity: str) -> int:
        try:
            root = self._root(opened)
        except (FileNotFoundError, NotADirectoryError):
            what = "is no directory"
        else:
            found = self._identity(root)
            if found == identity:
                return root
            what = f"is the media store {found}" if found else (
                "has no marker of a media store, like the mount point of a disk that is not mounted")
        raise another_store(self.path, what, identity, "mount the right disk, or correct the path")

    def _identity(self, root: int) -> str | None:
        name = f"{self.path}/originals/{MARKER}"
        with contextlib.ExitStack() as opened:
            try:
                originals = _opened(opened, os.open("originals", _DIRECTORY | os.O_NOFOLLOW, dir_fd=root))
                marker = _opened(opened, os.open(
                    MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=originals))
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
                    raise no_marker(name) from error
                raise
            if not stat.S_ISREG(os.fstat(marker).st_mode):
                raise no_marker(name)
            return identity_in(os.read(marker, MARKER_LIMIT + 1), name)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else MediaError
            raise kind(f"the media store {self.path} cannot be used: {error.strerror}") from error


class _Unfinished:
    """A file that has no name yet, or, on file systems without such files, one that nobody looks for."""

    def __init__(self, opened: contextlib.ExitStack, tree: int) -> None:
        self._named: tuple[int, str] | None = None
        try:
            descriptor = os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=tree)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR):
                raise
            directory = _subdirectory(opened, tree, ".unfinished", _DIRECTORY_MODE)
            name = f"{os.getpid()}-{secrets.token_hex(8)}"
            descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=directory)
            opened.callback(os.unlink, name, dir_fd=directory)
            self._named = directory, name
        self._descriptor = _opened(opened, descriptor)

    def write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(self._descriptor, rest):]

    def persist(self, mode: int) -> None:
        os.fchmod(self._descriptor, mode)
        os.fsync(self._descriptor)

    def link(self, directory: int, name: str) -> None:
        if self._named:
            os.link(self._named[1], name, src_dir_fd=self._named[0], dst_dir_fd=directory, follow_symlinks=False)
        else:
            os.link(f"/proc/self/fd/{self._descriptor}", name, dst_dir_fd=directory, follow_symlinks=True)


def _opened(opened: contextlib.ExitStack, descriptor: int) -> int:
    opened.callback(os.close, descriptor)
    return descriptor


def _subdirectory(opened: contextlib.ExitStack, parent: int, name: str, mode: int = _DIRECTORY_MODE) -> int:
    """Opens a directory of the store. Anyone who makes it sees that it is on the disk."""
    is_new = False
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, mode, dir_fd=parent)
        is_new = True
    directory = _opened(opened, os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=parent))
    if is_new:
        # Regardless of the umask; an inherited set-group-ID bit stays.
        os.fchmod(directory, mode | os.fstat(directory).st_mode & stat.S_ISGID)
        os.fsync(parent)
    return directory


def _linked(file: _Unfinished, directory: int, name: str) -> bool:
    try:
        file.link(directory, name)
    except FileExistsError:
        return False
    return True


def _renewed(file: _Unfinished, directory: int, name: str) -> bool:
    """Sets the time of a file that is stored already, so that no sweep removes it; False if it is gone.

    A file that the disk has damaged is replaced. So is another user's file, whose time cannot be set.
    """
    with contextlib.ExitStack() as opened:
        try:
            existing = _opened(opened, os.open(
                name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory))
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(os.fstat(existing).st_mode):
            raise MediaError(f"originals/{name[:2]}/{name[2:4]}/{name} is not a regular file")
        # Keeps the name from being removed. On a file system without locks, only the age protects a file.
        with contextlib.suppress(OSError):
            fcntl.flock(existing, fcntl.LOCK_SH)
        if os.fstat(existing).st_nlink == 0:
            return False
        with contextlib.suppress(OSError):
            if _digest(existing) == name:
                os.utime(existing)
                return True
        temporary = f".{os.getpid()}-{secrets.token_hex(8)}"
        file.link(directory, temporary)
        try:
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            os.unlink(temporary, dir_fd=directory)
            raise
        return True


def _digest(descriptor: int) -> str:
    sha256 = hashlib.sha256()
    while chunk := os.read(descriptor, 256 * 1024):
        sha256.update(chunk)
    return sha256.hexdigest()

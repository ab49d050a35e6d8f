"""What is in the store is whole, whatever happens meanwhile."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import re
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import psycopg
import pytest
from conftest import files
from darkroom import Darkroom, MediaError, StoredPhoto

#: Runs in a process of its own: `darkroom` and `connection` are there.
PREAMBLE = """
import io, os, signal, sys, threading
import psycopg
from darkroom import Darkroom
darkroom = Darkroom(sys.argv[2])
connection = psycopg.connect(sys.argv[1])
"""


def process(script: str, database: str, media: Path, *wrapper: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*wrapper, sys.executable, "-c", PREAMBLE + script, database, str(media)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def succeed(child: subprocess.Popen[str]) -> str:
    output, errors = child.communicate()
    assert child.returncode == 0, errors
    return output


def modes(media: Path, photo: StoredPhoto) -> list[int]:
    path = media / photo.original_key
    return [each.stat().st_mode & 0o7777 for each in (path, path.parent, path.parent.parent, media / "originals")]


def test_120_concurrent_stores_of_one_photo(connection: psycopg.Connection, database: str, media: Path) -> None:
    script = """
photo = bytes(range(256)) * 4096 * 2
failed = []
def store():
    try:
        with psycopg.connect(sys.argv[1]) as connection:
            start.wait()
            darkroom.enqueue(connection, io.BytesIO(photo), uploader="ada")
    except BaseException as error:
        failed.append(error)
start = threading.Barrier(21)
threads = [threading.Thread(target=store) for _ in range(20)]
for thread in threads: thread.start()
print("ready", flush=True)
sys.stdin.readline()
start.wait()
for thread in threads: thread.join()
assert not failed, failed
"""
    children = [process(script, database, media) for _ in range(6)]
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == "ready\n", child.communicate()
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        succeed(child)
    photo = bytes(range(256)) * 4096 * 2
    name = hashlib.sha256(photo).hexdigest()
    assert files(media) == [f"originals/{name[:2]}/{name[2:4]}/{name}"]
    stored = media / files(media)[0]
    assert stored.read_bytes() == photo and stored.stat().st_nlink == 1
    assert connection.execute("select count(*) from darkroom.jobs").fetchone() == (120,)


@pytest.mark.parametrize("has_unnamed_files", [True, False])
def test_a_process_killed_in_the_middle_leaves_no_photo(
    connection: psycopg.Connection, database: str, media: Path, darkroom: Darkroom, has_unnamed_files: bool
) -> None:
    script = """
class Slow(io.BytesIO):
    def read(self, size):
        if self.tell():
            print("half", flush=True)
            signal.pause()
        return super().read(100_000)
darkroom.enqueue(connection, Slow(bytes(200_000)), uploader="ada")
"""
    child = process(("" if has_unnamed_files else WITHOUT_UNNAMED_FILES) + script, database, media)
    assert child.stdout is not None and child.stdout.readline() == "half\n", child.communicate()
    child.kill()
    child.communicate()
    # A file system without unnamed files keeps the half where nobody looks, until a worker removes it.
    left = files(media)
    assert len(left) == (0 if has_unnamed_files else 1) and all(name.startswith("originals/.unfinished/") for name in left)
    assert connection.execute("select count(*) from darkroom.jobs").fetchone() == (0,)
    photo = darkroom.store(connection, io.BytesIO(bytes(200_000)))
    assert (media / photo.original_key).read_bytes() == bytes(200_000)


#: As on a file system without O_TMPFILE, such as NFS.
WITHOUT_UNNAMED_FILES = """
import errno
real_open = os.open
def refusing_open(path, flags, *rest, **more):
    if flags & os.O_TMPFILE == os.O_TMPFILE: raise OSError(errno.EOPNOTSUPP, "not supported")
    return real_open(path, flags, *rest, **more)
os.open = refusing_open
"""


def test_a_file_system_without_unnamed_files(database: str, media: Path) -> None:
    script = WITHOUT_UNNAMED_FILES + """
photo = darkroom.store(connection, io.BytesIO(b"one"))
assert darkroom.store(connection, io.BytesIO(b"one")) == photo
print(photo.original_key)
"""
    key = succeed(process(script, database, media)).strip()
    assert files(media) == [key] and (media / key).read_bytes() == b"one"


def test_a_photo_that_is_stored_already_gets_the_present_time(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path
) -> None:
    path = media / darkroom.store(connection, io.BytesIO(b"one")).original_key
    before = path.stat()
    os.utime(path, (1, 1))
    darkroom.store(connection, io.BytesIO(b"one"))
    assert path.stat().st_mtime > time.time() - 60 and path.stat().st_ino == before.st_ino


def test_a_damaged_photo_is_replaced(connection: psycopg.Connection, darkroom: Darkroom, media: Path) -> None:
    path = media / darkroom.store(connection, io.BytesIO(b"one")).original_key
    path.write_bytes(b"on")
    photo = darkroom.store(connection, io.BytesIO(b"one"))
    assert path.read_bytes() == b"one" and files(media) == [photo.original_key] and path.stat().st_nlink == 1


def test_a_photo_that_is_removed_while_it_is_stored_again(
    connection: psycopg.Connection, darkroom: Darkroom, database: str, media: Path
) -> None:
    path = media / darkroom.store(connection, io.BytesIO(b"one")).original_key
    connection.commit()
    with path.open("rb") as removed:
        # As a sweep does.
        fcntl.flock(removed, fcntl.LOCK_EX)
        child = process("darkroom.store(connection, io.BytesIO(b'one'))", database, media)
        while f" {child.pid} " not in " ".join(line for line in Path("/proc/locks").read_text().splitlines() if "->" in line):
            assert child.poll() is None, child.communicate()
        path.unlink()
    succeed(child)
    assert path.read_bytes() == b"one"


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_permissions_do_not_depend_on_the_umask(
    connection: psycopg.Connection, darkroom: Darkroom, media: Path, umask: int
) -> None:
    old = os.umask(umask)
    try:
        photo = darkroom.store(connection, io.BytesIO(b"one"))
    finally:
        os.umask(old)
    assert modes(media, photo) == [0o640, 0o770, 0o770, 0o770]
    assert (media / "originals/.darkroom-store").stat().st_mode & 0o777 == 0o644


def test_a_large_photo_is_read_in_pieces(connection: psycopg.Connection, darkroom: Darkroom, media: Path) -> None:
    class Endless:
        left = 64 << 20

        def read(self, size: int, /) -> bytes:
            piece = bytes(min(size, self.left))
            self.left -= len(piece)
            return piece

    tracemalloc.start()
    try:
        photo = darkroom.store(connection, Endless())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert photo.original_bytes == 64 << 20 == (media / photo.original_key).stat().st_size
    assert peak < 2 << 20


def test_what_is_no_photo(connection: psycopg.Connection, darkroom: Darkroom, media: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        darkroom.store(connection, tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        darkroom.store(connection, tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        darkroom.store(connection, tmp_path)
    with pytest.raises(TypeError):
        darkroom.store(connection, io.StringIO("text"))  # type: ignore[arg-type]
    with open(tmp_path / "pipe", "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as pipe:
        with open(tmp_path / "pipe", "wb"), pytest.raises(TypeError):
            darkroom.store(connection, pipe)
    assert files(media) == []


def test_a_folder_in_the_place_of_a_photo(connection: psycopg.Connection, darkroom: Darkroom, media: Path) -> None:
    path = media / darkroom.store(connection, io.BytesIO(b"one")).original_key
    path.unlink()
    path.mkdir()
    with pytest.raises(MediaError):
        darkroom.store(connection, io.BytesIO(b"one"))


def test_a_stored_photo_is_on_the_disk(database: str, media: Path, tmp_path: Path) -> None:
    """The calls in their order: what is written survives a power cut before anybody hears of it."""
    trace = tmp_path / "trace"
    watched = ["strace", "-f", "-yy", f"--output={trace}", "--trace=fsync,linkat,mkdirat"]
    succeed(process("print(darkroom.store(connection, io.BytesIO(b'one')))", database, media, *watched))
    name = hashlib.sha256(b"one").hexdigest()
    calls = [line.split(" ", 1)[1].lstrip() for line in trace.read_text().splitlines() if " = 0" in line]
    folder = f"{media}/originals/{name[:2]}/{name[2:4]}"
    link = next(i for i, call in enumerate(calls) if call.startswith("linkat") and f'"{name}"' in call)
    assert re.match(rf"fsync\(\d+<{re.escape(str(media))}/originals/#", calls[link - 5]), calls
    # Each new folder is on the disk too.
    assert [call.split("(")[0] for call in calls[link - 5:link + 2]] == [
        "fsync", "mkdirat", "fsync", "mkdirat", "fsync", "linkat", "fsync"]
    for call, where in zip(calls[link - 3:link + 2:2], [f"{media}/originals", folder[:-3], folder], strict=True):
        assert re.match(rf"fsync\(\d+<{re.escape(where)}>", call), calls

"""What becomes of uploads in parts when connections, servers, disks and stores fail.

DARKROOM_HTTP=all cuts in more places and has a longer storm; with long, it cuts at every byte, and the storm takes a thousand uploads.
DARKROOM_SEED is the storm's.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from base64 import b64encode

import pytest
from conftest import ALL, LONG, Installation, Server
from resumable import BYTES, TUS, Raw, address, begin, enlarged, files, jobs, only_job, patch, resume, until


@pytest.fixture(scope="session")
def photo(photo: bytes) -> bytes:
    return enlarged(photo)


@pytest.mark.check
def test_one_request_writes_at_a_time(installation: Installation, photo: bytes) -> None:
    with installation.serve() as server, installation.serve() as other, server.client("zoe") as zoe, other.client("zoe") as away:
        where = address(begin(zoe, len(photo)))
        first = Raw(server, "zoe", "PATCH", where, {**BYTES, "Upload-Offset": "0"}, photo)
        first.send(0, len(first.bytes) - 1000)
        until(lambda: zoe.head(where, headers=TUS).headers["Upload-Offset"], lambda offset: offset != "0")
        for client in [zoe, away]:
            second = patch(client, where, 0, photo)
            assert (second.status_code, second.json()["code"]) == (423, "upload_busy")
            assert client.delete(where, headers=TUS).status_code == 423
        first.send(len(first.bytes) - 1000)
        assert first.read().startswith("HTTP/1.1 204 ")
        only_job(installation, photo)


def test_every_cut_ends_in_one_job(installation: Installation, server: Server, photo: bytes) -> None:
    """Cuts the request that brings the whole photo at each k-th byte of headers and body."""
    ended: set[str] = set()
    with server.client("zoe") as zoe:
        size = len(Raw(server, "zoe", "PATCH", "/files/" + "0" * 32, {**BYTES, "Upload-Offset": "0"}, photo).bytes)
        stride = 1 if LONG else size // (150 if ALL else 15)
        for position in [*range(0, size, stride), size]:
            where = address(begin(zoe, len(photo)))
            request = Raw(server, "zoe", "PATCH", where, {**BYTES, "Upload-Offset": "0"}, photo)
            request.send(0, position).cut(reset=position % 2 == 1)
            head = resume(zoe, where, photo)
            ended.add(head.headers["Darkroom-Upload"])
            assert len(ended) == len(jobs(installation)), position
    assert {(digest, length) for _, digest, length in jobs(installation)} == {(hashlib.sha256(photo).hexdigest(), len(photo))}
    assert not list(installation.uploads.rglob("bytes"))


def test_a_cut_with_a_checksum_keeps_nothing(installation: Installation, server: Server, photo: bytes) -> None:
    checksum = "sha256 " + b64encode(hashlib.sha256(photo).digest()).decode()
    with server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        request = Raw(server, "zoe", "PATCH", where, {**BYTES, "Upload-Offset": "0", "Upload-Checksum": checksum}, photo)
        request.send(0, len(request.bytes) - 10)
        [kept] = installation.uploads.rglob("bytes")
        until(lambda: kept.stat().st_size, lambda size: size >= 1000)
        # Nobody is told of bytes that may be wrong.
        assert zoe.head(where, headers=TUS).headers["Upload-Offset"] == "0"
        server.process.send_signal(signal.SIGKILL)
    with installation.serve() as server, server.client("zoe") as zoe:
        assert kept.stat().st_size >= 1000
        assert zoe.head(where, headers=TUS).headers["Upload-Offset"] == "0"
        # The next parts need no checksum, and are kept.
        for begin_at, end in [(0, 5_000), (5_000, 12_000)]:
            assert patch(zoe, where, begin_at, photo[begin_at:end]).headers["Upload-Offset"] == str(end)
            assert zoe.head(where, headers=TUS).headers["Upload-Offset"] == str(end)
        assert patch(zoe, where, 12_000, photo[12_000:]).status_code == 204
        only_job(installation, photo)


def test_a_store_that_is_away_is_not_the_uploaders_fault(installation: Installation, server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        assert zoe.post("/uploads", content=photo, headers={"Content-Type": "image/jpeg"}).status_code == 202
        other = photo + b"\0"
        where = address(begin(zoe, len(other)))
        away = installation.media.rename(installation.folder / "away")
        assert patch(zoe, where, 0, other).status_code == 503
        # All bytes are there, but the upload is not at its end.
        head = zoe.head(where, headers=TUS)
        assert (head.status_code, "Upload-Offset" in head.headers) == (503, False)
        assert int(head.headers["Retry-After"]) > 0
        away.rename(installation.media)
        resume(zoe, where, other)
        assert len(jobs(installation)) == 2


def test_expired_uploads_are_removed(installation: Installation, photo: bytes) -> None:
    with installation.serve("--upload-lifetime", "1h") as server, server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        ended = address(zoe.post("/files", content=photo, headers={**BYTES, "Upload-Length": str(len(photo))}))
        assert patch(zoe, where, 0, photo[:1000]).status_code == 204
    # Their time passes.
    for record in installation.uploads.rglob("record"):
        record.write_text(json.dumps({**json.loads(record.read_text()), "expires": 1}))
    with installation.serve("--upload-lifetime", "2s") as server, server.client("zoe") as zoe:
        until(lambda: zoe.head(where, headers=TUS).status_code, lambda status: status != 200)
        assert zoe.head(ended, headers=TUS).status_code in (404, 410)
        assert patch(zoe, where, 1000, photo[1000:]).status_code in (404, 410)
        until(lambda: files(installation), lambda left: left == [])
        assert begin(zoe, len(photo)).status_code == 201
    only_job(installation, photo)


def test_what_a_killed_server_left_is_removed(installation: Installation, photo: bytes) -> None:
    with installation.serve("--upload-lifetime", "1h") as server, server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        server.process.send_signal(signal.SIGKILL)
    [person] = [path for path in installation.uploads.iterdir() if path.is_dir()]
    (person / (".new-" + "0" * 32)).mkdir()
    (person / ("0" * 32)).mkdir()
    (person / ("0" * 32) / "bytes").write_bytes(b"x")
    for name in [".new-" + "0" * 32, "0" * 32]:
        os.utime(person / name, (0, 0))
    with installation.serve("--upload-lifetime", "1h") as server, server.client("zoe") as zoe:
        until(lambda: {path.name for path in person.iterdir()}, lambda names: names == {where.removeprefix("/files/")})
        resume(zoe, where, photo)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_not_the_uploaders_fault(installation: Installation, photo: bytes) -> None:
    installation.uploads.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", installation.uploads], check=True)
    try:
        big = photo + bytes(200_000)
        with installation.serve() as server, server.client("zoe") as zoe:
            where = address(begin(zoe, len(big)))
            full = patch(zoe, where, 0, big)
            assert (full.status_code, full.json()["code"]) == (503, "unavailable")
            assert "full" in full.json()["detail"]
            assert begin(zoe, len(big)).status_code == 503
            assert zoe.head(where, headers=TUS).status_code == 200
            subprocess.run(["mount", "-o", "remount,size=2m", installation.uploads], check=True)
            resume(zoe, where, big)
        only_job(installation, big)
    finally:
        subprocess.run(["umount", "-l", installation.uploads], check=True)


def storm(installation: Installation, photo: bytes, seed: int, rounds: int) -> None:
    """Cuts, kills and absent stores at random, each upload of other bytes; every one ends in one job of its own."""
    dice = random.Random(seed)
    expected: dict[str, int] = {}
    for _ in range(max(1, rounds // 20)):
        with installation.serve() as server, server.client("zoe") as zoe:
            waiting: list[tuple[str, bytes]] = []
            for _ in range(20):
                content = photo + dice.randbytes(8)
                where = address(begin(zoe, len(content)))
                offset = 0
                request = Raw(server, "zoe", "PATCH", where, {**BYTES, "Upload-Offset": str(offset)}, content)
                request.send(0, dice.choice([dice.randrange(len(request.bytes)), len(request.bytes)]))
                match dice.randrange(4):
                    case 0:
                        away = installation.media.rename(installation.folder / "away") if installation.media.exists() else None
                        time.sleep(dice.random() * 0.02)
                        request.cut()
                        time.sleep(dice.random() * 0.02)
                        if away is not None:
                            if installation.media.exists():
                                shutil.rmtree(installation.media)
                            away.rename(installation.media)
                    case 1:
                        request.cut(reset=True)
                    case _:
                        request.cut()
                waiting.append((where, content))
                if dice.randrange(3) == 0:
                    resume(zoe, *waiting.pop(dice.randrange(len(waiting))))
                expected[hashlib.sha256(content).hexdigest()] = len(content)
            time.sleep(dice.random() * 0.01)
            server.process.send_signal(signal.SIGKILL)
        with installation.serve() as server, server.client("zoe") as zoe:
            for where, content in waiting:
                resume(zoe, where, content)
    found = jobs(installation)
    assert len(found) == len(expected)
    assert {digest: size for _, digest, size in found} == expected
    assert not list(installation.uploads.rglob("bytes"))


def test_a_storm_of_cuts_and_kills(installation: Installation, photo: bytes) -> None:
    with installation.serve() as server, server.client("zoe") as zoe:
        # The store must be known before it can be away.
        first = zoe.post("/uploads", content=photo, headers={"Content-Type": "image/jpeg"})
        assert zoe.delete(first.headers["Location"].removeprefix("/v1")).status_code == 204
    installation.sql("delete from darkroom.uploads")
    storm(installation, photo, seed=int(os.environ.get("DARKROOM_SEED", "1")), rounds=1000 if LONG else 40 if ALL else 5)

"""What the tests of uploads in parts share: clients of tus and of the draft, and requests that are cut where a test wants."""

import hashlib
import os
import random
import socket
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
from conftest import Installation, Server

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {**TUS, "Content-Type": "application/offset+octet-stream"}


def enlarged(photo: bytes) -> bytes:
    """20,000 bytes; what comes after the end of a JPEG file does not matter."""
    return photo + random.Random(1).randbytes(20_000 - len(photo))


def metadata(**values: str) -> str:
    return ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in values.items())


def begin(client: httpx.Client, length: object, **headers: str) -> httpx.Response:
    return client.post("/files", headers={**TUS, "Upload-Length": str(length), **headers})


def address(response: httpx.Response) -> str:
    assert response.status_code == 201, response.text
    return response.headers["Location"].removeprefix("/v1")


def patch(client: httpx.Client, where: str, offset: object, content: bytes, **headers: str) -> httpx.Response:
    return client.patch(where, content=content, headers={**BYTES, "Upload-Offset": str(offset), **headers})


def draft(version: int, complete: bool, **headers: str) -> dict[str, str]:
    name = "Upload-Incomplete" if version == 3 else "Upload-Complete"
    value = "?1" if complete != (version == 3) else "?0"
    return {"Upload-Draft-Interop-Version": str(version), name: value, **headers}


def jobs(installation: Installation) -> list[Any]:
    return installation.sql(
        "select u.job_id, encode(u.original_sha256, 'hex') as sha, u.original_bytes from darkroom.uploads u order by 1")


def only_job(installation: Installation, photo: bytes) -> int:
    [(job, digest, size)] = jobs(installation)
    assert (digest, size) == (hashlib.sha256(photo).hexdigest(), len(photo))
    return int(job)


def files(installation: Installation) -> list[str]:
    """What is left in the directory of uploads, without what its locks need."""
    # A walk does not mind what disappears meanwhile.
    return [os.path.relpath(os.path.join(folder, name), installation.uploads)
            for folder, folders, names in os.walk(installation.uploads) for name in folders + names if name != ".sweep"]


class Raw:
    """A request whose bytes go where a test wants."""

    def __init__(self, server: Server, person: str, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> None:
        self.where = urlsplit(server.url)
        lines = [f"{method} /v1{path} HTTP/1.1", f"Host: {self.where.netloc}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in {**server.headers(person), **headers}.items()]
        self.bytes = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
        self.socket = socket.create_connection((str(self.where.hostname), int(self.where.port or 0)), timeout=20)

    def send(self, begin: int = 0, end: int | None = None) -> "Raw":
        self.socket.sendall(self.bytes[begin:end])
        return self

    def read(self, until: bytes = b"\r\n\r\n") -> str:
        got = b""
        while until not in got:
            more = self.socket.recv(65536)
            if not more:
                break
            got += more
        return got.decode()

    def cut(self, reset: bool = False) -> None:
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()


def until(ask: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    """Asks until it is so, for 20 s at most."""
    end = time.monotonic() + 20
    while not is_so(answer := ask()):
        assert time.monotonic() < end, answer
        time.sleep(0.01)
    return answer


def resume(client: httpx.Client, where: str, photo: bytes) -> httpx.Response:
    """What a client does after a cut, until the upload has its job."""
    for _ in range(200):
        head = client.head(where, headers=TUS)
        if head.status_code in (423, 503):
            time.sleep(0.02)
            continue
        assert head.status_code == 200, head
        if "Darkroom-Upload" in head.headers:
            return head
        offset = int(head.headers["Upload-Offset"])
        assert offset < len(photo)
        sent = patch(client, where, offset, photo[offset:])
        assert sent.status_code in (204, 409, 423, 503), sent.text
    raise AssertionError("the upload does not end")

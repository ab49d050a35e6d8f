"""GeoPic and Breakit as docs/http-apps.md sets them up, and the phones that call them."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from conftest import PROGRAM, Installation, Server

PAGE = (Path(__file__).resolve().parents[3] / "docs/http-apps.md").read_text()
JPEG = {"Content-Type": "image/jpeg"}
STREAM = {"Accept": "text/event-stream"}
DAY = 86_400


@dataclass(frozen=True)
class Call:
    """A call that a row of the page names; a parameter of the value None is one that the phone fills in."""

    method: str
    path: str
    parameters: dict[str, Any]
    headers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.parameters} {self.headers}"

    def is_made_by(self, request: httpx.Request) -> bool:
        pattern = re.sub(r"\\{(\w+)\\}", lambda name: ".+" if name[1] == "key" else "[^/]+", re.escape(self.path))
        if request.method != self.method or not re.fullmatch(pattern, request.url.path):
            return False
        given: dict[str, Any] = dict(parse_qsl(request.url.query.decode()))
        if request.headers.get("Content-Type") == "application/json":
            given |= json.loads(request.content)
        return all(name in request.headers for name in self.headers) and all(
            name in given and (value is None or str(given[name]).startswith(value) if isinstance(value, str) else value in (None, given[name]))
            for name, value in self.parameters.items())


@dataclass
class Row:
    section: str
    does: str
    calls: list[Call]
    commands: list[str]
    tests: list[str]


def calls_in(cell: str) -> Iterator[Call]:
    for line in cell.split("<br>"):
        call, *headers = re.findall(r"`([^`]+)`", line)
        method, path, query, body = re.fullmatch(r"(\w+) ([^ ?]+)(?:\?([^ ]+))?(?: (\{.*\}))?", call).groups()  # type: ignore[union-attr]
        parameters = {name: value.removesuffix("…") or None for name, value in parse_qsl(query or "")}
        parameters |= json.loads((body or "{}").replace("…", "null"))
        yield Call(method, path, parameters, tuple(headers))


def rows() -> list[Row]:
    found, section = [], ""
    for line in PAGE.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        cells = line.strip("| ").split(" | ")
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "what the screen does":
            does, calls, tests = cells
            found.append(Row(section, does, list(calls_in(calls)), re.findall(r"`((?:darkroom |--)[^`]+)`", does), re.findall(r"`(\w+)`", tests)))
    return found


def block(app: str) -> str:
    """The commands that set up the app."""
    return re.search(rf"<!-- {app} -->\n```sh\n(.*?)```", PAGE, re.DOTALL)[1]  # type: ignore[index]


@dataclass
class App:
    """An app that runs: a server, a worker, and the sign-in that makes tokens."""

    name: str
    installation: Installation
    server: Server
    sign_in: Ed25519PrivateKey
    stack: ExitStack
    requests: list[httpx.Request] = field(default_factory=list)
    phones: dict[str, httpx.Client] = field(default_factory=dict)

    def phone(self, person: str | None, days: float = 365) -> httpx.Client:
        """The phone of a person whose account was made so many days ago, or of nobody."""
        key = person or ""
        if key not in self.phones:
            now = time.time()
            headers = {} if person is None else {"Authorization": "Bearer " + jwt.encode(
                {"sub": person, "exp": now + 3600, "created_at": now - days * DAY}, self.sign_in, "EdDSA")}
            # All phones have one address here, and the server keeps no more than 64 connections of one.
            self.phones[key] = self.stack.enter_context(httpx.Client(
                base_url=f"{self.server.url}/v1", headers=headers, timeout=30, event_hooks={"request": [self.requests.append]},
                limits=httpx.Limits(max_keepalive_connections=0)))
        return self.phones[key]

    def run(self, script: str) -> None:
        programs = self.installation.folder / "bin"
        if not programs.exists():
            programs.mkdir()
            (programs / "darkroom").symlink_to(PROGRAM)
        environment = {**self.installation.environment, "PATH": f"{programs}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    @contextmanager
    def counting_later(self) -> Iterator[None]:
        """What people do within is counted in one go: likes that are counted one by one are told of one by one."""
        self.installation("queue", "pause", "--kind", "tally")
        until(lambda: self.installation.sql("select from darkroom.jobs where kind = 'tally' and lease is not null") == [])
        yield
        self.installation("queue", "resume", "--kind", "tally")

    def send(self, person: str, photo: bytes | None, **details: Any) -> int:
        """Uploads a photo, or a text without one; the number of the job."""
        details = {"headline": "News", "category": "news", **details}
        if photo is None:
            return int(ok(self.phone(person).post("/uploads", json=details), 202)["job_id"])
        kind = {"Content-Type": "image/png"} if photo.startswith(b"\x89PNG") else JPEG
        return int(ok(self.phone(person).post("/uploads", params=details, content=photo, headers=kind), 202)["job_id"])

    def follow(self, person: str, job: int) -> dict[str, Any]:
        """The last state of the upload, as its phone sees it."""
        return dict(until(lambda: (state := ok(self.phone(person).get(f"/uploads/{job}")))["finished_at"] and state))

    def post(self, person: str, photo: bytes | None = None, **details: Any) -> int:
        """The number of the post that an upload becomes."""
        state = self.follow(person, self.send(person, photo, **details))
        assert (state["state"], state["post_state"]) == ("succeeded", "published"), state
        return int(state["post_id"])

    def weigh(self) -> None:
        """Waits until all reports are weighed: what they do not change cannot be seen from outside."""
        until(lambda: self.installation.sql("""
            select post_id from darkroom.moderation_backlog union all select subject_id from darkroom.jobs where kind = 'moderate'""") == [])

    def picture(self, person: str, post: int, **position: Any) -> str:
        """The address of the post's picture."""
        found = self.phone(person).get(f"/posts/{post}/picture", params={"width": 100, **position})
        assert found.status_code == 302, found.text
        return found.headers["Location"].removeprefix("/v1")


def ok(reply: httpx.Response, status: int = 200) -> Any:
    assert reply.status_code == status, reply.text
    return reply.json() if reply.content else None


def items(phone: httpx.Client, path: str, **query: Any) -> list[dict[str, Any]]:
    """A list to its end, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = ok(phone.get(path, params=query))
        found += page["items"]
        if not page.get("next"):
            return found
        query["after"] = page["next"]


def numbers(phone: httpx.Client, path: str, **query: Any) -> list[int]:
    return [item["post_id"] for item in items(phone, path, **query)]


def until(what: Callable[[], Any]) -> Any:
    """Waits for what happens a moment later, such as a verdict on reports."""
    ends = time.monotonic() + 30
    while not (value := what()):
        assert time.monotonic() < ends, "it has not happened"
        time.sleep(0.02)
    return value


def picture(number: int) -> bytes:
    """A photo in PNG that looks like no other, without a position: photos that look like a removed one are held."""
    random = Random(number)
    tiles = [[random.randbytes(3) for _ in range(8)] for _ in range(8)]
    lines = b"".join(b"\0" + b"".join(tile * 20 for tile in line) for line in tiles for _ in range(20))

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 160, 160, 8, 2, 0, 0, 0)) + chunk(
        b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


@contextmanager
def running(name: str, installation: Installation) -> Iterator[App]:
    """Sets up the app with the commands of the page, and starts its server and a worker."""
    sign_in = Ed25519PrivateKey.generate()
    keys = installation.folder / "tokens.jwks"
    jwk = jwt.get_algorithm_by_name("EdDSA").to_jwk(sign_in.public_key())
    keys.write_text(json.dumps({"keys": [json.loads(jwk)]}))
    *commands, serve = block(name).strip().splitlines()
    with ExitStack() as stack:
        app = App(name, installation, None, sign_in, stack)  # type: ignore[arg-type]
        app.run("\n".join(commands))
        options = serve.removeprefix("darkroom serve ").replace("tokens.jwks", str(keys)).split()
        app.server = stack.enter_context(installation.serve(*options))
        stack.enter_context(installation.worker())
        yield app

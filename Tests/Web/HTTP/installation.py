"""An installation for each test: a migrated database, a media store, `darkroom serve`, and a worker where a test asks for one.

DATABASE_URL is a superuser's, DARKROOM_PROGRAMS the folder of the built programs, DARKROOM_GAZETTEER an index, and
DARKROOM_PHOTO a JPEG file with a position. Tests/Command/IntegrationTests/HTTPTests.swift sets them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import secrets
import subprocess
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

# How much is tried: all or long; else one example of each kind.
LONG = os.environ.get("DARKROOM_HTTP") == "long"
ALL = LONG or os.environ.get("DARKROOM_HTTP") == "all"
BROWSER = os.environ.get("DARKROOM_BROWSER") == "all"
SERVER = os.environ["DATABASE_URL"]
PROGRAM = Path(os.environ["DARKROOM_PROGRAMS"], "darkroom")
numbers = itertools.count()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "check: takes long, so it runs only if all is tried")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if ALL or BROWSER:
        return
    later = [item for item in items if item.get_closest_marker("check")]
    config.hook.pytest_deselected(items=later)
    items[:] = [item for item in items if item not in later]


class Server:
    """A running `darkroom serve`."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, key: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.key = key
        self.log = log

    def headers(self, person: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Darkroom-Person": person}

    def client(self, person: str | None = None, **options: Any) -> httpx.Client:
        """A client of the API's root, for a person or for nobody."""
        headers = {} if person is None else self.headers(person)
        return httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=30, **options)


class Installation:
    def __init__(self, database: str, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.media = folder / "media"
        self.uploads = folder / "uploads"
        self.environment = {
            **os.environ, "DATABASE_URL": database, "DARKROOM_MEDIA": str(self.media),
            "DARKROOM_UPLOADS_DIR": str(self.uploads)}
        self.key = "drk_" + urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        self.keys = folder / "keys.txt"
        self.keys.write_text(f"test {hashlib.sha256(self.key.encode()).hexdigest()}\n")

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def drain(self) -> None:
        """Runs all jobs that wait."""
        self("work", "--drain", "--concurrency", "1")

    def sql(self, statement: str, *values: Any) -> list[Any]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [PROGRAM, "work", "--concurrency", "2"]
        with subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL) as worker:
            try:
                yield worker
            finally:
                worker.terminate()

    @contextmanager
    def serve(self, *options: str, environment: dict[str, str] | None = None) -> Iterator[Server]:
        """A server on a free port, which must end well when it is told to."""
        log = self.folder / f"serve-{next(numbers)}.log"
        command = [PROGRAM, "serve", "--log-format", "json"]
        for name, value in (("--http", "127.0.0.1:0"), ("--api-keys", str(self.keys)), ("--rate", "0")):
            command += [] if name in options else [name, value]
        with log.open("wb") as errors:
            process = subprocess.Popen([*command, *options], env={**self.environment, **(environment or {})}, stderr=errors)
        try:
            yield Server(process, self._url(process, log), self.key, log)
        finally:
            process.terminate()
            ended = process.wait(timeout=60)
        assert ended in (0, -9), log.read_text()

    @staticmethod
    def _url(process: subprocess.Popen[bytes], log: Path) -> str:
        while True:
            for line in log.read_text().splitlines():
                if (entry := json.loads(line) if line.startswith("{") else {}).get("event") == "http.listening":
                    return f"http://{entry['address']}"
            try:
                process.wait(timeout=0.02)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(log.read_text())


def _make(name: str, template: str) -> str:
    # Files are copied in a twentieth of the time that the server takes to log each page.
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(sql.SQL("create database {} template {} strategy file_copy").format(sql.Identifier(name), sql.Identifier(template)))
    return make_conninfo(SERVER, dbname=name)


def _drop(name: str) -> None:
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def migrated() -> Iterator[str]:
    name = f"http_{os.getpid()}"
    database = _make(name, "template0")
    subprocess.run([PROGRAM, "migrate"], env={**os.environ, "DATABASE_URL": database}, check=True, capture_output=True)
    yield name
    _drop(name)


@pytest.fixture
def make_installation(migrated: str, tmp_path: Path) -> Iterator[Callable[[], Installation]]:
    made: list[str] = []

    def make() -> Installation:
        made.append(f"{migrated}_{next(numbers)}")
        folder = tmp_path / made[-1]
        folder.mkdir()
        return Installation(_make(made[-1], migrated), folder)

    yield make
    for name in made:
        _drop(name)


@pytest.fixture
def installation(make_installation: Callable[[], Installation]) -> Installation:
    return make_installation()


@pytest.fixture
def server(installation: Installation) -> Iterator[Server]:
    with installation.serve() as server:
        yield server


@pytest.fixture(scope="session")
def photo() -> bytes:
    return Path(os.environ["DARKROOM_PHOTO"]).read_bytes()

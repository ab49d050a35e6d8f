"""A migrated database and a media store for each test; one object store for all.

DATABASE_URL is a superuser's, DARKROOM_PROGRAMS the folder of the built programs, DARKROOM_GAZETTEER an index, and
DARKROOM_PHOTO a JPEG file. DARKROOM_OBJECT_STORE is for the tests marked object_store. Tests/Command/IntegrationTests/PythonTests.swift sets them.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import botocore.session
import psycopg
import pytest
from botocore.config import Config
from darkroom import Darkroom
from psycopg import sql
from psycopg.conninfo import make_conninfo

SERVER = os.environ["DATABASE_URL"]
numbers = itertools.count()


class Program:
    """Runs `darkroom` for a test's database and store."""

    def __init__(self, database: str, media: Path | str) -> None:
        self.environment = {**os.environ, "DATABASE_URL": database, "DARKROOM_MEDIA": str(media)}

    path = Path(os.environ["DARKROOM_PROGRAMS"], "darkroom")

    @contextmanager
    def worker(self) -> Iterator[None]:
        """A worker that runs meanwhile."""
        command = [str(self.path), "work", "--concurrency", "1"]
        with subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL) as worker:
            try:
                yield
            finally:
                worker.terminate()

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([self.path, *arguments], env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


def _make(name: str, template: str) -> str:
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(sql.SQL("create database {} template {} strategy file_copy").format(sql.Identifier(name), sql.Identifier(template)))
    return make_conninfo(SERVER, dbname=name)


def _drop(name: str) -> None:
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def migrated() -> Iterator[str]:
    name = f"python_{os.getpid()}"
    Program(_make(name, "template0"), Path("/nowhere"))("migrate")
    yield name
    _drop(name)


@pytest.fixture
def another_database(migrated: str) -> Iterator[Callable[[], str]]:
    made: list[str] = []

    def make() -> str:
        made.append(f"{migrated}_{next(numbers)}")
        return _make(made[-1], migrated)

    yield make
    for name in made:
        _drop(name)


@pytest.fixture
def database(another_database: Callable[[], str]) -> str:
    return another_database()


@pytest.fixture
def connection(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database) as connection:
        connection.execute("create table drafts (draft_id int primary key, job_id bigint)")
        connection.commit()
        yield connection


@pytest.fixture
def media(tmp_path: Path) -> Path:
    return tmp_path / "media"


@pytest.fixture
def darkroom(media: Path) -> Darkroom:
    return Darkroom(media)


@pytest.fixture
def program(database: str, media: Path) -> Program:
    return Program(database, media)


@pytest.fixture(scope="session")
def object_server() -> str:
    """The address of OpenStack Swift with its S3 API, which checks signatures and digests as Amazon's does."""
    if server := os.environ.get("DARKROOM_OBJECT_STORE"):
        return server
    pytest.skip("needs an object store: set DARKROOM_OBJECT_STORE to the URL that 'scripts/object-store start DIR' prints")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and "object_server" in item.fixturenames:
            item.add_marker("object_store")


#: The marker of a store.
MARKER = "originals/.darkroom-store"


#: It reads megabytes of descriptions once.
SESSION = botocore.session.Session()


class Bucket:
    """A bucket for one test, with the keys to it in the environment."""

    def __init__(self, server: str, name: str) -> None:
        self.name = name
        self.location = f"s3://{name}/photos?endpoint={quote(server, safe='')}&region=us-east-1"
        self.client = cast(Any, SESSION.create_client(
            "s3", "us-east-1", endpoint_url=server, config=Config(
                signature_version="s3v4", request_checksum_calculation="when_required", s3={"addressing_style": "path"})))
        self.client.create_bucket(Bucket=name)

    def keys(self) -> list[str]:
        """All that is in the store, markers too, without its prefix."""
        found = self.client.list_objects_v2(Bucket=self.name).get("Contents", [])
        assert all(each["Key"].startswith("photos/") for each in found)
        return sorted(each["Key"].removeprefix("photos/") for each in found)

    def photos(self) -> list[str]:
        return [key for key in self.keys() if "/." not in key]

    def read(self, key: str) -> bytes:
        contents: bytes = self.client.get_object(Bucket=self.name, Key=f"photos/{key}")["Body"].read()
        return contents

    def write(self, key: str, contents: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=f"photos/{key}", Body=contents)

    def remove(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=f"photos/{key}")


@pytest.fixture
def bucket(object_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    # Not those of whoever runs the tests.
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test:tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    made = Bucket(object_server, f"bucket-{os.getpid()}-{next(numbers)}")
    yield made
    made.client.close()


def jobs(connection: psycopg.Connection) -> int:
    """How many were enqueued."""
    row = connection.execute("select count(*) from darkroom.jobs").fetchone()
    assert row is not None
    return int(row[0])


def files(media: Path) -> list[str]:
    """Every file of a store but its marker, whatever its name."""
    found = [str(path.relative_to(media)) for path in media.rglob("*") if not path.is_dir()]
    return sorted(name for name in found if name != "originals/.darkroom-store")

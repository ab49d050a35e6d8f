"""A migrated database and a media store for each test.

DATABASE_URL is a superuser's, DARKROOM_PROGRAMS the folder of the built programs, DARKROOM_GAZETTEER an index, and
DARKROOM_PHOTO a JPEG file. Tests/Command/IntegrationTests/PythonTests.swift sets them.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from darkroom import Darkroom
from psycopg import sql
from psycopg.conninfo import make_conninfo

SERVER = os.environ["DATABASE_URL"]
numbers = itertools.count()


class Program:
    """Runs `darkroom` for a test's database and store."""

    def __init__(self, database: str, media: Path) -> None:
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
        server.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))
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


def files(media: Path) -> list[str]:
    """Every file of a store but its marker, whatever its name."""
    found = [str(path.relative_to(media)) for path in media.rglob("*") if not path.is_dir()]
    return sorted(name for name in found if name != "originals/.darkroom-store")

"""A console with something on every page, and people who sign in to it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from browser import Screen
from installation import PROGRAM, Installation, _drop, _make, numbers
from world import World, upload

# In every text that a stranger can set: if it ever becomes markup, the page breaks its policy or changes its title.
HOSTILE = "'\"></title><script>document.title='broken'</script><img src=x onerror=document.title='broken'>&lt;"


class Console:
    def __init__(self, installation: Installation, url: str) -> None:
        self.installation = installation
        self.url = url

    def invite(self, name: str = "olga", role: str = "operator", may_act: bool = True, valid: str = "15m") -> str:
        """A link for one sign-in."""
        options = ["--may-act"] if may_act else []
        made = self.installation(
            "console", "invite", "--name", name, "--role", role, "--valid", valid, "--console-url", self.url, "--json", *options)
        link: str = json.loads(made)["link"]
        return link

    def sign_in(self, screen: Screen, **invitation: object) -> None:
        screen.page.goto(self.invite(**invitation))  # type: ignore[arg-type]
        screen.page.get_by_role("button", name="Sign in").click()
        screen.page.wait_for_url(lambda url: "/sign-in" not in url)

    @contextmanager
    def client(self, **invitation: object) -> Iterator[httpx.Client]:
        """Someone who is signed in, without a browser."""
        link = self.invite(**invitation)  # type: ignore[arg-type]
        with httpx.Client(base_url=self.url, timeout=30) as client:
            assert client.post("/sign-in", data={"secret": link.rsplit("/", 1)[1]}).status_code == 303
            yield client


def form_token(client: httpx.Client) -> str:
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', client.get("/review").text)
    assert found
    return found[1]


def act(client: httpx.Client, path: str, **fields: object) -> httpx.Response:
    """Sends a form as a page of the console does."""
    return client.post(path, data={"form_token": form_token(client), **fields})


@contextmanager
def serve(installation: Installation, *options: str, environment: dict[str, str] | None = None) -> Iterator[Console]:
    installation("roles", "create")
    log = installation.folder / f"console-{next(numbers)}.log"
    place = [] if "--console" in options else ["--console", "127.0.0.1:0"]
    command = [PROGRAM, "serve", "--http", "none", "--log-format", "json", *place, *options]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, env={**installation.environment, **(environment or {})}, stderr=errors)
    try:
        yield Console(installation, _url(process, log))
    finally:
        process.terminate()
        ended = process.wait(timeout=60)
    assert ended == 0, log.read_text()
    assert "console.failed" not in log.read_text(), log.read_text()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def _url(process: subprocess.Popen[bytes], log: Path) -> str:
    while True:
        for line in log.read_text().splitlines():
            if (entry := json.loads(line)).get("event") == "console.listening":
                return f"http://{entry['address']}"
        try:
            process.wait(timeout=0.02)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(log.read_text())


def fill(world: World) -> None:
    """Jobs of every end, posts that wait for review, an appeal, a pause and an erasure, with hostile texts in all of them."""
    with world.serve() as server:
        with server.client(HOSTILE) as client:
            upload(client, b"\xff\xd8\xff\xe0 no photo", 1, 2, caption=HOSTILE)
            upload(client, None, 47.6, -122.3, headline=HOSTILE[:60], caption=HOSTILE, category=HOSTILE[:30])
    world.drain()
    ferry = world.posts()["The ferry"]
    hostile = world.sql("select post_id from darkroom.posts where uploader = %s", HOSTILE)[0][0]
    for post, reporters in [(ferry, 7), (hostile, 2)]:
        for number in range(reporters):
            world.sql("select darkroom.report_post(%s, %s, 'spam', %s)", post, f"reporter-{number}{HOSTILE}", HOSTILE)
    world.drain()
    world.sql("select darkroom.decide_on_post(%s, 'remove', %s, note => %s, terms => %s)", hostile, HOSTILE[:99], HOSTILE, HOSTILE)
    world.sql("select darkroom.appeal_post(%s, %s, %s)", hostile, HOSTILE, HOSTILE)
    world.sql(
        """insert into darkroom.finished_jobs (job_id, kind, state, subject_id, fair_key, attempt, failures, crashes, deaths, reason,
               message, created_at, finished_at, lane, lease, started_at, cause, verdict, stages)
           select nextval('darkroom.jobs_job_id_seq'), kind, 'failed', subject_id, fair_key, 3, 3, 0, 0, 'storage_unavailable', %s,
                  created_at, finished_at, lane, lease, started_at, %s, %s, stages
           from darkroom.finished_jobs where kind = 'ingest' order by job_id limit 3""", HOSTILE, HOSTILE, HOSTILE)
    world.sql("insert into darkroom.workers (host, pid, version, concurrency, away) values (%s, 1, '0.1.0', 2, array[%s])",
              HOSTILE, HOSTILE)
    world("queue", "pause", "--kind", "moderate", "--by", HOSTILE)
    world("people", "erase", "gone", "--by", HOSTILE)
    world("jobs", "discard", "--state", "rejected", "--why", HOSTILE, "--by", HOSTILE)


@pytest.fixture(scope="session")
def filled_console(filled: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Made once; each test gets a copy."""
    folder = tmp_path_factory.mktemp("console")
    world = World(_make(f"{filled[0]}_console", filled[0]), folder)
    shutil.copytree(filled[1], world.media)
    world("roles", "create")
    fill(world)
    yield world
    _drop(f"{filled[0]}_console")


@pytest.fixture
def console(filled: tuple[str, Path], filled_console: World, tmp_path: Path) -> Iterator[Console]:
    name = f"{filled[0]}_console_{next(numbers)}"
    world = World(_make(name, f"{filled[0]}_console"), tmp_path)
    shutil.copytree(filled_console.media, world.media)
    with serve(world, "--gazetteer", os.environ["DARKROOM_GAZETTEER"]) as console:
        yield console
    _drop(name)


@pytest.fixture
def empty_console(make_installation: Callable[[], Installation]) -> Iterator[Console]:
    with serve(make_installation()) as console:
        yield console

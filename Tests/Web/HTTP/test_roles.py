"""What the login of a server must and need not be allowed."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from conftest import PROGRAM, SERVER, Installation
from psycopg.conninfo import make_conninfo

JPEG = {"Content-Type": "image/jpeg"}


@contextmanager
def login(installation: Installation, *roles: str) -> Iterator[str]:
    """The URL of a new login that has only these roles."""
    installation("roles", "create")
    name = f"login_of_{installation.folder.name}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f'create role "{name}" login password \'x\'')
        for role in roles:
            server.execute(f'grant {role} to "{name}"')
    try:
        yield make_conninfo(installation.database, user=name, password="x")
    finally:
        with psycopg.connect(SERVER, autocommit=True) as server:
            server.execute(f'drop role "{name}"')


def test_the_role_of_an_api_is_enough(installation: Installation, photo: bytes) -> None:
    with login(installation, "darkroom_api") as url:
        with installation.serve(environment={"DATABASE_URL": url}) as server, server.client("zoe") as zoe:
            sent = zoe.post("/uploads", params={"caption": "The ferry"}, content=photo, headers=JPEG)
            assert sent.status_code == 202, sent.text
            installation.drain()
            [post] = zoe.get("/posts").json()["items"]
            assert zoe.get(f"/pictures/{post['pictures'][0]['media_key']}").status_code == 200
            assert zoe.put(f"/posts/{post['post_id']}/vote", json={"vote": "like"}).status_code == 204
            assert zoe.get("/me/inbox/unread").status_code == 200
            assert zoe.get("/me/posts").json()["items"][0]["caption"] == "The ferry"
        log = server.log.read_text()
        assert "serve.failed" not in log and "serve.events_lost" not in log, log


def test_a_login_that_may_not_write_is_refused_at_the_start(installation: Installation) -> None:
    for roles in ([], ["darkroom_reader"]):
        with login(installation, *roles) as url:
            done = subprocess.run(
                [PROGRAM, "serve", "--http", "127.0.0.1:0"], env={**installation.environment, "DATABASE_URL": url},
                capture_output=True, text=True, timeout=60)
            assert done.returncode == 1, done.stderr
            assert "darkroom_api" in done.stderr

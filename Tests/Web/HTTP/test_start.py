"""What `darkroom serve` says of a mistake when it is started, and how API keys are made."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM, Installation, _drop, _make


def start(installation: Installation, *options: str, **environment: str) -> tuple[int, str]:
    """The exit code of a server that must not start, and what it printed."""
    done = subprocess.run(
        [PROGRAM, "serve", *([] if "--http" in options else ["--http", "127.0.0.1:0"]), *options], env={**installation.environment, **environment},
        capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("options", "words"), [
    (["--api-keys", "/nowhere/keys"], "cannot use the keys in /nowhere/keys: No such file"),
    (["--api-keys", "/etc"], "it is not a regular file"),
    (["--token-keys", "{broken}"], "cannot use the keys in"),
    (["--link-key", "/nowhere/key"], "--link-key: /nowhere/key cannot be read: No such file"),
    (["--link-key", "{broken}"], "openssl rand"),
    (["--http", "8080"], "there is no port"),
    (["--accel", "media"], "--accel media must begin with /"),
    (["--rate", "-1"], "--rate"),
    (["--most-bytes", "x"], "--most-bytes"),
    (["--reader"], "--reader"),
    (["--log-level", "loud"], "--log-level"),
    (["--unknown"], "--unknown"),
])
def test_wrong_options_exit_with_64(installation: Installation, options: list[str], words: str) -> None:
    broken = installation.folder / "broken"
    broken.write_text("{keys: []}")
    given = [option.format(broken=broken) for option in options]
    code, text = start(installation, "--log-format", "text", *given)
    assert code == 64, text
    assert words in text
    assert "see 'darkroom serve --help'" in text
    # Where the log is JSON, so is its last line.
    code, text = start(installation, *given)
    [line] = text.splitlines()
    said = json.loads(line)
    assert (code, said["level"], said["event"]) == (64, "error", "serve.cannot_run"), said
    assert words in said["error"]


def test_a_port_that_is_taken(installation: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, text = start(installation, "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert code == 1
    assert "choose another port" in text


def test_no_database(installation: Installation) -> None:
    code, text = start(installation, DATABASE_URL="postgresql://127.0.0.1:1/none")
    assert code == 1
    assert "cannot connect to PostgreSQL" in text


def test_a_database_that_is_not_migrated_or_older(installation: Installation) -> None:
    name = f"http_empty_{os.getpid()}"
    try:
        code, text = start(installation, DATABASE_URL=_make(name, "template0"))
    finally:
        _drop(name)
    assert code == 1
    assert "run 'darkroom migrate'" in text
    installation.sql("drop function darkroom.choose_inbox_events")
    code, text = start(installation)
    assert code == 1
    assert "choose_inbox_events: run 'darkroom migrate'" in text


def test_without_its_store_a_server_serves_what_needs_none(installation: Installation, photo: bytes) -> None:
    with installation.serve() as server, server.client("zoe") as zoe:
        assert zoe.post("/uploads", content=photo, headers={"Content-Type": "image/jpeg"}).status_code == 202
    with installation.serve(environment={"DARKROOM_MEDIA": str(installation.folder / "other")}) as server:
        assert "serve.store_away" in server.log.read_text()
        with server.client("zoe") as zoe:
            assert zoe.get("/posts").status_code == 200
            refused = zoe.post("/uploads", content=photo, headers={"Content-Type": "image/jpeg"})
            assert refused.status_code == 503
            assert refused.json()["code"] == "unavailable"


def test_keys_are_made_for_the_file(installation: Installation, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("# ours")  # without a line end
    key = installation("keys", "create", "website", "--note", "since May", "--append", str(keys)).strip()
    printed, line = installation("keys", "create", "other").splitlines()
    assert key.startswith("drk_") and printed.startswith("drk_") and line.startswith("other ")
    assert keys.read_text().startswith("# ours\nwebsite ") and keys.read_text().endswith(" since May\n")
    with installation.serve("--api-keys", str(keys)) as server:
        server.key = key
        with server.client("zoe") as zoe:
            assert zoe.get("/me/posts").status_code == 200
        server.key = printed
        with server.client("zoe") as zoe:
            assert zoe.get("/me/posts").status_code == 401


def test_a_key_needs_a_name(installation: Installation) -> None:
    for arguments in (["a b"], ["x" * 101], ["x", "--note", "two\nlines"], []):
        done = subprocess.run([PROGRAM, "keys", "create", *arguments], capture_output=True, text=True)
        assert done.returncode == 64, done.stderr

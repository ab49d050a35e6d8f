"""`darkroom serve --demo`: the files of the demo app, who its visitors are, and where it does not start."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from conftest import PROGRAM, Installation, Server

# What none of its answers may contain.
SECRET = "not for the web"


@pytest.fixture
def demo(installation: Installation, tmp_path: Path) -> Iterator[Server]:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>Mine</title>")
    (site / "link.html").symlink_to("../secret.html")
    (tmp_path / "secret.html").write_text(SECRET)
    with installation.serve("--demo", "--demo-for-anyone", "--demo-files", str(site)) as server:
        yield server


def test_its_files_have_a_strict_policy(demo: Server) -> None:
    assert httpx.get(demo.url, follow_redirects=True).text == "<!doctype html><title>Mine</title>"
    page = httpx.get(f"{demo.url}/demo/")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert httpx.get(f"{demo.url}/demo/", headers={"If-None-Match": page.headers["ETag"]}).status_code == 304
    assert httpx.head(f"{demo.url}/demo/leaflet/leaflet.min.js").headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert httpx.post(f"{demo.url}/demo/").status_code == 405


def test_no_path_leads_out_of_its_folder(demo: Server) -> None:
    address = urlsplit(demo.url)
    for path in (
        "/demo/../secret.html", "/demo/%2e%2e/secret.html", "/demo/..%2fsecret.html", "/demo/%2e%2e%2fsecret.html", "/demo/link.html",
        "/demo/index.html%00", "/demo/%00", "/demo//index.html", "/demo/./index.html", "/demo/.%2findex.html", "/demo/leaflet/../link.html",
        "/demo/%c0%ae%c0%ae/secret.html", "/demo/..\\secret.html", "/demo/" + "../" * 20 + "etc/passwd", "/demo/index.html/",
    ):
        # As it stands: a client library would tidy it up.
        with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            reply = b""
            while part := connection.recv(65536):
                reply += part
        assert reply.split()[1] in (b"400", b"404"), (path, reply[:200])
        assert SECRET.encode() not in reply and b"root:" not in reply, path


def test_each_visitor_is_a_person_of_their_own(demo: Server) -> None:
    first, second = (httpx.post(f"{demo.url}/demo/token").json() for _ in range(2))
    assert first["person"] != second["person"]
    headers = {"Authorization": f"Bearer {first['token']}"}
    assert httpx.get(f"{demo.url}/v1/me/posts", headers=headers).json()["items"] == []
    again = httpx.post(f"{demo.url}/demo/token", headers=headers).json()
    assert again["person"] == first["person"]
    forged = httpx.get(f"{demo.url}/v1/me/posts", headers={"Authorization": f"Bearer {first['token'][:-1]}x"})
    assert (forged.status_code, forged.json()["code"]) == (401, "unauthenticated")
    # A token names one person, and vouches for nobody else.
    assert httpx.get(f"{demo.url}/v1/me/quota", headers={**headers, "Darkroom-Person": "zoe"}).status_code == 401
    assert httpx.get(f"{demo.url}/demo/token").status_code == 405


def test_tokens_are_for_the_server_that_made_them(demo: Server, plain_server: Server) -> None:
    token = httpx.post(f"{demo.url}/demo/token").json()["token"]
    assert httpx.get(f"{plain_server.url}/v1/me/posts", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert httpx.post(f"{plain_server.url}/demo/token").status_code == 404
    assert httpx.get(f"{plain_server.url}/demo/").status_code == 404


@pytest.fixture
def plain_server(installation: Installation) -> Iterator[Server]:
    """A server without the demo."""
    with installation.serve() as server:
        yield server


def test_visitors_are_limited_by_their_address(installation: Installation) -> None:
    with installation.serve("--demo", "--demo-for-anyone", "--rate", "5") as server:
        codes = [httpx.post(f"{server.url}/demo/token").status_code for _ in range(8)]
    assert codes == [200] * 5 + [429] * 3


@pytest.mark.parametrize(("options", "message"), [
    (["--demo", "--api-keys", "keys.txt"], "--demo-for-anyone"),
    (["--demo", "--token-keys", "keys.txt"], "--demo-for-anyone"),
    (["--demo", "--http", "0.0.0.0:0"], "--demo-for-anyone"),
    (["--demo", "--http", ":0"], "--demo-for-anyone"),
    (["--demo", "--http", "[::]:0"], "--demo-for-anyone"),
    (["--demo", "--http", "127.0.0.1:0", "--demo-files", "/nowhere"], "/nowhere"),
    (["--demo-for-anyone", "--http", "127.0.0.1:0"], "need --demo"),
    (["--demo-files", ".", "--http", "127.0.0.1:0"], "need --demo"),
])
def test_it_does_not_start_where_it_would_let_strangers_in(
        installation: Installation, options: list[str], message: str) -> None:
    options = [str(installation.keys) if option == "keys.txt" else option for option in options]
    ended = subprocess.run(
        [PROGRAM, "serve", *options], env=installation.environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 64 and message in ended.stderr, ended.stderr


def test_keys_of_the_environment_count_too(installation: Installation) -> None:
    environment = {**installation.environment, "DARKROOM_API_KEYS": str(installation.keys)}
    ended = subprocess.run([PROGRAM, "serve", "--demo", "--http", "127.0.0.1:0"], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 64 and "--demo-for-anyone" in ended.stderr
    assert os.environ.get("DARKROOM_API_KEYS") is None


def test_the_base_map_may_be_kept(demo: Server) -> None:
    # The first reader waits until the map is made.
    whole = httpx.get(f"{demo.url}/v1/places/borders/0/0/0", timeout=60)
    assert whole.status_code == 200 and "max-age" in whole.headers["Cache-Control"]
    known = httpx.get(f"{demo.url}/v1/places/borders/0/0/0", headers={"If-None-Match": whole.headers["ETag"]})
    assert (known.status_code, known.content) == (304, b"")

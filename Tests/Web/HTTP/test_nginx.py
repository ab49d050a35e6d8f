"""docker/nginx.conf with the real nginx, without rights and on free ports, in front of real servers."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from conftest import Installation, Server

CONFIGURATION = Path(__file__).resolve().parents[3] / "docker/nginx.conf"
JPEG = {"Content-Type": "image/jpeg"}
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Front:
    def __init__(self, port: int, certificate: Path) -> None:
        self.url = f"https://localhost:{port}"
        self.certificate = certificate

    def client(self, server: Server, person: str | None = None) -> httpx.Client:
        headers = {} if person is None else server.headers(person)
        return httpx.Client(base_url=self.url, headers=headers, verify=ssl.create_default_context(cafile=str(self.certificate)), timeout=30)


@contextmanager
def nginx(installation: Installation, *servers: str) -> Iterator[Front]:
    """nginx with our file; only ports, paths and servers are others."""
    assert NGINX, "the package nginx is missing"
    folder, port = installation.folder / "nginx", free_port()
    folder.mkdir()
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    text = CONFIGURATION.read_text()
    others = {
        "listen 80;": f"listen 127.0.0.1:{free_port()};", "listen [::]:80;": "",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;", "listen [::]:443 ssl http2;": "",
        "/etc/darkroom/tls/certificate.pem": str(certificate), "/etc/darkroom/tls/key.pem": str(key),
        "/var/lib/darkroom/media/": f"{installation.media}/",
    } | {f"127.0.0.1:{8080 + i}": server for i, server in enumerate([*servers, "127.0.0.1:1"][:2])}
    for ours, other in others.items():
        assert ours in text, ours
        text = text.replace(ours, other)
    (folder / "site.conf").write_text(text)
    (folder / "nginx.conf").write_text(f"""
        pid {folder}/pid; error_log {folder}/error.log; daemon off; worker_processes 1;
        {'user root;' if os.getuid() == 0 else ''}
        events {{ worker_connections 256; }}
        http {{
            access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
            uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; types {{ image/jpeg jpg; image/webp webp; image/avif avif; }}
            include {folder}/site.conf;
        }}""")
    command = [NGINX, "-e", f"{folder}/error.log", "-p", str(folder), "-c", f"{folder}/nginx.conf"]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr, checked.stderr
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(500):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, (folder / "error.log").read_text()
                time.sleep(0.01)
            yield Front(port, certificate)
        finally:
            process.terminate()


@contextmanager
def site(installation: Installation, *options: str) -> Iterator[tuple[Server, Front]]:
    with installation.serve("--behind-proxy", *options) as server:
        with nginx(installation, server.url.removeprefix("http://")) as front:
            yield server, front


def test_a_large_photo_and_its_events_pass(installation: Installation, photo: bytes) -> None:
    # What follows the end of a JPEG is ignored.
    large = photo + os.urandom(8_000_000)
    with site(installation) as (server, front), front.client(server, "zoe") as zoe:
        sent = zoe.post("/v1/uploads", content=large, headers=JPEG)
        assert sent.status_code == 202, sent.text
        with zoe.stream("GET", sent.headers["Location"], headers={"Accept": "text/event-stream"}) as stream:
            lines = (line[6:] for line in stream.iter_lines() if line.startswith("data: "))
            # At once, and not when nginx has enough of them: nothing happens until the jobs are run.
            assert json.loads(next(lines))["state"] == "waiting"
            installation.drain()
            assert [json.loads(line)["state"] for line in lines][-1] == "succeeded"


def test_a_refusal_comes_before_the_photo_has_been_sent(installation: Installation) -> None:
    with site(installation) as (server, front):
        port = httpx.URL(front.url).port
        context = ssl.create_default_context(cafile=str(front.certificate))
        with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
            fields = "".join(f"{name}: {value}\r\n" for name, value in server.headers("zoe").items())
            tls.sendall(
                f"POST /v1/uploads HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Type: image/jpeg\r\n"
                "Content-Length: 50000000\r\n\r\n".encode())
            tls.settimeout(0.05)
            for _ in range(100):
                tls.sendall(b"no photo" * 1000)
                try:
                    assert tls.recv(4096).startswith(b"HTTP/1.1 415")
                    return
                except TimeoutError:
                    pass
            raise AssertionError("nothing was refused")


@pytest.mark.check
@pytest.mark.parametrize("options", [["--accel", "/media"], []])
def test_pictures_are_served_while_their_post_is_visible(installation: Installation, photo: bytes, options: list[str]) -> None:
    with site(installation, *options) as (server, front), front.client(server, "zoe") as zoe:
        assert zoe.post("/v1/uploads", content=photo, headers=JPEG).status_code == 202
        installation.drain()
        [post] = zoe.get("/v1/posts").json()["items"]
        picture = post["pictures"][0]
        key = picture["media_key"]
        paths = [f"/v1/pictures/{key}", f"/pictures/{key}"]
        for path in paths:
            sent = zoe.get(path)
            assert sent.status_code == 200, (path, sent.text)
            assert sent.headers["Content-Type"] == "image/jpeg"
            assert len(sent.content) == picture["bytes"]
            part = zoe.get(path, headers={"Range": "bytes=0-9"})
            assert part.status_code == 206 and part.content == sent.content[:10]
            assert zoe.get(path, headers={"If-None-Match": sent.headers["ETag"]}).status_code == 304
        original = next(p for p in (installation.media / "originals").rglob("*") if p.is_file())
        internal = [f"/media/{key}", f"/pictures/../{original.relative_to(installation.media)}",
                    f"/pictures/{original.relative_to(installation.media)}"]
        for path in internal:
            assert zoe.get(path).status_code == 404, path
        installation.sql("update darkroom.posts set state = 'hidden'")
        time.sleep(2.1)
        # Its uploader still sees it.
        with front.client(server) as reader:
            for path in paths:
                assert reader.get(path).status_code == 404, path


def test_pictures_for_those_nearby_are_served_to_them_alone(installation: Installation, photo: bytes) -> None:
    with site(installation) as (server, front), front.client(server, "zoe") as zoe:
        assert zoe.post("/v1/uploads", content=photo, headers=JPEG).status_code == 202
        installation.drain()
        [post] = zoe.get("/v1/posts").json()["items"]
        path = f"/pictures/{post['pictures'][0]['media_key']}"
        assert zoe.get(path).headers["Cache-Control"] == "public, max-age=60"
        installation("policy", "posting", "set", "--pictures-within", "100", "--note", "only for those who are there")
        time.sleep(2.1)
        here = {"latitude": post["latitude"], "longitude": post["longitude"]}
        for query, status in (({}, 404), (here, 200), ({**here, "latitude": here["latitude"] + 0.01}, 404)):
            sent = zoe.get(path, params=query)
            assert sent.status_code == status, query
            assert status == 404 or sent.headers["Cache-Control"] == "private, max-age=60"


@pytest.mark.check
def test_no_spelling_shows_a_hidden_picture(installation: Installation, photo: bytes) -> None:
    with site(installation) as (server, front), front.client(server, "zoe") as zoe:
        keys = []
        for seed in (b"a", b"b"):
            zoe.post("/v1/uploads", content=photo + seed, headers=JPEG)
            installation.drain()
        posts = zoe.get("/v1/posts").json()["items"]
        if len(posts) < 2:
            pytest.skip("the photos are look-alikes")
        keys = [post["pictures"][0]["media_key"] for post in posts]
        if keys[0] == keys[1]:
            # The same pixels give the same file: hide one that no post shows.
            hidden = keys[0].rsplit("/", 1)[0] + "/" + "0" * 64 + ".jpg"
            (installation.media / hidden).write_bytes(b"secret")
        else:
            hidden = keys[1]
            installation.sql("update darkroom.posts set state = 'hidden' where post_id = %s", posts[1]["post_id"])
        port = httpx.URL(front.url).port
        encoded = hidden.replace("renditions", "%72enditions")
        for path in (f"/pictures/{hidden}", f"/pictures/{encoded}", f"/pictures/{encoded}?renditions/x/../{keys[0]}",
                     f"/pictures/{encoded}?{keys[0]}", f"/pictures/{encoded}#{keys[0]}", f"/pictures/{keys[0]}/../../../../{hidden}"):
            done = subprocess.run(
                ["curl", "--silent", "--path-as-is", "--cacert", front.certificate, "--request-target", path,
                 "--output", "/dev/null", "--write-out", "%{http_code}", f"https://localhost:{port}/"],
                capture_output=True, text=True)
            assert done.stdout in ("404", "400"), path
        for original in (f"/pictures/x?{keys[0]}", f"/pictures/x#{keys[0]}"):
            asked = httpx.get(f"{server.url}/v1/may-show", headers={"X-Original-URI": original})
            assert asked.status_code == 403


def test_pages_to_share_pass(installation: Installation) -> None:
    with site(installation, "--public-url", "https://localhost") as (server, front), front.client(server) as reader:
        page = reader.get("/p/7")
        assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "No such post" in page.text


def test_http2_and_compression(installation: Installation) -> None:
    with site(installation) as (server, front):
        command = ["curl", "--silent", "--http2", "--cacert", front.certificate, "--output", "/dev/null", "--compressed",
                   "--dump-header", "-", f"{front.url}/v1/openapi.json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("HTTP/2 200")
        assert "content-encoding: gzip" in done.stdout


def test_the_limit_counts_clients_and_not_the_proxy(installation: Installation) -> None:
    with installation.serve("--behind-proxy", "--rate", "5") as server:
        with nginx(installation, server.url.removeprefix("http://")) as front, front.client(server) as reader:
            # What a client says of its own address does not help it.
            statuses = [reader.get("/v1/posts", headers={"X-Forwarded-For": f"10.0.0.{i}"}).status_code for i in range(10)]
            assert 200 in statuses and 429 in statuses
            direct = httpx.get(f"{server.url}/v1/posts", headers={"X-Forwarded-For": "10.9.9.9"})
            assert direct.status_code == 200


@pytest.mark.check
def test_a_second_server_takes_over(installation: Installation, photo: bytes) -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(installation.serve("--behind-proxy")) for _ in range(2))
        addresses = [server.url.removeprefix("http://") for server in (first, second)]
        front = stack.enter_context(nginx(installation, *addresses))
        zoe = stack.enter_context(front.client(first, "zoe"))
        for server, statuses in ((first, {200}), (second, {503})):
            server.process.terminate()
            server.process.wait(timeout=30)
            assert {zoe.get("/v1/posts").status_code for _ in range(6)} == statuses
            sent = zoe.post("/v1/uploads", content=photo, headers=JPEG)
            assert sent.status_code == (202 if statuses == {200} else 503), sent.text
        away = zoe.get("/v1/posts")
        assert away.headers["Content-Type"] == "application/problem+json"
        assert away.json()["code"] == "unavailable" and re.fullmatch("[0-9]+", away.headers["Retry-After"])

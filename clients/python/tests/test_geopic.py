"""The back end of GeoPic in examples/, over HTTP, with a real worker."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from conftest import Program
from darkroom import Darkroom, NotPossible
from psycopg import sql
from psycopg.conninfo import make_conninfo

EXAMPLE = Path(__file__).parents[3] / "examples/geopic.py"
PHOTO = Path(os.environ["DARKROOM_PHOTO"])


class GeoPic:
    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(self, method: str, path: str, person: str | None = "ada", photo: bytes | None = None, **query: Any) -> Any:
        """Returns the answer if all went well, and the status if not."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"X-Person": person} if person else {}
        connection.request(method, f"{path}?{urlencode(query)}", photo, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        assert response.status == 200 or answer["error"]
        return answer if response.status == 200 else response.status


@pytest.fixture
def geopic(database: str, media: Path, program: Program, connection: psycopg.Connection) -> Iterator[GeoPic]:
    program("roles", "create")
    name = f"geopic_{connection.info.dbname}"
    connection.execute(sql.SQL("create role {} login in role darkroom_api").format(sql.Identifier(name)))
    connection.commit()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    environment = {
        **os.environ, "DATABASE_URL": make_conninfo(database, user=name), "DARKROOM_MEDIA": str(media), "PORT": str(port)}
    with subprocess.Popen([sys.executable, EXAMPLE], env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            while server.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    pass
            yield GeoPic(port)
        finally:
            server.kill()
    connection.rollback()
    connection.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))
    connection.commit()


def test_it_has_at_most_60_lines() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 60


def test_a_photo_from_the_phone_to_the_map(
    geopic: GeoPic, program: Program, connection: psycopg.Connection, darkroom: Darkroom
) -> None:
    here: Any = {"latitude": 47.6062, "longitude": -122.3321}
    job = geopic("POST", "/photos", photo=PHOTO.read_bytes(), caption="The ferry & the dawn", **here)
    assert geopic("GET", f"/jobs/{job}")[0]["state"] == "waiting"
    assert geopic("GET", f"/jobs/{job}", person="bob") == []
    assert geopic("GET", f"/jobs/{job}", person=None) == 400
    with program.worker():
        while (status := geopic("GET", f"/jobs/{job}")[0])["state"] in ("waiting", "running"):
            pass
        assert status["state"] == "succeeded"
        post = status["post_id"]
        assert geopic("POST", f"/posts/{post}/votes", person="bob", vote="like") == [{"vote_on_post": True}]
        assert geopic("POST", f"/posts/{post}/comments", person="bob", body="Lovely")[0]["add_comment"] > 0
        # A tally shows both after a second or two.
        while (near := geopic("GET", "/nearby", latitude=47.61, longitude=-122.33)[0])["likes"] + near["comments"] < 2:
            pass
    assert (near["likes"], near["comments"], near["uploader"]) == (1, 1, "ada") and 300 < near["distance_m"] < 600
    assert (near["post_id"], near["caption"], near["city_name"]) == (post, "The ferry & the dawn", "Seattle")
    assert near["pictures"]
    assert geopic("GET", "/nearby", latitude=47.61, longitude=-122.33, after=near["cursor"]) == []
    [cluster] = geopic("GET", "/map", south=47, west=-123, north=48, east=-122, zoom=10)
    assert cluster["posts"] == 1 and abs(cluster["latitude"] - 47.6062) < 0.01
    assert geopic("POST", f"/posts/{post}/reports", person="eve", reason="spam") == [{"report_post": True}]
    assert geopic("POST", f"/posts/{post}/reports", person="eve", reason="spam") == [{"report_post": False}]

    with pytest.raises(NotPossible):
        darkroom.call(connection, "appeal_post", post_id=post, uploader="ada", text="Why?")


def test_what_a_phone_gets_wrong(geopic: GeoPic, connection: psycopg.Connection) -> None:
    assert geopic("POST", "/posts/999/votes", vote="like") == 404
    assert geopic("GET", "/nearby", latitude=95, longitude=0) == 400
    assert geopic("GET", "/nearby", latitude="north", longitude=0) == 400
    assert geopic("GET", "/nearby") == 400
    assert geopic("GET", "/nowhere") == 404
    assert geopic("POST", "/photos", person=None, photo=b"x") == 400
    with socket.create_connection(("127.0.0.1", geopic.port)) as phone:
        phone.sendall(b"POST /photos HTTP/1.0\r\nX-Person: ada\r\nContent-Length: 10\r\n\r\nhalf")
        phone.shutdown(socket.SHUT_WR)
        assert phone.recv(1) == b""
    assert connection.execute("select count(*) from darkroom.jobs").fetchone() == (0,)


def test_swift_and_python_store_one_photo_once(
    program: Program, connection: psycopg.Connection, darkroom: Darkroom, media: Path
) -> None:
    # The store is made by one side, and used by the other.
    program("enqueue", "--uploader", "ada", "--lat", "47.6", "--lon", "-122.3", str(PHOTO))
    job = darkroom.enqueue(connection, PHOTO, uploader="bob", latitude=-33.9, longitude=18.4)
    connection.commit()
    originals = [path for path in (media / "originals").rglob("*") if path.is_file() and path.name != ".darkroom-store"]
    assert len(originals) == 1
    program("work", "--drain", "--concurrency", "1")
    status = darkroom.status(connection, job, uploader="bob")
    assert status is not None and status.state == "succeeded" and status.post_id is not None

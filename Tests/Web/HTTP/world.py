"""Posts of several people, made once by a real worker from real uploads; each test gets a copy of the database and of the media store."""

from __future__ import annotations

import os
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from installation import Installation, Server, _drop, _make, numbers

SEATTLE = (47.6062, -122.3321)
"""Each photo: its uploader, its position as an offset from SEATTLE in degrees, and what its uploader says."""
PHOTOS: list[tuple[str, float, float, dict[str, Any]]] = [
    ("zoe", 0.0, 0.0, {"headline": "The ferry", "caption": "Ä ferry, or two", "category": "news"}),
    ("zoe", 0.0005, 0.0, {"headline": "Noodles", "category": "food"}),
    ("ada", 0.01, 0.01, {"headline": "A bridge", "category": "news", "activity": "picnic"}),
]
"""Each text: its uploader, its position in degrees, and what its uploader says."""
TEXTS: list[tuple[str, float, float, dict[str, Any]]] = [
    ("ada", 47.6062, -122.3321, {"headline": "Same place", "category": "food"}),
    ("bob", 47.61, -122.33, {"headline": "Coffee", "category": "food", "activity": "picnic"}),
    ("bob", 47.7, -122.3, {"headline": "Secret", "category": "news", "anonymous": True}),
    ("bob", 60.17, 24.94, {"headline": "Helsinki", "category": "news"}),
    ("zoe", -33.92, 18.42, {"headline": "Table Mountain"}),
    ("ada", -16.5, 179.99, {"headline": "The date line"}),
]


def upload(client: httpx.Client, photo: bytes | None, latitude: float, longitude: float, **details: Any) -> int:
    """The number of the upload's job."""
    given = {"latitude": latitude, "longitude": longitude, **details}
    if photo is None:
        sent = client.post("/uploads", json=given)
    else:
        sent = client.post("/uploads", params=given, content=photo, headers={"Content-Type": "image/jpeg"})
    assert sent.status_code == 202, sent.text
    number: int = sent.json()["job_id"]
    return number


def variant(photo: bytes, number: int) -> bytes:
    """Another photo: equal pictures are one file in the store. A byte of a quantization table is larger."""
    place = photo.rindex(b"\xff\xdb") + 5
    return photo[:place] + bytes([photo[place] + number]) + photo[place + 1:]


def fill(installation: Installation, photo: bytes) -> None:
    with installation.serve() as server:
        with server.client("zoe") as zoe:
            zoe.put("/me/name", json={"name": "Zoë"}).raise_for_status()
            zoe.post("/activities", json={
                "activity": "picnic", "latitude": SEATTLE[0], "longitude": SEATTLE[1], "radius_m": 500}).raise_for_status()
        for number, (uploader, north, east, details) in enumerate(PHOTOS):
            with server.client(uploader) as client:
                upload(client, variant(photo, number), SEATTLE[0] + north, SEATTLE[1] + east, **details)
        for uploader, latitude, longitude, details in TEXTS:
            with server.client(uploader) as client:
                upload(client, None, latitude, longitude, **details)
        installation.drain()
        with server.client("zoe") as zoe, server.client("ada") as ada, server.client("bob") as bob:
            posts = {post["headline"]: post["post_id"] for post in zoe.get("/posts?at_most=100").json()["items"]}
            assert len(posts) == len(PHOTOS) + len(TEXTS), posts
            for client, headline, vote in [
                (zoe, "A bridge", "like"), (ada, "The ferry", "like"), (bob, "The ferry", "like"), (bob, "A bridge", "dislike"),
                (zoe, "Coffee", "dislike"),
            ]:
                client.put(f"/posts/{posts[headline]}/vote", json={"vote": vote}).raise_for_status()
            for client, text in [(ada, "Which pier?"), (bob, "Pier 52"), (zoe, "Thanks"), (ada, "Two\nlines")]:
                client.post(f"/posts/{posts['The ferry']}/comments", json={"body": text}).raise_for_status()
            comment = ada.get(f"/posts/{posts['The ferry']}/comments").json()["items"][-1]["comment_id"]
            zoe.put(f"/comments/{comment}/vote", json={"vote": "like"}).raise_for_status()
            ada.post("/views", json={"post_ids": list(posts.values())}).raise_for_status()
    installation.drain()


class World(Installation):
    """An installation with the posts above."""

    def posts(self) -> dict[str, int]:
        """The numbers of the posts, by their headlines."""
        return dict(self.sql("select headline, post_id from darkroom.posts"))

    def pictures(self, headline: str) -> list[str]:
        """The media keys of a post."""
        return [key for (key,) in self.sql(
            "select distinct media_key from darkroom.renditions join darkroom.posts using (post_id) where headline = %s order by 1",
            headline)]


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the SQL API as clients see it: people only by their handles, bytes in base64."""
    row = {name: value for name, value in row.items() if name not in ("uploader", "author", "cursor")}
    if row.get("placeholder"):
        row["placeholder"] = b64encode(bytes.fromhex(row["placeholder"][2:])).decode()
    return row


def equals_sql(world: World, client: httpx.Client, path: str, call: str, parameters: dict[str, Any],
               viewer: dict[str, str] | None = None, page: int | None = 2) -> int:
    """Walks a list to its end over HTTP and asserts that its items are the rows of the SQL function; returns how many."""
    items: list[dict[str, Any]] = []
    given = {**parameters, **({} if page is None else {"at_most": page})}
    while True:
        reply = client.get(path, params=given)
        assert reply.status_code == 200, reply.text
        items += reply.json()["items"]
        if page is None or not (cursor := reply.json()["next"]):
            break
        assert len(reply.json()["items"]) <= page
        given["after"] = cursor
    values = {**parameters, **(viewer or {}), **({} if page is None else {"at_most": 100})}
    values = {name: f"({value.replace(':', ',')})" if name == "in_place" else value for name, value in values.items()}
    arguments = ", ".join(f"{name} => %s" for name in values)
    rows = [shown(row) for (row,) in world.sql(f"select to_jsonb(f) from darkroom.{call}({arguments}) f", *values.values())]
    # The score of some lists falls with time.
    for row in rows:
        if row.get("score") is not None:
            row["score"] = pytest.approx(row["score"], abs=1e-3)
    assert items == rows, (path, parameters)
    return len(items)


@pytest.fixture(scope="session")
def filled(migrated: str, photo: bytes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    name, folder = f"{migrated}_world", tmp_path_factory.mktemp("world")
    installation = Installation(_make(name, migrated), folder)
    fill(installation, photo)
    yield name, installation.media
    _drop(name)


@pytest.fixture
def make_world(filled: tuple[str, Path], tmp_path: Path) -> Iterator[Callable[[], World]]:
    made: list[str] = []

    def make() -> World:
        made.append(f"{filled[0]}_{next(numbers)}")
        folder = tmp_path / made[-1]
        folder.mkdir()
        world = World(_make(made[-1], filled[0]), folder)
        shutil.copytree(filled[1], world.media)
        return world

    yield make
    for name in made:
        _drop(name)


@pytest.fixture
def world(make_world: Callable[[], World]) -> World:
    return make_world()


@pytest.fixture
def world_server(world: World) -> Iterator[Server]:
    with world.serve("--gazetteer", os.environ["DARKROOM_GAZETTEER"]) as server:
        yield server

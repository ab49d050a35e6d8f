"""Pictures: who sees them and until when, ranges, conditions, links, and the proxies in front."""

import hashlib
import hmac
import time
from pathlib import Path

import pytest
from world import SEATTLE, World

from conftest import Server


def file_of(world: World, key: str) -> bytes:
    return Path(world.media, key).read_bytes()


@pytest.mark.parametrize("change", [
    "update darkroom.posts set expires_at = now() - interval '1 s' where headline = 'The ferry'", "a moderator removes it",
    *(pytest.param(change, marks=pytest.mark.check) for change in [
        "select darkroom.delete_post(post_id, uploader) from darkroom.posts where headline = 'The ferry'",
        "update darkroom.posts set state = 'hidden' where headline = 'The ferry'",
        "update darkroom.posts set state = 'held' where headline = 'The ferry'",
    ]),
])
def test_a_picture_goes_with_its_post(world: World, world_server: Server, change: str) -> None:
    key = world.pictures("The ferry")[0]
    other = world.pictures("Noodles")[0]
    with world_server.client() as reader:
        assert reader.get(f"/pictures/{key}").status_code == 200
        number = world.posts()["The ferry"]
        if change == "a moderator removes it":
            world("review", "remove", str(number), "--reviewer", "mo")
        else:
            world.sql(change)
        changed = time.monotonic()
        while reader.get(f"/pictures/{key}").status_code != 404:
            assert time.monotonic() - changed < 3, "the picture is still served"
            time.sleep(0.1)
        gone = reader.get(f"/pictures/{key}", headers={"If-None-Match": "*"})
        assert gone.status_code == 404
        assert gone.json()["code"] == "not_found"
        assert reader.get("/may-show", headers={"X-Original-URI": f"/{key}"}).status_code == 403
        assert reader.get(f"/posts/{number}/picture").status_code == 404
        assert reader.get(f"/pictures/{other}").status_code == 200


def test_ranges_are_the_bytes_of_the_file(world: World, world_server: Server) -> None:
    key = max(world.pictures("The ferry"), key=lambda key: len(file_of(world, key)))
    file = file_of(world, key)
    size = len(file)
    huge = "9" * 30
    whole = (200, file, None)

    def part(first: int, end: int) -> tuple[int, bytes, str]:
        return (206, file[first:end], f"bytes {first}-{end - 1}/{size}")

    none = (416, b"", f"bytes */{size}")
    cases = {
        "bytes=0-0": part(0, 1), "bytes=0-499": part(0, 500), "bytes=500-599": part(500, 600), "bytes=9-": part(9, size),
        "bytes=-500": part(size - 500, size), "bytes=-1": part(size - 1, size), f"bytes={size - 1}-": part(size - 1, size),
        f"bytes=0-{size}": part(0, size), f"bytes=5-{huge}": part(5, size), f"bytes=-{huge}": part(0, size),
        f"bytes=-{size}": part(0, size), f"bytes=-{size + 1}": part(0, size), "BYTES=1-2": part(1, 3),
        f"bytes={size}-": none, f"bytes={huge}-": none, f"bytes={size}-{size}": none, "bytes=-0": none,
        "bytes=3-2": whole, "bytes=": whole, "bytes=-": whole, "bytes=a-b": whole, "bytes=0-1,5-6": whole, "bytes 0-1": whole,
        "lines=0-1": whole, "bytes=--1": whole, "bytes=+1-2": whole, "bytes=0x1-2": whole, "bytes=1-2-3": whole, "": whole,
    }
    with world_server.client() as reader:
        for header, (status, content, place) in cases.items():
            reply = reader.get(f"/pictures/{key}", headers={"Range": header})
            assert reply.status_code == status, header
            assert reply.content == content, header
            assert reply.headers.get("Content-Range") == place, header
            if status != 416:
                assert reply.headers["Accept-Ranges"] == "bytes"
                assert reply.headers["Content-Length"] == str(len(content))
        # RFC 9110, section 14.2: a server ignores Range of other methods than GET.
        head = reader.head(f"/pictures/{key}", headers={"Range": "bytes=0-1"})
        assert (head.status_code, head.headers["Content-Length"], head.content) == (200, str(size), b"")


def test_conditions(world: World, world_server: Server) -> None:
    key = world.pictures("The ferry")[0]
    file = file_of(world, key)
    with world_server.client() as reader:
        tag = reader.get(f"/pictures/{key}").headers["ETag"]
        for header in (tag, f"W/{tag}", f'"other", {tag}', "*", f'"a" ,{tag} , "b"'):
            same = reader.get(f"/pictures/{key}", headers={"If-None-Match": header})
            assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", tag), header
            assert "Cache-Control" in same.headers
            # It comes before Range (RFC 9110, section 13.2.2).
            both = reader.get(f"/pictures/{key}", headers={"If-None-Match": header, "Range": "bytes=0-1"})
            assert both.status_code == 304
        for header in ('"other"', tag[1:-1], "", tag[:-2] + '"'):
            assert reader.get(f"/pictures/{key}", headers={"If-None-Match": header}).status_code == 200, header
        part = reader.get(f"/pictures/{key}", headers={"If-Range": tag, "Range": "bytes=0-1"})
        assert (part.status_code, part.content) == (206, file[:2])
        # Weak tags and dates that are not known never match (section 13.1.5).
        for header in (f"W/{tag}", '"other"', "Wed, 25 Nov 2026 00:00:00 GMT"):
            whole = reader.get(f"/pictures/{key}", headers={"If-Range": header, "Range": "bytes=0-1"})
            assert (whole.status_code, whole.content) == (200, file), header
        head = reader.head(f"/pictures/{key}")
        got = reader.get(f"/pictures/{key}")
        assert {name: head.headers[name] for name in head.headers if name != "date"} == {
            name: got.headers[name] for name in got.headers if name != "date"}


def test_who_blocks_an_author_gets_none_of_their_pictures(world: World, world_server: Server) -> None:
    key = world.pictures("The ferry")[0]
    [(handle,)] = world.sql("select author_handle from darkroom.posts where headline = 'The ferry'")
    with world_server.client("guest") as guest, world_server.client() as reader:
        assert guest.put(f"/me/blocks/{handle}").status_code == 204
        assert guest.get(f"/pictures/{key}").status_code == 404
        assert reader.get(f"/pictures/{key}").status_code == 200
        assert guest.delete(f"/me/blocks/{handle}").status_code == 204


def test_what_is_no_picture_is_not_found(world: World, world_server: Server) -> None:
    [(original,)] = world.sql("select original_key from darkroom.uploads where headline = 'The ferry'")
    key = world.pictures("The ferry")[0]
    assert Path(world.media, original).exists()
    with world_server.client() as reader:
        for path in (
            original, f"renditions/../{original}", f"renditions/%2e%2e/{original}", f"renditions%2f..%2f{original}",
            key.replace("/", "%2F") + "x", "renditions/" + "a" * 600, "renditions/" + "a/" * 300, f"/etc/passwd/{key}",
            "%2Fetc%2Fpasswd", f"{key}%00", f"{key}/", f"{key}.", key.upper(), f"renditions//{key[11:]}", "renditions/",
            f"%2e/{key}", f"{key}%20", f"{key}%0d%0aX: y", "renditions/é.jpg", f"{key};x", f"{key}%3Fx",
        ):
            reply = reader.get(f"/pictures/{path}")
            assert reply.status_code in (400, 404), path
            assert str(world.media) not in reply.text
            assert "X" not in reply.headers


def test_a_file_server_may_ask(world: World, world_server: Server) -> None:
    key = world.pictures("The ferry")[0]
    [(original,)] = world.sql("select original_key from darkroom.uploads where headline = 'The ferry'")
    with world_server.client() as reader:
        for uri in (f"/{key}", f"/media/{key}", f"/media/{key}?width=9", f"/media/{key}#x"):
            assert reader.get("/may-show", headers={"X-Original-URI": uri}).status_code == 204, uri
        for uri in (
            "", "/", f"/{original}", f"/{original}?{key}", f"/{original}?x=/{key}", f"/{original}#/{key}", f"/{key}/../../../{original}",
            f"/renditions/../{original}", f"/{key}x", f"/{key}%00", f"/{key[:-1]}",
        ):
            assert reader.get("/may-show", headers={"X-Original-URI": uri}).status_code == 403, uri
        assert reader.get("/may-show").status_code == 403


def signed(key: str, expires: int | str, secret: bytes) -> dict[str, str]:
    """As docs say, and not as the server does it."""
    signature = hmac.new(secret, f"{key}\n{expires}".encode(), hashlib.sha256).hexdigest()
    return {"expires": str(expires), "signature": signature}


def test_signed_links(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "link.key"
    secret.write_bytes(bytes(range(32)))
    key, other = world.pictures("The ferry")[0], world.pictures("Noodles")[0]
    now = int(time.time())
    with world.serve("--link-key", str(secret)) as server, server.client() as reader:
        world.sql("update darkroom.posts set state = 'hidden' where headline = 'The ferry'")
        valid = signed(key, now + 100, secret.read_bytes())
        picture = reader.get(f"/pictures/{key}", params=valid)
        assert (picture.status_code, picture.content) == (200, file_of(world, key))
        assert 90 <= int(picture.headers["Cache-Control"].rpartition("=")[2]) <= 100
        assert reader.get(f"/pictures/{key}", params=signed(key, now + 10**9, secret.read_bytes())).status_code == 200
        for wrong in (
            signed(key, now - 1, secret.read_bytes()), signed(key, now + 100, b"\0" * 32), signed(other, now + 100, secret.read_bytes()),
            {**valid, "expires": str(now + 101)}, {**valid, "signature": valid["signature"][:-1] + "g"},
            {**valid, "signature": ""}, {**valid, "signature": valid["signature"] + "00"}, {**valid, "expires": "NaN"},
            signed(key, f"0{now + 100}", secret.read_bytes()), signed(key, f"+{now + 100}", secret.read_bytes()),
            signed(key, 2**63, secret.read_bytes()), signed(key, -1, secret.read_bytes()),
        ):
            refused = reader.get(f"/pictures/{key}", params=wrong)
            assert refused.status_code == 403, wrong
            assert refused.json()["code"] == "not_permitted"
        # Without a whole link, the post decides.
        assert reader.get(f"/pictures/{key}", params={"expires": valid["expires"]}).status_code == 404
        [(original,)] = world.sql("select original_key from darkroom.uploads where headline = 'The ferry'")
        link = signed(original, now + 100, secret.read_bytes())
        assert reader.get(f"/pictures/{original}", params=link).status_code == 404
    with world.serve() as server, server.client() as reader:
        assert reader.get(f"/pictures/{key}", params=valid).status_code == 404


def test_the_best_picture_of_a_post(world: World, world_server: Server) -> None:
    number = world.posts()["The ferry"]
    with world_server.client() as reader:
        pictures = reader.get(f"/posts/{number}").json()["pictures"]
        formats = {"image/webp": "webp", "image/avif": "avif", "*/*": "jpeg", "image/png": "jpeg", "image/jpeg": "jpeg"}
        for accept, format in formats.items():
            if not (offered := [picture for picture in pictures if picture["format"] == format]):
                continue
            for width in (1, 200, 640, 1080, 1081, 100_000):
                wide = [picture for picture in offered if picture["width"] >= width]
                best = min(wide or offered, key=lambda picture: abs(picture["width"] - width))
                reply = reader.get(f"/posts/{number}/picture", params={"width": width}, headers={"Accept": accept})
                assert (reply.status_code, reply.headers["Location"]) == (302, f"/v1/pictures/{best['media_key']}"), (accept, width)
                assert "Accept" in reply.headers["Vary"]
        for refused in ("webp;q=0", "webp; q=0.0", "webp;q=0.000"):
            where = reader.get(f"/posts/{number}/picture", headers={"Accept": f"image/{refused}, */*"}).headers["Location"]
            assert where.endswith(".jpg"), refused
        for width in ("0", "-1", "x", "100001", "1e3", str(2**63)):
            assert reader.get(f"/posts/{number}/picture", params={"width": width}).status_code == 422, width
        assert reader.get(f"/posts/{world.posts()['Coffee']}/picture").status_code == 404
        assert reader.get("/posts/999/picture").status_code == 404


def test_nginx_sends_the_file(world: World) -> None:
    key = world.pictures("The ferry")[0]
    with world.serve("--accel", "/media/") as server, server.client() as reader:
        reply = reader.get(f"/pictures/{key}", headers={"Range": "bytes=0-1"})
        assert (reply.status_code, reply.headers["X-Accel-Redirect"], reply.content) == (200, f"/media/{key}", b"")
        assert "X-Accel-Redirect" not in reader.get(f"/pictures/{key}", headers={"If-None-Match": "*"}).headers
        assert "X-Accel-Redirect" not in reader.get("/pictures/renditions/a.jpg").headers


def test_pictures_are_for_those_nearby(world: World) -> None:
    key = world.pictures("The ferry")[0]
    number = world.posts()["The ferry"]
    # A thousandth of a degree of latitude is 111.2 m.
    near = {"latitude": SEATTLE[0] + 0.0008, "longitude": SEATTLE[1]}
    far = {"latitude": SEATTLE[0] + 0.001, "longitude": SEATTLE[1]}
    world("policy", "posting", "set", "--pictures-within", "100", "--note", "there")
    with world.serve() as server, server.client() as reader, server.client("zoe") as zoe:
        assert reader.get(f"/posts/{number}").json()["pictures"] == []
        assert reader.get(f"/posts/{number}", params=near).json()["pictures"] != []
        own = zoe.get(f"/pictures/{key}")
        assert (own.status_code, own.headers["Cache-Control"].split(",")[0]) == (200, "private")
        picture = reader.get(f"/pictures/{key}", params=near)
        assert (picture.status_code, picture.content) == (200, file_of(world, key))
        assert picture.headers["Cache-Control"].startswith("private")
        assert reader.get(f"/pictures/{key}", params=far).status_code == 404
        assert reader.get(f"/pictures/{key}", params=near).status_code == 200
        assert reader.get(f"/pictures/{key}", headers={"If-None-Match": "*"}, params=far).status_code == 404
        assert reader.get(f"/pictures/{key}").status_code == 404
        for position in ({"latitude": 47}, {"longitude": 1}, {"latitude": "x", "longitude": 0}, {"latitude": 91, "longitude": 0}):
            assert reader.get(f"/pictures/{key}", params=position).status_code in (400, 422), position
        where = reader.get(f"/posts/{number}/picture", params=near).headers["Location"].removeprefix("/v1")
        assert reader.get(where).status_code == 200
        for query, status in (("", 403), ("?latitude=47.607&longitude=-122.3321", 204), ("?latitude=48&longitude=-122.3321", 403),
                              ("?latitude=x&longitude=0", 403), ("?latitude=47", 403)):
            assert reader.get("/may-show", headers={"X-Original-URI": f"/{key}{query}"}).status_code == status, query
    world("policy", "posting", "set", "--pictures-within", "", "--note", "anywhere")
    with world.serve() as server, server.client() as reader:
        anywhere = reader.get(f"/pictures/{key}", params=far)
        assert (anywhere.status_code, anywhere.headers["Cache-Control"].split(",")[0]) == (200, "public")

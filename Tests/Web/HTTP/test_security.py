"""What attackers send: tokens, requests between the lines of HTTP, headers, origins, and other people's things."""

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from world import World

from conftest import Installation, Server



class Signed:
    """A server that takes tokens, and the key that signs them."""

    def __init__(self, server: Server, key: Ed25519PrivateKey) -> None:
        self.server = server
        self.key = key
        self.public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def token(self, key: Any = None, algorithm: str = "EdDSA", headers: dict[str, Any] | None = None, **claims: Any) -> str:
        given = {"sub": "zoe", "aud": "app", "iss": "https://id.example", "exp": time.time() + 60, **claims}
        return jwt.encode({name: value for name, value in given.items() if value is not None},
                          self.key if key is None else key, algorithm, headers)

    def status(self, authorization: str | None, path: str = "/me/posts", **headers: str) -> int:
        with self.server.client() as client:
            given = headers if authorization is None else {"Authorization": authorization, **headers}
            reply = client.get(path, headers=given)
            if reply.status_code == 401:
                assert reply.headers["WWW-Authenticate"].startswith("Bearer")
                assert reply.json()["code"] == "unauthenticated"
            return reply.status_code


@pytest.fixture
def signed(installation: Installation, tmp_path: Path) -> Iterator[Signed]:
    key = Ed25519PrivateKey.generate()
    pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    path = tmp_path / "keys.pem"
    path.write_bytes(pem)
    options = ("--token-keys", str(path), "--token-audience", "app", "--token-issuer", "https://id.example", "--token-since", "since")
    with installation.serve(*options) as server:
        yield Signed(server, key)


def none_token(claims: dict[str, Any], algorithm: str) -> str:
    def part(value: dict[str, Any]) -> str:
        return jwt.utils.base64url_encode(json.dumps(value).encode()).decode()
    return f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}."


def test_tokens(signed: Signed) -> None:
    now = time.time()
    assert signed.status(f"Bearer {signed.token()}") == 200
    assert signed.status(f"bearer {signed.token(aud=['other', 'app'])}") == 200
    raw = signed.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    claims = {"sub": "zoe", "aud": "app", "iss": "https://id.example", "exp": now + 60}
    hmacs = [jwt.api_jws.PyJWS(), raw]
    assert hmacs
    for confused in (signed.public, raw):
        header = jwt.utils.base64url_encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + jwt.utils.base64url_encode(json.dumps(claims).encode())
        import hashlib
        import hmac
        mac = jwt.utils.base64url_encode(hmac.new(confused, header, hashlib.sha256).digest())
        assert signed.status("Bearer " + (header + b"." + mac).decode()) == 401
    valid = signed.token()
    head, body, signature = valid.split(".")
    for token in (
        none_token(claims, "none"), none_token(claims, "None"), none_token(claims, "NONE"), none_token(claims, "EdDSA"),
        signed.token(exp=now - 120), signed.token(nbf=now + 3600), signed.token(aud="other"), signed.token(aud=None), signed.token(iss="https://evil"),
        signed.token(iss=None), signed.token(sub=None), signed.token(sub=""), signed.token(sub="a\nb"), signed.token(exp=None),
        signed.token(sub="x" * 201), signed.token(Ed25519PrivateKey.generate()), signed.token("a" * 64, "HS256"),
        f"{head}.{body}.", f"{head}.{body}", f"{head}.{body}.{signature}x", f"{head}.{body}.{signature[:-4]}AAAA", f"{valid}.{valid}",
        f"{head}.{jwt.utils.base64url_encode(json.dumps({**claims, 'sub': 'ada'}).encode()).decode()}.{signature}", valid + "=", "x" * 9000,
    ):
        assert signed.status(f"Bearer {token}") == 401, token[:60]
    for authorization in (valid, f"Basic {valid}", f"Bearer  {valid}", f"Bearer {valid},Bearer {valid}", f"Bearer\t{valid}", "Bearer"):
        assert signed.status(authorization) == 401, authorization[:20]
    # A token says who asks; the header is for servers with an API key.
    assert signed.status(f"Bearer {valid}", **{"Darkroom-Person": "ada"}) == 401
    assert signed.status(None, **{"Darkroom-Person": "ada"}) == 401
    # A wrong token is not nobody's: a public list says so.
    assert signed.status("Bearer x", "/posts") == 401
    assert signed.status(None, "/posts") == 200


def test_a_person_comes_once_and_in_utf_8(server: Server) -> None:
    for fields in ([("Darkroom-Person", "zoe"), ("Darkroom-Person", "ada")], [("Darkroom-Person", b"\xff")], [("Darkroom-Person", b"\xe9")]):
        with server.client() as client:
            refused = client.get("/me/posts", headers=[("Authorization", f"Bearer {server.key}"), *fields])
            assert refused.status_code == 400, fields
    with server.client() as client:
        twice = [("Authorization", f"Bearer {server.key}"), ("Authorization", f"Bearer {server.key}"), ("Darkroom-Person", "zoe")]
        assert client.get("/me/posts", headers=twice).status_code == 400


def test_what_is_of_others_stays_theirs(world: World, world_server: Server) -> None:
    posts = world.posts()
    ferry = posts["The ferry"]
    [(comment,)] = world.sql("select min(comment_id) from darkroom.comments where author = 'ada'")

    def everything() -> list[Any]:
        return [world.sql(f"select to_jsonb(t) from darkroom.{table} t order by to_jsonb(t)::text") for table in (
            "posts", "comments", "uploads", "jobs", "person_names", "erasures", "appeals") if world.sql(
                "select to_regclass(%s) is not null", f"darkroom.{table}") == [(True,)]]

    before = everything()
    assert len(before) >= 3
    [(job,)] = world.sql("select job_id from darkroom.uploads where headline = 'The ferry'")
    with world_server.client("mallory") as mallory:
        for method, path, body in [
            ("GET", f"/uploads/{job}", None), ("DELETE", f"/uploads/{job}", None), ("DELETE", f"/posts/{ferry}", None),
            ("PUT", f"/posts/{ferry}/text", {"headline": "x", "caption": None, "category": None}), ("DELETE", f"/comments/{comment}", None),
            ("POST", f"/posts/{ferry}/appeals", {"text": "mine"}), ("GET", f"/uploads/{2**62}", None), ("DELETE", "/uploads/-1", None),
        ]:
            refused = mallory.request(method, path, json=body)
            assert refused.status_code in (403, 404), (method, path, refused.text)
            assert refused.json()["code"] in ("not_found", "not_permitted")
        for path, empty in (("/me/posts", []), ("/me/inbox", []), ("/me/reports", [])):
            assert mallory.get(path).json()["items"] == empty
        assert mallory.get("/me/statistics").json()["posts"] == 0
        assert mallory.get("/me/inbox/unread").json() == {"unread": 0}
        # Nobody asks in another's name: a person is never a parameter.
        for name in ("uploader", "viewer", "person", "voter", "reporter", "author", "requested_by", "reporter_since"):
            for path in ("/posts", "/me/posts", f"/posts/{ferry}/comments", "/me/statistics", "/me/inbox"):
                assert mallory.get(path, params={name: "zoe"}).status_code == 400, (path, name)
            for path in (f"/posts/{ferry}/reports", f"/posts/{ferry}/comments", "/views"):
                assert mallory.post(path, json={name: "zoe"}).status_code == 400, (path, name)
        anonymous = json.dumps(mallory.get("/posts", params={"at_most": 100}).json()) + mallory.get(f"/posts/{posts['Secret']}").text
        assert '"bob"' not in anonymous
        assert '"uploader"' not in anonymous
    assert everything() == before


# MARK: Between the lines of HTTP


def talk(server: Server, request: bytes, seconds: float = 5) -> bytes:
    """All that comes until the server ends the connection or is silent."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        connection.sendall(request)
        connection.settimeout(0.5)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except (TimeoutError, ConnectionResetError):
            pass
        return received


def statuses(received: bytes) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


GET = b"GET /v1/posts HTTP/1.1\r\nHost: a\r\n"
POST = b"PUT /v1/posts/1/vote HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer KEY\r\nDarkroom-Person: zoe\r\n"
HIDDEN = b"GET /v1/me/posts HTTP/1.1\r\nHost: a\r\nX-Smuggled: 1\r\n\r\n"


AMBIGUOUS = [
    GET + b"X : a\r\n\r\n", GET + b" X: a\r\n\r\n", GET + b"X\0: a\r\n\r\n",
    GET + b"no colon\r\n\r\n", b"GET /v1/posts HTTP/1.1\r\n\r\n",
    b"GET /v1/posts?a=\0 HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /v1/posts?in_category=%00 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /v1/posts?in_category=\xff HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /v1/posts?in_category=%ff HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /v1/posts?in_category=%zz HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /v1/posts?in_category=% HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /v1/../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /v1/%2e%2e/posts HTTP/1.1\r\nHost: a\r\n\r\n", b"GET v1/posts HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /v1/posts HTTP/9.9\r\nHost: a\r\n\r\n", b"GET  /v1/posts  HTTP/1.1\r\nHost: a\r\n\r\n", b"BREW /v1/posts HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", GET + b"X: " + b"a" * 100_000 + b"\r\n\r\n", GET + b"X: a\r\n" * 20_000 + b"\r\n",
    POST + b"Content-Length: -1\r\n\r\n{}", POST + b"Content-Length: +2\r\n\r\n{}", POST + b"Content-Length: 0x2\r\n\r\n{}",
    POST + b"Content-Length: 2 2\r\n\r\n{}", POST + b"Content-Length: 2, 2\r\n\r\n{}", POST + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    POST + b"Content-Length: 9223372036854775808\r\n\r\n{}", POST + b"Content-Length: 9223372036854775807\r\n\r\n{}",
    POST + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}" + HIDDEN, POST + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN, POST + b"Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN, POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}", POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n" + HIDDEN, POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n" + HIDDEN,
]


def test_one_reading_of_a_request(server: Server) -> None:
    """A refused request is one refusal: nothing behind it is taken for another request."""
    wrong = []
    for request in AMBIGUOUS:
        began = time.monotonic()
        # libmicrohttpd 0.9.75 writes the head of its own refusals twice.
        codes = set(statuses(received := talk(server, request.replace(b"KEY", server.key.encode()))))
        if len(codes) > 1 or not all(400 <= code < 600 and code != 500 for code in codes) or b"X-Smuggled" in received:
            wrong.append((request[:200], received[:60]))
        if time.monotonic() - began > 4:
            wrong.append((request[:200], b"too slow"))
    assert not wrong, "\n".join(f"{request!r}: {received!r}" for request, received in wrong)
    with server.client() as client:
        assert client.get("/posts").status_code == 200


def test_a_folded_line_is_one_value(server: Server) -> None:
    """RFC 9112, section 5.2: it is refused, or its end is a space."""
    assert statuses(talk(server, GET + b"X: a\r\n b: c\r\n\r\n")) in ([200], [400])


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    put = POST.replace(b"KEY", server.key.encode()) + b"Content-Length: 15\r\n\r\n" + b'{"vote":"like"}'
    received = talk(server, GET + b"\r\n" + put + GET + b"\r\n" + b"GET /v1/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert statuses(received) == [200, 404, 200, 404], received


def test_a_get_with_a_body_leaves_nothing_behind(server: Server) -> None:
    received = talk(server, GET + f"Content-Length: {len(HIDDEN)}\r\n\r\n".encode() + HIDDEN)
    assert statuses(received)[0] in (200, 400, 413)
    assert len(statuses(received)) == 1, received


def test_a_body_that_ends_early_changes_nothing(world: World, world_server: Server) -> None:
    post = world.posts()["Coffee"]
    before = world.sql("select * from darkroom.votes order by 1, 2")
    request = POST.replace(b"KEY", world_server.key.encode()).replace(b"posts/1", f"posts/{post}".encode())
    host, port = world_server.url.removeprefix("http://").split(":")
    for length in (16, 15_000):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(request + f"Content-Length: {length}\r\n\r\n".encode() + b'{"vote":"like"}')
            connection.shutdown(socket.SHUT_WR)
            assert all(code >= 400 for code in statuses(connection.recv(9999)))
    assert world.sql("select * from darkroom.votes order by 1, 2") == before


@pytest.mark.parametrize("header", ["Content-Length: 1048577", "Content-Length: 9000000000"])
def test_too_large_is_said_before_the_body(server: Server, header: str) -> None:
    received = talk(server, POST.replace(b"KEY", server.key.encode()) + header.encode() + b"\r\n\r\n")
    assert statuses(received) == [413], received


@pytest.mark.check
@pytest.mark.parametrize("begin", [b"GET /v1/posts HTTP/1.1\r\nHost: a\r\nX: ", POST + b"Content-Length: 1000\r\n\r\n"])
def test_byte_by_byte_is_ended(server: Server, begin: bytes) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    began = time.monotonic()
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(begin.replace(b"KEY", server.key.encode()))
        with pytest.raises(OSError):  # noqa: PT011 - reset or broken pipe
            while time.monotonic() - began < 100:
                connection.sendall(b"a")
                time.sleep(1)
    assert 20 < time.monotonic() - began < 70


def test_slow_ones_do_not_hold_up_others(server: Server) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    slow_ones = [socket.create_connection((host, int(port))) for _ in range(40)]
    try:
        for connection in slow_ones:
            connection.sendall(POST.replace(b"KEY", server.key.encode()) + b"Content-Length: 1000\r\n\r\n{")
        with server.client() as client:
            began = time.monotonic()
            assert client.get("/posts").status_code == 200
            assert time.monotonic() - began < 1
    finally:
        for connection in slow_ones:
            connection.close()


# MARK: Headers that come back


def test_nothing_is_injected(world: World) -> None:
    with world.serve("--origin", "https://app.example") as server, server.client("zoe") as zoe:
        for value in ("a%0d%0aX-Evil:%201", "a%0aX-Evil:%201", "a%0dX-Evil: 1", "%3e%3b rel=%22next%22", "é%E2%80%A8", "<>\"", "a b+c&d"):
            reply = zoe.get(f"/posts?at_most=1&in_category={value}")
            assert "X-Evil" not in reply.headers
            link = reply.headers.get("Link", "")
            assert "\r" not in link
            assert link.count(">") <= 1
        pages = zoe.get("/posts?at_most=1&in_category=news")
        link = pages.headers["Link"]
        assert link.startswith("</v1/posts?at_most=1&in_category=news&after=")
        assert zoe.get(link[1:link.index(">")].removeprefix("/v1")).json()["items"] != pages.json()["items"]
        for path in ("/posts%3E", "/posts%22", "/post%73?at_most=1"):
            assert zoe.get(path).headers.get("Link", "").count(">") <= 1


def test_origins(world: World) -> None:
    asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization, content-type"}
    with world.serve() as server, server.client() as client:
        for headers in ({"Origin": "https://app.example"}, {"Origin": "null"}, {"Origin": "*"}):
            for reply in (client.get("/posts", headers=headers), client.options("/posts", headers={**headers, **asked})):
                assert not [name for name in reply.headers if name.startswith("access-control")], headers
    with world.serve("--origin", "https://app.example", "--origin", "https://other.example:8443") as server, server.client() as client:
        for origin in ("https://app.example", "https://other.example:8443"):
            reply = client.get("/posts", headers={"Origin": origin})
            assert reply.headers["Access-Control-Allow-Origin"] == origin
            assert "Access-Control-Allow-Credentials" not in reply.headers
            allowed = client.options("/me/name", headers={"Origin": origin, **asked})
            assert allowed.status_code == 204
            assert "PUT" in allowed.headers["Access-Control-Allow-Methods"]
            assert {"authorization", "content-type"} <= set(allowed.headers["Access-Control-Allow-Headers"].lower().split(", "))
            refused = client.get("/me/posts", headers={"Origin": origin})
            assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, origin)
        for origin in (
            "https://app.example.evil", "https://evil-app.example", "http://app.example", "https://app.example:444", "https://APP.example", "null", "*",
            "https://app.example/", "https://app.example https://evil", "https://app.example, https://app.example",
        ):
            reply = client.get("/posts", headers={"Origin": origin})
            assert "Access-Control-Allow-Origin" not in reply.headers, origin
        # A cache must not serve one origin's reply to another, or to none.
        assert "Origin" in ", ".join(client.get("/posts").headers.get_list("Vary"))
        for odd in ("a\tb", "x" * 10_000, "a: b", "é"):
            reply = client.options("/posts", headers=[("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET"), (
                "Access-Control-Request-Headers", odd.encode())])
            assert reply.status_code in (204, 400), odd[:9]
    with world.serve("--origin", "*") as server, server.client() as client:
        reply = client.get("/posts", headers={"Origin": "https://any.example"})
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in reply.headers

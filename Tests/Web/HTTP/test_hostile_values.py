"""Every parameter of every route, with values that nobody should send: they are refused quickly, with nothing of the inside in the text."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from world import World

from conftest import ALL, Server

HOSTILE: list[str] = [
    "", " ", "\t", "'", "\"", "\\", "';--", "1;drop table darkroom.posts", "${7*7}", "{{7*7}}", "%00", "%s%n", "../../etc/passwd", "<script>",
    "NaN", "nan", "Infinity", "-Infinity", "inf", "1e308", "1e999", "-1e999", "1e-400", "-0", "0x10", "1_000", "+1", "٣", "１",
    str(2**31), str(2**31 - 1), str(-2**31 - 1), str(2**63), str(2**63 - 1), str(-2**63), str(-2**63 - 1), "9" * 400, "true", "null", "[]", "{}",
    "{1,2}", "(country,1)", "country:1", "country:-1", "country:99999999999999999999", "planet:1", "country:", ":1", "country:1:2", "a" * 101,
    "a" * 5001, "a" * 12_000, "a" + "\u0301" * 40, "\u0301" * 3000, "\u202e", "\u200b", "\ufeff", "\ufffe", "\U0010ffff", "👩‍👩‍👧‍👦", "\x7f",
    "\x01", "\r\nX-Evil: 1", "infinity", "-infinity", "now", "epoch", "today", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+99:00", "2026-01-01", "1 day", "-1 day",
    "P1Y", "1000000000 years", "latest:1~1", "within:0~0", "nearest:NaN~1", "latest:9223372036854775807~9223372036854775808", "hot:inf~1",
    "latest:" + "9" * 150 + "~1", "~", ":~", "latest", "near:1", "activities:-1~-1", "likes", "none", "spring",
]
"""What only JSON can say."""
ODD: list[Any] = [
    None, True, False, 0, -1, 0.5, 1e300, 2**31, 2**63, -2**63, 2**64, 10**30, [], [1], [[1]], [None], ["a"], [2**63], [-1] * 3, {}, {"a": 1},
    "\0", "a\0b", [1] * 10_001, ["\0"], ["a" * 30_000], ["x"] * 1000, "a" * 900_000, "\u0301" * 400_000,
]
INSIDE = re.compile(
    r"darkroom\.[a-z_]+\(|\bselect\b|\binsert\b|\brelation\b|\bcolumn\b.*\bof\b|PL/pgSQL|SQLSTATE|pg_|::|/work/|/tmp/|/home/|\.swift|\.sql|postgres",
    re.IGNORECASE)
# In seconds. A second is enough on a machine that does nothing else.
SLOWEST = 1.0 if ALL else 20.0


def some(values: Sequence[Any], turn: int) -> Sequence[Any]:
    """Every value with DARKROOM_HTTP=all; else one in eight, others in each turn."""
    return values if ALL else values[turn % 8::8]


def judge(reply: httpx.Response, what: object) -> None:
    assert reply.status_code < 500 or reply.status_code == 503, (what, reply.text)
    assert reply.elapsed.total_seconds() < SLOWEST, what
    if reply.status_code >= 400:
        assert not INSIDE.search(reply.text.replace("urn:darkroom:problem:", "")), (what, reply.text)
        assert reply.headers["Content-Type"] == "application/problem+json", what
    assert "X-Evil" not in reply.headers, what


def operations(server: Server) -> Iterator[tuple[str, str, dict[str, Any]]]:
    with server.client() as client:
        paths = client.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            if method in ("get", "put", "post", "patch", "delete", "head"):
                yield method, path.removeprefix("/v1"), operation


def good(parameter: dict[str, Any]) -> str:
    """A value that is refused for nothing but what it stands for."""
    schema = parameter["schema"]
    if "enum" in schema:
        return str(schema["enum"][0])
    return "1" if schema.get("type") in ("integer", "number") else "a"


@pytest.mark.check
def test_no_parameter_is_a_way_in(world: World, world_server: Server) -> None:
    # She may delete a post of her own, such as the first.
    of_others = "select count(*) from darkroom.posts where state = 'published' and uploader <> 'zoe'"
    before = world.sql(of_others)
    calls = turn = 0
    with world_server.client("zoe") as zoe:
        for method, path, operation in operations(world_server):
            parameters = operation.get("parameters", [])
            required = {one["name"]: good(one) for one in parameters if one["required"] and one["in"] != "header"}
            for parameter in parameters:
                turn += 1
                for value in some(HOSTILE, turn):
                    values = {**required, parameter["name"]: value}
                    where = path
                    for one in parameters:
                        if one["in"] == "path":
                            where = where.replace("{" + one["name"] + "}", quote(values.pop(one["name"]), safe=""))
                    headers = {}
                    if parameter["in"] == "header":
                        values.pop(parameter["name"])
                        # No client can send these.
                        if not value.isascii() or not value.isprintable() or value != value.strip():
                            continue
                        headers = {parameter["name"]: value}
                    reply = zoe.request(method, where, params=values, headers=headers)
                    judge(reply, (method, path, parameter["name"], value[:40]))
                    calls += 1
    assert calls > (10_000 if ALL else 1000)
    assert world.sql(of_others) == before


def test_no_member_of_a_body_is_a_way_in(world: World, world_server: Server) -> None:
    post = world.posts()["The ferry"]
    calls = turn = 0
    with world_server.client("zoe") as zoe:
        for method, path, operation in operations(world_server):
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            where = path.replace("{post_id}", str(post)).replace("{comment_id}", "1").replace("{activity}", "picnic")
            for name in schema.get("properties", {}):
                others = {one: good({"schema": schema["properties"][one].get("anyOf", [schema["properties"][one]])[0]}) for one in schema.get("required", ())}
                turn += 1
                # Every third member, if not all is tried.
                for value in some((*HOSTILE, *ODD), turn) if ALL or turn % 3 == 0 else ():
                    body = json.dumps({**others, name: value}).encode()
                    reply = zoe.request(method, where, content=body, headers={"Content-Type": "application/json"})
                    judge(reply, (method, path, name, str(value)[:40]))
                    calls += 1
    assert calls > (2000 if ALL else 100)


BODIES: list[tuple[bytes, set[int]]] = [
    (b"[" * 10_000 + b"]" * 10_000, {400}), (b'{"vote":' + b"[" * 10_000 + b"]" * 10_000 + b"}", {400}),
    (b'{"vote":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001, {400}), (b'{"vote":"like","vote":"dislike"}', {400}),
    (b'{"vote":"like","v\\u006fte":"dislike"}', {400}), (b'{"vote":1' + b"0" * 500_000 + b"}", {400, 422}),
    (b'{"vote":1e' + b"9" * 500_000 + b"}", {400, 422}), (b'{"vote":"\xff"}', {400}), (b'{"vote":"\\ud800"}', {400}), (b'{"vote":"\xed\xa0\x80"}', {400}),
    (b"\xef\xbb\xbf{}", {400}), (b"", {400}), (b"null", {400}), (b"[]", {400}), (b'"like"', {400}), (b'{"vote":"like"}x', {400}),
    (b'{"vote":"like",}', {400}), (b"{'vote':'like'}", {400}), (b'{"vote":NaN}', {400}), (b"{" + b'"a":1,' * 100_000 + b'"b":1}', {400}),
    (b'{"vote":[' + b"[]," * 300_000 + b"1]}", {422}), (b'{"vote":[' + b"1.5," * 250_000 + b"1]}", {422}), (b"\0", {400}), (b" " * 1_000_000, {400}),
    (b" " * 1_048_577, {413}),
]


def test_what_is_no_json_is_refused_quickly(world: World, world_server: Server) -> None:
    vote = f"/posts/{world.posts()['Coffee']}/vote"
    with world_server.client("zoe") as zoe:
        for body, statuses in BODIES:
            began = time.monotonic()
            refused = zoe.put(vote, content=body, headers={"Content-Type": "application/json"})
            assert refused.status_code in statuses, (body[:40], refused.text)
            assert time.monotonic() - began < SLOWEST, body[:40]
            assert refused.headers["Content-Type"] == "application/problem+json", body[:40]


def test_ten_thousand_parameters(world_server: Server) -> None:
    with world_server.client() as client:
        for query in ("a&" * 10_000, "a=b&" * 5000, "&" * 30_000, "=&" * 10_000, "at_most=1&" * 1000):
            reply = client.get(f"/posts?{query}")
            assert reply.status_code in (400, 413, 414, 431), query[:9]
            assert reply.elapsed.total_seconds() < SLOWEST
        assert client.get("/posts").status_code == 200

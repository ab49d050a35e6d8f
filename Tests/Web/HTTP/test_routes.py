"""Every route, and that each list over HTTP is what its SQL function returns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from world import SEATTLE, World, equals_sql, shown

from conftest import ALL, Server

Case = Callable[[World, Server, dict[str, int]], None]
CASES: dict[tuple[str, str], list[Case]] = {}
NEAR: dict[str, Any] = {"latitude": SEATTLE[0], "longitude": SEATTLE[1]}
MAP = {"south": 40, "west": -130, "north": 62, "east": 30}
FILTERS: list[dict[str, Any]] = [
    {}, {"in_category": "food"}, {"in_activity": "picnic"}, {"in_place": "country:6252001"}, {"by_uploader": "zoe"}, {"by_uploader": "bob"},
    {"published_since": "2020-01-01T00:00:00Z"}, {"published_until": "2020-01-01T00:00:00Z"}, {"in_season": "winter"}, {"from_hour": 6, "to_hour": 18},
    {"in_category": "news", "in_place": "country:6252001", "taken_since": "2000-01-01T00:00:00+02:00"},
]


def case(*routes: str) -> Callable[[Case], Case]:
    def add(function: Case) -> Case:
        for route in routes:
            method, path = route.split(" ")
            CASES.setdefault((method, path), []).append(function)
        return function
    return add


def ok(reply: httpx.Response, status: int = 200) -> Any:
    assert reply.status_code == status, reply.text
    return reply.json() if reply.content else None


@case("GET /posts", "GET /posts/nearest", "GET /posts/within", "GET /posts/near-and-good", "GET /posts/top")
def feeds(world: World, server: Server, posts: dict[str, int]) -> None:
    lists: list[tuple[str, str, dict[str, Any]]] = [
        ("/posts", "latest_posts", {}), ("/posts/nearest", "nearest_posts", NEAR), ("/posts/nearest", "nearest_posts", {**NEAR, "radius_m": 100}),
        ("/posts/within", "posts_within", {**NEAR, "radius_m": 1000}), ("/posts/near-and-good", "near_and_good_posts", {**NEAR, "half_life": "12 hours"}),
        *(("/posts/top", "top_posts", {"board": board}) for board in ("likes", "wilson", "weighted", "hot")),
    ]
    most = 0
    for viewer in (None, "zoe"):
        with server.client(viewer) as client:
            for turn, (path, call, given) in enumerate(lists):
                # Each filter is of some lists, and of somebody's, if not all is tried.
                for chosen in FILTERS if ALL else FILTERS[:1] + (FILTERS[1 + turn % 3::3] if viewer else []):
                    found = equals_sql(world, client, path, call, {**given, **chosen}, {"viewer": viewer} if viewer else None)
                    most = max(most, found)
                geo = client.get(path, params=given, headers={"Accept": "application/geo+json"})
                assert geo.headers["Content-Type"] == "application/geo+json"
                items = ok(client.get(path, params=given))["items"]
                assert geo.json()["type"] == "FeatureCollection"
                for feature, item in zip(geo.json()["features"], items, strict=True):
                    assert feature["geometry"] == {"type": "Point", "coordinates": [item["longitude"], item["latitude"]]}
                    item.pop("score"), feature["properties"].pop("score")
                    assert (feature["type"], feature["properties"]) == ("Feature", item)
    assert most == len(posts)


@case("GET /map/clusters", "GET /map/photos", "GET /map/clusters/{cluster_id}/posts", "GET /map/clusters/{cluster_id}/location")
def maps(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client() as client:
        for zoom in (1, 2, 4):
            for chosen in FILTERS[:5] if ALL or zoom == 4 else FILTERS[:1]:
                for path, call in (("/map/clusters", "map_clusters"), ("/map/photos", "map_photos")):
                    equals_sql(world, client, path, call, {**MAP, "zoom": zoom, **chosen}, page=None)
        clusters = ok(client.get("/map/clusters", params={**MAP, "zoom": 4}))["items"]
        assert sum(cluster["posts"] for cluster in clusters) == 7
        for cluster in clusters:
            number = cluster["cluster_id"]
            with_posts = f"/map/clusters/{number}/posts"
            rows = [row for (row,) in world.sql("select post_id from darkroom.cluster_posts(%s, 100)", number)]
            assert [post["post_id"] for post in ok(client.get(with_posts))["items"]] == rows
            [place] = world.sql("select latitude, longitude from darkroom.cluster_location(%s)", number)
            assert tuple(ok(client.get(f"/map/clusters/{number}/location")).values()) == place


@case("GET /posts/{post_id}", "POST /views")
def one_post(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("ada") as ada:
        for number in posts.values():
            [(row,)] = world.sql("select to_jsonb(f) from darkroom.post_details(%s, 'ada') f", number)
            row = shown(row)
            assert ok(ada.get(f"/posts/{number}")) == row
            feature = ok(ada.get(f"/posts/{number}", headers={"Accept": "application/geo+json"}))
            assert feature["properties"] == row
        before = ok(ada.get(f"/posts/{posts['Coffee']}"))["views"]
        assert ok(ada.post("/views", json={"post_ids": [posts["Coffee"], 999], "views": [3, 5]}), 204) is None
        assert ok(ada.get(f"/posts/{posts['Coffee']}"))["views"] == before + 3
        assert ada.get("/posts/999999").status_code == 404
        same = ada.get("/posts?at_most=1")
        assert ada.get("/posts?at_most=1", headers={"If-None-Match": same.headers["ETag"]}).status_code == 304


@case("PUT /posts/{post_id}/text", "DELETE /posts/{post_id}", "PUT /posts/{post_id}/vote")
def own_posts(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("bob") as bob:
        coffee = f"/posts/{posts['Coffee']}"
        text = {"headline": "Tea", "caption": "Green", "category": "food"}
        assert ok(bob.put(f"{coffee}/text", json=text)) == {"state": "published"}
        assert {name: ok(bob.get(coffee))[name] for name in text} == text
        for vote, likes, dislikes in (("like", 1, 1), ("dislike", 0, 2), ("none", 0, 1)):
            assert ok(bob.put(f"{coffee}/vote", json={"vote": vote}), 204) is None
            seen = ok(bob.get(coffee))
            assert (seen["likes"], seen["dislikes"], seen["my_vote"]) == (likes, dislikes, None if vote == "none" else vote)
        assert ok(bob.delete(coffee), 204) is None
        assert bob.get(coffee).status_code == 404
        assert bob.put(f"{coffee}/vote", json={"vote": "like"}).status_code == 404
        assert posts["Coffee"] not in [post["post_id"] for post in ok(bob.get("/posts?at_most=100"))["items"]]


@case("POST /posts/{post_id}/reports", "POST /posts/{post_id}/appeals", "GET /me/reports", "GET /me/inbox", "GET /me/inbox/unread",
      "PUT /me/inbox/read")
def decisions(world: World, server: Server, posts: dict[str, int]) -> None:
    ferry = posts["The ferry"]
    with server.client("ada") as ada, server.client("zoe") as zoe:
        assert ok(ada.post(f"/posts/{ferry}/reports", json={"reason": "spam", "details": "Ads"})) == {"is_new": True}
        assert ok(ada.post(f"/posts/{ferry}/reports", json={"reason": "spam"})) == {"is_new": False}
        assert ada.post(f"/posts/{ferry}/reports", json={"reason": "boring"}).status_code == 422
        assert ada.post("/posts/999999/reports", json={"reason": "spam"}).status_code == 404
        world("review", "remove", str(ferry), "--reviewer", "mo")
        world.drain()
        assert ok(ada.get("/me/reports"))["items"][0]["decision"] == "removed"
        equals_sql(world, ada, "/me/reports", "report_decisions", {}, {"reporter": "ada"})
        assert ok(zoe.post(f"/posts/{ferry}/appeals", json={"text": "It is my own"}), 201)["appeal_id"] > 0
        assert zoe.post(f"/posts/{ferry}/appeals", json={"text": "Again"}).status_code == 409
        assert zoe.post(f"/posts/{posts['Noodles']}/appeals", json={"text": "Why"}).status_code == 422
        assert equals_sql(world, zoe, "/me/inbox", "inbox", {}, {"person": "zoe"}) > 2
        latest = ok(zoe.get("/me/inbox"))["items"][0]
        unread = ok(zoe.get("/me/inbox/unread"))["unread"]
        assert [(unread,)] == world.sql("select darkroom.count_unread('zoe')")
        assert unread > 0
        assert ok(zoe.put("/me/inbox/read", json={"up_to": latest["number"]}), 204) is None
        assert ok(zoe.get("/me/inbox/unread")) == {"unread": 0}
        with zoe.stream("GET", "/me/inbox/live") as events:
            assert next(line for line in events.iter_lines() if line.startswith("data")) == 'data: {"unread" : 0}'


CASES[("GET", "/me/inbox/live")] = [decisions]


@case("GET /me/inbox/events", "PUT /me/inbox/events", "PUT /me/name", "POST /me/name/check", "GET /me/statistics", "GET /me/quota", "GET /me/posts",
      "DELETE /me")
def oneself(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("zoe") as zoe, server.client("ada") as ada:
        assert ok(zoe.put("/me/inbox/events", json={"events": ["liked"]}), 204) is None
        assert ok(zoe.get("/me/inbox/events")) == {"events": ["liked"]}
        assert zoe.put("/me/inbox/events", json={"events": ["sneezed"]}).status_code == 422
        assert ok(zoe.put("/me/name", json={"name": "Zoe Z."}), 204) is None
        assert ok(zoe.get(f"/posts/{posts['Noodles']}"))["display_name"] == "Zoe Z."
        taken = ada.put("/me/name", json={"name": "ZOE Z."})
        assert (taken.status_code, taken.json()["reason"]) == (409, "display_name_is_taken")
        [(row,)] = world.sql("select to_jsonb(f) from darkroom.check_display_name('ada', 'ZOE Z.') f")
        assert ok(ada.post("/me/name/check", json={"name": "ZOE Z."}))["items"] == [row]
        assert ok(zoe.post("/me/name/check", json={"name": None}))["items"] == []
        [row] = world.sql("select to_jsonb(f) from darkroom.uploader_statistics('zoe') f")
        assert (ok(zoe.get("/me/statistics")),) == row
        [row] = world.sql("select to_jsonb(f) from darkroom.upload_quota('zoe') f")
        assert (ok(zoe.get("/me/quota")),) == row
        assert equals_sql(world, zoe, "/me/posts", "uploader_posts", {}, {"uploader": "zoe"}) == 3
        assert ok(zoe.delete("/me"), 202)["erasure_id"] > 0
        world.drain()
        assert ok(zoe.get("/me/posts"))["items"] == []
        assert zoe.get(f"/posts/{posts['Noodles']}").status_code == 404


@case("GET /posts/{post_id}/comments", "POST /posts/{post_id}/comments", "GET /comments/{comment_id}", "DELETE /comments/{comment_id}",
      "PUT /comments/{comment_id}/vote", "POST /comments/{comment_id}/reports", "GET /me/comments", "POST /comments/{comment_id}/appeals")
def comments(world: World, server: Server, posts: dict[str, int]) -> None:
    ferry = posts["The ferry"]
    with server.client("ada") as ada, server.client("zoe") as zoe, server.client("bob") as bob:
        for order in ({}, {"order_by": "newest"}, {"order_by": "popular"}):
            items: list[Any] = []
            page: dict[str, Any] = {"next": None}
            while True:
                page = ok(ada.get(f"/posts/{ferry}/comments", params={"at_most": 2, **order, **({"after": page["next"]} if page["next"] else {})}))
                items += page["items"]
                if not page["next"]:
                    break
            rows = world.sql("select to_jsonb(f) - '{author,cursor}'::text[] from darkroom.post_comments(%s, %s, 100, null, 'ada') f", ferry,
                             order.get("order_by", "newest"))
            assert items == [row for (row,) in rows]
            assert len(items) == 4
        made = ok(ada.post(f"/posts/{ferry}/comments", json={"body": " Née "}), 201)["comment_id"]
        assert ok(ada.get(f"/comments/{made}"))["body"].strip() == "Née"
        assert ada.post(f"/posts/{ferry}/comments", json={"body": " "}).status_code == 422
        assert ok(bob.put(f"/comments/{made}/vote", json={"vote": "like"}), 204) is None
        assert ok(bob.get(f"/comments/{made}"))["my_vote"] == "like"
        assert ok(bob.post(f"/comments/{made}/reports", json={"reason": "harassment"})) == {"is_new": True}
        assert bob.delete(f"/comments/{made}").status_code == 404
        world("review", "comments", "remove", str(made), "--reviewer", "mo")
        assert equals_sql(world, ada, "/me/comments", "author_comments", {}, {"author": "ada"}) > 0
        assert ok(ada.post(f"/comments/{made}/appeals", json={"text": "It is my name"}), 201)["appeal_id"] > 0
        assert ada.post(f"/comments/{made}/appeals", json={"text": "Again"}).status_code == 409
        assert bob.post(f"/comments/{made}/appeals", json={"text": "Why"}).status_code == 404
        world("review", "comments", "restore", str(made), "--reviewer", "mo")
        # The post is Zoe's.
        assert ok(zoe.delete(f"/comments/{made}"), 204) is None
        assert ada.get(f"/comments/{made}").status_code == 404


@case("GET /activities", "GET /activities/{activity}", "POST /activities", "PATCH /activities/{activity}")
def activities(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("zoe") as zoe:
        made = {"activity": "Night market", **NEAR, "radius_m": 500, "aliases": ["market", "märket"], "ends_at": "2199-01-01T00:00:00Z"}
        assert ok(zoe.post("/activities", json=made), 201) == {"activity": "Night market"}
        assert zoe.post("/activities", json={"activity": "MARKET"}).status_code == 409
        for place in ({}, NEAR, {**NEAR, "radius_m": 10}, {"latitude": 0, "longitude": 0, "radius_m": 10}):
            equals_sql(world, zoe, "/activities", "activities", place, page=1)
        for name in ("Night market", "market", "m%C3%A4rket"):
            assert ok(zoe.get(f"/activities/{name}"))["activity"] == "Night market"
        assert ok(zoe.patch("/activities/market", json={"radius_m": 900, **NEAR}), 204) is None
        assert ok(zoe.get("/activities/Night%20market"))["radius_m"] == 900
        assert zoe.patch("/activities/none", json={"radius_m": 9, **NEAR}).status_code == 404
        assert zoe.get("/activities/none").status_code == 404


@case("GET /places", "GET /places/at")
def places(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client() as client:
        for text in ("Seattle", "seatt", "Seatle", "Seattle, W"):
            best = ok(client.get("/places", params={"q": text, "country": "US"}))["items"][0]
            assert (best["name"], best["country"]["code"]) == ("Seattle", "US"), text
            assert abs(best["latitude"] - SEATTLE[0]) < 0.1
            assert abs(best["longitude"] - SEATTLE[1]) < 0.1
        there = ok(client.get("/places/at", params=NEAR))
        assert (there["country"], there["division"]) == (best["country"], best["division"])
        # The index may lack time zones.
        printed = json.loads(world("gazetteer", "reverse", *map(str, SEATTLE), "--json"))
        assert {name: there[name] for name in printed} == printed
        for query, status in (({}, 400), ({"q": ""}, 400), ({"q": "x", "at_most": 51}, 422), ({"q": "x", "country": "us"}, 422), ({"q": "x", "latitude": 1}, 422)):
            assert client.get("/places", params=query).status_code == status, query
        assert client.get("/places/at", params={"latitude": 91, "longitude": 0}).status_code == 422


@case("GET /places/borders/{zoom}/{x}/{y}")
def borders(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client() as client:
        # The first reader waits until the map is made. The index may lack borders.
        items = ok(client.get("/places/borders/0/0/0"))["items"]
        assert all(item["rings"] and all(len(ring) % 2 == 0 and len(ring) >= 6 for ring in item["rings"]) for item in items)
        assert len({item["country"] for item in items}) == len(items)
        for path in ("0/1/0", "17/0/0", "-1/0/0", "x/0/0", "2/0/4", "9223372036854775808/0/0"):
            refused = client.get(f"/places/borders/{path}")
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_argument"), path


@case("POST /uploads", "POST /uploads/check", "GET /uploads/{job_id}", "DELETE /uploads/{job_id}", "POST /uploads/{job_id}/publish")
def uploads(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("zoe") as zoe:
        text = {"headline": "A pin", **NEAR}
        assert ok(zoe.post("/uploads/check", json={**text, "has_photo": False}), 204) is None
        assert zoe.post("/uploads/check", json={**text, "link": "no link", "has_photo": False}).status_code == 422
        job = ok(zoe.post("/uploads", json=text), 202)["job_id"]
        [(row,)] = world.sql("select to_jsonb(s) from darkroom.job_status(%s, 'zoe') s", job)
        assert ok(zoe.get(f"/uploads/{job}")) == row
        assert ok(zoe.delete(f"/uploads/{job}"), 204) is None
        draft = ok(zoe.post("/uploads", json={**text, "is_draft": True}), 202)["job_id"]
        assert zoe.post(f"/uploads/{draft}/publish", json={"latitude": 91, "longitude": 0}).status_code == 422
        assert ok(zoe.post(f"/uploads/{draft}/publish", json={"caption": "Now"}), 204) is None
        assert zoe.post(f"/uploads/{draft}/publish", json={}).status_code == 404
        assert ok(zoe.delete(f"/uploads/{draft}"), 204) is None


@case("GET /me/votes", "GET /posts/by-id", "GET /posting-rules", "GET /people", "GET /me/bar", "GET /me/blocks", "PUT /me/blocks/{author_handle}",
      "GET /me/follows", "POST /me/follows", "DELETE /me/follows/{follow_id}", "GET /me/followed-posts", "GET /venues/{venue_id}/posts",
      "DELETE /me/blocks/{author_handle}", "POST /posts/{post_id}/comments/check")
def people_and_forms(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client("zoe") as zoe:
        numbers = [posts["Noodles"], posts["The ferry"]]
        shown = ok(zoe.get("/posts/by-id", params={"post_ids": numbers, **NEAR}))["items"]
        assert [one["post_id"] for one in shown] == numbers
        assert zoe.get("/posts/by-id", params={"post_ids": ["1", "two"]}).status_code == 422
        ok(zoe.put(f"/posts/{numbers[0]}/vote", json={"vote": "like"}), 204)
        assert [one["post_id"] for one in ok(zoe.get("/me/votes", params={"in_vote": "like"}))["items"]].count(numbers[0]) == 1
        [row] = world.sql("select to_jsonb(f) from darkroom.posting_rules() f")
        assert (ok(zoe.get("/posting-rules")),) == row
        handle = world.sql("select author_handle from darkroom.posts where uploader = 'bob' limit 1")[0][0]
        assert ok(zoe.put(f"/me/blocks/{handle}"), 204) is None
        assert equals_sql(world, zoe, "/me/blocks", "blocked_authors", {}, {"person": "zoe"}) == 1
        assert ok(zoe.get("/people", params={"author_handles": handle}))["items"] == [
            {"author_handle": handle, "display_name": None, "is_blocked": True}]
        assert ok(zoe.delete(f"/me/blocks/{handle}"), 204) is None
        follow = ok(zoe.post("/me/follows", json={**NEAR, "radius_m": 50_000}), 201)["follow_id"]
        assert equals_sql(world, zoe, "/me/follows", "follows", {}, {"person": "zoe"}) == 1
        assert equals_sql(world, zoe, "/me/followed-posts", "followed_posts", {"at_most": 5}, {"viewer": "zoe"}) > 0
        assert ok(zoe.get("/venues/none/posts"))["items"] == []
        assert ok(zoe.delete(f"/me/follows/{follow}"), 204) is None
        assert ok(zoe.get("/me/bar"))["items"] == []
        told = ok(zoe.post(f"/posts/{numbers[0]}/comments/check", json={"body": " "}))["items"]
        assert [one["reason"] for one in told] == ["comment_is_not_blank"]


@case("POST /uploads/direct", "POST /uploads/direct/{ticket}")
def direct_uploads(world: World, server: Server, posts: dict[str, int]) -> None:
    """The store here is a directory; test_direct.py has a bucket."""
    with server.client("zoe") as zoe:
        for path, given in [("", {"sha256": "0" * 64, "bytes": 1}), ("/1.1.1.1", NEAR)]:
            refused = zoe.post(f"/uploads/direct{path}", json=given)
            assert (refused.status_code, refused.json()["reason"]) == (422, "no_direct_uploads")


@case("GET /pictures/{key}", "GET /posts/{post_id}/picture", "GET /may-show")
def pictures(world: World, server: Server, posts: dict[str, int]) -> None:
    with server.client() as client:
        where = client.get(f"/posts/{posts['The ferry']}/picture").headers["Location"].removeprefix("/v1")
        assert client.get(where).headers["Content-Type"] == "image/jpeg"
        assert client.get("/may-show", headers={"X-Original-URI": where}).status_code == 204


def test_every_route_has_a_case(server: Server) -> None:
    with server.client() as client:
        paths = json.loads(client.get("/openapi.json").text)["paths"]
    offered = {(method.upper(), path.removeprefix("/v1")) for path, methods in paths.items() for method in methods
               if not path.startswith("/v1/uploads/resumable")}
    # Uploads in parts have tests of their own.
    assert {one for one in offered - set(CASES) if not one[1].startswith(("/uploads", "/files"))} == set()
    assert set(CASES) - offered - {("GET", "/places"), ("GET", "/places/at"), ("GET", "/places/borders/{zoom}/{x}/{y}")} == set()


def test_the_document_defines_what_it_names(server: Server) -> None:
    with server.client() as client:
        document = client.get("/openapi.json").text
    components = json.loads(document)["components"]
    for kind, name in set(re.findall(r'"\$ref": ?"#/components/(\w+)/(\w+)"', document)):
        assert name in components[kind]


@pytest.mark.parametrize("function", {function.__name__: function for functions in CASES.values() for function in functions}.values(),
                         ids=lambda function: function.__name__)
def test_route(world: World, world_server: Server, function: Case) -> None:
    function(world, world_server, world.posts())

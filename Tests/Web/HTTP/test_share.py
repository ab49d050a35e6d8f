"""The pages that people send to each other, and what other programs read of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

import httpx
import pytest
from world import World

from conftest import PROGRAM, Installation, Server

PUBLIC = "https://photos.example.org/sub"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> & \'quoted\' ]]> {post_id}'


class Page(HTMLParser):
    """What a program that shows a preview reads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: list[str] = []
        self.sources: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = {name: value or "" for name, value in attrs}
        assert not [name for name in given if name.startswith("on")]
        if tag == "meta" and "content" in given:
            name = given.get("property") or given["name"]
            assert name not in self.meta
            self.meta[name] = given["content"]
        if tag == "a":
            self.links.append(given["href"])
        if tag == "img":
            self.sources.append(given["src"])

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def sharing(world: World) -> Iterator[Server]:
    with world.serve("--public-url", PUBLIC + "/", "--app-link", "around://posts/{post_id}") as server:
        yield server


def shared(server: Server, post: int) -> Page:
    reply = httpx.get(f"{server.url}/p/{post}")
    assert reply.status_code == 200, reply.text
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert reply.headers["Cache-Control"] == "public, max-age=5"
    assert "unsafe" not in reply.headers["Content-Security-Policy"]
    return Page(reply.text)


def test_it_names_the_title_the_text_and_the_picture(world: World, sharing: Server) -> None:
    post = world.posts()["The ferry"]
    page = shared(sharing, post)
    assert page.meta["og:title"] == "The ferry"
    assert page.meta["og:description"].startswith("Ä ferry, or two – ")
    assert page.meta["og:url"] == f"{PUBLIC}/p/{post}"
    assert page.meta["twitter:card"] == "summary_large_image"
    assert page.links == [f"around://posts/{post}"]
    assert "Zoë" in page.text
    assert "GeoNames" in page.text
    assert page.meta["og:site_name"] == "photos.example.org"
    assert page.sources == [page.meta["og:image"].removeprefix("https://photos.example.org")]
    image = page.meta["og:image"]
    assert image.startswith(f"{PUBLIC}/v1/pictures/renditions/")
    found = httpx.get(sharing.url + image.removeprefix(PUBLIC))
    assert found.status_code == 200
    assert found.headers["Content-Type"] == page.meta["og:image:type"] == "image/jpeg"
    with sharing.client() as reader:
        pictures = reader.get(f"/posts/{post}").json()["pictures"]
    sizes = {(str(one["width"]), str(one["height"])) for one in pictures if image.endswith(one["media_key"])}
    assert (page.meta["og:image:width"], page.meta["og:image:height"]) in sizes


def test_texts_and_the_anonymous_have_one_too(world: World, sharing: Server) -> None:
    page = shared(sharing, world.posts()["Secret"])
    assert page.meta["og:title"] == "Secret"
    assert page.meta["twitter:card"] == "summary"
    assert "og:image" not in page.meta
    assert "img" not in page.tags
    world.sql("update darkroom.people set display_name = 'Bob the Builder' where person = 'bob'")
    assert "Bob" not in shared(sharing, world.posts()["Secret"]).text


@pytest.mark.parametrize("field", [
    "headline", "caption", "place_name", "city_name", "country_name", "display_name", "venue_name", "credit", "licence"])
def test_what_people_write_is_never_markup(world: World, sharing: Server, field: str) -> None:
    post = world.posts()["The ferry"]
    if field == "display_name":
        world.sql("update darkroom.people set display_name = %s where person = 'zoe'", HOSTILE)
    else:
        world.sql(f"update darkroom.posts set {field} = %s where post_id = %s", HOSTILE, post)
    page = shared(sharing, post)
    assert page.tags <= {"html", "head", "meta", "title", "link", "style", "body", "main", "h1", "img", "p", "bdi", "time", "a", "footer"}
    assert "<script>alert(1)</script>" in page.text
    assert page.links == [f"around://posts/{post}"]


def test_long_texts_are_cut_between_words(world: World, sharing: Server) -> None:
    post = world.posts()["The ferry"]
    world.sql("update darkroom.posts set headline = null, caption = %s where post_id = %s", "wörd \n" * 800, post)
    page = shared(sharing, post)
    assert page.meta["og:title"] == " ".join(["wörd"] * 19) + "…"
    world.sql("update darkroom.posts set caption = %s where post_id = %s", "東京 " + "今日はとても" * 50, post)
    assert len(shared(sharing, post).meta["og:title"]) == 100
    world.sql("update darkroom.posts set caption = null where post_id = %s", post)
    assert shared(sharing, post).meta["og:title"].startswith("A photo from ")


def test_it_has_the_link_the_venue_the_credit_and_the_licence(world: World, sharing: Server) -> None:
    post = world.posts()["The ferry"]
    world.sql("""update darkroom.posts set headline = null, caption = null, link = 'https://example.org/a', venue_name = 'Pier 52',
        credit = 'Jane', licence = 'CC-BY-4.0' where post_id = %s""", post)
    page = shared(sharing, post)
    assert page.links[0] == "https://example.org/a"
    for text in ("Pier 52", "Photo: Jane", "CC-BY-4.0", "A photo from "):
        assert text in page.text


@pytest.mark.parametrize("change", [
    "update darkroom.posts set state = 'hidden' where headline = 'The ferry'",
    "update darkroom.posts set state = 'held' where headline = 'The ferry'",
    "update darkroom.posts set expires_at = now() - interval '1 s' where headline = 'The ferry'",
    "select darkroom.delete_post(post_id, uploader) from darkroom.posts where headline = 'The ferry'",
])
def test_it_goes_with_its_post(world: World, sharing: Server, change: str) -> None:
    post = world.posts()["The ferry"]
    world.sql(change)
    gone = httpx.get(f"{sharing.url}/p/{post}")
    assert gone.status_code == 404
    assert gone.headers["Cache-Control"] == "no-store"
    assert "ferry" not in gone.text
    assert Page(gone.text).meta["robots"] == "noindex"


def test_other_paths_are_no_posts(sharing: Server) -> None:
    for path in ["", "/01", "/+1", "/", "/0", "/-1", "/x", "/1x", "/9223372036854775808", "/1/2", "/..%2fv1", "/1%00", "/%31%2f"]:
        assert httpx.get(f"{sharing.url}/p{path}").status_code in (400, 404), path


def test_other_methods_are_refused(world: World, sharing: Server) -> None:
    post = world.posts()["The ferry"]
    assert httpx.get(f"{sharing.url}/p/{post}/").status_code == 200
    head = httpx.head(f"{sharing.url}/p/{post}")
    assert (head.status_code, head.content) == (200, b"")
    for method in ("POST", "PUT", "DELETE"):
        reply = httpx.request(method, f"{sharing.url}/p/{post}")
        assert (reply.status_code, reply.headers["Allow"]) == (405, "GET, HEAD")
        assert "GET and HEAD" in Page(reply.text).text


def test_browsers_ask_whether_it_has_changed(world: World, sharing: Server) -> None:
    post = world.posts()["The ferry"]
    address = f"{sharing.url}/p/{post}"
    tag = httpx.get(address).headers["ETag"]
    for known in (tag, f'W/{tag}, "other"', "*"):
        same = httpx.get(address, headers={"If-None-Match": known})
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", tag)
    world.sql("update darkroom.posts set caption = 'Another' where post_id = %s", post)
    changed = httpx.get(address, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag
    gone = httpx.get(f"{sharing.url}/p/999999", headers={"If-None-Match": "*"})
    assert (gone.status_code, "ETag" in gone.headers) == (404, False)


def test_people_see_a_page_when_it_fails(world: World, sharing: Server) -> None:
    address = f"{sharing.url}/p/{world.posts()['The ferry']}"
    world.sql("alter function darkroom.post_details rename to away")
    try:
        reply = httpx.get(address)
    finally:
        world.sql("alter function darkroom.away rename to post_details")
    assert reply.status_code == 500
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert Page(reply.text).meta["robots"] == "noindex"
    assert "post_details" not in reply.text
    assert httpx.get(address).status_code == 200


def test_pictures_for_those_nearby_are_not_shown(world: World, sharing: Server) -> None:
    world("policy", "posting", "set", "--for", "news", "--pictures-within", "100", "--note", "near")
    page = shared(sharing, world.posts()["The ferry"])
    assert "og:image" not in page.meta
    assert page.meta["og:title"] == "The ferry"


def test_without_an_address_there_are_none(world: World, world_server: Server) -> None:
    reply = httpx.get(f"{world_server.url}/p/{world.posts()['The ferry']}")
    assert reply.status_code == 404
    assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(("options", "told"), [
    (["--public-url", "photos.example.org"], "must be an address"), (["--public-url", "https://"], "must be an address"),
    (["--public-url", "https://a@b"], "must be an address"), (["--public-url", "javascript:alert(1)"], "must be an address"),
    (["--public-url", "https://a/?b"], "must be an address"), (["--public-url", "https://a; script-src *"], "must be an address"), (["--app-link", "around://{post_id}"], "needs --public-url"),
    (["--public-url", "https://a", "--app-link", "around://"], "{post_id}"),
    (["--public-url", "https://a", "--require-token"], "--require-token"),
    *[(["--public-url", address], "must be an address") for address in (
        "https://*", "https://*.example.org", "https://:80", "https://a:99999", "https://a:0", "https://a:", "https://a\\b", "https://a/%zz",
        "https://a\tb", "https://a;\u0301 script-src", "https://bücher.example", "ftp://a", "https://[::1")],
    *[(["--public-url", "https://a", "--app-link", link], "--app-link") for link in (
        "javascript:alert({post_id})", "JavaScript:{post_id}", "data:text/html,{post_id}", "vbscript:{post_id}", "{post_id}:x",
        "foo {post_id}:", "https://a/{post_id}\n", "https://a/\"{post_id}")],
])
def test_wrong_addresses_are_refused_at_the_start(installation: Installation, options: list[str], told: str) -> None:
    done = subprocess.run(
        [PROGRAM, "serve", "--http", "127.0.0.1:0", *options], env=installation.environment, capture_output=True, text=True)
    assert done.returncode == 64, done.stderr
    assert told in done.stderr


@pytest.mark.parametrize("link", ["datasnap://{post_id}", "java-app:{post_id}", "https://a.example/{post_id}?from=share#top", "/app/{post_id}"])
def test_links_may_have_a_scheme_of_the_app(world: World, link: str) -> None:
    with world.serve("--public-url", "https://a", "--app-link", link) as server:
        post = world.posts()["The ferry"]
        assert shared(server, post).links == [link.replace("{post_id}", str(post))]


@pytest.mark.parametrize("options", [["--require-token"], ["--require-token", "--app-link", "/x/{post_id}"]])
def test_where_nobody_reads_without_a_token_there_are_none(world: World, options: list[str]) -> None:
    with world.serve("--demo", "--demo-for-anyone", *options) as server:
        assert httpx.get(f"{server.url}/p/{world.posts()['The ferry']}").status_code == 404


@pytest.mark.parametrize("address", ["https://[::1]:8443/photos/", "HTTP://a.example:80", "https://photos.example.org"])
def test_pictures_are_those_of_the_server_of_the_page(world: World, address: str) -> None:
    with world.serve("--public-url", address) as server:
        page = shared(server, world.posts()["The ferry"])
        [source] = page.sources
        assert page.meta["og:image"].endswith(source)
        assert source.startswith("/photos/v1/" if "photos/" in address else "/v1/")


def test_the_demo_has_pages_without_an_address(world: World) -> None:
    with world.serve("--demo", "--demo-for-anyone") as server:
        post = world.posts()["The ferry"]
        page = shared(server, post)
        assert page.links == [f"/demo/#/post/{post}"]
        assert urlsplit(page.meta["og:image"]).netloc == ""
        assert httpx.get(server.url + page.meta["og:image"]).status_code == 200

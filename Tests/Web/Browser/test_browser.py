"""The base of these tests itself: it finds what it is there to find."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import Screen

BAD = """<!doctype html><html lang="en"><title>Bad</title><main><h1>Bad</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<p style="width: 9000px">wide</p><script>document.title = "ran"</script></main>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = BAD.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Security-Policy", "default-src 'none'; img-src data:")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_a_violation_of_the_policy_and_an_image_without_a_text_are_found(
        open_screen: Callable[..., Screen], site: str) -> None:
    screen = open_screen(390)
    screen.page.goto(site)
    assert screen.page.title() == "Bad"
    assert any("Content Security Policy" in error for error in screen.unexpected)
    assert any(violation.startswith("image-alt:") for violation in screen.violations())
    with pytest.raises(AssertionError):
        screen.check("bad")
    screen.expect_error("Content Security Policy")
    screen.expect_error("favicon|404")
    assert screen.unexpected == []

"""Signing in to the console with a provider of OpenID Connect: a real one, small enough for a test."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
from browser import Screen
from consoles import Console, free_port, serve
from installation import PROGRAM, Installation
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import expect

# Those of the provider.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PEOPLE = [
    User(sub="olga", claims={"email": "olga@example.org", "email_verified": True, "groups": ["staff", "admins"]}),
    User(sub="mia", claims={"email": "mia@example.org", "email_verified": True, "groups": ["moderators"]}),
    User(sub="sam", claims={"email": "sam@example.org", "email_verified": True, "groups": ["staff"]}),
    User(sub="liar", claims={"email": "boss@example.org", "email_verified": False}),
    User(sub="eve", claims={"email": "eve@example.org", "email_verified": True}),
]
RULES = ["operator groups=admins", "moderator groups=moderators", "operator-readonly groups=staff", "operator email=boss@example.org"]


@contextmanager
def provided(installation: Installation, issuer: str, *options: str) -> Iterator[Console]:
    """A console at a port that is known before, since the provider sends browsers back there."""
    port = free_port()
    secret = installation.folder / "secret"
    secret.write_text("a: secret/+\n")
    rules = [part for rule in RULES for part in ("--console-rule", rule)]
    with serve(installation, "--console", f"127.0.0.1:{port}", "--console-url", f"http://127.0.0.1:{port}", "--console-issuer", issuer,
               "--console-client", "console", "--console-secret", str(secret), *rules, *options) as console:
        yield console


@pytest.fixture
def issuer() -> Iterator[str]:
    with run_server_in_thread(user_claims=PEOPLE, require_nonce=True) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def console(make_installation: Callable[[], Installation], issuer: str) -> Iterator[Console]:
    with provided(make_installation(), issuer) as console:
        yield console


def sign_in(screen: Screen, console: Console, person: str) -> None:
    # Before the sign-in; and the provider has no icon and a stylesheet from elsewhere.
    screen.expect_error("401|favicon|jsdelivr")
    screen.page.goto(console.url)
    screen.page.get_by_role("link", name="Sign in with").click()
    screen.page.get_by_role("button", name=person, exact=True).click()


@pytest.mark.parametrize(("person", "role"), [
    ("mia", "moderator"),
    *(pytest.param(*one, marks=pytest.mark.check) for one in [("olga", "operator"), ("sam", "operator, read-only")]),
])
def test_a_claim_decides_on_the_role(console: Console, open_screen: Callable[..., Screen], person: str, role: str) -> None:
    screen = open_screen()
    sign_in(screen, console, person)
    expect(screen.page.get_by_text(f"{person}@example.org, {role}", exact=True)).to_be_visible()


@pytest.mark.parametrize("person", ["liar", pytest.param("eve", marks=pytest.mark.check)])
def test_someone_without_a_role_stays_outside(console: Console, open_screen: Callable[..., Screen], person: str) -> None:
    screen = open_screen()
    screen.expect_error("403")
    sign_in(screen, console, person)
    expect(screen.page.get_by_text("have no role in this console")).to_be_visible()
    assert console.installation.sql("select from darkroom.console_sessions") == []


class Flow:
    """The steps of one sign-in, which a test can take differently."""

    def __init__(self, console: Console, issuer: str, person: str = "olga") -> None:
        self.client = httpx.Client(base_url=console.url)
        self.start = httpx.URL(self.client.get("/sign-in/provider").headers["location"])
        self.answer = httpx.URL(httpx.post(self.start, data={"sub": person}).headers["location"])

    def finish(self, **changes: str) -> int:
        return self.client.get("/sign-in/callback", params={**dict(self.answer.params), **changes}).status_code


def test_a_sign_in_has_state_nonce_and_proof_of_the_key(console: Console, issuer: str) -> None:
    flow = Flow(console, issuer)
    sent = dict(flow.start.params)
    assert sent["response_type"] == "code" and sent["code_challenge_method"] == "S256" and "openid" in sent["scope"]
    assert len(sent["code_challenge"]) == 43 and len(sent["state"]) == 43 and len(sent["nonce"]) == 43
    assert sent["state"] not in (sent["nonce"], sent["code_challenge"])
    assert flow.finish() == 200
    # A code is used once.
    assert flow.finish() in (403, 502)


@pytest.mark.check
def test_what_does_not_belong_to_this_sign_in_is_refused(console: Console, issuer: str) -> None:
    assert Flow(console, issuer).finish(state="x") == 403
    assert Flow(console, issuer).finish(code="x") == 502
    other, flow = Flow(console, issuer), Flow(console, issuer, "sam")
    # Another's code with one's own state: its nonce is not of this sign-in.
    assert flow.finish(code=other.answer.params["code"]) == 403
    # Without the cookie of the beginning.
    assert httpx.get(f"{console.url}/sign-in/callback", params=dict(Flow(console, issuer).answer.params)).status_code == 403
    assert Flow(console, issuer).finish(code="", error="access_denied") == 403
    assert console.installation.sql("select from darkroom.console_sessions") == []


@pytest.mark.check
def test_a_provider_that_is_away_or_another_one_lets_nobody_in(make_installation: Callable[[], Installation], issuer: str) -> None:
    for wrong in [f"http://127.0.0.1:{free_port()}", issuer.replace("localhost", "127.0.0.1") + "/none"]:
        with provided(make_installation(), wrong) as console:
            assert httpx.get(f"{console.url}/sign-in/provider").status_code == 502


def test_half_of_the_options_is_refused(installation: Installation) -> None:
    for options in [["--console-issuer", "https://id.example"], ["--console-issuer", "x", "--console-client", "c", "--console-rule", "king sub=x"]]:
        done = subprocess.run([PROGRAM, "serve", "--http", "none", "--console", "127.0.0.1:0", *options], env=installation.environment,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 64, done.stderr

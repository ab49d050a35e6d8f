"""Who may sign in to the console, and what each may do."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import httpx
import psycopg
from consoles import Console, act, form_token, serve
from installation import PROGRAM, SERVER, Installation
from psycopg.conninfo import make_conninfo


def secret(link: str) -> str:
    return link.rsplit("/", 1)[1]


def test_a_link_works_once_and_a_look_at_it_does_not_use_it_up(empty_console: Console) -> None:
    link = empty_console.invite()
    with httpx.Client(base_url=empty_console.url) as client:
        for _ in range(3):
            assert client.get(link).status_code == 200
        assert client.get("/jobs").status_code == 401
        signed_in = client.post("/sign-in", data={"secret": secret(link)})
        assert signed_in.status_code == 303
        cookie = signed_in.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Secure" not in cookie
        assert client.get("/jobs").status_code == 200
    with httpx.Client(base_url=empty_console.url) as other:
        again = other.post("/sign-in", data={"secret": secret(link)})
        assert again.status_code == 403 and "set-cookie" not in again.headers


def test_a_link_whose_time_is_over_does_not_work(empty_console: Console) -> None:
    link = empty_console.invite()
    empty_console.installation.sql("update darkroom.console_invitations set expires_at = now() - interval '1 second'")
    assert httpx.post(f"{empty_console.url}/sign-in", data={"secret": secret(link)}).status_code == 403
    for guess in ["", "x", "A" * 43]:
        assert httpx.post(f"{empty_console.url}/sign-in", data={"secret": guess}).status_code == 403


def test_the_database_has_no_secret_of_a_link_or_a_session(empty_console: Console) -> None:
    link = empty_console.invite()
    with empty_console.client() as client:
        held = str(empty_console.installation.sql("select c::text from darkroom.console_invitations c union all select c::text from darkroom.console_sessions c"))
        assert secret(link) not in held and client.cookies["darkroom"] not in held


def test_a_session_ends(empty_console: Console) -> None:
    for end in ["seen_at = now() - interval '61 minutes'", "expires_at = now()"]:
        with empty_console.client() as client:
            assert client.get("/jobs").status_code == 200
            empty_console.installation.sql(f"update darkroom.console_sessions set {end}")
            assert client.get("/jobs").status_code == 401
    with empty_console.client() as client:
        kept = dict(client.cookies)
        assert act(client, "/sign-out").status_code == 200
        assert httpx.get(f"{empty_console.url}/jobs", cookies=kept).status_code == 401


def test_behind_tls_the_cookie_is_secure(make_installation: Callable[[], Installation]) -> None:
    with serve(make_installation(), "--console-url", "https://console.example.org") as console:
        reply = httpx.post(f"{console.url}/sign-in", data={"secret": secret(console.invite())})
        assert "__Host-darkroom=" in reply.headers["set-cookie"] and "Secure" in reply.headers["set-cookie"]


def test_a_form_needs_the_token_of_its_own_session(empty_console: Console) -> None:
    with empty_console.client() as client, empty_console.client(name="eve") as other:
        for token in ["", "0" * 64, form_token(other), form_token(client)[:-1]]:
            refused = client.post("/queues/hold", data={"form_token": token, "kind": "ingest"})
            assert refused.status_code == 403, token
        assert empty_console.installation.sql("select from darkroom.pauses") == []
        assert act(client, "/queues/hold", kind="ingest").status_code == 303
        assert empty_console.installation.sql("select kind from darkroom.pauses") == [("ingest",)]


ELSEWHERE = [
    {"Origin": "https://evil.example"}, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://127.0.0.1:1"},
]


def test_a_form_of_another_site_is_refused(empty_console: Console) -> None:
    with empty_console.client() as client:
        for headers in ELSEWHERE:
            sent = client.post("/queues/hold", data={"form_token": form_token(client), "kind": "ingest"}, headers=headers)
            assert sent.status_code == 403, headers
            link = empty_console.invite()
            assert client.post("/sign-in", data={"secret": secret(link)}, headers=headers).status_code == 403, headers
    assert empty_console.installation.sql("select from darkroom.pauses") == []


PATHS = ["/queues/hold", "/queues/resume", "/queues/run", "/queues/drain-worker", "/jobs/change", "/policies", "/people/erase",
         "/record/1/stop", "/review/decide", "/posts/1/decide"]


def test_someone_who_may_only_look_changes_nothing(console: Console) -> None:
    with console.client(may_act=False) as client:
        for path in PATHS:
            refused = act(client, path, kind="ingest", action="replay", state="failed", decision="remove", note="x")
            assert refused.status_code == 403 and "only look" in refused.text, path
        for path in ["/jobs", "/queues", "/policies", "/review", "/people?person=zoe"]:
            page = client.get(path).text
            # The one form that is left signs out.
            assert page.count('method="post"') == 1, path


OPERATORS_PAGES = ["/jobs", "/jobs/1", "/jobs/groups", "/jobs/1/photo", "/jobs/change?action=replay&state=failed", "/queues", "/record", "/record/1",
                   "/policies", "/people", "/people?person=zoe", "/places", "/live"]


def test_a_moderator_sees_no_page_of_operators_and_does_nothing_of_theirs(console: Console) -> None:
    with console.client(name="mia", role="moderator") as client:
        for path in OPERATORS_PAGES:
            assert client.get(path).status_code == 403, path
        for path in PATHS[:8]:
            assert act(client, path, kind="ingest").status_code == 403, path
        assert client.get("/").headers["location"] == "/review"
        post = console.installation.sql("select min(post_id) from darkroom.reviews")[0][0]
        page = client.get(f"/posts/{post}?statement=1").text
        assert "Statement of reasons" not in page and "reporter-0" not in page


def test_the_database_refuses_a_moderator_too(console: Console) -> None:
    """What the console does for a moderator runs with the rights of the moderators' role: without them it gets nothing."""
    try:
        console.installation.sql("revoke execute on function darkroom.post_to_review(bigint) from darkroom_moderator")
        post = console.installation.sql("select min(post_id) from darkroom.reviews")[0][0]
        with console.client(name="mia", role="moderator") as mia, console.client() as olga:
            refused = mia.get(f"/posts/{post}")
            assert refused.status_code == 403 and "The database does not let your role" in refused.text
            assert mia.get(f"/posts/{post}/picture").status_code == 403
            assert olga.get(f"/posts/{post}").status_code == 200
    finally:
        console.installation("roles", "create")


def test_a_login_that_is_a_member_of_both_roles_is_enough(installation: Installation) -> None:
    installation("roles", "create")
    name = f"console_{installation.folder.name}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"create role \"{name}\" login password 'x'")
        server.execute(f'grant darkroom_operator, darkroom_moderator to "{name}"')
    try:
        url = make_conninfo(installation.database, user=name, password="x")
        with serve(installation, "--console-database", url) as console:
            with console.client() as olga, console.client(name="mia", role="moderator") as mia:
                for path in ["/", "/jobs", "/queues", "/record", "/policies", "/people?person=x"]:
                    assert olga.get(path).status_code == 200, path
                assert mia.get("/review").status_code == 200
                assert act(olga, "/queues/hold", kind="ingest").status_code == 303
        with psycopg.connect(SERVER, autocommit=True) as server:
            server.execute(f'revoke darkroom_moderator from "{name}"')
        done = subprocess.run(
            [PROGRAM, "serve", "--http", "none", "--console", "127.0.0.1:0", "--console-database", url],
            env=installation.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "darkroom roles create" in done.stderr, done.stderr
    finally:
        with psycopg.connect(SERVER, autocommit=True) as server:
            server.execute(f'drop role "{name}"')


def test_pages_say_what_browsers_may_do_with_them(console: Console) -> None:
    with console.client() as client:
        for path in ["/", "/console.css", "/console.js", "/none", "/sign-in/x"]:
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy, path
            assert "frame-ancestors 'none'" in policy and headers["x-content-type-options"] == "nosniff"
        for path in ["/", "/jobs", "/review"]:
            page = client.get(path).text
            assert " style=" not in page and "<style" not in page and "<script>" not in page and " onclick" not in page
            assert client.get(path).headers["cache-control"] == "no-store"
        for address in ["/jobs?job=x", "/jobs?state=none", "/jobs?since=yesterday", "/places?point=1"]:
            assert client.get(address).status_code == 400, address
        for address in ["/jobs/999999", "/posts/999999", "/record/999999", "/nothing", "/jobs/x"]:
            assert client.get(address).status_code == 404, address


ODD_ADDRESSES = [
    "/review?after=0:0:-9223372036854775808:1", "/review?after=9:1e308:99999999999999999:9223372036854775807", "/review?after=9:nan:0:1",
    "/review?like=-1", "/review?like=9223372036854775807", "/review?state=x", "/review?done=9223372036854775807&decision=remove&seen=-1",
    "/policies?report-lifetime=1e300d", "/policies?report-lifetime=1e15d&try=1", "/policies?hide-threshold=1e999&try=1",
    "/policies?hide-threshold=-0&try=1", "/policies?minimum-reporters=99999999999999999999&try=1",
    "/jobs?since=1e20d", "/jobs?since=0001-01-01", "/jobs?before=1e6d", "/jobs?since=99999-01-01", "/jobs?state=failed&after=1-9223372036854775807",
    "/jobs?after=-1", "/jobs?after=9223372036854775807-x", "/jobs?worker=9223372036854775807", "/jobs?job=9223372036854775808",
    "/jobs/change?action=cancel&before=1e6d", "/jobs/9223372036854775807", "/jobs/-1", "/posts/0", "/record/9223372036854775807",
    "/places?latitude=1e999&longitude=0", "/places?latitude=nan&longitude=inf", "/places?text=%F0%9F%93%B7", "/people?person=%20",
]


def test_no_address_and_no_field_ends_the_console(console: Console) -> None:
    """A fault of an address is told, and is in no log."""
    with console.client() as client:
        for path in ODD_ADDRESSES:
            assert client.get(path).status_code in (200, 303, 400, 404, 422), path
        for path in PATHS:
            refused = act(client, path, note="a\0b", why="a\0b", kind="ingest", person="a\0b", decision="remove", terms="a\0b", queue="a\0b")
            assert refused.status_code in (400, 403), path
        assert client.get("/review").status_code == 200


def test_a_job_that_is_no_upload_has_no_photo(console: Console) -> None:
    """The numbers of other jobs' subjects are those of other things."""
    others = console.installation.sql(
        "select job_id from darkroom.finished_jobs where kind <> 'ingest' and subject_id in (select upload_id from darkroom.uploads)")
    assert others
    with console.client() as client:
        for (job,) in others:
            assert client.get(f"/jobs/{job}/photo").status_code == 404, job


def test_a_decision_from_the_list_does_not_undo_one_that_came_since(console: Console) -> None:
    with console.client(name="mia") as mia, console.client(name="max") as late:
        page = late.get("/review").text
        post, seen = re.findall(r'action="/posts/(\d+)/decide".*?name="seen" value="(\d+)"', page)[0]
        assert act(mia, f"/posts/{post}/decide", decision="approve", seen=seen).status_code == 303
        # However long ago that was.
        console.installation.sql("""
            alter table darkroom.moderation_decisions disable trigger all;
            update darkroom.moderation_decisions set decided_at = decided_at - interval '1 hour';
            alter table darkroom.moderation_decisions enable trigger all""")
        refused = act(late, f"/posts/{post}/decide", decision="remove", seen=seen, terms="1")
        assert refused.status_code == 409 and "mia" in refused.text

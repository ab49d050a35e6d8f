"""Long lists cost what a page costs: the database reads a page by an index, and never counts what it does not show."""

from __future__ import annotations

import httpx
import pytest
from consoles import serve
from installation import Installation

JOBS, REPORTS = 100_000, 5_000


@pytest.fixture
def busy(installation: Installation) -> Installation:
    installation.sql("select darkroom.ensure_history_partitions()")
    installation.sql(
        """insert into darkroom.finished_jobs (job_id, kind, state, subject_id, fair_key, attempt, failures, crashes, deaths, reason,
               message, created_at, finished_at, lane, started_at)
           select nextval('darkroom.jobs_job_id_seq'), 'ingest', 'failed', n, 'user-' || n %% 1000, 5, 5, 0, 0, 'storage_unavailable',
                  'The store did not respond to request ' || n, now() - n * interval '100 ms', now() - n * interval '100 ms',
                  darkroom.lane_of('default', 'ingest', 0), now() - n * interval '100 ms'
           from generate_series(1, %s) n""", JOBS)
    with installation.serve() as server, server.client("ada") as ada:
        for number in range(20):
            ada.post("/uploads", json={"headline": f"Text {number}", "latitude": 47.6, "longitude": -122.3}).raise_for_status()
    installation.drain()
    installation.sql(
        """select count(darkroom.report_post(p.post_id, 'reporter-' || n, 'spam', 'Look at this'))
           from generate_series(1, %s) n join lateral (select post_id from darkroom.posts order by post_id offset n %% 20 limit 1) p on true""",
        REPORTS)
    installation.drain()
    installation.sql("vacuum analyze darkroom.finished_jobs")
    return installation


def rows_read(installation: Installation) -> int:
    """The rows that the server has read from the lists' tables, by any way."""
    # A session reports what it has read when it ends.
    while installation.sql("select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"):
        pass
    [(rows,)] = installation.sql(
        """select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables
           where relname ~ '^(finished_jobs|reports|reviews|posts|job_attempts|operator_actions)'""")
    return int(rows)


PAGES = {
    "/jobs": 1_000, "/jobs?state=failed": 1_000, "/jobs?reason=storage_unavailable": 1_000, "/jobs?uploader=user-7": 60_000,
    "/jobs/groups": 25_000, "/review": 1_000, "/review?state=published": 1_000, "/record": 1_000,
}


@pytest.mark.check
def test_a_page_reads_few_rows_of_a_long_history(busy: Installation) -> None:
    busy("roles", "create")
    cookies: httpx.Cookies | None = None
    over = {}
    for path, most in PAGES.items():
        before = rows_read(busy)
        with serve(busy) as console:
            if cookies is None:
                with console.client() as client:
                    cookies = client.cookies
            with httpx.Client(base_url=console.url, cookies=dict(cookies), timeout=30) as client:
                page = client.get(path)
            assert page.status_code == 200, path
        read = rows_read(busy) - before
        print(f"{path}: {page.elapsed.total_seconds() * 1000:.0f} ms, {read} rows")
        if read > most:
            over[path] = read
    assert over == {}

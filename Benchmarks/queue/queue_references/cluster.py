"""The PostgreSQL cluster that is measured, used through psql and pgbench."""

import contextlib
import glob
import os
import re
import shutil
import string
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SCHEMA = "bench_reference"
SQL_DIRECTORY = Path(__file__).parent / "sql"


class MeasurementError(Exception):
    """Why a reference cannot be measured, as a sentence for the user."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def sql_from(name: str, **values: object) -> str:
    """The text of a file in `sql/`, with its `$names` replaced."""
    return string.Template((SQL_DIRECTORY / name).read_text()).substitute(values)


def program(name: str) -> str:
    """The newest installed `name` itself, because Debian's wrapper on the PATH starts Perl first."""
    versions = sorted(
        glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: float(path.split("/")[4])
    )
    found = versions[-1] if versions else shutil.which(name)
    if found is None:
        raise MeasurementError(f"{name} is not installed; run apt-get install postgresql-15")
    return found


@dataclass(frozen=True)
class Passes:
    """How often pgbench ran a script, and in how many seconds, without connecting."""

    count: int
    seconds: float


class Cluster:
    def __init__(self, url: str):
        self.url = url
        self._psql = [program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", url]

    def sql(self, text: str) -> str:
        """Runs statements, each in its own transaction, and returns what they print."""
        return self._run([*self._psql, "-f", "-"], text).strip()

    def count(self, table: str) -> int:
        return int(self.sql(f"select count(*) from {SCHEMA}.{table}"))

    def describe(self) -> dict[str, str]:
        """The version, and the settings that decide what a commit costs."""
        names = ["server_version", "synchronous_commit", "fsync", "shared_buffers", "autovacuum"]
        values = self.sql(";".join(f"show {name}" for name in names)).split("\n")
        return dict(zip(names, values, strict=True))

    @contextlib.contextmanager
    def schema(self):
        """An empty schema for one measurement at a time, which is dropped at the end."""
        drop = f"set client_min_messages = error; drop schema if exists {SCHEMA} cascade"
        with self._session(f"select pg_try_advisory_lock(hashtext('{SCHEMA}'));") as locked:
            if locked != "t":
                raise MeasurementError("another reference is being measured on this database; wait until it ends")
            self.sql(f"{drop}; create schema {SCHEMA}")
            try:
                yield
            finally:
                self.sql(drop)

    def copy(self, columns: str, path: str) -> float:
        """Copies a file into `columns` (a table with its columns), and returns the seconds that COPY took."""
        printed = self._run([*self._psql, "-f", "-"], f"\\timing on\n\\copy {columns} from '{path}'\n")
        return float(re.search(r"Time: ([\d.]+) ms", printed)[1]) / 1000

    def pgbench(
        self, script: str, clients: int, *, passes_each: int | None = None, seconds: float | None = None
    ) -> Passes:
        """Runs a script on `clients` connections, `passes_each` times on each or for `seconds`."""
        limit = ["-t", str(passes_each)] if passes_each is not None else ["-T", str(max(1, round(seconds)))]
        threads = min(clients, os.cpu_count() or 1)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            printed = self._run(
                [program("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(threads), *limit]
                + ["-f", file.name, self.url]
            )
        count = int(re.search(r"transactions actually processed: (\d+)", printed)[1])
        rate = float(re.search(r"tps = ([\d.]+) \(without initial connection time\)", printed)[1])
        return Passes(count, count / rate)

    @contextlib.contextmanager
    def held_snapshot(self):
        """Holds a snapshot open in another session, as a forgotten report or a backup does."""
        begin = "begin isolation level repeatable read;"
        with self._session(f"{begin} select pg_backend_pid() from pg_class limit 1;") as pid:
            yield
            if self.sql(f"select backend_xmin from pg_stat_activity where pid = {pid}") == "":
                raise MeasurementError(
                    "the snapshot was not held to the end; is idle_in_transaction_session_timeout set?"
                )

    @contextlib.contextmanager
    def _session(self, query: str):
        """A separate session that runs a query and stays open. Yields the first line of the output."""
        session = subprocess.Popen(self._psql, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            session.stdin.write(query + "\n")
            session.stdin.flush()
            answer = session.stdout.readline().strip()
            if not answer:
                raise MeasurementError("a session ended at once; psql's error is above")
            yield answer
        finally:
            session.kill()
            session.wait()

    def _run(self, command: list[str], text: str | None = None) -> str:
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if line.strip()]
            raise MeasurementError(f"{Path(command[0]).name} failed: {' | '.join(errors[:4])}")
        return done.stdout

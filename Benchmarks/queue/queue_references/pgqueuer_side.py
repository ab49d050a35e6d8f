"""PGQueuer, a similar queue in Python, with its own schema and workers and its best fair settings."""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from .cluster import SCHEMA, Cluster, MeasurementError, say
from .result import Options, Result

FOLDER = Path(__file__).resolve().parents[1]
VENV = FOLDER.parents[1] / ".darkroom" / "bench" / "venv"
REQUIREMENTS = FOLDER / "requirements.txt"
WORKER = Path(__file__).parent / "pgqueuer_worker.py"

SETTINGS = {
    "version": "1.6.0",
    "driver": "asyncpg, a pool of 3 a process",
    "event_loop": "uvloop",
    "durability": "durable",
    "autovacuum": "as `pgq autovac` sets it",
    "log_aggregation": "off",
    "measured": "first pick to last completion, by the database's clock",
}


def python() -> Path:
    """The interpreter of the virtual environment, which is created at first use."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / "requirements.sha256"
    VENV.parent.mkdir(parents=True, exist_ok=True)
    with open(VENV.parent / "venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            say(f"installing PGQueuer into {VENV}")
            _install([sys.executable, "-m", "venv", "--clear", str(VENV)], "apt-get install python3-venv")
            pip = [str(VENV / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
            _install([*pip, "--requirement", str(REQUIREMENTS)], "can this machine reach the Python package index?")
            stamp.write_text(wanted)
    return VENV / "bin/python"


def _install(command: list[str], hint: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr + done.stdout).strip().splitlines()[-3:]
        raise MeasurementError(f"PGQueuer cannot be installed ({hint}): {' | '.join(last)}")


def pgqueuer(cluster: Cluster, options: Options) -> Result:
    interpreter = python()
    environment = os.environ | {
        "BENCH_URL": cluster.url,
        "PGQUEUER_SCHEMA": SCHEMA,
        "PGQUEUER_CHANNEL": f"ch_{SCHEMA}",
    }

    def command(*words: object) -> list[str]:
        return [str(interpreter), str(WORKER), *map(str, words)]

    say(f"enqueueing {options.jobs} jobs with PGQueuer")
    done = subprocess.run(command("enqueue", options.jobs), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise MeasurementError(
            f"PGQueuer cannot enqueue: {' | '.join(done.stderr.strip().splitlines()[-3:])}"
        )
    cluster.sql(f"vacuum (analyze) {SCHEMA}.pgqueuer; vacuum (analyze) {SCHEMA}.pgqueuer_log")

    say(f"draining them with {options.connections} processes, {options.batch} at a time")
    with contextlib.ExitStack() as stack:
        workers = []
        for _ in range(options.connections):
            worker = subprocess.Popen(
                command("work", options.batch), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            stack.callback(worker.wait)
            stack.callback(worker.kill)
            workers.append(worker)
        for worker in workers:
            if worker.stdout.readline() != b"ready\n":
                raise MeasurementError("a worker of PGQueuer did not start; its error is above")
        started = time.monotonic()
        for worker in workers:
            worker.stdin.write(b"go\n")
            worker.stdin.flush()
        if any([worker.wait() for worker in workers]):
            raise MeasurementError("a worker of PGQueuer failed; its error is above")
        wall = time.monotonic() - started

    left = cluster.count("pgqueuer")
    finished, seconds = cluster.sql(
        f"""
        select count(*) filter (where status = 'successful'),
               extract(epoch from max(created) filter (where status = 'successful')
                                - min(created) filter (where status = 'picked'))
        from {SCHEMA}.pgqueuer_log
        """
    ).split("|")
    if left or int(finished) != options.jobs:
        raise MeasurementError(f"PGQueuer finished {finished} of {options.jobs} jobs, and {left} are left")
    detail = {
        "batch": options.batch,
        "processes": options.connections,
        "wall_seconds": round(wall, 4),
    } | SETTINGS
    return Result("pgqueuer", options.jobs / float(seconds), "jobs/s", options.jobs, float(seconds), detail)

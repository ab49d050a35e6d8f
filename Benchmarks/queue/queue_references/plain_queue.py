"""The plain SKIP LOCKED queue: what PostgreSQL achieves with two statements written by hand."""

import math

from .cluster import SCHEMA, Cluster, MeasurementError, say, sql_from
from .result import Options, Result

TRANSACTIONS = "two a batch: lease; delete returning into history"


def make(cluster: Cluster) -> None:
    cluster.sql(sql_from("plain_queue.sql"))


def enqueue(cluster: Cluster, jobs: int, *, first: int = 1) -> None:
    cluster.sql(sql_from("enqueue.sql", first=first, jobs=jobs))


def settle(cluster: Cluster) -> None:
    cluster.sql(f"vacuum (analyze) {SCHEMA}.jobs; vacuum (analyze) {SCHEMA}.finished_jobs")


def drain(cluster: Cluster, options: Options) -> tuple[float, int]:
    """Works until the table is empty. Returns the seconds that it took, and how often pgbench had to start.

    Two clients that meet at the end can get fewer jobs than a batch, so the last few jobs may need another start.
    """
    script = sql_from("claim_and_finish.pgbench.sql", batch=options.batch)
    seconds, starts, left = 0.0, 0, cluster.count("jobs")
    while left:
        passes = math.ceil(left / options.batch / options.connections)
        seconds += cluster.pgbench(script, options.connections, passes_each=passes).seconds
        starts += 1
        before, left = left, cluster.count("jobs")
        if left == before:
            raise MeasurementError(f"{left} jobs stay in the queue, although workers have passed through it")
    return seconds, starts


def drain_batch(cluster: Cluster, options: Options) -> Result:
    make(cluster)
    say(f"enqueueing {options.jobs} jobs")
    enqueue(cluster, options.jobs)
    settle(cluster)
    say(f"draining them, {options.batch} at a time on {options.connections} connections")
    seconds, starts = drain(cluster, options)
    finished = cluster.count("finished_jobs")
    if finished != options.jobs:
        raise MeasurementError(f"{options.jobs} jobs were enqueued, but {finished} finished")
    detail = {
        "batch": options.batch,
        "connections": options.connections,
        "transactions": TRANSACTIONS,
        "pgbench_starts": starts,
    }
    return Result("drain-batch", options.jobs / seconds, "jobs/s", options.jobs, seconds, detail)


def drain_single(cluster: Cluster, options: Options) -> Result:
    make(cluster)
    say(f"enqueueing {options.jobs} jobs")
    enqueue(cluster, options.jobs)
    settle(cluster)
    say(f"working one at a time on {options.connections} connections for {options.seconds:g} s")
    script = sql_from("claim_and_finish.pgbench.sql", batch=1)
    passes = cluster.pgbench(script, options.connections, seconds=options.seconds)
    left, finished = cluster.count("jobs"), cluster.count("finished_jobs")
    if left == 0:
        raise MeasurementError(f"the queue was empty before {options.seconds:g} s were over; give more --jobs")
    detail = {"connections": options.connections, "transactions": TRANSACTIONS, "enqueued": options.jobs}
    return Result("drain-single", finished / passes.seconds, "jobs/s", finished, passes.seconds, detail)


def held_snapshot(cluster: Cluster, options: Options) -> Result:
    """The rate while no dead row can be removed. Enqueues a twentieth of the jobs, drains it, and so on.

    `value` is the rate over the last tenth; `detail.curve` has [jobs finished so far, jobs/s] for each twentieth.
    """
    make(cluster)
    settle(cluster)
    chunk = math.ceil(options.jobs / 20)
    curve: list[tuple[int, float]] = []
    durations: list[float] = []
    passed = 0
    with cluster.held_snapshot():
        while passed < options.jobs and sum(durations) < options.seconds:
            enqueue(cluster, chunk, first=passed + 1)
            seconds, _ = drain(cluster, options)
            passed += chunk
            durations.append(seconds)
            curve.append((passed, round(chunk / seconds, 1)))
            say(f"{passed} jobs are finished: {chunk / seconds:.0f} jobs/s")
    start = 2 * chunk / sum(durations[:2]) if len(durations) > 1 else chunk / durations[0]
    end = 2 * chunk / sum(durations[-2:]) if len(durations) > 1 else chunk / durations[0]
    detail = {
        "batch": options.batch,
        "connections": options.connections,
        "transactions": TRANSACTIONS,
        "start_rate": round(start, 1),
        "end_rate": round(end, 1),
        "kept": round(end / start, 4),
        "stopped_early": passed < options.jobs,
        "curve": curve,
    }
    return Result("held-snapshot", end, "jobs/s", passed, sum(durations), detail)

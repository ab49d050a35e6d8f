"""Runs in PGQueuer's own virtual environment: `enqueue JOBS` fills its queue, `work BATCH` drains it.

A worker prints `ready` when it is connected, then waits for a line, so that the interpreter's start is not measured.
"""

import asyncio
import os
import sys
from datetime import timedelta

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, AsyncpgPoolDriver, Job, Queries, QueueManager
from pgqueuer.types import QueueExecutionMode

ENTRYPOINT = "noop"
CHUNK = 10_000
# One listens. With the other two, the next claim need not wait for the last batch's completion.
POOL = 3


async def enqueue(jobs: int) -> None:
    connection = await asyncpg.connect(os.environ["BENCH_URL"])
    queries = Queries(AsyncpgDriver(connection))
    await queries.install()
    await queries.optimize_autovacuum()
    for first in range(0, jobs, CHUNK):
        count = min(CHUNK, jobs - first)
        payloads = [str(first + n).encode() for n in range(count)]
        await queries.enqueue([ENTRYPOINT] * count, payloads, [0] * count)
    await connection.close()


async def work(batch: int) -> None:
    pool = await asyncpg.create_pool(os.environ["BENCH_URL"], min_size=POOL, max_size=POOL)
    manager = QueueManager(Queries(AsyncpgPoolDriver(pool)))

    @manager.entrypoint(ENTRYPOINT)
    async def noop(job: Job) -> None:
        pass

    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await manager.run(
        batch_size=batch,
        mode=QueueExecutionMode.drain,
        # Used only when the queue is empty, so that the end is noticed at once.
        dequeue_timeout=timedelta(milliseconds=100),
        log_aggregation_interval=timedelta(0),
    )
    await pool.close()


if __name__ == "__main__":
    what, number = sys.argv[1], int(sys.argv[2])
    uvloop.run({"enqueue": enqueue, "work": work}[what](number))

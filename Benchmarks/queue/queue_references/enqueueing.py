"""Enqueueing without the rules of a queue: the bare INSERT, and the bare COPY."""

import tempfile

from .cluster import SCHEMA, Cluster, MeasurementError, say, sql_from
from .plain_queue import make, settle
from .result import Options, Result

COLUMNS = "kind, slot, subject_id, fair_key"


def enqueue_insert(cluster: Cluster, options: Options) -> Result:
    make(cluster)
    settle(cluster)
    say(f"inserting one row per transaction on {options.connections} connections for {options.seconds:g} s")
    passes = cluster.pgbench(sql_from("insert.pgbench.sql"), options.connections, seconds=options.seconds)
    rows = cluster.count("jobs")
    if rows != passes.count:
        raise MeasurementError(f"{passes.count} rows were inserted, but {rows} are there")
    detail = {"connections": options.connections, "transactions": "one a row"}
    return Result("enqueue-insert", rows / passes.seconds, "rows/s", rows, passes.seconds, detail)


def enqueue_copy(cluster: Cluster, options: Options) -> Result:
    make(cluster)
    settle(cluster)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for n in range(1, options.jobs + 1):
            file.write(f"ingest\t{n}\t{n}\tuploader-{n % 1000:03}\n")
        file.flush()
        say(f"copying {options.jobs} rows on one connection")
        seconds = cluster.copy(f"{SCHEMA}.jobs ({COLUMNS})", file.name)
    rows = cluster.count("jobs")
    if rows != options.jobs:
        raise MeasurementError(f"{options.jobs} rows were copied, but {rows} are there")
    return Result("enqueue-copy", rows / seconds, "rows/s", rows, seconds, {"transactions": "one for all"})

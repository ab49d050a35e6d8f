import FoundationEssentials
package import JobQueue
import Postgres

extension JobStore {
    /// The holders of old snapshots or transaction numbers, oldest first.
    ///
    /// Excludes VACUUM, whose snapshot keeps no row alive, and slots and standbys that hold nothing.
    package func snapshotHolders() async throws -> [SnapshotHolder] {
        let rows = try await pool.query(
            """
            select 'transaction' as kind, pid::text as name, usename::text as owner, application_name as application,
                   state, extract(epoch from clock_timestamp() - xact_start)::float8 as age,
                   greatest(age(backend_xmin), age(backend_xid)) as transactions
            from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
              and (backend_xmin is not null or backend_xid is not null)
              and pid not in (select pid from pg_stat_progress_vacuum)
            union all
            select 'prepared transaction', gid, owner::text, null, null,
                   extract(epoch from clock_timestamp() - prepared)::float8, age(transaction)
            from pg_prepared_xacts where database = current_database()
            union all
            select 'replication slot', slot_name::text, null, plugin::text,
                   case when active then 'active' else 'inactive' end, null, greatest(age(xmin), age(catalog_xmin))
            from pg_replication_slots where xmin is not null or catalog_xmin is not null
            union all
            select 'standby', coalesce(client_hostname, client_addr::text, 'local'), usename::text, application_name,
                   state, null, age(backend_xmin)
            from pg_stat_replication where backend_xmin is not null
            order by transactions desc nulls last
            """)
        return try rows.compactMap { row in
            guard let kind = SnapshotHolder.Kind(rawValue: try row.decode("kind", as: String.self)) else {
                return nil
            }
            return SnapshotHolder(
                kind: kind, name: try row.decode("name", as: String.self),
                user: try row.decode("owner", as: String?.self),
                application: try row.decode("application", as: String?.self),
                state: try row.decode("state", as: String?.self),
                age: try row.decode("age", as: Double?.self).map { .seconds($0) },
                transactions: try row.decode("transactions", as: Int?.self) ?? 0)
        }
    }

    /// The dead rows of the tables that change most.
    package func bloat() async throws -> [TableBloat] {
        let rows = try await pool.query(
            """
            select relname::text as name, n_live_tup as live, n_dead_tup as dead,
                   greatest(last_vacuum, last_autovacuum) as vacuumed
            from pg_stat_all_tables
            where relid in ('darkroom.jobs'::regclass, 'darkroom.workers'::regclass, 'darkroom.fair_key_paces'::regclass)
            order by 1
            """)
        return try rows.map { row in
            TableBloat(
                table: try row.decode("name", as: String.self), live: try row.decode("live", as: Int.self),
                dead: try row.decode("dead", as: Int.self),
                lastVacuum: try row.decode("vacuumed", as: Date?.self))
        }
    }

    package func autovacuum() async throws -> AutovacuumState {
        let rows = try await pool.query(
            """
            select current_setting('autovacuum')::bool as is_on, current_setting('track_counts')::bool as counts,
                   array(select c.relname::text from pg_class c, pg_options_to_table(c.reloptions) o
                         where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.jobs'::regclass) and c.relkind = 'r'
                           and o.option_name = 'autovacuum_enabled' and not o.option_value::bool
                         order by 1) as disabled
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the settings") }
        return AutovacuumState(
            isOn: try row.decode("is_on", as: Bool.self), countsRows: try row.decode("counts", as: Bool.self),
            disabledTables: try row.decode("disabled", as: [String].self))
    }

    /// Indexes that are missing, those that exist but are not valid, those of keys that are no keys, and constraints that do not
    /// hold for every row.
    package func definitionFaults() async throws -> [DefinitionFault] {
        let rows = try await pool.query(
            """
            with present as (
                select c.oid, c.relname::text as name, i.indisvalid and i.indisready as is_usable,
                       exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x')) as is_key,
                       exists (select from pg_stat_progress_create_index g where g.datname = current_database() and g.index_relid = c.oid) as is_being_made,
                       -- A reindex that was killed leaves one with such a name.
                       regexp_replace(c.relname, '_cc(new|old)\\d*$', '') as base,
                       (select p.relname from pg_inherits h join pg_class p on p.oid = h.inhparent where h.inhrelid = c.oid) as parent
                from pg_index i join pg_class c on c.oid = i.indexrelid
                where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.jobs'::regclass)
                union all
                select k.oid, format('%s on %s', k.conname, c.relname),
                       k.convalidated, false,
                       exists (select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
                               where l.relation = c.oid and l.mode = 'ShareUpdateExclusiveLock'),
                       null, null
                from pg_constraint k join pg_class c on c.oid = k.conrelid
                where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.jobs'::regclass)
                  and k.contype in ('c', 'f'))
            select coalesce(p.name, s.name) as name, s.definition, p.oid is not null as is_there,
                   coalesce(p.is_usable, false) as is_usable, coalesce(p.is_key, false) as is_key,
                   coalesce(p.is_being_made, false) as is_being_made,
                   s.name is not null or exists (select from darkroom.schema_definitions d where d.name in (p.base, p.parent)) as is_ours
            from present p full join darkroom.schema_definitions s on s.name = p.name
            where not coalesce(p.is_usable, false)
               or (s.definition like 'alter table %' and s.name not like '% on %' and not p.is_key)
            -- A foreign key needs the key to which it refers.
            order by coalesce(p.name, s.name) like '% on %', 1
            """)
        return try rows.map { row in
            DefinitionFault(
                name: try row.decode("name", as: String.self),
                definition: try row.decode("definition", as: String?.self),
                isThere: try row.decode("is_there", as: Bool.self),
                isUsable: try row.decode("is_usable", as: Bool.self),
                isKey: try row.decode("is_key", as: Bool.self),
                isBeingMade: try row.decode("is_being_made", as: Bool.self),
                isOurs: try row.decode("is_ours", as: Bool.self))
        }
    }

    /// Queues and kinds whose oldest waiting job has been ready for longer than `patience`, without paused ones.
    package func overdue(patience: Duration) async throws -> [OverdueJobs] {
        let rows = try await pool.query(
            """
            with running as materialized (
                select darkroom.worker_of(j.lease) as worker_id, l.queue, count(*) as jobs
                from darkroom.jobs j join darkroom.lanes l using (lane) where j.lease is not null group by 1, 2)
            select l.queue, l.kind::text as kind, j.job_id,
                   extract(epoch from clock_timestamp() - j.ready_at)::float8 as waited, w.serving, w.idle
            from darkroom.lanes l
            cross join lateral (
                -- The head of the lane has the lowest slot; it is not always the oldest job.
                select job_id, ready_at
                from (select job_id, greatest(run_at, created_at) as ready_at from darkroom.jobs
                      where lane = l.lane and waits_for is null and lease is null order by slot limit 1000) head
                order by ready_at limit 1) j
            cross join lateral (
                select count(*) as serving, count(*) filter (where coalesce(r.jobs, 0) < s.concurrency) as idle
                from darkroom.workers w join darkroom.worker_queues s using (worker_id)
                left join running r on r.worker_id = w.worker_id and r.queue = l.queue
                where s.queue = l.queue and not w.drain_requested
                  and w.heartbeat_at > clock_timestamp() - make_interval(secs => \(Self.leaseDuration.inSeconds))) w
            where j.ready_at < clock_timestamp() - make_interval(secs => \(patience.inSeconds))
              and not darkroom.is_paused(l.queue, l.kind)
            order by waited desc
            """)
        return try rows.compactMap { row in
            guard let kind = JobKind(rawValue: try row.decode("kind", as: String.self)) else { return nil }
            return OverdueJobs(
                queue: try row.decode("queue", as: String.self), kind: kind,
                oldest: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                waited: .seconds(try row.decode("waited", as: Double.self)),
                workers: try row.decode("serving", as: Int.self),
                idleWorkers: try row.decode("idle", as: Int.self))
        }
    }

    /// The queues that no living worker serves although jobs are due there, with the kinds of these jobs; without paused ones.
    package func unservedQueues() async throws -> [(name: String, kinds: [String])] {
        let rows = try await pool.query(
            """
            select l.queue as name, array_agg(distinct l.kind::text) as kinds
            from darkroom.lanes l
            where (exists (select from darkroom.jobs j where j.lane = l.lane and j.waits_for is null and j.lease is null)
                   or exists (select from darkroom.jobs j
                              where j.lane = l.lane and j.waits_for = 'time' and j.run_at <= clock_timestamp()))
              and not exists (
                  select from darkroom.workers w join darkroom.worker_queues s using (worker_id)
                  where s.queue = l.queue and not w.drain_requested
                    and w.heartbeat_at > clock_timestamp() - make_interval(secs => \(Self.leaseDuration.inSeconds)))
              and not darkroom.is_paused(l.queue, l.kind)
            group by l.queue order by l.queue
            """)
        return try rows.map {
            (name: try $0.decode("name", as: String.self), kinds: try $0.decode("kinds", as: [String].self))
        }
    }

    /// Running jobs whose worker is gone or silent, or that no claim knows, in the order of their numbers; at most 20.
    ///
    /// It reads all unfinished jobs, so it is for people who look for something.
    package func strayLeases() async throws -> [StrayLease] {
        let rows = try await pool.query(
            """
            select j.job_id, darkroom.worker_of(j.lease) as worker_id,
                   extract(epoch from clock_timestamp() - j.leased_at)::float8 as held,
                   l.lease is not null as is_known, w.worker_id is not null as is_registered
            from darkroom.jobs j
            left join darkroom.leases l on l.lease = j.lease and j.job_id = any (l.job_ids)
            left join darkroom.workers w on w.worker_id = darkroom.worker_of(j.lease)
            where j.lease is not null
              and (l.lease is null or w.worker_id is null
                   or w.heartbeat_at < clock_timestamp() - make_interval(secs => \(Self.leaseDuration.inSeconds * 2)))
            order by j.job_id limit 20
            """)
        return try rows.map { row in
            StrayLease(
                job: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                worker: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
                held: .seconds(try row.decode("held", as: Double.self)),
                isKnown: try row.decode("is_known", as: Bool.self),
                isRegistered: try row.decode("is_registered", as: Bool.self))
        }
    }

    /// How many of ``repeats(atLeast:)`` are looked for.
    package static let mostRepeats = 100

    /// Jobs that wait for another attempt, of those due next, after at least `attempts`; with the reason of the last one.
    package func repeats(
        atLeast attempts: Int
    ) async throws -> [(job: JobID, attempts: Int, reason: String?)] {
        let rows = try await pool.query(
            """
            select j.job_id, j.attempt,
                   (select concat_ws(': ', a.reason, a.message) from darkroom.job_attempts a
                    where a.job_id = j.job_id order by a.ended_at desc limit 1) as reason
            from (select job_id, attempt, run_at from darkroom.jobs
                  where waits_for = 'time' order by run_at limit 10000) j
            where j.attempt >= \(attempts) order by j.attempt desc, j.job_id limit \(Self.mostRepeats)
            """)
        return try rows.map {
            (
                job: JobID(rawValue: try $0.decode("job_id", as: Int64.self)),
                attempts: try $0.decode("attempt", as: Int.self),
                reason: try $0.decode("reason", as: String?.self)
            )
        }
    }

    /// Schedules that have been due for longer than `patience`, and for how long.
    package func lateSchedules(patience: Duration) async throws -> [(name: String, late: Duration)] {
        let rows = try await pool.query(
            """
            select name, extract(epoch from clock_timestamp() - next_run_at)::float8 as late from darkroom.schedules
            where is_enabled and next_run_at < clock_timestamp() - make_interval(secs => \(patience.inSeconds))
            order by next_run_at
            """)
        return try rows.map {
            (
                name: try $0.decode("name", as: String.self),
                late: .seconds(try $0.decode("late", as: Double.self))
            )
        }
    }

    /// Whether a job waits for a worker.
    package func isAnyWaiting() async throws -> Bool {
        let rows = try await pool.query(
            "select exists (select from darkroom.jobs where waits_for is null and lease is null) as waiting")
        return try rows.first?.decode("waiting", as: Bool.self) ?? false
    }

    /// Sessions in which a worker listens for new jobs, as far as this user may see them.
    package func listeners() async throws -> Int {
        let rows = try await pool.query(
            """
            select count(*) as sessions from pg_stat_activity
            where datname = current_database() and application_name = 'darkroom-listener'
            """)
        return try rows.first?.decode("sessions", as: Int.self) ?? 0
    }
}

import JobQueue
import JobStore
import Postgres
import QueueModel
import TestKit

/// What the database should have.
extension Replay {
    mutating func note(_ step: Step, _ before: ModelState) {
        let ending = before.ending(at: step)
        // An older job goes on in place of a newer one, with its slot.
        let newer = (0..<rules.jobs).first {
            before.jobs[$0].place == .waiting && model.jobs[$0].place == .turn
        }
        let gaveBack = (0..<rules.jobs).contains {
            before.jobs[$0].place == .running && model.jobs[$0].place == .waiting
        }
        let given = newer.map { slots[$0] } ?? 0
        for job in 0..<rules.jobs {
            let (old, new) = (before.jobs[job], model.jobs[job])
            if new.place == .running, old.lease != new.lease { counts[job].attempt += 1 }
            if old.place == .running, old.lease != new.lease {
                if ending == .retry { counts[job].failures += 1 }
                if ending == .crash { counts[job].crashes += 1 }
                ends[job].append(name(of: new.place, ending, step))
            }
            guard old.place != new.place else { continue }
            switch new.place {
            case .waiting:
                // One that waited for its turn goes behind one of its key that is given back.
                let isSecond = old.place == .turn && gaveBack
                slots[job] = virtualTime + (isSecond ? 2 : 1) * 1_048_576
            case .running where old.place == .turn: slots[job] = given
            case .time, .turn: slots[job] = 0
            default: break
            }
        }
    }

    private func name(of place: Job.Place, _ ending: Ending?, _ step: Step) -> String {
        switch place {
        case .succeeded, .failed, .cancelled: "\(place)"
        default:
            if let ending {
                ending.outcome.name
            } else if case .rescue = step {
                "crashed"
            } else {
                "returned"
            }
        }
    }

    /// The same text as ``QueueDatabase/queueText()``.
    var expected: String {
        var lines: [String] = []
        for job in 0..<rules.jobs {
            let (row, count) = (model.jobs[job], counts[job])
            let shared =
                "deaths \(row.deaths) failures \(count.failures) crashes \(count.crashes) attempt \(count.attempt)"
            if row.place.isFinished {
                lines.append("job \(jobs[job]) \(row.place) \(shared)")
            } else {
                let lease = row.lease == .none ? 0 : real(row.lease).rawValue
                lines.append(
                    "job \(jobs[job]) \(row.place) \(shared) lease \(lease) cancel \(row.isCancelRequested ? "t" : "f") "
                        + "key \(row.hasRunningKey ? "t" : "f") slot \(slots[job])")
            }
            if !ends[job].isEmpty {
                lines.append("job \(jobs[job]) ended \(ends[job].joined(separator: ","))")
            }
        }
        for (number, worker) in workers {
            let row = model[registration: number]
            if row.exists {
                let first = row.first == 0 ? 0 : real(Token(worker: number, claim: row.first)).rawValue
                lines.append("worker \(worker) first \(first)")
            }
            lines += row.leases.all.map { "lease \(real(Token(worker: number, claim: Int8($0))))" }
        }
        return lines.sorted().joined(separator: "\n")
    }
}

extension QueueDatabase {
    func queueText() async throws -> String {
        let rows = try await pool.query(
            """
            select format('job %s %s deaths %s failures %s crashes %s attempt %s lease %s cancel %s key %s slot %s', job_id,
                          case when lease is not null then 'running' else coalesce(waits_for::text, 'waiting') end,
                          deaths, failures, crashes, attempt, coalesce(lease, 0), cancel_requested,
                          running_key is not null, slot) as line
            from darkroom.jobs
            union all
            select format('job %s %s deaths %s failures %s crashes %s attempt %s', job_id, state, deaths, failures, crashes, attempt)
            from darkroom.finished_jobs
            union all
            select format('job %s ended %s', job_id, string_agg(outcome::text, ',' order by attempt))
            from darkroom.all_attempts group by job_id
            union all
            select format('lease %s', lease) from darkroom.leases
            union all
            select format('worker %s first %s', worker_id, first_lease) from darkroom.workers
            """)
        return try rows.map { try $0.decode("line", as: String.self) }.sorted().joined(separator: "\n")
    }
}

import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import Postgres
import TestKit
import Testing

@testable import Chaos

/// A storm of seconds over real programs: a renderer is killed, then the primary server, and its standby is promoted.
@Suite("A small storm", .timeLimit(.minutes(15)))
struct StormTests {
    private static let plan = StormPlan(
        scenarios: [StormFault.killRenderer, .failover].enumerated().map { index, fault in
            Scenario(
                number: index + 1, fault: fault, start: .seconds(index), length: .zero, choice: 0)
        })

    @Test(
        "loses nothing in a bucket whose store stops and lies, and the judge looks into the bucket",
        .enabled(if: Extent.isCheck, "make check runs it"), .realStore)
    func bucket() async throws {
        let faults: [StormFault] = [.lyingStore, .stopStore, .killWorker]
        var options = Storm.Options(
            seed: 5,
            plan: StormPlan(
                scenarios: faults.enumerated().map { index, fault in
                    Scenario(
                        number: index + 1, fault: fault, start: .seconds(index), length: .seconds(2),
                        choice: 0)
                }),
            programs: Checkout.programs, pictures: Recipe.standard.renditions.count)
        options.workers = 1
        options.store = .bucket
        Self.waitForTheMachine(&options)
        let stray = "renditions/aa/bb/\(String(repeating: "a", count: 64)).jpg"
        var storm = Storm(options: options) { _, _, _ in }
        storm.sabotage = { (site: StormSite) async throws -> Void in
            guard case .bucket(let bucket) = site.store else { return }
            #expect(bucket.requests > 20)
            let before = try await StormFacts.load(site)
            let uploaded = Set(before.uploads.values.map(\.originalKey))
            #expect(before.originals.isSubset(of: uploaded), "a sweep has removed the others")
            let referred = Set(before.uploads.values.flatMap { $0.posts.joined().map(\.key) })
            try await bucket.put(stray, [1])
            try await bucket.remove(try #require(referred.min()))
        }
        let report = try await storm.run()
        #expect(report.verdict.wrongs.contains(.fileWithoutPost(key: stray)), "\(report.verdict.wrongs)")
        let others = report.verdict.wrongs.filter {
            if case .missingFile = $0 { false } else { $0 != .fileWithoutPost(key: stray) }
        }
        #expect(others.isEmpty && report.verdict.wrongs.count > 1, "\(report.verdict.wrongs)")
        #expect(report.happenings.map(\.hit) == [true, true, true] && report.swept != nil)
    }

    /// However slow the machine is, every fault has a victim and some uploads go through the storm.
    private static func waitForTheMachine(_ options: inout Storm.Options) {
        options.uploads = 10
        options.patience = .seconds(3600)
        options.victimPatience = .seconds(3600)
    }

    private func storm(_ afterwards: @escaping @Sendable (StormSite) async throws -> Void) async throws
        -> StormReport
    {
        var options = Storm.Options(
            seed: 5, plan: Self.plan, programs: Checkout.programs,
            pictures: Recipe.standard.renditions.count)
        options.workers = 1
        options.standby = true
        Self.waitForTheMachine(&options)
        var storm = Storm(options: options) { _, _, _ in }
        storm.whenDone = { (site: StormSite) async throws -> Void in
            try await until("the listener follows the failover") {
                let log = String(
                    decoding: FileManager.default.contents(atPath: "\(site.logs)/worker0.log") ?? Data(),
                    as: UTF8.self)
                guard let listening = log.ranges(of: "\"worker.listening\"").last else { return false }
                let lost = log.ranges(of: "\"worker.listener_lost\"").last
                return lost.map { $0.lowerBound < listening.lowerBound } ?? true
            }
        }
        storm.sabotage = afterwards
        return try await storm.run()
    }

    @Test("loses nothing when the primary server dies, and the judge sees what is then taken away")
    func failover() async throws {
        let report = try await storm { (site: StormSite) async throws -> Void in
            let before = try await verdict(of: site)
            #expect(before.isKept, "\(before.wrongs)")
            let ledger = try StormLedger.read(site.ledger).map(\.entry)
            let promotion = try #require(ledger.firstIndex { if case .promoted = $0 { true } else { false } })
            let later = ledger[promotion...].contains { if case .committed = $0 { true } else { false } }
            #expect(later, "uploads go on after the promotion")
            let doctor = try await site.command(["doctor"]).run().standardOutput
            #expect(!doctor.contains("cannot connect"), "\(doctor)")

            // One upload loses its post, another one its picture and a third one everything.
            let facts = try await StormFacts.load(site)
            let published = facts.uploads.filter { !$0.value.posts.isEmpty }.sorted { $0.key < $1.key }
            try #require(published.count >= 3)
            let (first, second, third) = (published[0], published[1], published[2])
            try await site.servers.administer(
                """
                delete from darkroom.posts p using darkroom.uploads u
                where u.upload_id = p.upload_id and u.idempotency_key = \(first.key)
                """)
            let picture = try #require(second.value.posts.first?.first?.key)
            #expect(unlink("\(site.media)/\(picture)") == 0)
            try await site.servers.administer(
                "delete from darkroom.posts p using darkroom.uploads u where u.upload_id = p.upload_id and u.idempotency_key = \(third.key)"
            )
            try await site.servers.administer(
                "delete from darkroom.uploads where idempotency_key = \(third.key)")
        }
        let wrongs = report.verdict.wrongs
        #expect(wrongs.count { if case .lost = $0 { true } else { false } } == 2, "\(wrongs)")
        // Posts whose pictures have the same bytes share a file.
        #expect(wrongs.contains { if case .missingFile = $0 { true } else { false } }, "\(wrongs)")
        #expect(report.happenings.map(\.hit) == [true, true])
    }

    private func verdict(of site: StormSite) async throws -> StormVerdict {
        StormVerdict(
            of: try StormLedger.read(site.ledger), try await StormFacts.load(site),
            pictures: Recipe.standard.renditions.count, unstopped: 0)
    }
}

import FoundationEssentials
import JobStore

/// The weight of one report, and why.
package struct ReportWeight: Sendable, Equatable {
    /// Why a report does not count. Raw values are those of `darkroom.moderation_evidence.disregarded`.
    package enum Disregard: String, Sendable {
        case expired
        case beforeApproval = "before_approval"
    }

    package let record: Double
    package let account: Double
    package let reason: Double
    /// The number of its group in this verdict, from 1; nil if it has no group.
    package fileprivate(set) var group: Int?
    /// The product of the three factors, after the discount of the group.
    package fileprivate(set) var counted: Double
    package let disregarded: Disregard?
}

extension ModerationPolicy {
    /// The weight of each report, in the order of the reports.
    func weigh(_ post: ModerationCase, at now: Date) -> [ReportWeight] {
        var weights = post.reports.map { report -> ReportWeight in
            let record = recordWeight(agreed: report.agreed, disagreed: report.disagreed)
            let account = accountWeight(age: report.at.timeIntervalSince(report.accountSince))
            let reason = weight(of: report.reason)
            let disregarded = disregard(report, post.standing, at: now)
            return ReportWeight(
                record: record, account: account, reason: reason, group: nil,
                counted: disregarded == nil ? record * account * reason : 0, disregarded: disregarded)
        }
        let counting = weights.indices.filter { weights[$0].disregarded == nil }
        for (number, members) in groups(of: post.reports, counting).enumerated() {
            let sum = members.reduce(0) { $0 + weights[$1].counted }
            let largest = members.reduce(0) { max($0, weights[$1].counted) }
            let squares = members.reduce(0) { $0 + weights[$1].counted * weights[$1].counted }
            // A group never counts less than its strongest member, so that an ally cannot weaken a report. The root of
            // the sum of squares never exceeds the sum, so joining reports never raises a score.
            let total = max(largest, min(squares.squareRoot(), groupCap))
            for member in members {
                weights[member].group = number + 1
                weights[member].counted *= sum > 0 ? total / sum : 0
            }
        }
        return weights
    }

    private func disregard(
        _ report: FiledReport, _ standing: ModerationCase.Standing, at now: Date
    ) -> ReportWeight.Disregard? {
        if case .approved(let at) = standing, report.at <= at { return .beforeApproval }
        return now.timeIntervalSince(report.at) > reportLifetime.inSeconds ? .expired : nil
    }

    /// When the next of the counting reports exceeds `reportLifetime`; nil if none counts.
    ///
    /// Lifetimes are limited to a century, so that the time can be stored.
    func nextExpiry(of reports: [FiledReport], _ evidence: [ReportWeight]) -> Date? {
        let lifetime = min(reportLifetime.inSeconds, 36_525 * 86_400)
        return zip(reports, evidence).filter { $1.disregarded == nil }.map(\.0.at).min()?
            .addingTimeInterval(lifetime)
    }

    /// The reports that belong together, in groups of two or more, ordered by their first members.
    private func groups(of reports: [FiledReport], _ counting: [Int]) -> [[Int]] {
        var sets = DisjointSets(count: reports.count)
        var firstOfGroup: [Int: Int] = [:]
        for index in counting {
            guard let group = reports[index].group else { continue }
            sets.join(index, firstOfGroup[group, default: index])
            firstOfGroup[group] = firstOfGroup[group] ?? index
        }
        joinBursts(of: reports, counting, in: &sets)
        var members: [Int: [Int]] = [:]
        for index in counting { members[sets.root(index), default: []].append(index) }
        return members.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// Joins reports within `burstWindow` whose accounts were first seen within `cohortWindow`.
    ///
    /// It goes by time and puts accounts into cells of `cohortWindow`. Reports in one cell and window belong together.
    /// So each report is only joined with one of its own cell, and with the nearest of the cells before and after if
    /// that is near enough. Once the reports are sorted, this takes linear time.
    private func joinBursts(of reports: [FiledReport], _ counting: [Int], in sets: inout DisjointSets) {
        let young = counting.filter {
            reports[$0].at.timeIntervalSince(reports[$0].accountSince) < matureAge.inSeconds
        }.sorted { reports[$0].at < reports[$1].at }
        guard let start = young.first.map({ reports[$0].accountSince }) else { return }
        let width = cohortWindow.inSeconds
        var cells: [Double: CohortCell] = [:]
        for index in young {
            let since = reports[index].accountSince.timeIntervalSince(start)
            let cell = width > 0 ? (since / width).rounded(.down) : since
            let isInWindow = { (other: Int) -> Bool in
                reports[index].at.timeIntervalSince(reports[other].at) <= burstWindow.inSeconds
            }
            let nearest = [
                cells[cell - 1]?.latest.first(where: isInWindow),
                cells[cell]?.latest.first(where: isInWindow),
                cells[cell + 1]?.earliest.first(where: isInWindow),
            ]
            for case .some(let other) in nearest where abs(other.since - since) <= width {
                sets.join(index, other.index)
            }
            cells[cell, default: CohortCell()].add(index, since: since)
        }
    }
}

/// Accounts that were first seen close together. Their reports arrive in order of time.
private struct CohortCell {
    /// A monotonic queue: the first entry in the window is its extreme, because entries before a greater one (or, for
    /// the earliest, a smaller one) are removed.
    struct Extremes {
        private var entries: [(since: Double, index: Int)] = []
        private var head = 0

        mutating func first(where isInWindow: (Int) -> Bool) -> (since: Double, index: Int)? {
            while head < entries.count, !isInWindow(entries[head].index) { head += 1 }
            return head < entries.count ? entries[head] : nil
        }

        mutating func add(_ index: Int, since: Double, replacing isReplaced: (Double) -> Bool) {
            while entries.count > head, isReplaced(entries[entries.count - 1].since) { entries.removeLast() }
            entries.append((since, index))
        }
    }

    /// Ordered by when the accounts were first seen.
    var earliest = Extremes()
    var latest = Extremes()

    mutating func add(_ index: Int, since: Double) {
        earliest.add(index, since: since) { $0 >= since }
        latest.add(index, since: since) { $0 <= since }
    }
}

/// Sets of numbers from 0 that can be joined. A set's root is its smallest number.
private struct DisjointSets {
    private var parents: [Int]

    init(count: Int) { parents = Array(0..<count) }

    mutating func root(_ element: Int) -> Int {
        var root = element
        while parents[root] != root {
            parents[root] = parents[parents[root]]
            root = parents[root]
        }
        return root
    }

    mutating func join(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}

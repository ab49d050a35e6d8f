import FoundationEssentials
import JobStore

/// What one report counts, and why.
package struct ReportWeight: Sendable, Equatable {
    /// Why a report counts nothing. Raw values are those of `darkroom.moderation_evidence.disregarded`.
    package enum Disregard: String, Sendable {
        case expired
        case beforeApproval = "before_approval"
    }

    package let record: Double
    package let account: Double
    package let reason: Double
    /// The number of its group among this verdict's, from 1; nil where it stands alone.
    package fileprivate(set) var group: Int?
    /// The product of the three, after the discount of the group.
    package fileprivate(set) var counted: Double
    package let disregarded: Disregard?
}

extension ModerationPolicy {
    /// What each report counts, in the order of the reports.
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
            // Never less than its strongest member alone, so that nobody's report is made weaker by an ally. The root
            // of the squares' sum is never more than the sum: whatever is joined, no score grows by it.
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

    /// The reports that belong together, in groups of two or more, by their first members.
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
    /// Among those in the window, a report need only be joined with its neighbours by the accounts' age: any two others
    /// on one side that are near enough to it are near enough to each other. So it takes n log n steps, not n².
    private func joinBursts(of reports: [FiledReport], _ counting: [Int], in sets: inout DisjointSets) {
        let young = counting.filter {
            reports[$0].at.timeIntervalSince(reports[$0].accountSince) < matureAge.inSeconds
        }.sorted { reports[$0].at < reports[$1].at }
        let since = { (index: Int) -> Double in reports[index].accountSince.timeIntervalSinceReferenceDate }
        var window: [(since: Double, index: Int)] = []
        func place(_ value: Double) -> Int {
            var (low, high) = (0, window.count)
            while low < high {
                let middle = (low + high) / 2
                if window[middle].since < value { low = middle + 1 } else { high = middle }
            }
            return low
        }
        var oldest = 0
        for index in young {
            while reports[index].at.timeIntervalSince(reports[young[oldest]].at) > burstWindow.inSeconds {
                var position = place(since(young[oldest]))
                while window[position].index != young[oldest] { position += 1 }
                window.remove(at: position)
                oldest += 1
            }
            let position = place(since(index))
            for neighbour in [position - 1, position] where window.indices.contains(neighbour) {
                if abs(window[neighbour].since - since(index)) <= cohortWindow.inSeconds {
                    sets.join(index, window[neighbour].index)
                }
            }
            window.insert((since(index), index), at: position)
        }
    }
}

/// Sets of numbers from 0 that can be joined; a set's root is its smallest number.
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

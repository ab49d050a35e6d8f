import FoundationEssentials
import Posts
import Testing

@Suite("The rules of reviews")
struct ReviewRuleTests {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)
    private static let remove = ReviewAction.remove(.terms(nil))

    private static let table: [(PostState, Bool, ReviewAction, PostState?)] = [
        (.held, false, .approve, .published), (.held, false, remove, .removed), (.held, false, .restore, nil),
        (.hidden, false, .approve, .published), (.hidden, false, remove, .removed),
        (.hidden, true, .approve, .published), (.hidden, true, .restore, nil),
        (.published, false, .approve, nil), (.published, false, remove, .removed),
        (.published, false, .restore, nil), (.removed, false, .approve, nil), (.removed, false, remove, nil),
        (.removed, true, remove, .removed), (.removed, false, .restore, .published),
        (.removed, true, .restore, .published), (.expired, false, .approve, nil),
        (.expired, false, remove, nil),
        (.expired, false, .restore, nil),
    ]

    @Test("lead from one state to another, or nowhere", arguments: table)
    func transitions(state: PostState, isAppealed: Bool, action: ReviewAction, expected: PostState?) {
        let found = ReviewCase(state: state, isAppealed: isAppealed)
        let result = Result { () throws(ReviewError) -> PostState in
            try found.state(after: action, on: 1, by: "olga", seen: nil, at: Self.now)
        }
        switch (result, expected) {
        case (.success(let state), let expected?): #expect(state == expected)
        case (.failure(let error), nil): #expect(error.code == .notApplicable(state))
        default: Issue.record("\(result)")
        }
    }

    @Test("show nothing whose time is over: showing such a post expires it", arguments: table)
    func over(state: PostState, isAppealed: Bool, action: ReviewAction, expected: PostState?) {
        let found = ReviewCase(state: state, isAppealed: isAppealed, isOver: true)
        let after = try? found.state(after: action, on: 1, by: "olga", seen: nil, at: Self.now)
        #expect(after == (expected == .published ? .expired : expected))
    }

    @Test("show nothing that is being erased, and decline an appeal only if a removal stands")
    func leaving() {
        for (isRemoved, isAppealed, applicable) in [
            (false, false, []), (false, true, []), (true, false, []), (true, true, [DecisionKind.remove]),
        ] {
            let found = ReviewCase(
                state: .removed, isAppealed: isAppealed, keeping: .leaving(isRemoved: isRemoved))
            #expect(found.applicable == applicable)
            let result = Result { () throws(ReviewError) -> PostState in
                try found.state(after: .restore, on: 1, by: "olga", seen: nil, at: Self.now)
            }
            #expect(result == .failure(ReviewError(code: .leaving, post: 1)))
        }
    }

    @Test("decide on a post that its uploader has deleted, and leave it removed", arguments: [false, true])
    func undecided(isAppealed: Bool) {
        let found = ReviewCase(
            state: .removed, isAppealed: isAppealed, isLocatedTooExactly: true,
            keeping: .leaving(isRemoved: false, isUndecided: true))
        #expect(found.applicable == [.approve, .remove])
        for (action, expected) in [
            (ReviewAction.approve, Result<PostState, ReviewError>.success(.removed)),
            (Self.remove, .success(.removed)),
            (.restore, .failure(ReviewError(code: .leaving, post: 1))),
        ] {
            let result = Result { () throws(ReviewError) -> PostState in
                try found.state(after: action, on: 1, by: "olga", seen: nil, at: Self.now)
            }
            #expect(result == expected)
        }
    }

    @Test("show nothing that is located too exactly, but remove and expire it", arguments: table)
    func located(state: PostState, isAppealed: Bool, action: ReviewAction, expected: PostState?) {
        for isOver in [false, true] {
            let found = ReviewCase(
                state: state, isAppealed: isAppealed, isOver: isOver, isLocatedTooExactly: true)
            let result = Result { () throws(ReviewError) -> PostState in
                try found.state(after: action, on: 1, by: "olga", seen: nil, at: Self.now)
            }
            switch (expected, isOver) {
            case (.published, false):
                #expect(result == .failure(ReviewError(code: .locatedTooExactly, post: 1)))
            case (.published, true): #expect(result == .success(.expired))
            case (let expected?, _): #expect(result == .success(expected))
            case (nil, _): #expect(result == .failure(ReviewError(code: .notApplicable(state), post: 1)))
            }
        }
    }

    @Test("list the possible decisions, which are those that lead somewhere", arguments: PostState.allCases)
    func applicable(state: PostState) {
        for isAppealed in [false, true] {
            let rows = Self.table.filter { $0.0 == state && $0.1 == isAppealed }
            let found = ReviewCase(state: state, isAppealed: isAppealed)
            for (_, _, action, expected) in rows {
                let isOffered = found.applicable.contains(action.kind)
                #expect(isOffered == (expected != nil), "\(action), appealed: \(isAppealed)")
            }
        }
        #expect(ReviewCase(state: .hidden).applicable == [.approve, .remove])
        #expect(ReviewCase(state: .removed, isAppealed: true).applicable == [.remove, .restore])
    }

    @Test(
        "respect another person's recent decision, unless it was seen",
        arguments: [
            ("olga", 3.0, nil, false), ("piet", 3, nil, true), ("piet", 299, nil, true),
            ("piet", 301, nil, false),
            ("piet", 3, 8, true), ("piet", 3, 9, false), ("piet", 9000, 8, true), ("olga", 3, 8, false),
        ] as [(String, Double, Int64?, Bool)])
    func conflicts(reviewer: String, secondsAgo: Double, seen: Int64?, isConflict: Bool) {
        let latest = ReviewCase.Latest(
            decision: 9, reviewer: reviewer, at: Self.now.addingTimeInterval(-secondsAgo))
        let found = ReviewCase(state: .published, latest: latest)
        let result = Result { () throws(ReviewError) -> PostState in
            try found.state(after: Self.remove, on: 1, by: "olga", seen: seen, at: Self.now)
        }
        if isConflict {
            let code = ReviewError.Code.decidedMeanwhile(by: "piet", decision: 9, secondsAgo: Int(secondsAgo))
            #expect(result == .failure(ReviewError(code: code, post: 1)))
        } else {
            #expect(result == .success(.removed))
        }
    }
}

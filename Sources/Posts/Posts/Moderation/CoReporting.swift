/// Finds reporters who report the same posts together.
package enum CoReporting {
    /// The number of each reporter's group. Reporters who share too little with others have none.
    ///
    /// Two reporters belong together if they share at least `sharedPosts` posts and these are at least `sharedShare` of
    /// all posts that either reported (the Jaccard index). This is leader clustering (Hartigan, Clustering Algorithms,
    /// 1975, chapter 3): each reporter is compared only with the first member of every earlier group that shares a
    /// post, so a brigade of n takes n steps. In the worst case all share posts but none are alike. Then each of n
    /// reporters of m posts is compared with all earlier ones: m·n²/2 additions to an array, a tenth of a second for
    /// 2,000 reporters of 50 posts.
    ///
    /// - Parameter histories: for each reporter, the other posts that they reported, each once, in a fixed order.
    package static func groups(
        _ histories: [(reporter: String, posts: [Int64])], sharedPosts: Int, sharedShare: Double
    ) -> [String: Int] {
        let (posts, count) = sharedOnly(histories.map(\.posts))
        var leaders: [Int] = []
        var leadersOfPost = [[Int]](repeating: [], count: count)
        var shared = [Int](repeating: 0, count: histories.count)
        var groupOf: [Int: Int] = [:]
        for (index, history) in histories.enumerated() where history.posts.count >= sharedPosts {
            for post in posts[index] {
                for leader in leadersOfPost[post] { shared[leader] += 1 }
            }
            let group = leaders.indices.first { leader in
                let all = histories[leaders[leader]].posts.count + history.posts.count - shared[leader]
                return shared[leader] >= sharedPosts && Double(shared[leader]) >= sharedShare * Double(all)
            }
            for leader in leaders.indices { shared[leader] = 0 }
            if let group {
                groupOf[index] = group
            } else {
                groupOf[index] = leaders.count
                for post in posts[index] { leadersOfPost[post].append(leaders.count) }
                leaders.append(index)
            }
        }
        var sizes: [Int: Int] = [:]
        for group in groupOf.values { sizes[group, default: 0] += 1 }
        var groups: [String: Int] = [:]
        for (index, group) in groupOf where sizes[group, default: 0] > 1 {
            groups[histories[index].reporter] = group
        }
        return groups
    }

    /// The posts of each reporter that somebody else reported too, numbered from 0, and their total number.
    private static func sharedOnly(_ histories: [[Int64]]) -> (posts: [[Int]], count: Int) {
        var reporters: [Int64: Int] = [:]
        for post in histories.joined() { reporters[post, default: 0] += 1 }
        var numbers: [Int64: Int] = [:]
        for (post, count) in reporters where count > 1 { numbers[post] = numbers.count }
        return (histories.map { $0.compactMap { numbers[$0] } }, numbers.count)
    }
}

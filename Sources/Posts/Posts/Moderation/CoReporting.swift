/// Finds reporters that report the same posts together.
package enum CoReporting {
    /// The number of each reporter's group; who shares too little with others has none.
    ///
    /// Two reporters belong together that share at least `sharedPosts` posts, being at least `sharedShare` of all that
    /// either reported (the Jaccard index). Each reporter is compared with the first member of every group before it
    /// that shares a post, not with everybody: leader clustering (Hartigan, Clustering Algorithms, 1975, chapter 3),
    /// which for a brigade of n takes n steps. At worst, where nobody is like another though all share posts, each of n
    /// reporters of m posts is compared with every one before: m·n²/2 additions to an array, a tenth of a second for
    /// two thousand reporters of fifty.
    ///
    /// - Parameter histories: by reporter, the other posts that they reported, each once; in a fixed order.
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

    /// The posts of each that somebody else has as well, numbered from 0; and how many they are.
    private static func sharedOnly(_ histories: [[Int64]]) -> (posts: [[Int]], count: Int) {
        var reporters: [Int64: Int] = [:]
        for post in histories.joined() { reporters[post, default: 0] += 1 }
        var numbers: [Int64: Int] = [:]
        for (post, count) in reporters where count > 1 { numbers[post] = numbers.count }
        return (histories.map { $0.compactMap { numbers[$0] } }, numbers.count)
    }
}

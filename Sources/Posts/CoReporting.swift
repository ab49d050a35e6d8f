/// Finds reporters that report the same posts together.
package enum CoReporting {
    /// The number of each reporter's group; who shares too little with others has none.
    ///
    /// Two reporters belong together that share at least `sharedPosts` posts, being at least `sharedShare` of all that
    /// either reported (the Jaccard index). Each reporter is compared with the first member of every group before it
    /// that shares a post, not with everybody: leader clustering (Hartigan, Clustering Algorithms, 1975, chapter 3),
    /// which for a brigade of n takes n steps.
    ///
    /// - Parameter histories: by reporter, the other posts that they reported, each once; in a fixed order.
    package static func groups(
        _ histories: [(reporter: String, posts: [Int64])], sharedPosts: Int, sharedShare: Double
    ) -> [String: Int] {
        var leaders: [Int] = []
        var leadersOfPost: [Int64: [Int]] = [:]
        var groupOf: [Int: Int] = [:]
        for (index, history) in histories.enumerated() where history.posts.count >= sharedPosts {
            var shared: [Int: Int] = [:]
            for post in history.posts {
                for group in leadersOfPost[post] ?? [] { shared[group, default: 0] += 1 }
            }
            let alike = shared.filter { group, count in
                let all = histories[leaders[group]].posts.count + history.posts.count - count
                return count >= sharedPosts && Double(count) >= sharedShare * Double(all)
            }
            if let group = alike.keys.min() {
                groupOf[index] = group
            } else {
                groupOf[index] = leaders.count
                for post in history.posts { leadersOfPost[post, default: []].append(leaders.count) }
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
}

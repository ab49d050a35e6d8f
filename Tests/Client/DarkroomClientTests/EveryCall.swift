import DarkroomClient

/// Every call of the library that throws.
enum EveryCall {
    typealias Call = @Sendable (DarkroomClient) async throws -> Void

    /// By the names of their methods.
    static func all(_ photo: StoredPhoto, path: String) -> [(name: String, call: Call)] {
        let box = MapBox(south: 1, west: 1, north: 2, east: 2)
        let area = FeedArea(latitude: 1, longitude: 1, radiusMetres: 10)
        let details = UploadDetails(uploader: "ada")
        var hello = details
        hello.headline = "Hello"
        hello.coordinates = (1, 1)
        let text = hello
        let missing = StoredPhoto(key: "originals/missing", sha256: photo.sha256, byteCount: 1)
        let cluster: Int64 = 10 << 40 | 1 << 20 | 1
        return [
            ("store", { _ = try await $0.store(photo: path) }),
            ("store", { _ = try await $0.store(bytes: [1]) }),
            // What is missing may be in a store that was adopted meanwhile, so the database is asked.
            ("hasArrived", { _ = try await $0.hasArrived(missing) }),
            ("enqueue", { _ = try await $0.enqueue(photo: path, details) }),
            ("enqueue", { _ = try await $0.enqueue(photo, details) }),
            ("enqueue", { _ = try await $0.enqueue([(photo, details)]) }),
            ("status", { _ = try await $0.status(of: 1) }),
            ("cancel", { _ = try await $0.cancel(1) }),
            ("comment", { try await $0.comment("Hello", onPost: 1, by: "ada") }),
            ("deleteComment", { try await $0.deleteComment(1, by: "ada") }),
            ("comments", { _ = try await $0.comments(ofPost: 1) }),
            ("comment", { _ = try await $0.comment(1) }),
            ("report", { try await $0.report(comment: 1, by: "eve", for: .spam) }),
            ("check", { _ = try await $0.check(details) }),
            (
                "edit",
                { _ = try await $0.edit(post: 1, of: "ada", headline: nil, caption: nil, category: nil) }
            ),
            ("ownPosts", { _ = try await $0.ownPosts(of: "ada") }),
            ("enqueue", { _ = try await $0.enqueue(text: text) }),
            ("inbox", { _ = try await $0.inbox(of: "ada") }),
            ("unread", { _ = try await $0.unread(of: "ada") }),
            ("readInbox", { _ = try await $0.readInbox(of: "ada", upTo: 1) }),
            ("chooseInboxEvents", { try await $0.chooseInboxEvents(nil, of: "ada") }),
            ("inboxEvents", { _ = try await $0.inboxEvents(of: "ada") }),
            ("createActivity", { _ = try await $0.createActivity("Fair") }),
            ("updateActivity", { _ = try await $0.updateActivity("Fair") }),
            ("activity", { _ = try await $0.activity("Fair") }),
            ("activities", { _ = try await $0.activities() }),
            ("events", { _ = try await $0.events(for: "mail") }),
            ("acknowledge", { try await $0.acknowledge(eventsUpTo: 0, for: "mail") }),
            ("latestPosts", { _ = try await $0.latestPosts() }),
            ("nearestPosts", { _ = try await $0.nearestPosts(latitude: 1, longitude: 1) }),
            ("posts", { _ = try await $0.posts(within: area) }),
            ("bestPosts", { _ = try await $0.bestPosts(near: area) }),
            ("topPosts", { _ = try await $0.topPosts(by: .hot) }),
            ("mapClusters", { _ = try await $0.mapClusters(in: box, zoom: 10) }),
            ("mapPhotos", { _ = try await $0.mapPhotos(in: box, zoom: 10) }),
            ("posts", { _ = try await $0.posts(ofCluster: cluster) }),
            ("location", { _ = try await $0.location(ofCluster: cluster) }),
            ("statistics", { _ = try await $0.statistics(ofUploader: "ada") }),
            ("publish", { try await $0.publish(draft: 1, details) }),
            ("quota", { _ = try await $0.quota(ofUploader: "ada") }),
            ("setDisplayName", { try await $0.setDisplayName(of: "ada", to: "Ada") }),
            ("checkDisplayName", { _ = try await $0.checkDisplayName("Ada", of: "ada") }),
            ("block", { try await $0.block(author: String(repeating: "0", count: 24), for: "ada") }),
            ("unblock", { try await $0.unblock(author: String(repeating: "0", count: 24), for: "ada") }),
            ("blockedAuthors", { _ = try await $0.blockedAuthors(of: "ada") }),
            ("people", { _ = try await $0.people(withHandles: []) }),
            ("bar", { _ = try await $0.bar(of: "ada") }),
            ("posts", { _ = try await $0.posts(numbered: [1]) }),
            ("posts", { _ = try await $0.posts(atVenue: "v-1") }),
            ("follow", { try await $0.follow(.area(area), for: "ada") }),
            ("unfollow", { try await $0.unfollow(0, for: "ada") }),
            ("follows", { _ = try await $0.follows(of: "ada") }),
            ("followedPosts", { _ = try await $0.followedPosts(of: "ada") }),
            ("followers", { _ = try await $0.followers(ofPost: 1) }),
            ("postingRules", { _ = try await $0.postingRules() }),
            ("checkComment", { _ = try await $0.checkComment("Hello", onPost: 1, by: "ada") }),
            ("erase", { try await $0.erase(person: "ada") }),
            ("details", { _ = try await $0.details(of: 1) }),
            ("report", { try await $0.report(post: 1, by: "eve", for: .spam) }),
            ("decisions", { _ = try await $0.decisions(onReportsBy: "ada") }),
            ("mayShow", { _ = try await $0.mayShow(mediaKey: "renditions/a") }),
            ("appeal", { try await $0.appeal(post: 1, by: "ada", "Why?") }),
            ("appeal", { try await $0.appeal(comment: 1, by: "ada", "Why?") }),
            ("comments", { _ = try await $0.comments(by: "ada") }),
            ("delete", { try await $0.delete(post: 1, of: "ada") }),
            ("vote", { try await $0.vote(.like, onPost: 1, by: "bob") }),
            ("vote", { try await $0.vote(.like, onComment: 1, by: "bob") }),
            ("votedPosts", { _ = try await $0.votedPosts(by: "ada") }),
            ("countViews", { try await $0.countViews(of: [1]) }),
            ("countViews", { try await $0.countViews([1: 2]) }),
            ("queueDepth", { _ = try await $0.queueDepth() }),
            ("oldestWaiting", { _ = try await $0.oldestWaiting() }),
        ]
    }
}

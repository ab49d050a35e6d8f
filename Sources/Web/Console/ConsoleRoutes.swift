import HTTPServer
import JobStore

/// Which page or action a path is, and who may see it.
struct ConsoleRoutes: Sendable {
    let site: ConsoleSite
    let live: LiveOverview

    /// Moderators have the pages of these; everything else is for operators.
    private static let forModerators: Set<String> = ["review", "posts"]

    func show(_ visit: Visit) async throws -> HTTPResponse {
        let path = visit.request.segments
        if path.isEmpty, visit.session.role == .moderator { return HTTPResponse(redirectingTo: "/review") }
        try check(visit)
        switch (path.first ?? "", path.count) {
        case ("", 0): return try await OverviewPage(site: site, visit: visit).response()
        case ("live", 1): return live.stream()
        case ("jobs", 1): return try await JobsPage(site: site, visit: visit).response()
        case ("jobs", 2) where path[1] == "groups":
            return try await JobGroupsPage(site: site, visit: visit).response()
        case ("jobs", 2) where path[1] == "change":
            return try await BulkPages(site: site, visit: visit).rehearsal()
        case ("jobs", 2): return try await JobPage(site: site, visit: visit).response(try number(path[1]))
        case ("jobs", 3) where path[2] == "photo":
            return try await JobPhoto(site: site).response(try number(path[1]))
        case ("queues", 1): return try await QueuesPage(site: site, visit: visit).response()
        case ("record", 1): return try await RecordPage(site: site, visit: visit).response()
        case ("record", 2):
            return try await RecordPage(site: site, visit: visit).response(try number(path[1]))
        case ("review", 1): return try await ReviewPage(site: site, visit: visit).response()
        case ("posts", 2): return try await PostPage(site: site, visit: visit).response(try number(path[1]))
        case ("posts", 3) where path[2] == "picture":
            return try await PostPicture(site: site, visit: visit).response(try number(path[1]))
        case ("policies", 1): return try await PoliciesPage(site: site, visit: visit).response()
        case ("people", 1): return try await PeoplePage(site: site, visit: visit).response()
        case ("places", 1): return try PlacesPage(site: site, visit: visit).response()
        default: throw ConsoleError.notFound("There is no such page.")
        }
    }

    func act(_ visit: Visit) async throws -> HTTPResponse {
        let path = visit.request.segments
        try check(visit)
        switch (path.first ?? "", path.count) {
        case ("jobs", 2) where path[1] == "change":
            return try await BulkPages(site: site, visit: visit).begin()
        case ("queues", 2): return try await QueueActions(site: site, visit: visit).act(path[1])
        case ("record", 3) where path[2] == "stop":
            let run = try number(path[1])
            guard site.runs.isRunning(run) else {
                throw ConsoleError.badRequest("The action is over, or runs in another console.")
            }
            try await site.actions.record(visit.action("stop action", target: "\(run)")) {
                site.runs.stop(run)
            }
            return HTTPResponse(redirectingTo: "/record/\(path[1])")
        case ("review", 2) where path[1] == "decide":
            return try await ReviewActions(site: site, visit: visit).decideOnSeveral()
        case ("posts", 3) where path[2] == "decide":
            return try await ReviewActions(site: site, visit: visit).decide(try number(path[1]))
        case ("policies", 1): return try await PolicyActions(site: site, visit: visit).set()
        case ("people", 2) where path[1] == "erase":
            return try await PeopleActions(site: site, visit: visit).erase()
        default: throw ConsoleError.notFound("There is no such action.")
        }
    }

    private func check(_ visit: Visit) throws {
        guard
            visit.session.role == .operator || Self.forModerators.contains(visit.request.segments.first ?? "")
        else { throw ConsoleError.forbidden("This page is for operators. Your pages are below Review.") }
    }

    private func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw ConsoleError.notFound("There is no such page.")
        }
        return number
    }
}

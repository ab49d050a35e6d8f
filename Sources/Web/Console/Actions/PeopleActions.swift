import HTTPServer
import JobStore
import Posts

/// The erasure of people.
struct PeopleActions: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func erase() async throws -> HTTPResponse {
        guard visit.session.isFresh else {
            throw ConsoleError.forbidden("Sign in again with a new link before you erase a person.")
        }
        // Compared as PostgreSQL does: letters that only look the same are of two people.
        guard let person = visit.form["person"], let repeated = visit.form["repeated"],
            repeated.utf8.elementsEqual(person.utf8)
        else {
            throw ConsoleError.badRequest("The two identifiers are not the same. Nothing was erased.")
        }
        var action = visit.action("erase person")
        action.uploader = person
        _ = try await site.actions.record(action) {
            try await PersonStore(pool: site.operators).erase(person, requestedBy: visit.session.name)
        }
        return HTTPResponse(redirectingTo: "/people")
    }
}

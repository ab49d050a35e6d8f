/// Why a page of the console is refused.
struct ConsoleError: Error, CustomStringConvertible {
    let status: Int
    let title: String
    let text: String

    var description: String { text }

    static func badRequest(_ text: String) -> ConsoleError {
        ConsoleError(status: 400, title: "This does not work", text: text)
    }

    static func notFound(_ text: String) -> ConsoleError {
        ConsoleError(status: 404, title: "Not found", text: text)
    }

    static func forbidden(_ text: String) -> ConsoleError {
        ConsoleError(status: 403, title: "Not permitted", text: text)
    }
}

import HTTPServer

/// The endpoints by their paths, split and sorted once.
struct EndpointTable: Sendable {
    typealias Match = (endpoint: Endpoint, values: [String: String])

    /// By the first part of their paths, which is never a parameter.
    private let byFirst: [String: [(endpoint: Endpoint, pattern: PathPattern)]]

    init(_ endpoints: [Endpoint]) {
        // Those without parameters come first: `/posts/top` is no post.
        let sorted = endpoints.map { ($0, PathPattern($0.path)) }.enumerated().sorted {
            ($0.element.1.hasParameters ? 1 : 0, $0.offset) < ($1.element.1.hasParameters ? 1 : 0, $1.offset)
        }
        byFirst = Dictionary(grouping: sorted.map(\.element)) { _, pattern in pattern.first }
    }

    /// The endpoints whose path this is, one for each method, with the values of its parameters.
    func matches(_ path: ArraySlice<String>) -> some Sequence<Match> {
        let matches = (path.first.flatMap { byFirst[$0] } ?? []).lazy.compactMap { candidate in
            candidate.pattern.match(path).map { (endpoint: candidate.endpoint, values: $0) }
        }
        let first = matches.first?.endpoint.path
        return matches.filter { $0.endpoint.path == first }
    }
}

/// A path with parameters in braces.
private struct PathPattern: Sendable {
    private enum Part: Sendable {
        case text(String)
        case parameter(String)
        /// `{name...}` takes the rest of the path.
        case rest(String)
    }

    private let parts: [Part]

    init(_ path: String) {
        parts = path.split(separator: "/").map { part in
            if part.hasSuffix("...}") { return .rest(String(part.dropFirst().dropLast(4))) }
            return part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .text(String(part))
        }
    }

    var hasParameters: Bool { parts.contains { if case .text = $0 { false } else { true } } }

    var first: String {
        guard case .text(let text)? = parts.first else { preconditionFailure("a path begins with a name") }
        return text
    }

    /// The values of the parameters, if the path is of this form.
    func match(_ path: ArraySlice<String>) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = path
        for part in parts {
            guard let given = rest.popFirst() else { return nil }
            switch part {
            case .text(let text): guard text == given else { return nil }
            case .parameter(let name):
                guard !given.isEmpty else { return nil }
                values[name] = given
            case .rest(let name):
                values[name] = ([given] + rest).joined(separator: "/")
                return values
            }
        }
        return rest.isEmpty ? values : nil
    }
}

import FoundationEssentials
import ObjectStorage
import Proxying

/// The requests that a worker sends to its bucket, as a proxy between the two counts them.
struct IngestTraffic: Sendable {
    private let photos: Int
    /// Of originals and pictures, by method.
    private var requests: [String: Int] = [:]
    /// The marker, probes and whatever else a worker asks for, however many photos it has.
    private var others = 0
    private var sent = 0
    private var received = 0

    /// Counts while `body` runs, whose workers use the changed location of the media store.
    static func of(
        _ store: IngestBucket.Store, photos: Int,
        _ body: (@escaping @Sendable (String) -> String) async throws -> Void
    ) async throws -> IngestTraffic {
        let endpoint = store.location.endpoint.description
        let proxy = try FaultProxy(before: endpoint) { _ in .pass }
        let other = proxy.endpoint
        try await body { $0.replacing("endpoint=\(endpoint)&", with: "endpoint=\(other)&") }
        return IngestTraffic(proxy.requests, received: proxy.replied, photos: photos)
    }

    private init(_ heads: [String], received: Int, photos: Int) {
        self.photos = photos
        self.received = received
        for head in heads {
            let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
            guard words.count == 3 else { continue }
            let isFile =
                (words[1].contains("/originals/") || words[1].contains("/renditions/"))
                && !words[1].contains(".darkroom-store") && !words[1].contains("?")
            if isFile { requests[String(words[0]), default: 0] += 1 } else { others += 1 }
            let body = head.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            sent += head.utf8.count + (body.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0)
        }
    }

    var lines: [BenchmarkLine] {
        func each(_ count: Int) -> Double { Double(count) / Double(photos) }
        let methods = requests.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return [
            BenchmarkLine(
                "ingest-bucket-requests", "requests", [each(requests.values.reduce(0, +))], goal: 7,
                lowerIsBetter: true,
                note: "a photo; of \(photos) photos: \(methods.joined(separator: ", ")), and \(others) others"
            ),
            BenchmarkLine(
                "ingest-bucket-sent", "kB", [each(sent) / 1000], lowerIsBetter: true, note: "a photo"),
            BenchmarkLine(
                "ingest-bucket-received", "kB", [each(received) / 1000], lowerIsBetter: true,
                note: "a photo"),
        ]
    }
}

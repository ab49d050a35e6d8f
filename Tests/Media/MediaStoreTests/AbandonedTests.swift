import Glibc
import Proxying
import TestKit
import Testing

@testable import MediaStore
@testable import ObjectStorage

@Suite("What dead processes left in a bucket", .realStore, .timeLimit(.minutes(15)))
struct AbandonedTests {
    /// The time so many seconds before now.
    private static func time(_ age: Int = 0, as format: String = "%Y-%m-%dT%H:%M:%S.000Z") -> String {
        var seconds = Glibc.time(nil) - age
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func reply(_ body: String) -> FaultProxy.Fault {
        .reply(
            "HTTP/1.1 200 OK\r\nDate: \(time(as: "%a, %d %b %Y %H:%M:%S GMT"))\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }

    @Test("is removed after a day at the end of a walk, and what is younger stays")
    func removed() async throws {
        let scene = try await S3Scene()
        let real = try scene.bucket.client(prefix: "store")
        let names = try ["old", "young"].map { try ObjectKey("originals/\($0)") }
        for name in names {
            _ = try await real.send(StoreRequest(method: .post, key: name, query: [("uploads", "")]))
        }
        let begun = try await real.incompleteUploads().items
        #expect(begun.map(\.key) == names)
        let ages = [S3MediaStore.abandonedAfter + 60, S3MediaStore.abandonedAfter - 60]
        // The server's own times cannot be changed, so its list is retold with others.
        let uploads = zip(begun, ages).map { upload, age in
            "<Upload><Key>store/\(upload.key.text)</Key><UploadId>\(upload.id)</UploadId>"
                + "<Initiated>\(Self.time(age))</Initiated></Upload>"
        }.joined()
        scene.fault.set(
            Self.reply(
                "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>\(uploads)</ListMultipartUploadsResult>"
            ), on: "uploads=")
        func walk() async throws -> [String] {
            var walk = scene.store.walk()
            var found: [String] = []
            while let files = try await walk.next() { found += files.map(\.key.path) }
            return found
        }
        #expect(try await walk() == [scene.key.path])
        #expect(try await real.incompleteUploads().items.map(\.key) == [names[1]])

        let probes = try ["a", "b"].map { try ObjectKey(S3MediaStore.probes + $0) }
        for probe in probes { try await real.put(probe, bytes: [1]) }
        let contents = zip(probes, ages).map { probe, age in
            "<Contents><Key>store/\(probe.text)</Key><Size>1</Size><LastModified>\(Self.time(age))</LastModified></Contents>"
        }.joined()
        scene.fault.set(
            Self.reply(
                "<ListBucketResult><IsTruncated>false</IsTruncated>\(contents)</ListBucketResult>"),
            on: "prefix=store%2F.probe")
        #expect(try await walk() == [scene.key.path])
        #expect(try await real.head(probes[0]) == nil)
        #expect(try await real.head(probes[1]) != nil)

        // A store that lists no such uploads is walked all the same.
        for reply in [
            "HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        ] {
            scene.fault.set(.reply(reply), on: "uploads=")
            #expect(try await walk() == [scene.key.path], "\(reply)")
        }
    }
}

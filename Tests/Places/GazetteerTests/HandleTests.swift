import Gazetteer
import Glibc
import Synchronization
import TestKit
import Testing

@Suite("A new index at the old one's path", .computing, .timeLimit(.minutes(15)))
struct HandleTests {
    /// An index whose only place has this name.
    private func index(_ name: String, in folder: TemporaryFolder) throws -> String {
        let row = Fixture.Row(
            id: 1, name: name, latitude: 47.6, longitude: -122.3, country: "US", admin1: "WA")
        let path = "\(folder.path)/\(name)"
        _ = try GazetteerBuilder(inputs: Fixture.inputs(in: folder, rows: [row])).build(to: path)
        return path
    }

    private func name(_ gazetteer: Gazetteer) throws -> String? {
        gazetteer.reverse(try coordinate(47.6, -122.3)).place?.name
    }

    @Test("is used from the next look on, and answers of the old one stay valid")
    func replacement() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/index"
        try #require(rename(try index("Old", in: folder), path) == 0)
        let handle = try GazetteerHandle(path: path)
        weak var old: Gazetteer?
        do {
            let answer = handle.current.reverse(try coordinate(47.6, -122.3))
            old = handle.current
            guard case .unchanged = handle.look() else { return #expect(Bool(false), "nothing happened") }
            try #require(rename(try index("New", in: folder), path) == 0)
            #expect(try name(handle.current) == "Old", "nobody has looked")
            guard case .replaced(let new) = handle.look() else {
                return #expect(Bool(false), "it was replaced")
            }
            #expect(new === handle.current)
            #expect(try name(new) == "New")
            #expect(answer.place?.name == "Old" && old != nil)
            #expect(new.identity != old?.identity && new.checksum.count == 16)
            #expect(new.date == "2026-01-02")
            guard case .unchanged = handle.look() else { return #expect(Bool(false), "it is the same") }
        }
        #expect(old == nil, "the old file is unmapped")
    }

    @Test("with the same contents replaces nothing")
    func sameContents() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/index"
        try #require(rename(try index("Same", in: folder), path) == 0)
        let handle = try GazetteerHandle(path: path)
        let before = handle.current
        try #require(rename(try index("Same", in: folder), path) == 0)
        guard case .unchanged = handle.look() else { return #expect(Bool(false), "the same places") }
        #expect(handle.current === before)
    }

    enum Damage: CaseIterable { case header, section, cutShort, empty, notAnIndex, missing }

    @Test("is refused once if it is damaged, and a valid one is used after it", arguments: Damage.allCases)
    func refusal(damage: Damage) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/index"
        try #require(rename(try index("Old", in: folder), path) == 0)
        let handle = try GazetteerHandle(path: path)
        var bytes = try TemporaryFolder.read(try index("New", in: folder))
        switch damage {
        case .header: bytes[20] ^= 1
        case .section: bytes[bytes.count / 2] ^= 1
        case .cutShort: bytes.removeLast(100)
        case .empty: bytes = []
        case .notAnIndex: bytes = Array("not an index".utf8)
        case .missing: break
        }
        if damage == .missing {
            try #require(unlink(path) == 0)
        } else {
            try #require(rename(try folder.write(bytes, to: "damaged"), path) == 0)
        }
        guard case .refused(let error) = handle.look() else { return #expect(Bool(false), "it is damaged") }
        #expect(error.file == path)
        guard case .unchanged = handle.look() else { return #expect(Bool(false), "it was said already") }
        #expect(try name(handle.current) == "Old")
        try #require(rename(try index("New", in: folder), path) == 0)
        guard case .replaced = handle.look() else { return #expect(Bool(false), "it is sound") }
        #expect(try name(handle.current) == "New")
    }

    @Test(
        "that cannot be read is reported once, and used as soon as it can be",
        .enabled(if: geteuid() == 0, "only root can give up rights for a while"))
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try #require(chmod(folder.path, 0o755) == 0)
        let path = "\(folder.path)/index"
        try #require(rename(try index("Old", in: folder), path) == 0)
        let handle = try GazetteerHandle(path: path)
        let new = try index("New", in: folder)
        try #require(chmod(new, 0o600) == 0 && rename(new, path) == 0)
        try Self.asNobody {
            guard case .refused(let error) = handle.look() else {
                return #expect(Bool(false), "nobody may not read it")
            }
            #expect(error.code == .io)
            guard case .unchanged = handle.look() else { return #expect(Bool(false), "it was said already") }
        }
        #expect(try name(handle.current) == "Old")
        guard case .replaced = handle.look() else { return #expect(Bool(false), "root may read it") }
        #expect(try name(handle.current) == "New")
        guard case .unchanged = handle.look() else { return #expect(Bool(false), "it is in use") }
    }

    @Test("written over the old file harms no look-up at any moment, and is used once it is complete")
    func overwritten() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/index"
        try #require(rename(try index("Old", in: folder), path) == 0)
        let handle = try GazetteerHandle(path: path)
        let new = try TemporaryFolder.read(try index("New", in: folder))
        let garbage = (0..<new.count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        var damaged = new
        damaged[new.count - 100] ^= 1
        let lookUps = LookUps(handle, at: try coordinate(47.6, -122.3))
        let looking = Task { try await lookUps.run() }
        for bytes in [[], Array(new.prefix(new.count / 2)), Array(new.dropLast()), garbage, damaged] {
            try await overwrite(path, bytes, lookUps)
            guard case .refused = handle.look() else { return #expect(Bool(false), "it is damaged") }
        }
        try await lookUps.goOn()
        #expect(Set(lookUps.names.keys) == ["Old"])
        try await overwrite(path, new, lookUps)
        guard case .replaced = handle.look() else { return #expect(Bool(false), "it is complete") }
        try await lookUps.goOn()
        #expect(Set(lookUps.names.keys) == ["Old", "New"])
        looking.cancel()
        #expect(try name(handle.current) == "New")
    }

    private func overwrite(_ path: String, _ bytes: [UInt8], _ lookUps: LookUps) async throws {
        try #require(truncate(path, 0) == 0)
        try await lookUps.goOn()
        let stream = try #require(fopen(path, "r+"))
        let count = fwrite(bytes, 1, bytes.count, stream)
        try #require(fclose(stream) == 0 && count == bytes.count)
        try await lookUps.goOn()
    }

    /// Calls `body` with the file rights of the user `nobody`, on this thread only.
    private static func asNobody(_ body: () throws -> Void) throws {
        typealias SetUser = @convention(c) (uid_t) -> CInt
        let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        try body()
    }
}

/// Looks up the same place again and again, and counts the names.
private final class LookUps: Sendable {
    private let handle: GazetteerHandle
    private let point: Coordinate
    private let counts = Mutex<[String?: Int]>([:])

    init(_ handle: GazetteerHandle, at point: Coordinate) {
        self.handle = handle
        self.point = point
    }

    var names: [String?: Int] { counts.withLock(\.self) }

    /// Until the task is cancelled.
    func run() async throws {
        while true {
            for _ in 0..<100 {
                let name = handle.current.reverse(point).place?.name
                counts.withLock { $0[name, default: 0] += 1 }
            }
            try await Task.sleep(for: .microseconds(100))
        }
    }

    /// Waits until more was looked up.
    func goOn() async throws {
        let before = names.values.reduce(0, +)
        while names.values.reduce(0, +) < before + 200 { try await Task.sleep(for: .milliseconds(1)) }
    }
}

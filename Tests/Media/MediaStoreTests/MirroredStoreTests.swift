import Digests
import Glibc
import Synchronization
import TestKit
import Testing

@testable import MediaStore

/// From a directory to each kind, and back from a bucket.
private func pairs() async -> [[StoreKind]] {
    await ObjectStoreServer.isAvailable()
        ? [[.directory, .directory], [.directory, .bucket], [.bucket, .directory]]
        : [[.directory, .directory]]
}

@Suite("A store in two places", .timeLimit(.minutes(15)))
struct MirroredStoreTests {
    @Test(
        "stores in both while it is being moved, and in the recorded one before and after",
        arguments: await pairs())
    func stores(kinds: [StoreKind]) async throws {
        let places = try await TwoPlaces(kinds[0], kinds[1])
        func store(_ seed: UInt64) async throws -> [String] {
            let photo = bytes(5000, seed: seed)
            let file = try places.old.directory.write(photo, to: "photo-\(seed)")
            let original = try await places.store.putOriginal(bytes: photo)
            #expect(try await places.store.putOriginal(fromFile: file) == original)
            let rendition = try await places.store.publish(bytes(3000, seed: seed + 100))
            #expect(try await places.store.isStored(original.key))
            #expect(try await places.store.isStored(rendition.key))
            let opened = try await places.store.openOriginal(
                original.key, expectedBytes: 5000, expectedSHA256: nil)
            #expect(opened.sha256 == original.sha256)
            return [original.key.path, rendition.key.path].sorted()
        }
        let before = try await store(1)
        #expect(try await places.old.files() == before)
        #expect(try await places.new.files() == [])
        places.begin()
        try await places.store.check()
        let during = try await store(2)
        #expect(try await places.old.files() == (before + during).sorted())
        #expect(try await places.new.files() == during)
        places.finish()
        try await places.store.check()
        let after = try await store(3)
        #expect(try await places.old.files() == (before + during).sorted())
        #expect(try await places.new.files() == (during + after).sorted())
    }

    @Test("stores an original in both if a move begins or ends while it is being stored")
    func begins() async throws {
        let places = try await TwoPlaces(.directory, .directory)
        try await places.store.check()
        places.register.asked.withLock { $0 = { places.begin() } }
        let first = try await places.store.putOriginal(bytes: [1])
        places.register.asked.withLock { $0 = nil }
        #expect(try await places.newStore.contains(first.key))
        #expect(try await places.oldStore.contains(first.key))
        places.register.asked.withLock { $0 = { places.finish() } }
        let last = try await places.store.putOriginal(bytes: [2])
        #expect(try await places.newStore.contains(last.key))
    }

    @Test(
        "is stored only if it is in both places, and is found if it is in one", arguments: await pairs())
    func finds(kinds: [StoreKind]) async throws {
        let places = try await TwoPlaces(kinds[0], kinds[1])
        let alone = try await places.oldStore.putOriginal(bytes: [1, 2])
        let late = try await places.newStore.putOriginal(bytes: [3])
        #expect(try await places.store.isStored(alone.key))
        #expect(try await !places.store.contains(late.key))
        places.begin()
        try await places.store.check()
        for original in [alone, late] {
            #expect(try await !places.store.isStored(original.key))
            #expect(try await places.store.find(original.key)?.byteCount == original.byteCount)
            let opened = try await places.store.openOriginal(
                original.key, expectedBytes: original.byteCount, expectedSHA256: nil)
            #expect(opened.sha256 == original.sha256)
            #expect(try await places.store.openFile(original.key).sha256 == original.sha256)
            #expect(try await places.store.readBack(original.key).sha256 == original.sha256)
        }
        let nowhere = try MediaKey(validating: "originals/00/11/0011")
        #expect(try await places.store.find(nowhere) == nil)
        // What comes to the old place late is found for a while.
        places.finish()
        try await places.store.check()
        #expect(try await places.store.contains(alone.key))
        #expect(try await places.store.contains(late.key))
        #expect(try await !places.store.isStored(alone.key))
    }

    @Test("takes nothing for missing while one of the two is away, and reads what the recorded one has")
    func away() async throws {
        let places = try await TwoPlaces(.directory, .directory)
        places.begin()
        let both = try await places.store.putOriginal(bytes: [1])
        let old = try await places.oldStore.putOriginal(bytes: [2])
        let new = try await places.newStore.putOriginal(bytes: [3])
        func root(_ place: StorePlace) -> String { "\(place.directory.path)/store" }
        func expectAway(_ body: () async throws -> Void) async {
            let error = await #expect(throws: MediaError.self) { try await body() }
            #expect(error?.code == .unavailable, "\(String(describing: error))")
        }
        try move(root(places.new), to: root(places.new) + "-away")
        #expect(
            try await places.store.openOriginal(both.key, expectedBytes: 1, expectedSHA256: nil).sha256
                == both.sha256)
        #expect(
            try await places.store.openOriginal(old.key, expectedBytes: 1, expectedSHA256: nil).sha256
                == old.sha256)
        await expectAway {
            _ = try await places.store.openOriginal(new.key, expectedBytes: 1, expectedSHA256: nil)
        }
        await expectAway { try await places.store.check() }
        await expectAway { _ = try await places.store.putOriginal(bytes: [4]) }
        await expectAway { _ = try await places.store.publish([5]) }
        await expectAway { _ = try await places.store.remove(both.key, storedBefore: .zero) }
        await expectAway { try await places.store.probeReading(isNeeded: true) }
        try move(root(places.new) + "-away", to: root(places.new))
        try move(root(places.old), to: root(places.old) + "-away")
        await expectAway {
            _ = try await places.store.openOriginal(new.key, expectedBytes: 1, expectedSHA256: nil)
        }
        await expectAway { try await places.store.check() }
        // Once the move is finished, nothing needs the old place.
        places.finish()
        try await places.store.check()
        #expect(
            try await places.store.openOriginal(new.key, expectedBytes: 1, expectedSHA256: nil).sha256
                == new.sha256)
        #expect(try await !places.store.contains(old.key))
        _ = try await places.store.putOriginal(bytes: [6])
    }

    @Test("removes from both, and keeps what is too recent in one of them", arguments: await pairs())
    func removes(kinds: [StoreKind]) async throws {
        let places = try await TwoPlaces(kinds[0], kinds[1])
        places.begin()
        let both = try await places.store.putOriginal(bytes: [1])
        let new = try await places.newStore.putOriginal(bytes: [2])
        guard case .tooRecent = try await places.store.remove(both.key, storedBefore: .seconds(3600)) else {
            return #expect(Bool(false), "it was stored just now")
        }
        #expect(try await places.store.isStored(both.key))
        // Only the copy is too recent: then the removal is not over.
        guard case .tooRecent = try await places.store.remove(new.key, storedBefore: .seconds(3600)) else {
            return #expect(Bool(false), "its copy was stored just now")
        }
        for key in [both.key, new.key] {
            #expect(try await places.store.remove(key, storedBefore: .zero) == .removed)
            #expect(try await places.store.remove(key, storedBefore: .zero) == .absent)
        }
        #expect(try await places.old.files() == [])
        #expect(try await places.new.files() == [])
    }

    @Test("finds each file once", arguments: await pairs())
    func walks(kinds: [StoreKind]) async throws {
        let places = try await TwoPlaces(kinds[0], kinds[1])
        for number in 0..<3 { _ = try await places.oldStore.putOriginal(bytes: [1, UInt8(number)]) }
        places.begin()
        for number in 0..<3 { _ = try await places.store.putOriginal(bytes: [2, UInt8(number)]) }
        for number in 0..<3 { _ = try await places.newStore.putOriginal(bytes: [3, UInt8(number)]) }
        var found: [String] = []
        var walk = places.store.walk()
        while let files = try await walk.next() { found += files.map(\.key.path) }
        #expect(found.count == 9)
        #expect(Set(found) == Set(try await places.old.files() + places.new.files()))
    }

    @Test("finds out which place is which, whatever the order in which they are given")
    func order() async throws {
        let places = try await TwoPlaces(.directory, .directory)
        let swapped = MirroredMediaStore(
            places.store.second, places.store.first, record: places.register.record)
        for stage in 0...2 {
            if stage == 1 { places.begin() }
            if stage == 2 { places.finish() }
            for store in [places.store, swapped] {
                #expect(try await store.check() == (stage == 2 ? places.newIdentity : places.oldIdentity))
                #expect(store.nextIdentity == (stage == 2 ? places.oldIdentity : places.newIdentity))
            }
        }
    }

    @Test("is one of two to which nothing is written alone", arguments: await StoreKind.available())
    func alone(kind: StoreKind) async throws {
        let places = try await TwoPlaces(kind, kind)
        let plain = try places.old.store(with: places.register.record)
        let original = try await plain.putOriginal(bytes: [1])
        places.begin()
        func expectAdvice(_ text: String, _ body: () async throws -> Void) async {
            let error = await #expect(throws: MediaError.self) { try await body() }
            #expect(
                error?.code == .unavailable && error?.message.contains(text) == true,
                "\(String(describing: error))")
        }
        let advice = "set DARKROOM_MEDIA_NEXT"
        await expectAdvice(advice) { _ = try await plain.putOriginal(bytes: [2]) }
        await expectAdvice(advice) { try await plain.check() }
        await expectAdvice(advice) { try await plain.probeReading(isNeeded: true) }
        await expectAdvice(advice) { _ = try await plain.recorded(as: places.register.answer) }
        #expect(
            try await plain.openOriginal(original.key, expectedBytes: 1, expectedSHA256: nil).sha256
                == original.sha256)
        places.finish()
        await expectAdvice("set DARKROOM_MEDIA to /new") { _ = try await plain.putOriginal(bytes: [2]) }
        await expectAdvice("set DARKROOM_MEDIA to /new") { try await plain.check() }
        #expect(try await places.new.files() == [])
        #expect(try await places.old.files() == [original.key.path])
    }

    @Test("has copies only of the bytes that were announced", arguments: await StoreKind.available())
    func copies(kind: StoreKind) async throws {
        let places = try await TwoPlaces(.directory, kind)
        let photo = bytes(70_000, seed: 1)
        let original = try await places.oldStore.putOriginal(bytes: photo)
        let file = try await places.oldStore.openFile(original.key)
        #expect(file.byteCount == 70_000 && file.sha256 == original.sha256)
        let odd = try MediaKey(validating: "originals/from/elsewhere/photo-1")
        for key in [original.key, odd] {
            let error = await #expect(throws: MediaError.self) {
                try await places.newStore.storeCopy(
                    of: file.file, as: key, sha256: SHA256Digest(hashing: []), byteCount: 70_000, ended: {})
            }
            #expect(error?.concernsWholeStore == false)
            #expect(try await places.new.files() == [])
        }
        for key in [original.key, odd, odd] {
            try await places.newStore.storeCopy(
                of: file.file, as: key, sha256: original.sha256, byteCount: 70_000, ended: {})
            #expect(try await places.newStore.openFile(key).sha256 == original.sha256)
        }
        #expect(try await places.new.files() == [original.key.path, odd.path].sorted())
    }

    @Test(
        "can be walked through in parts, wherever the walk before has stopped",
        arguments: await StoreKind.available())
    func resumes(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        for number in 0..<12 { _ = try await store.putOriginal(bytes: [1, UInt8(number)]) }
        for number in 0..<6 { _ = try await store.publish([2, UInt8(number)]) }
        let file = try await store.openFile(
            MediaKey(validating: try await place.files()[0]))
        for path in [
            "originals/00", "originals/00-1/b", "originals/zz/1/2/3", "renditions/a/b.jpg",
            "renditions/a.b/c.jpg",
        ] {
            try await store.storeCopy(
                of: file.file, as: MediaKey(validating: path), sha256: try #require(file.sha256),
                byteCount: file.byteCount, ended: {})
        }
        let all = Set(try await place.files())
        #expect(all.count == 23)
        var seen: Set<String> = []
        var first = store.walk()
        #expect(first.position == nil)
        while let part = try await first.next() {
            seen.formUnion(part.map(\.key.path))
            var rest: Set<String> = []
            var second = store.walk(after: first.position)
            while let files = try await second.next() { rest.formUnion(files.map(\.key.path)) }
            #expect(seen.union(rest) == all, "after \(first.position ?? "nothing")")
            #expect(second.position == nil || all.isSuperset(of: rest))
        }
        #expect(seen == all)
        // At the end, nothing but directories above is read again.
        var end = store.walk(after: first.position)
        var again = 0
        while let files = try await end.next() { again += files.count }
        #expect(again <= 2, "\(again)")
    }

    private func move(_ from: String, to: String) throws { try #require(rename(from, to) == 0) }
}

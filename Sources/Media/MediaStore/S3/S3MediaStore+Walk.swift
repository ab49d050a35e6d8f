import ObjectStorage

/// A walk of one page of a list at a time.
private struct S3MediaWalk: MediaWalk {
    private let store: S3MediaStore
    /// Trees still to be listed.
    private var pending: [MediaTree]
    private var page: ListPage<ListedObject>.Continuation?

    init(_ store: S3MediaStore) {
        self.store = store
        pending = MediaTree.allCases
    }

    mutating func next() async throws(MediaError) -> [StoredFile]? {
        guard let tree = pending.first else {
            try await store.removeAbandoned()
            return nil
        }
        let page: ListPage<ListedObject>
        do throws(MediaError) {
            page = try await store.list(tree, after: self.page)
        } catch {
            // The rest of a tree whose list fails cannot be reached.
            if !error.concernsWholeStore { advance(to: nil) }
            throw error
        }
        advance(to: page.next)
        return try files(page, of: tree)
    }

    private mutating func advance(to next: ListPage<ListedObject>.Continuation?) {
        page = next
        if next == nil { pending.removeFirst() }
    }

    private func files(
        _ page: ListPage<ListedObject>, of tree: MediaTree
    ) throws(MediaError) -> [StoredFile] {
        var files: [StoredFile] = []
        for object in page.items {
            // Anything else, such as the marker, is not part of the store.
            guard let key = try? MediaKey(validating: object.key.text), tree.contains(key) else { continue }
            files.append(
                StoredFile(
                    key: key, byteCount: object.size,
                    age: try store.timeSinceStored(key, object.modified, page.clock)))
        }
        return files
    }
}

extension S3MediaStore {
    package func walk() -> any MediaWalk { S3MediaWalk(self) }

    fileprivate func list(
        _ tree: MediaTree, after position: ListPage<ListedObject>.Continuation?
    ) async throws(MediaError) -> ListPage<ListedObject> {
        try await inStore { () async throws(MediaError) -> ListPage<ListedObject> in
            try await request { try await objects.list(prefix: "\(tree.rawValue)/", after: position) }
        }
    }

    /// After this many seconds, parts and probes are assumed to belong to a dead process.
    static let abandonedAfter = 24 * 60 * 60

    /// Removes what dead processes have left, which is in no list of files: uploads in parts, and probes. A store that does
    /// not list such uploads, or does not let this process do so, keeps them.
    fileprivate func removeAbandoned() async throws(MediaError) {
        do {
            var position: ListPage<IncompleteUpload>.Continuation?
            repeat {
                let page = try await objects.incompleteUploads(after: position)
                for upload in page.items
                where (page.clock ?? upload.begun) - upload.begun > Self.abandonedAfter {
                    try await objects.abortUpload(upload.key, id: upload.id)
                }
                position = page.next
            } while position != nil
            let probes = try await objects.list(prefix: Self.probes)
            for probe in probes.items
            where (probes.clock ?? probe.modified) - probe.modified > Self.abandonedAfter {
                try await objects.delete(probe.key)
            }
        } catch let error as ObjectStoreError
            where error.code == .accessDenied || error.code == .invalidRequest
        {
            return
        } catch {
            throw MediaError(error, path: location)
        }
    }
}

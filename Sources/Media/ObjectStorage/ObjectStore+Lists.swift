import PlainText

/// An object in a list.
package struct ListedObject: Sendable, Hashable {
    package let key: ObjectKey
    /// In bytes.
    package let size: Int64
    /// In seconds since 1970, by the store's clock.
    package let modified: Int
}

/// An upload in parts that was neither completed nor aborted.
package struct IncompleteUpload: Sendable, Hashable {
    package let key: ObjectKey
    package let id: String
    /// In seconds since 1970, by the store's clock.
    package let begun: Int
}

/// A part of a list.
package struct ListPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// What to ask for the next page; nil if this was the last.
    package let next: Continuation?
    /// When it was made, in seconds since 1970, by the store's clock; nil if the store does not tell.
    package let clock: Int?

    package struct Continuation: Sendable, Hashable {
        var query: [String: String]
    }
}

extension ObjectStore {
    /// Objects whose keys begin with `prefix`, in the order of their bytes. A list need not show what was stored or removed
    /// just before.
    ///
    /// - Parameters:
    ///   - after: of the page before.
    ///   - atMost: 1 to 1000.
    package func list(
        prefix: String = "", after: ListPage<ListedObject>.Continuation? = nil, atMost: Int = 1000
    ) async throws -> ListPage<ListedObject> {
        var request = StoreRequest(method: .get, key: nil)
        request.query =
            [
                ("list-type", "2"), ("encoding-type", "url"), ("max-keys", "\(min(max(atMost, 1), 1000))"),
                ("prefix", location.prefix + prefix),
            ] + (after?.query.map { ($0.key, $0.value) } ?? [])
        request.root = "ListBucketResult"
        let reply = try await send(request)
        let root = reply.root
        let items = try root.children(named: "Contents").compactMap { node -> ListedObject? in
            guard let text = relativeKey(in: node, of: root), let size = node["Size"].flatMap({ Int64($0) }),
                let modified = node["LastModified"].flatMap(StoreTime.seconds(iso:))
            else { throw unreadable(request) }
            // Some tools store an empty object under the prefix itself.
            return text.isEmpty ? nil : ListedObject(key: try ObjectKey(text), size: size, modified: modified)
        }
        guard root["IsTruncated"] == "true" else {
            return ListPage(items: items, next: nil, clock: reply.clock)
        }
        guard let token = root["NextContinuationToken"], !token.isEmpty,
            token != after?.query["continuation-token"]
        else { throw unreadable(request) }
        return ListPage(items: items, next: .init(query: ["continuation-token": token]), clock: reply.clock)
    }

    /// Uploads in parts that were begun, below `prefix`: running ones, and those that a dead process left.
    package func incompleteUploads(
        prefix: String = "", after: ListPage<IncompleteUpload>.Continuation? = nil
    ) async throws -> ListPage<IncompleteUpload> {
        var request = StoreRequest(method: .get, key: nil)
        request.query =
            [("uploads", ""), ("encoding-type", "url"), ("prefix", location.prefix + prefix)]
            + (after?.query.map { ($0.key, $0.value) } ?? [])
        request.root = "ListMultipartUploadsResult"
        let reply = try await send(request)
        let root = reply.root
        let items = try root.children(named: "Upload").compactMap { node -> IncompleteUpload? in
            guard let text = relativeKey(in: node, of: root), let id = node["UploadId"],
                let begun = node["Initiated"].flatMap(StoreTime.seconds(iso:))
            else { throw unreadable(request) }
            return text.isEmpty ? nil : IncompleteUpload(key: try ObjectKey(text), id: id, begun: begun)
        }
        guard root["IsTruncated"] == "true" else {
            return ListPage(items: items, next: nil, clock: reply.clock)
        }
        guard let marker = root["NextKeyMarker"].flatMap({ decoded($0, in: root) }) else {
            throw unreadable(request)
        }
        return ListPage(
            items: items,
            next: .init(query: [
                "key-marker": marker, "upload-id-marker": root["NextUploadIdMarker"] ?? "",
            ]), clock: reply.clock)
    }

    /// Removes the parts of an upload. It is no error if there is none.
    package func abortUpload(_ key: ObjectKey, id: String) async throws {
        do {
            _ = try await send(StoreRequest(method: .delete, key: key, query: [("uploadId", id)]))
        } catch let error as ObjectStoreError where error.code == .notFound {
            return
        }
    }

    /// The key in an entry of a list, without the location's prefix.
    private func relativeKey(in node: XMLNode, of root: XMLNode) -> String? {
        guard let key = node["Key"].flatMap({ decoded($0, in: root) }) else { return nil }
        guard key.utf8.starts(with: location.prefix.utf8) else { return nil }
        return String(decoding: key.utf8.dropFirst(location.prefix.utf8.count), as: UTF8.self)
    }

    /// XML has no way to write some characters, so lists are asked for in percent-encoding. Not every store knows it.
    private func decoded(_ text: String, in root: XMLNode) -> String? {
        root["EncodingType"] == "url" ? text.percentDecoded(plusIsSpace: true) : text
    }

    private func unreadable(_ request: StoreRequest) -> ObjectStoreError {
        ObjectStoreError(
            .unexpected, operation: request.operation,
            message: "the list is not one of an object store; check the endpoint \(location.endpoint)")
    }
}

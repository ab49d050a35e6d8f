import PlainText

/// The text that says where a store is.
package enum MediaLocation {
    /// Stands for a wrong location in errors: somebody may have written the keys to the store into it.
    static let path = "the location of the media store"

    /// The store at `location`: `s3://BUCKET/PREFIX?…`, a directory, or its `file:` URL. It need not be there yet.
    package static func store(
        at location: String, record: @escaping RecordIdentity
    ) throws(MediaError) -> any MediaStore {
        location.lowercased().hasPrefix("s3:")
            ? try S3MediaStore(location: location, record: record)
            : try LocalMediaStore(location: location, record: record)
    }

    static func directoryPath(from location: String) throws(MediaError) -> String {
        func refuse(_ why: String) -> MediaError {
            MediaError(
                .unsupportedLocation, path: path,
                message:
                    "\(why); give a directory path, or a URL such as file:///srv/darkroom/media or s3://photos/darkroom?region=eu-central-1"
            )
        }
        guard !location.isEmpty, !location.utf8.contains(0) else { throw refuse("it is empty or has a NUL") }
        guard let colon = location.firstIndex(of: ":"), isScheme(location[..<colon]) else {
            guard !isMiswritten(location) else {
                throw refuse("it has quotes, or blanks at an end, or is a bucket's without s3://")
            }
            return withoutTrailingSlashes(location)
        }
        guard location[..<colon].lowercased() == "file" else {
            throw refuse("only directories and S3 are supported, not \(location[..<colon]):")
        }
        var rest = location[location.index(after: colon)...]
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                throw refuse("its host is not this machine")
            }
            rest = rest.dropFirst(host.count)
        }
        guard rest.hasPrefix("/") else { throw refuse("the URL's path is not absolute") }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw refuse("the URL must not have a query or fragment")
        }
        guard let decoded = rest.percentDecoded(), !decoded.utf8.contains(0) else {
            throw refuse("a percent escape is broken or not UTF-8")
        }
        return withoutTrailingSlashes(decoded)
    }

    /// Whether nobody can have meant a directory, such as a bucket's location in the quotes of a file that takes them as text.
    private static func isMiswritten(_ path: String) -> Bool {
        guard let first = path.first, let last = path.last else { return true }
        if [first, last].contains(where: { $0.isWhitespace || "\"'".contains($0) }) { return true }
        return first != "/" && (path.contains("?") || path.lowercased().hasPrefix("s3/"))
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isASCII == true && text.first?.isLetter == true
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }
}

import Digests
import HTTPServer
import Postgres
import Tokens

extension BoundRoute {
    static let geoJSON = "application/geo+json"

    /// Whether the client would rather have GeoJSON.
    func wantsGeoJSON(_ request: HTTPRequest) -> Bool {
        route.hasPositions && request.headers["Accept"].map { $0.contains(Self.geoJSON) } ?? false
    }

    /// - Throws: `Problem` if there is no row where there must be one; `PostgresError` for what the database returned.
    func response(_ rows: PostgresRows, to request: HTTPRequest, caller: Caller?, asGeoJSON: Bool) throws
        -> HTTPResponse
    {
        switch route.reply {
        case .list: return try page(rows, request, caller, asGeoJSON: asGeoJSON)
        case .one:
            guard let row = rows.first else {
                throw Problem(.notFound, "There is no such \(noun), or it is no longer visible.")
            }
            var bytes: [UInt8] = []
            _ = try row.append("row", to: &bytes)
            return json(bytes, request, caller, type: asGeoJSON ? Self.geoJSON : "application/json")
        case .value(let name):
            guard let row = rows.first else { throw Problem(.internal, "The database returned nothing.") }
            var bytes = Array("{\(JSONText.string(name)):".utf8)
            if try !row.append("row", to: &bytes) { bytes += "null".utf8 }
            bytes.append(UInt8(ascii: "}"))
            return json(bytes, request, caller)
        case .none(let orNotFound):
            if orNotFound, try rows.first?.decode("row", as: String?.self) == "false" {
                throw Problem(.notFound, "There is no such \(noun) of yours.")
            }
            return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
        }
    }

    private var noun: String {
        route.segments.last { !$0.hasPrefix("{") }.map { segment in
            ["activities": "activity", "publish": "draft"][segment]
                ?? (segment.hasSuffix("s") ? String(segment.dropLast()) : String(segment))
        } ?? "thing"
    }

    private func page(
        _ rows: PostgresRows, _ request: HTTPRequest, _ caller: Caller?, asGeoJSON: Bool
    ) throws -> HTTPResponse {
        var bytes = Array(
            (asGeoJSON ? "{\"type\":\"FeatureCollection\",\"features\":[" : "{\"items\":[").utf8)
        for (number, row) in rows.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            _ = try row.append("row", to: &bytes)
        }
        var next: String?
        // A page may be shorter than asked for without being the last: posts may have been hidden meanwhile.
        if isPaged, let last = rows.last { next = try last.decode("cursor", as: String?.self) }
        bytes += "]\(isPaged ? ",\"next\":\(next.map(JSONText.string) ?? "null")" : "")}".utf8
        var response = json(
            bytes, request, caller, type: asGeoJSON ? Self.geoJSON : "application/json")
        if let next {
            var query = request.query.filter { $0.name != "after" }
            query.append(("after", next))
            let text = query.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(
                separator: "&")
            response.headers.add("Link", "<\(request.path)?\(text)>; rel=\"next\"")
        }
        return response
    }

    private func json(
        _ bytes: [UInt8], _ request: HTTPRequest, _ caller: Caller?, type: String = "application/json"
    ) -> HTTPResponse {
        guard [.get, .head].contains(request.method) else {
            return HTTPResponse(
                status: route.status, headers: ["Content-Type": type, "Cache-Control": "no-store"],
                content: .bytes(bytes))
        }
        let tag = "\"" + SHA256Digest(hashing: bytes).hex.prefix(32) + "\""
        var headers: HTTPHeaders = ["ETag": tag, "Vary": "Accept, Authorization"]
        headers.add(
            "Cache-Control",
            caller != nil || route.maxAge == 0 ? "private, no-cache" : "public, max-age=\(route.maxAge)")
        if request.hasTag(tag) { return HTTPResponse(status: 304, headers: headers) }
        headers.add("Content-Type", type)
        return HTTPResponse(headers: headers, content: .bytes(bytes))
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return escaped
    }
}

extension HTTPRequest {
    /// Whether the client has what this tag stands for (RFC 9110, section 13.1.2).
    package func hasTag(_ tag: String) -> Bool {
        guard let given = headers["If-None-Match"] else { return false }
        return given.split(separator: ",").contains { part in
            var part = part.drop { $0 == " " }
            if part.hasPrefix("W/") { part = part.dropFirst(2) }
            while part.last == " " { part = part.dropLast() }
            return part == "*" || part == tag[...]
        }
    }
}

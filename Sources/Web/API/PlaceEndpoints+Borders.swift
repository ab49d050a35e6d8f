import HTTPServer

extension PlaceEndpoints {
    private static let deepestZoom: Int64 = 16

    /// A base map that needs nobody else's server.
    var borders: Endpoint {
        let tag = Endpoint.Parameter("ETag", in: .header, .string(), isRequired: true)
        let number = Schema.integer(minimum: 0, maximum: 1 << Self.deepestZoom - 1)
        return Endpoint(
            method: .get, path: "/places/borders/{zoom}/{x}/{y}", name: "map_borders", tag: "places",
            summary: "The land of each country in a tile of a map, to be drawn below posts",
            description:
                "Tiles are squares of the Web Mercator projection, numbered as map libraries do. One has enough points to be "
                + "drawn 1024 pixels wide.",
            access: .reading,
            parameters: [
                .init("zoom", in: .path, .integer(minimum: 0, maximum: Self.deepestZoom), isRequired: true),
                .init("x", in: .path, number, isRequired: true, "From the west: 0 to 2^zoom − 1"),
                .init("y", in: .path, number, isRequired: true, "From the north: 0 to 2^zoom − 1"),
                .init("If-None-Match", in: .header, .string(), "The ETag of what the client has"),
            ],
            replies: [
                .init(
                    status: 200, description: "The countries with land in the tile",
                    content: [("application/json", .named("MapBorders"))], headers: [tag]),
                .init(status: 304, description: "The client has it", headers: [tag]),
            ]
        ) { [search] request, path, _ in
            func value(_ name: String, below end: Int) throws(Problem) -> Int {
                guard let value = path[name].flatMap({ Int($0) }), (0..<end).contains(value) else {
                    throw Problem(.invalidArgument, "\(name) must be 0 to \(end - 1).", argument: name)
                }
                return value
            }
            _ = try QueryReader(request, [])
            let zoom = try value("zoom", below: Int(Self.deepestZoom) + 1)
            let tile = try await search.borders(
                zoom: zoom, x: try value("x", below: 1 << zoom), y: try value("y", below: 1 << zoom))
            var headers: HTTPHeaders = [
                "Cache-Control": "public, max-age=86400", "ETag": "\"\(tile.version)\"",
            ]
            if request.hasTag("\"\(tile.version)\"") { return HTTPResponse(status: 304, headers: headers) }
            headers.add("Content-Type", "application/json")
            return HTTPResponse(headers: headers, content: .bytes(Array(tile.json.utf8)))
        }
    }
}

extension Schema {
    static let mapBorders = Schema.allRequired([
        (
            "items",
            .array(
                .allRequired([
                    ("country", .string(), "ISO 3166-1"), ("name", .string(), nil),
                    (
                        "rings", .array(.array(.number(minimum: -180, maximum: 180))),
                        "Each is longitude, latitude, longitude, … of its points. What an odd number of rings encloses is the country"
                    ),
                ])), nil
        )
    ])
}

import HTTPServer

/// Finds places for people who type, and says what is at a position.
package protocol PlaceSearch: Sendable {
    /// JSON objects, best first.
    func find(_ text: String, latitude: Double?, longitude: Double?, country: String?, limit: Int)
        async throws
        -> [String]
    /// A JSON object: what is there.
    func place(latitude: Double, longitude: Double) async throws -> String
    /// A JSON object: the land of each country in a tile of a map.
    func borders(zoom: Int, x: Int, y: Int) async throws -> (version: String, json: String)
}

struct PlaceEndpoints: Sendable {
    let search: any PlaceSearch

    init(_ search: any PlaceSearch) { self.search = search }

    private static let headers: HTTPHeaders = [
        "Content-Type": "application/json", "Cache-Control": "public, max-age=3600",
    ]

    static let schemas: [(name: String, schema: Schema)] = [
        ("PlaceSuggestion", .placeSuggestion), ("PlaceAtPosition", .placeAtPosition),
        ("MapBorders", .mapBorders),
    ]

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get, path: "/places", name: "find_places", tag: "places",
                summary:
                    "Places for a text that somebody types: the last word may be unfinished, and a letter wrong",
                access: .reading,
                parameters: [
                    .init(
                        "q", in: .query, .string(minLength: 1, maxLength: 200), isRequired: true,
                        "What was typed"),
                    .init("latitude", in: .query, .number(minimum: -90, maximum: 90), "Where the person is"),
                    .init("longitude", in: .query, .number(minimum: -180, maximum: 180)),
                    .init(
                        "country", in: .query, .string(pattern: "^[A-Z]{2}$"),
                        "The person's country, ISO 3166-1: its places come first"),
                    .init("at_most", in: .query, .integer(minimum: 1, maximum: 50)),
                ],
                replies: [
                    .init(
                        status: 200, description: "The best first",
                        content: [
                            (
                                "application/json",
                                .object(
                                    [("items", .array(.named("PlaceSuggestion")), nil)], required: ["items"])
                            )
                        ])
                ]
            ) { [search] request, _, _ in
                let query = try QueryReader(
                    request, ["q", "latitude", "longitude", "country", "at_most"])
                let position = try query.position()
                let country = query["country"]
                if let country, country.wholeMatch(of: /[A-Z]{2}/) == nil {
                    throw Problem(
                        .invalidArgument, "country must be two capital letters, such as FI.",
                        argument: "country")
                }
                let text = try query.required("q")
                guard text.unicodeScalars.count <= 200 else {
                    throw Problem(.invalidArgument, "q has more than 200 characters.", argument: "q")
                }
                let items = try await search.find(
                    text, latitude: position?.latitude, longitude: position?.longitude, country: country,
                    limit: try query.integer("at_most", in: 1...50) ?? 10)
                return HTTPResponse(
                    headers: Self.headers, content: .bytes(Array("{\"items\":\(JSONText.array(items))}".utf8))
                )
            },
            Endpoint(
                method: .get, path: "/places/at", name: "place_at", tag: "places",
                summary: "What is at a position: country, division, city, place and time zone",
                access: .reading,
                parameters: [
                    .init("latitude", in: .query, .number(minimum: -90, maximum: 90), isRequired: true),
                    .init("longitude", in: .query, .number(minimum: -180, maximum: 180), isRequired: true),
                ],
                replies: [
                    .init(
                        status: 200, description: "What is known of it",
                        content: [("application/json", .named("PlaceAtPosition"))])
                ]
            ) { [search] request, _, _ in
                let query = try QueryReader(request, ["latitude", "longitude"])
                _ = try query.required("latitude")
                guard let position = try query.position() else {
                    throw Problem(.missingParameter, "Give latitude and longitude.", argument: "latitude")
                }
                let place = try await search.place(latitude: position.latitude, longitude: position.longitude)
                return HTTPResponse(headers: Self.headers, content: .bytes(Array(place.utf8)))
            },
            borders,
        ]
    }
}

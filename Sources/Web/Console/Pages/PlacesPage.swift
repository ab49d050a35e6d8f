import Gazetteer
import HTTPServer
import Pages

/// What the gazetteer says of a point or a text, and which rule found it.
struct PlacesPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() throws -> HTTPResponse {
        guard let gazetteer = site.gazetteers?.current else {
            return visit.page("Places") {
                """
                <p>This server has no gazetteer. Build one, and start the server again:</p>
                <pre><code>darkroom gazetteer build</code></pre>
                """
            }
        }
        return try visit.page("Places") {
            """
            <form class="filter" action="/places">
            \(.field("point", "Point", visit.form["point"], hint: "47.6, -122.3"))
            \(.field("text", "Text", visit.form["text"], hint: "Lake Forest Park, WA"))
            <button class="primary">Ask</button></form>
            \(try visit.form["point"].map { try found(at: $0, gazetteer) })
            \(visit.form["text"].map { found(for: $0, gazetteer) })
            """
        }
    }

    private func found(at text: String, _ gazetteer: Gazetteer) throws -> HTML {
        let parts = text.split { $0 == "," || $0 == " " }.compactMap { Double($0) }
        guard parts.count == 2, let point = Coordinate(latitude: parts[0], longitude: parts[1]) else {
            throw ConsoleError.badRequest(
                "“\(text)” is no point: write latitude and longitude, such as 47.6, -122.3.")
        }
        let answer = gazetteer.reverse(point)
        // Each with its type: the compiler would try all types of all texts together.
        let country: String = answer.country.map { "\($0.name) (\($0.code))" } ?? "none"
        let division: String? = answer.admin1.map { "\($0.name) (\($0.iso ?? $0.code))" }
        let place: String? = answer.place.map {
            "\($0.name), GeoNames \($0.geonameid), \($0.population) people"
        }
        let away: String? = answer.distanceMetres.map { "\(Int($0)) m" }
        let sea: String? = answer.sea.map { $0.name ?? "without a name" }
        let facts: [(String, String?)] = [
            ("country", country), ("country's rule", Self.words(answer.certainty)),
            ("division", division), ("division's rule", answer.admin1Certainty.map(Self.words)),
            ("place", place), ("away", away), ("time zone", answer.timeZone), ("sea", sea),
        ]
        return """
            <h2>The point \(point.latitude), \(point.longitude)</h2>
            \(.facts(facts.map { name, value in (name, value.map { "\($0)" }) }))
            """
    }

    private static func words(_ certainty: ReverseAnswer.Certainty) -> String {
        switch certainty {
        case .insideBorder: "the point is inside of the country's border"
        case .nearBorder(let metres):
            "the point is outside of every border, \(Int(metres)) m from the nearest"
        case .nearestPlace: "the country of the nearest place: near a border it may be wrong"
        case .remote: "nothing is near enough"
        }
    }

    private static func words(_ certainty: ReverseAnswer.DivisionCertainty) -> String {
        switch certainty {
        case .insideBorder: "the point is inside of the division's border"
        case .nearBorder(let metres):
            "the point is outside of every border, \(Int(metres)) m from the nearest"
        case .nearestPlace: "the division of the nearest place: near its border it may be wrong"
        }
    }

    private func found(for text: String, _ gazetteer: Gazetteer) -> HTML {
        let suggestions = gazetteer.suggest(text, limit: 20)
        return """
            <h2>The text “\(.said(text))”</h2>
            \(.table(
                "Places for the text", ["Place", "Level", "Matched name", "Rule", "Point"],
                suggestions.map { place in
                    let point = "\(place.coordinate.latitude), \(place.coordinate.longitude)"
                    return [
                        "\(place.label)", "\(place.level.rawValue)", "\(place.matchedName)", "\(place.match.rawValue)",
                        .link(point, "/places?point=\(Form.encoded(point))"),
                    ]
                }, empty: "No place has this name."))
            """
    }
}

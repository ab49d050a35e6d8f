import Arguments
import Gazetteer

extension ReverseAnswer {
    /// The answer with the city of the point, and with names in `language` if given.
    func json(at coordinate: Coordinate, language: String?) -> JSON {
        guard case .object(var members) = json else { return json }
        let city = city(at: coordinate)
        func place(_ place: Place?) -> JSON {
            JSON.optional(place) {
                .object([("geonameid", .integer(Int64($0.geonameid))), ("name", .string($0.name))])
            }
        }
        members += [("city", place(city?.city)), ("locality", place(city?.locality))]
        if let language {
            let names = names(city, language)
            members.append(
                (
                    "names",
                    .object(
                        [("language", .string(language))]
                            + names.map { ($0.role, JSON.optional($0.name) { .string($0) }) })
                ))
        }
        return .object(members)
    }

    /// The lines below the nearest place: the city, and names in a language.
    func remarks(at coordinate: Coordinate, language: String?) -> [String] {
        let city = city(at: coordinate)
        var lines: [String] = []
        if let city, let locality = city.locality {
            lines.append("\(locality.name) is part of \(city.city.name)")
        }
        if let language {
            let names = names(city, language).filter { $0.role != "place" }.compactMap(\.name)
            lines.append("\(language): \(names.joined(separator: ", "))")
        }
        return lines
    }

    private func names(_ city: CityAnswer?, _ language: String) -> [(role: String, name: String?)] {
        func name(_ place: Place?) -> String? { place.map { gazetteer.name(of: $0, language: language) } }
        return [
            ("place", name(place)), ("locality", name(city?.locality)), ("city", name(city?.city)),
            ("division", admin1.map { gazetteer.name(of: $0, language: language) }),
            ("country", country.map { gazetteer.name(of: $0, language: language) }),
        ]
    }
}

import HTTPServer

/// The query of a request whose endpoint calls no SQL function.
struct QueryReader {
    private var values: [String: String] = [:]

    /// - Throws: `Problem` for a parameter that is not among `known`, or comes twice.
    init(_ request: HTTPRequest, _ known: [String]) throws(Problem) {
        for (name, value) in request.query {
            guard known.contains(name) else {
                throw Problem(
                    .unknownParameter,
                    "The query has no parameter \(name). "
                        + (known.isEmpty ? "It takes none." : "It takes \(known.joined(separator: ", "))."),
                    argument: name)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem(.invalidRequest, "The parameter \(name) is given twice.", argument: name)
            }
        }
    }

    /// The query of an address that a file server has passed on: what is not understood is left out.
    init(uri: String) {
        let query = uri.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func required(_ name: String) throws(Problem) -> String {
        guard let value = values[name], !value.isEmpty else {
            throw Problem(.missingParameter, "Give \(name) in the query.", argument: name)
        }
        return value
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let text = values[name] else { return nil }
        guard let plain = ParameterType(base: "float8", type: "float8").text(.string(text)),
            let number = Double(plain), range.contains(number)
        else {
            throw Problem(
                .invalidArgument, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).",
                argument: name)
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(
                .invalidArgument,
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).",
                argument: name)
        }
        return number
    }

    /// Both coordinates or none.
    func position() throws(Problem) -> (latitude: Double, longitude: Double)? {
        let latitude = try number("latitude", in: -90...90)
        let longitude = try number("longitude", in: -180...180)
        if let latitude, let longitude { return (latitude, longitude) }
        guard latitude == nil, longitude == nil else {
            throw Problem(
                .invalidArgument, "Give both latitude and longitude, or neither.", argument: "longitude")
        }
        return nil
    }
}

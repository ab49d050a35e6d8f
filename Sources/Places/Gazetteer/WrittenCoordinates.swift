import PlainText

/// A point that a text gives as coordinates, in one of the usual notations:
///
/// - decimal degrees: `47.6062, -122.3321`, with a comma, a semicolon, a slash or a blank between; with a decimal comma if the
///   text cannot be read otherwise (`47,6062; -122,3321`);
/// - with hemispheres before or after, as letters or as words of English, French, Spanish, Italian, Portuguese, German, Dutch,
///   Korean, Japanese or Chinese:
///   `N 47.6062 W 122.3321`, `47.6062N, 122.3321W`, `47,6062 Nord 122,3321 Ouest`; then either may come first, and a dash may
///   stand between: `47.6062 N – 122.3321 W`;
/// - degrees and minutes, or degrees, minutes and seconds: `47°36'22"N 122°19'56"W`, `47d36m22s N, 122d19m56s W`,
///   `47 36.37 N 122 19.93 W`; signs of inches and primes are the same;
/// - a URI of RFC 5870: `geo:47.6,-122.3;u=35`, where `u` is the uncertainty in metres; or Android's,
///   `geo:47.6,-122.3?z=12` and `geo:0,0?q=47.6,-122.3(Pier)`; `geo:0,0?q=Seattle` is a text to look for: see `searched(_:)`;
/// - well-known text: `POINT(-122.3 47.6)`, `SRID=4326;POINT(-122.3 47.6)`;
/// - an address of a map: `https://www.google.com/maps/@47.6,-122.3,15z`, `https://www.openstreetmap.org/#map=15/47.6/-122.3`,
///   `https://maps.apple.com/?ll=47.6,-122.3`;
/// - ISO 6709: `+47.6062-122.3321/`, `+4736.4-12219.9/`, `+473622-1221956/`.
///
/// A word that says what follows ("GPS: ") and quotation marks around are left out.
/// Numbers without signs, hemispheres, fractions or units need a comma and a blank between them, or a semicolon: "24 12" and
/// "24/12" are dates as well, and "1,5" is one number. Latitude comes first unless the text says otherwise.
package struct WrittenCoordinates: Sendable, Hashable {
    /// Why something that is written as coordinates is no point.
    package enum Fault: Sendable, Hashable, CustomStringConvertible {
        /// Not within −90...90 degrees.
        case latitude
        /// Not within −180...180 degrees.
        case longitude
        /// The first number can only be a longitude.
        case longitudeFirst
        /// 60 or more.
        case minutes
        /// 60 or more.
        case seconds
        /// Two latitudes or two longitudes.
        case sameAxis
        /// A minus sign and a hemisphere, two hemispheres, or a fraction before smaller units.
        case contradiction
        /// A `geo:` URI in another coordinate system, or one that is not complete.
        case uri
        /// They lie far from the place that the text names as well.
        case place
        /// A dash between them, which may be a minus sign.
        case dash
        /// "O", which is east in one language and west in others.
        case openLongitude
        /// Well-known text that is no point in degrees.
        case wellKnownText

        package var description: String {
            switch self {
            case .latitude: "the latitude must be from -90 to 90 degrees"
            case .longitude: "the longitude must be from -180 to 180 degrees"
            case .longitudeFirst: "the latitude, from -90 to 90 degrees, comes before the longitude"
            case .minutes: "minutes must be less than 60"
            case .seconds: "seconds must be less than 60"
            case .sameAxis: "one number must be the latitude (N or S) and the other the longitude (E or W)"
            case .contradiction: "its signs, hemispheres or units contradict each other"
            case .place: "the coordinates are far from the place that the text names"
            case .dash: "the dash may be a minus sign: write a comma between the two numbers"
            case .openLongitude: "“O” is east in German and west in French: write E or W"
            case .wellKnownText:
                "well-known text must be like POINT(-122.3 47.6), with the longitude first, in degrees of WGS 84"
            case .uri: "a geo: address must be like geo:47.6,-122.3, in WGS 84"
            }
        }
    }

    package enum Reading: Sendable, Hashable {
        case point(WrittenCoordinates)
        case fault(Fault)
    }

    package let coordinate: Coordinate
    /// The radius that the text states, in metres: only a `geo:` URI can.
    package let uncertaintyMetres: Double?

    /// Reads a text; nil if it is not written as coordinates.
    package static func read(_ text: String) -> Reading? {
        if let asked = searched(text) { return read(asked) }
        if let address = mapAddress(text) { return address }
        guard text.utf8.count <= 200 else { return nil }
        let trimmed = trimmed(String(withoutLabel(trimmed(plain(text)))))
        if trimmed.lowercased().hasPrefix("geo:") { return uri(trimmed.dropFirst(4)) }
        if let reading = wellKnownText(trimmed) ?? iso6709(trimmed) { return reading }
        if isOneNumber(trimmed) || isEpisode(trimmed) { return nil }
        // A comma between digits separates the numbers, unless only a decimal comma makes sense.
        let readings = [AngleToken.Comma.separates, .isDecimalPoint].compactMap { comma in
            AngleToken.tokens(of: trimmed, comma).flatMap {
                AnglePair.reading(of: $0, isTight: hasTightComma(trimmed))
            }
        }
        return readings.first { if case .point = $0 { true } else { false } } ?? readings.first
    }

    /// - Parameter isOrderStated: the text says itself which number is the latitude.
    static func point(
        _ latitude: Double, _ longitude: Double, uncertainty: Double? = nil, isOrderStated: Bool = false
    ) -> Reading {
        guard abs(latitude) <= 90 else {
            let isSwapped = !isOrderStated && abs(latitude) <= 180 && abs(longitude) <= 90
            return .fault(isSwapped ? .longitudeFirst : .latitude)
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            return .fault(.longitude)
        }
        return .point(WrittenCoordinates(coordinate: coordinate, uncertaintyMetres: uncertainty))
    }

    /// RFC 5870: coordinates, then parameters after semicolons. An altitude is ignored. Android adds a query, whose `q` is
    /// what is meant if the coordinates are 0,0 ("Common intents", developer.android.com/guide/components/intents-common#Maps).
    private static func uri(_ text: some StringProtocol) -> Reading {
        let halves = String(text).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if halves.count > 1, case .point(let written) = uri(halves[0]), written.coordinate.isOrigin {
            return .fault(.uri)
        }
        let parts = halves[0].lowercased().split(separator: ";", omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ",", omittingEmptySubsequences: false).map { number($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
            numbers.count < 3 || numbers[2] != nil
        else { return .fault(.uri) }
        var uncertainty: Double?
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            switch pair.first {
            case "crs": guard pair.count == 2, pair[1] == "wgs84" else { return .fault(.uri) }
            case "u":
                guard pair.count == 2, let metres = number(pair[1]), metres >= 0 else { return .fault(.uri) }
                uncertainty = metres
            default: continue
            }
        }
        return point(latitude, longitude, uncertainty: uncertainty, isOrderStated: true)
    }

    /// Well-known text (OGC 06-103r4, 7.2): a point with its longitude first. PostGIS writes the number of WGS 84 before it.
    private static func wellKnownText(_ text: Substring) -> Reading? {
        let halves = text.lowercased().split(separator: "(", maxSplits: 1)
        guard halves.count == 2, let first = halves[1].first(where: { !$0.isWhitespace }) else { return nil }
        let name = String(halves[0].filter { !$0.isWhitespace }.drop { "\"'“”".contains($0) })
        let isSQL = ["st_point", "st_makepoint", "st_geomfromtext", "st_geogfromtext", "st_setsrid"].contains(
            name)
        guard isSQL || "+-−–.(".contains(first) || first.isNumber else { return nil }
        let kind = name.hasPrefix("srid=4326;") ? String(name.dropFirst(10)) : name
        if ["point", "pointz"].contains(kind) {
            let numbers = halves[1].split(whereSeparator: \.isWhitespace).map {
                number($0.replacing("−", with: "-").replacing("–", with: "-"))
            }
            guard 2...3 ~= numbers.count, let longitude = numbers[0], let latitude = numbers[1],
                numbers.last != .some(nil)
            else { return .fault(.wellKnownText) }
            return point(latitude, longitude, isOrderStated: true)
        }
        let isOther = ["pointm", "pointzm", "linestring", "polygon", "multipoint"].contains(kind)
        return isOther || isSQL || name.hasPrefix("srid=") ? .fault(.wellKnownText) : nil
    }

    /// Where a map of Google, Apple, OpenStreetMap or Waze shows a pin, else its middle, by the address that people copy. Nil for
    /// another address, and for one of a way from one place to another.
    private static func mapAddress(_ text: String) -> Reading? {
        guard text.utf8.count <= 4_000 else { return nil }
        var rest = trimmed(text)
        for scheme in ["https://", "http://"] where rest.lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
        }
        let host = rest.prefix { !"/?#".contains($0) }.lowercased()
        let labels = host.split(separator: ".")
        let isGoogle = labels.contains("google") && (host.hasPrefix("maps.") || rest.contains("/maps"))
        let others = [
            "maps.apple.com", "www.openstreetmap.org", "openstreetmap.org", "www.waze.com", "waze.com",
        ]
        guard isGoogle || others.contains(host), !rest.contains("/dir/"), !rest.contains("/directions") else {
            return nil
        }
        func pair(_ text: some StringProtocol, separator: Character = ",") -> Reading? {
            let decoded = String(text).percentDecoded(plusIsSpace: true) ?? String(text)
            let numbers = (decoded.hasPrefix("loc:") ? String(decoded.dropFirst(4)) : decoded)
                .split(separator: separator, omittingEmptySubsequences: false)
                .map { number($0.filter { !$0.isWhitespace }) }
            guard numbers.count > 1, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
            return point(latitude, longitude, isOrderStated: true)
        }
        let pieces = rest.dropFirst(host.count).split { "?&#".contains($0) }
        var values: [Substring: Substring] = [:]
        for piece in pieces {
            guard let sign = piece.firstIndex(of: "=") else { continue }
            values[piece[..<sign]] = values[piece[..<sign]] ?? piece[piece.index(after: sign)...]
        }
        if let pin = rest.firstRange(of: "!3d")?.upperBound,
            let reading = pair(rest[pin...].replacing("!4d", with: "!"), separator: "!")
        {
            return reading
        }
        if let latitude = values["mlat"], let longitude = values["mlon"] {
            return pair("\(latitude),\(longitude)")
        }
        for key in ["q", "query", "ll", "coordinate", "center"] as [Substring] {
            if let reading = values[key].flatMap({ pair($0) }) { return reading }
        }
        for mark in ["/@", "/place/", "/search/"] {
            guard let start = rest.firstRange(of: mark)?.upperBound else { continue }
            if let reading = pair(rest[start...].prefix { !"/?#".contains($0) }) { return reading }
        }
        // OpenStreetMap's has the zoom first.
        guard let map = values["map"], let slash = map.firstIndex(of: "/") else { return nil }
        return pair(map[map.index(after: slash)...], separator: "/")
    }

    /// The decoded value of `q`; blank if there is none.
    private static func query(_ text: Substring) -> String {
        let asked = text.split(separator: "&").first { $0.hasPrefix("q=") }?.dropFirst(2) ?? ""
        return asked.percentDecoded(plusIsSpace: true) ?? ""
    }

    /// What an address of Android's asks for, without a label: "Pike Place, Seattle" of `geo:0,0?q=Pike+Place,+Seattle(Market)`.
    /// Nil for any other text.
    static func searched(_ text: String) -> String? {
        let halves = trimmed(text).split(separator: "?", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased().hasPrefix("geo:"),
            case .point(let written) = uri(halves[0].dropFirst(4)), written.coordinate.isOrigin
        else { return nil }
        let asked = query(halves[1]).prefix { $0 != "(" }
        return asked.allSatisfy(\.isWhitespace) ? nil : String(asked)
    }

    /// With ASCII's digits and signs instead of Arabic, Indian and full-width ones, and Russian's hemispheres as letters.
    private static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
                plain.append(Unicode.Scalar(UInt8(0x30 + value)))
            } else if 0xFF01...0xFF5E ~= scalar.value {
                plain.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            } else {
                plain.append(scalar == "\u{66B}" ? "." : scalar == "\u{60C}" ? "," : scalar)
            }
        }
        var letters = String(plain)
        guard letters.contains("ш") || letters.contains("д") else { return letters }
        for (words, letter) in [("с ш", "N"), ("ю ш", "S"), ("в д", "E"), ("з д", "W")] {
            for ending in [".", ""] {
                for between in [". ", ".", " "] {
                    letters = letters.replacing(
                        words.replacing(" ", with: between) + ending, with: letter)
                }
            }
        }
        return letters
    }

    private static func trimmed(_ text: String) -> Substring {
        text[...].unicodeScalars.trimmed {
            // What is pasted may begin with a mark of its direction.
            $0.properties.isWhitespace || $0.properties.generalCategory == .format
                || "()[]".unicodeScalars.contains($0)
        }
    }

    /// Without what people write before coordinates, quotation marks around them, and a full stop or comma behind.
    private static func withoutLabel(_ text: Substring) -> Substring {
        var rest = text
        if let colon = rest.firstIndex(of: ":"), labels.contains(rest[..<colon].lowercased()) {
            rest = rest[rest.index(after: colon)...].drop(while: \.isWhitespace)
        }
        rest = rest.drop { "📍@ ".unicodeScalars.contains($0.unicodeScalars[$0.unicodeScalars.startIndex]) }
        while let last = rest.last, ".,;".contains(last) { rest.removeLast() }
        if let first = rest.first, let last = rest.last, rest.count > 2, "\"“„«".contains(first),
            "\"”“»".contains(last)
        {
            rest = rest.dropFirst().dropLast()
        }
        return rest
    }

    private static let labels: Set = [
        "gps", "coordinates", "coords", "coord", "location", "position", "pos", "wkt", "lat/lon", "lat,lon",
        "lat/lng",
        "lat,lng", "koordinaten", "standort", "coordonnées", "coordenadas", "ubicación", "coordinate",
        "posizione",
        "localização", "координаты", "座標", "坐标", "좌표",
    ]

    /// "S01E02" is an episode.
    private static func isEpisode(_ text: Substring) -> Bool {
        let halves = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].first == "s" else { return false }
        return [halves[0].dropFirst(), halves[1]].allSatisfy {
            1...2 ~= $0.count && $0.allSatisfy(\.isNumber)
        }
    }

    /// Whether a comma stands between two digits.
    private static func hasTightComma(_ text: Substring) -> Bool {
        zip(text, zip(text.dropFirst(), text.dropFirst(2))).contains {
            $0.isNumber && $1.0 == "," && $1.1.isNumber
        }
    }

    /// Most of the world writes one and a half as "1,5".
    private static func isOneNumber(_ text: Substring) -> Bool {
        let halves = text.split(omittingEmptySubsequences: false) { ",，、".contains($0) }
        return halves.count == 2
            && halves.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// A number as RFC 5870 and ISO 6709 write it: a minus sign or none, digits, a fraction or none.
    private static func number(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.drop { $0 == 0x2D }
        guard text.utf8.count - digits.count <= 1, let first = digits.first, (0x30...0x39).contains(first),
            digits.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let value = Double(text)
        else { return nil }
        return value
    }

    /// Two numbers with signs and nothing between, then an altitude or not, and a slash or not. The number of digits
    /// before the point says whether minutes and seconds are part of it.
    private static func iso6709(_ text: Substring) -> Reading? {
        var bytes = Array(text.utf8)[...]
        func next() -> SignedNumber? {
            guard let sign = bytes.first, sign == 0x2B || sign == 0x2D else { return nil }
            let rest = bytes.dropFirst().prefix { (0x30...0x39).contains($0) || $0 == 0x2E }
            bytes = bytes.dropFirst(rest.count + 1)
            let digits = rest.prefix { $0 != 0x2E }.count
            guard let value = number(String(decoding: rest, as: UTF8.self)) else { return nil }
            return SignedNumber(
                isNegative: sign == 0x2D, digits: digits, hasFraction: digits < rest.count, value: value)
        }
        guard let north = next(), let east = next() else { return nil }
        if let sign = bytes.first, sign == 0x2B || sign == 0x2D { guard next() != nil else { return nil } }
        if bytes.starts(with: "CRSWGS_84".utf8) { bytes = bytes.dropFirst(9) }
        let isComplete = bytes.elementsEqual("/".utf8)
        // "+1-555" may be a telephone number.
        guard isComplete || bytes.isEmpty && (north.hasFraction || east.hasFraction) else { return nil }
        let units: Int
        switch (north.digits, east.digits) {
        case (1...3, 1...3): units = 1
        case (4, 5): units = 2
        case (6, 7): units = 3
        default: return nil
        }
        func angle(_ number: SignedNumber) -> Angle {
            let whole = number.value
            var components: [Double] = []
            switch units {
            case 1: components = [whole]
            case 2: components = [(whole / 100).rounded(.down), whole.truncatingRemainder(dividingBy: 100)]
            default:
                components = [
                    (whole / 10_000).rounded(.down),
                    (whole / 100).rounded(.down).truncatingRemainder(dividingBy: 100),
                    whole.truncatingRemainder(dividingBy: 100),
                ]
            }
            return Angle(components: components, isNegative: number.isNegative)
        }
        return AnglePair(first: angle(north), second: angle(east)).reading
    }

    private struct SignedNumber {
        var isNegative: Bool
        /// Before the point.
        var digits: Int
        var hasFraction: Bool
        var value: Double
    }
}

extension Coordinate {
    fileprivate var isOrigin: Bool { latitude == 0 && longitude == 0 }
}

extension Substring.UnicodeScalarView {
    fileprivate func trimmed(_ isOuter: (Unicode.Scalar) -> Bool) -> Substring {
        var rest = self
        while let first = rest.first, isOuter(first) { rest.removeFirst() }
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return Substring(rest)
    }
}

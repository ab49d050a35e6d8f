package import Gazetteer
package import Imaging
import JobQueue
package import Posts

/// Where a photo was taken, and the source of that position.
package struct Location: Sendable, Equatable {
    package let coordinate: Coordinate
    package let source: LocationSource
    /// The source's estimate of its error radius in metres, up to 1 000 000, or the radius of the place, division or
    /// country that the uploader typed; nil if there is none.
    package let accuracyMetres: Double?
    package let precision: LocationPrecision
    /// What the uploader typed; nil if the location has another source.
    package let match: PlaceMatch?

    package init(coordinate: Coordinate, source: LocationSource, accuracyMetres: Double? = nil) {
        self.coordinate = coordinate
        self.source = source
        self.accuracyMetres = accuracyMetres
        precision = LocationPrecision(accuracyMetres: accuracyMetres)
        match = nil
    }

    package init(_ match: PlaceMatch) {
        coordinate = match.coordinate
        source = .text
        // A `geo:` URI may state 0, or more than the Earth.
        accuracyMetres = match.radiusMetres.flatMap { $0 > 0 ? min($0, Self.mostMetres) : nil }
        precision =
            switch match.precision {
            case .country: .country
            case .division: .division
            case .city: .city
            case .place: .place
            case .point: LocationPrecision(accuracyMetres: accuracyMetres)
            }
        self.match = match
    }

    /// The GeoNames number of the place, division or country that the uploader typed; nil for points and other sources.
    package var typedPlace: Int? { match?.geonameid }

    /// More than half the Earth's circumference; no accuracy is larger.
    package static let mostMetres = 20_040_000.0

    /// Decides where a photo was taken. It is pure except for looking up a typed place.
    ///
    /// The uploader's explicit word takes precedence over the camera's: first coordinates, then a
    /// typed place that the gazetteer knows, then EXIF or XMP.
    ///
    /// - Throws: ``AttemptError``, rejected with `place_ambiguous`, `place_unknown`, `bad_coordinates`, `invalid_gps`
    ///   or `no_location`.
    package static func find(
        coordinates: Coordinate?, accuracyMetres: Double? = nil, typed: TypedPlace?, gps: GPSReading,
        gazetteer: Gazetteer
    ) throws -> Location {
        if let coordinates {
            return Location(coordinate: coordinates, source: .device, accuracyMetres: accuracyMetres)
        }
        var answer: ForwardAnswer?
        if let typed {
            answer = gazetteer.forward(typed.text, near: typed.near, country: typed.country)
            if case .match(let match) = answer { return Location(match) }
        }
        if case .valid(let fix, let source) = gps,
            let coordinate = Coordinate(latitude: fix.latitude, longitude: fix.longitude)
        {
            return Location(
                coordinate: coordinate, source: source == .xmp ? .xmp : .exif,
                accuracyMetres: fix.believedAccuracy)
        }
        throw rejection(answer, text: typed?.text ?? "", gps: gps)
    }

    /// Refuses a position with a larger radius of uncertainty than the posting policy takes; typed places have no position.
    ///
    /// - Throws: ``AttemptError``, rejected with `location_too_inaccurate`.
    package func requireAccuracy(_ most: Double?) throws {
        guard let most, let accuracyMetres, accuracyMetres > most, [.point, .area].contains(precision) else {
            return
        }
        throw AttemptError.rejected(
            PostingObjection.Code.locationTooInaccurate.rawValue,
            "The position of this photo is known to \(Int(accuracyMetres.rounded(.up))) m only, and must be known to "
                + "\(Int(most)) m here. Please choose the location yourself.")
    }

    private static func rejection(_ answer: ForwardAnswer?, text: String, gps: GPSReading) -> AttemptError {
        switch answer {
        case .ambiguous(let candidates):
            return .rejected(
                .placeAmbiguous,
                "“\(text)” matches several places (\(ForwardAnswer.names(candidates))). Please choose one.")
        case .noMatch(let suggestions) where !suggestions.isEmpty:
            return .rejected(
                .placeUnknown,
                "We cannot find a place called “\(text)”. Did you mean \(ForwardAnswer.names(suggestions))?")
        case .badCoordinates(let fault):
            return .rejected(
                .badCoordinates,
                "“\(text)” is not a point on the Earth: \(fault). Please correct the coordinates.")
        case .noMatch, .match:
            return .rejected(
                .placeUnknown,
                "We cannot find a place called “\(text)”. Please check the spelling or enter coordinates.")
        case nil:
            break
        }
        switch gps {
        case .invalid(let reason):
            return .rejected(
                .invalidGPS,
                "This photo's GPS data is not usable. \(reason) Please choose the location yourself.")
        case .nullIsland:
            return .rejected(
                .noLocation,
                "This photo's GPS data says 0°, 0°, which cameras write when they have no position. "
                    + "Please choose the location yourself.")
        case .absent, .valid:
            return .rejected(
                .noLocation,
                "This photo does not say where it was taken. Please choose the location.")
        }
    }
}

/// What an uploader typed, and what decides if it is ambiguous.
package struct TypedPlace: Sendable, Equatable {
    package let text: String
    /// Where the uploader is.
    package let near: Coordinate?
    /// The uploader's country, ISO 3166-1 alpha-2.
    package let country: String?

    package init(_ text: String, near: Coordinate? = nil, country: String? = nil) {
        self.text = text
        self.near = near
        self.country = country
    }
}

extension GPSFix {
    /// Cameras write 0 if they do not know it. A radius above 1 000 km is no more useful than that limit.
    var believedAccuracy: Double? { accuracy.flatMap { $0 > 0 ? min($0, 1_000_000) : nil } }
}

extension Upload {
    var coordinates: Coordinate? {
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    var typedPlace: TypedPlace? {
        guard let placeText, !placeText.isEmpty else { return nil }
        let near = placeNearLatitude.flatMap { latitude in
            placeNearLongitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
        }
        return TypedPlace(placeText, near: near, country: placeCountry)
    }
}

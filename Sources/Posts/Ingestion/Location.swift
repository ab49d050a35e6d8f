package import Gazetteer
package import Imaging
import JobQueue
package import Posts

/// Where a photo was taken, and the source of that position.
package struct Location: Sendable, Equatable {
    package let coordinate: Coordinate
    package let source: LocationSource
    /// The source's estimate of its error radius in metres, up to 1 000 000; nil if it gave none.
    package let accuracyMetres: Double?
    /// The GeoNames number of the place, division or country that the uploader typed; nil for other sources.
    package let typedPlace: Int?

    package init(
        coordinate: Coordinate, source: LocationSource, accuracyMetres: Double? = nil, typedPlace: Int? = nil
    ) {
        self.coordinate = coordinate
        self.source = source
        self.accuracyMetres = accuracyMetres
        self.typedPlace = typedPlace
    }

    /// Decides where a photo was taken. It is pure except for looking up a typed place.
    ///
    /// The uploader's explicit word takes precedence over the camera's: first coordinates, then a
    /// typed place that the gazetteer knows, then EXIF or XMP.
    ///
    /// - Throws: ``AttemptError``, rejected with `place_ambiguous`, `place_unknown`, `invalid_gps` or
    ///   `no_location`.
    package static func find(
        coordinates: Coordinate?, accuracyMetres: Double? = nil, placeText: String?, gps: GPSReading,
        gazetteer: Gazetteer
    ) throws -> Location {
        if let coordinates {
            return Location(coordinate: coordinates, source: .device, accuracyMetres: accuracyMetres)
        }
        var typed: ForwardAnswer?
        if let placeText, !placeText.isEmpty {
            let answer = gazetteer.forward(placeText)
            if case .match(let match) = answer {
                return Location(
                    coordinate: match.place.coordinate, source: .text, typedPlace: match.place.geonameid)
            }
            typed = answer
        }
        if case .valid(let fix, let source) = gps,
            let coordinate = Coordinate(latitude: fix.latitude, longitude: fix.longitude)
        {
            return Location(
                coordinate: coordinate, source: source == .xmp ? .xmp : .exif,
                accuracyMetres: fix.believedAccuracy)
        }
        throw rejection(typed: typed, text: placeText ?? "", gps: gps)
    }

    private static func rejection(typed: ForwardAnswer?, text: String, gps: GPSReading) -> AttemptError {
        switch typed {
        case .ambiguous(let candidates):
            let names = candidates.prefix(3).map(\.label).joined(separator: "; ")
            return .rejected(
                .placeAmbiguous, "“\(text)” matches several places (\(names)). Please choose one.")
        case .noMatch(let suggestions) where !suggestions.isEmpty:
            let names = suggestions.prefix(3).map(\.label).joined(separator: "; ")
            return .rejected(
                .placeUnknown, "We cannot find a place called “\(text)”. Did you mean \(names)?")
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

extension GPSFix {
    /// Cameras write 0 if they do not know it. A radius above 1 000 km is no more useful than that limit.
    var believedAccuracy: Double? { accuracy.flatMap { $0 > 0 ? min($0, 1_000_000) : nil } }
}

extension Upload {
    var coordinates: Coordinate? {
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

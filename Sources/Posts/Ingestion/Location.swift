package import Gazetteer
package import Imaging
import JobQueue
package import Posts

/// Where a photo was taken and how that is known.
package struct Location: Sendable, Equatable {
    package let coordinate: Coordinate
    package let source: LocationSource
    /// The radius within which the source believed the place to be, metres, up to 1 000 000; nil where it did not say.
    package let accuracyMetres: Double?

    package init(coordinate: Coordinate, source: LocationSource, accuracyMetres: Double? = nil) {
        self.coordinate = coordinate
        self.source = source
        self.accuracyMetres = accuracyMetres
    }

    /// Decides where a photo was taken; pure but for the look-up of a typed place.
    ///
    /// What the uploader said explicitly is believed before what the camera wrote: coordinates, then a
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
                return Location(coordinate: match.place.coordinate, source: .text)
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
                "place_ambiguous", "“\(text)” could be several places (\(names)). Please say which.")
        case .noMatch(let suggestions) where !suggestions.isEmpty:
            let names = suggestions.prefix(3).map(\.label).joined(separator: "; ")
            return .rejected(
                "place_unknown", "No place called “\(text)” is known. Did you mean \(names)?")
        case .noMatch, .match:
            return .rejected(
                "place_unknown",
                "No place called “\(text)” is known. Please check the spelling or give coordinates.")
        case nil:
            break
        }
        switch gps {
        case .invalid(let reason):
            return .rejected(
                "invalid_gps",
                "The photo's GPS data cannot be used (\(reason)). Please choose a location by hand.")
        case .nullIsland:
            return .rejected(
                "no_location",
                "The photo's GPS data says 0°, 0°, which cameras write when they have no position. "
                    + "Please choose a location by hand.")
        case .absent, .valid:
            return .rejected(
                "no_location",
                "The photo does not say where it was taken and no location was given. "
                    + "Please choose a location by hand.")
        }
    }
}

extension GPSFix {
    /// Cameras write 0 where they do not know; a radius beyond 1 000 km says no more than that.
    var believedAccuracy: Double? { accuracy.flatMap { $0 > 0 ? min($0, 1_000_000) : nil } }
}

extension Upload {
    var coordinates: Coordinate? {
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

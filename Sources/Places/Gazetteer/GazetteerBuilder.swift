import ChildProcess
import Glibc

/// What a build is doing.
package enum BuildProgress: Sendable, Hashable {
    /// Reading an input; `bytes` of `total` are done.
    case reading(file: String, bytes: Int, total: Int)
    case sorting(names: Int)
    case writing(bytes: Int)
}

/// What a build has made, and what it left out.
package struct BuildSummary: Sendable, Hashable {
    package var places = 0
    package var sections = 0
    package var names = 0
    package var countries = 0
    package var admin1s = 0
    package var borderEdges = 0
    /// Polygons that match no country in the table; left out.
    package var bordersWithoutCountry = 0
    /// Polygons of first-level divisions.
    package var divisionBorders = 0
    /// Countries whose borders are those of their time zones.
    package var countriesByZone = 0
    /// Polygons that match no division by the places inside, code or name; left out.
    package var bordersWithoutDivision = 0
    /// Polygons that mix divisions: in them, the nearest place decides.
    package var mixedDivisionBorders = 0
    /// Codes and names of divisions that no look-up can return, because they have neither a place nor a polygon.
    package var unreachableDivisions: [String] = []
    package var seas = 0
    /// Polygons of time zones.
    package var zoneBorders = 0
    /// Numbers, names and countries of places that were left out, because their coordinates are in another country.
    package var misplaced: [String] = []
    /// Places that the polygons around them contradict: see `Gazetteer.reverse(_:)`.
    package var overrulingPlaces = 0
    package var fileSize = 0
    /// Rows that are not a populated place, or are a historical, abandoned or destroyed one.
    package var skippedByClass = 0
    /// Rows without a country.
    package var skippedWithoutCountry = 0
    /// Rows whose geonameid occurs in an earlier row.
    package var skippedRepeated = 0
    /// Places whose division is missing from the table of divisions.
    package var withoutAdmin1Name = 0
}

/// Builds an index file from GeoNames tables, and from polygons if given.
///
/// The same inputs give the same bytes, on any machine and whatever the order of files in the folder.
/// Rows of feature class P become places, except PPLH, PPLCH, PPLQ and PPLW (historical, abandoned,
/// destroyed); PPLX (a section of a place) is only found by text. If several dumps contain a
/// geonameid, the first wins.
package struct GazetteerBuilder: Sendable {
    package var inputs: [GazetteerInput]
    /// The path of GDAL's ogr2ogr, which converts other formats of polygons to GeoJSON; nil if there is none.
    package var ogr2ogr = ChildProgram.find("ogr2ogr")

    package init(inputs: [GazetteerInput]) {
        self.inputs = inputs
    }

    /// Builds the index and installs it in one step (temporary file, fsync, rename).
    ///
    /// Blocks the calling thread for seconds: call it on your own thread. An existing file is only replaced by a
    /// complete one, and readers that have it open keep it.
    /// - Throws: `GazetteerError`; for bad input it names the file, line and column.
    package func build(to path: String, progress: (BuildProgress) -> Void = { _ in }) throws(GazetteerError)
        -> BuildSummary
    {
        for kind in [GazetteerInput.Kind.places, .countries]
        where !inputs.contains(where: { $0.kind == kind }) {
            throw GazetteerError(
                .missingInput, file: path, message: "no input of kind “\(kind.rawValue)” was given; add one")
        }
        var state = BuildState()
        // Countries first, then divisions: places refer to both, and alternate names to all of them.
        for kind in [
            GazetteerInput.Kind.countries, .admin1Codes, .admin2Codes, .subdivisions, .regionNames, .places,
            .countryBorders,
            .divisionBorders, .seas, .zoneBorders, .zoneCountries,
            .alternateNames,
        ] {
            for input in inputs where input.kind == kind {
                let file = try MappedFile(path: input.path, advice: MADV_SEQUENTIAL)
                progress(.reading(file: input.path, bytes: 0, total: file.bytes.count))
                state.files.append(file)
                state.sources.append((input, file))
                switch kind {
                case .countries: try state.readCountries(file)
                case .admin1Codes: try state.readAdmin1Codes(file)
                case .subdivisions: try state.readSubdivisions(file)
                case .regionNames: try state.readRegionNames(file)
                case .places: try state.readPlaces(file, progress: progress)
                case .countryBorders: try state.readCountryBorders(polygons(input, file))
                case .divisionBorders: try state.readDivisionBorders(polygons(input, file))
                case .seas: try state.readSeas(polygons(input, file))
                case .zoneBorders: try state.readZoneBorders(polygons(input, file))
                case .zoneCountries: try state.readZoneCountries(file)
                case .admin2Codes: try state.readAdmin2Codes(file)
                case .alternateNames: try state.readAlternateNames(file, progress: progress)
                }
            }
        }
        return try state.finish(to: path, progress: progress)
    }
}

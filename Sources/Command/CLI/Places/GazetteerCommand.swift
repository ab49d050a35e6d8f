import Arguments
import CommandSupport
import Gazetteer
import Glibc
import Threads

/// `darkroom gazetteer`: names for coordinates, coordinates for names.
enum GazetteerCommand {
    static let command = Command(
        "gazetteer", "Build the gazetteer's index, and ask it.",
        subcommands: [build, reverse, forward, info])

    private static let build = Command(
        "build", "Build the index from GeoNames' tables.",
        discussion: """
            --from names a folder with countryInfo.txt and at least one table of places (cities500.txt, \
            allCountries.txt, ...); admin1CodesASCII.txt, subdivisions.tsv, admin2Codes.txt for counties and \
            alternateNamesV2.txt for names in languages are used where they are there, and so \
            are polygons of countries and first-level divisions as GeoJSON, GeoPackage or shapefile, by the names \
            countries, divisions, seas and timezones or Natural Earth's and Timezone Boundary Builder's own (ne_10m_admin_0_countries.shp, \
            ne_10m_admin_1_states_provinces.shp, world_map.gpkg); what is not GeoJSON needs GDAL (apt install \
            gdal-bin). A file sources.tsv lists the files instead, with titles, licences and attributions. The index \
            is replaced in one step; workers that have the old one open take up the new one within \
            seconds.
            """,
        options: [
            .value("from", "DIR", "folder with the tables", default: "\(Settings.home)/cache/gazetteer"),
            .value("output", "FILE", "the index (default: that of --gazetteer)"), Settings.gazetteer,
        ],
        examples: [
            Example(
                "darkroom gazetteer build --from geonames", "tables that you have fetched from geonames.org")
        ]
    ) { arguments in
        let folder = arguments.string("from") ?? "."
        let output = arguments.string("output") ?? Settings.gazetteerPath(arguments)
        let inputs = try GazetteerInput.inputs(inFolder: folder)
        let line = ProgressLine(label: "Reading")
        let summary = try await onThread {
            // Bytes of the tables before the one that is being read.
            var before = 0
            var current = (file: "", total: 0)
            var read: Int { before + current.total }
            defer { line.finish("bytes of \(inputs.count) tables") }
            return try GazetteerBuilder(inputs: inputs).build(to: output) { progress in
                switch progress {
                case .reading(let file, let bytes, let total):
                    if file != current.file {
                        before += current.total
                        current = (file, total)
                    }
                    line.update(done: before + bytes, total: 0, note: "bytes, \(file)")
                case .sorting(let names):
                    line.update(done: read, total: 0, note: "bytes; sorting \(names) names")
                case .writing: line.update(done: read, total: 0, note: "bytes; writing \(output)")
                }
            }
        }
        Output.note(
            "\(output): \(summary.places) places, \(summary.countries) countries, \(summary.admin1s) divisions, "
                + "\(summary.names) names, \(summary.fileSize / 1_000_000) MB")
    }

    private static let reverse = Command(
        "reverse", "Name the place of a coordinate.",
        discussion: """
            The country is that of the polygon around the point, or of the nearest coast or border within 12 km, and \
            so is the division; the place is the nearest of that division, else of that country, within 100 km. \
            "certainty" says how country and division were found: inside_border, near_border, nearest_place, or \
            remote where there is none. A point at sea is told the sea, where the index has seas, and the nearest \
            coast within 200 km.

            Without LAT and LON, reads lines of lat<TAB>lon from standard input and answers one JSON object a line, \
            in the same order; further fields of a line are left. A line that is no coordinate ends it with a message \
            that names line and field, after the answers to all lines before.

            "city" is the city that the place is part of, by its size and distance, or the place itself; "locality" the \
            part. --language adds names in a language, by a tag such as de or pt-BR, where the index was built with \
            alternateNamesV2.txt and they are known.
            """,
        options: [
            .value("language", "TAG", "add names in this language"), Settings.json, Settings.gazetteer,
        ],
        positionals: [
            .optional("LAT", "degrees north, -90 to 90"), .optional("LON", "degrees east, -180 to 180"),
        ],
        examples: [
            Example("darkroom gazetteer reverse -33.9175 18.4026", "Cape Town"),
            Example("darkroom gazetteer reverse --language de 45.46 9.19", "Mailand, Lombardei, Italien"),
            Example("darkroom gazetteer reverse < points.tsv", "a stream"),
            Example(
                "cut -f2,3 trips.tsv | darkroom gazetteer reverse | jq -r .country.code", "countries alone"),
        ]
    ) { arguments in
        let gazetteer = try Settings.openGazetteer(arguments)
        let language = arguments.string("language")
        let latitude = try arguments.double("LAT", in: -90...90)
        let longitude = try arguments.double("LON", in: -180...180)
        switch (latitude, longitude) {
        case (nil, nil):
            try await onThread { try CoordinateStream(gazetteer: gazetteer, language: language).run() }
        case (let latitude?, let longitude?):
            guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
                throw UsageError("\(latitude) \(longitude) is not a coordinate")
            }
            let answer = gazetteer.reverse(coordinate)
            if arguments.flag("json") {
                Output.line(answer.json(at: coordinate, language: language).line)
            } else {
                for line in [answer.text] + answer.remarks(at: coordinate, language: language) {
                    Output.line(line)
                }
            }
        default:
            throw UsageError("give both LAT and LON, or neither and lines on standard input")
        }
    }

    private static let info = Command(
        "info", "Say what the index holds and whom to attribute it to.",
        discussion: """
            Who publishes what the index answers must show the attributions. --check also reads the whole file and \
            compares it with its checksums.
            """,
        options: [.flag("check", "compare the file with its checksums"), Settings.json, Settings.gazetteer],
        examples: [
            Example("darkroom gazetteer info", "counts, sources, dates, licences"),
            Example(
                "darkroom gazetteer info --json | jq -r '.sources[].attribution'", "what to show to readers"),
        ]
    ) { arguments in
        let gazetteer = try Settings.openGazetteer(arguments)
        if arguments.flag("check") { try await onThread { try gazetteer.verify() } }
        let info = gazetteer.info
        let path = Settings.gazetteerPath(arguments)
        guard !arguments.flag("json") else {
            Output.line(info.json(path: path).line)
            return
        }
        Output.line(info.text(path: path))
        if arguments.flag("check") { Output.line("Every section matches its checksum.") }
    }
}

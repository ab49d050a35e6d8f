import Arguments
import CommandSupport
import Gazetteer
import Glibc
import Threads

enum GazetteerCommand {
    static let command = Command(
        "gazetteer", "Build the gazetteer, and look up places in it.",
        subcommands: [build, reverse, forward, suggest, info])

    private static let build = Command(
        "build", "Build the index from GeoNames tables.",
        discussion: """
            --from is a folder with countryInfo.txt and at least one table of places (cities500.txt, allCountries.txt, \
            ...). If present, it also uses admin1CodesASCII.txt, subdivisions.tsv, admin2Codes.txt (counties), \
            alternateNamesV2.txt (names in other languages), and polygons as GeoJSON, GeoPackage or shapefile. Their \
            files are called countries, divisions, seas and timezones, or have the original names of Natural Earth and \
            Timezone Boundary Builder (ne_10m_admin_0_countries.shp, ne_10m_admin_1_states_provinces.shp, \
            world_map.gpkg). Formats other than GeoJSON need GDAL (apt install gdal-bin). Alternatively, a file \
            sources.tsv can list the files with titles, licences and attributions. The index is replaced in one step, \
            and running workers switch to the new one within seconds.
            """,
        options: [
            .value("from", "DIR", "folder with the tables", default: "\(Settings.home)/cache/gazetteer"),
            .value("output", "FILE", "index to write (default: that of --gazetteer)"),
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom gazetteer build --from geonames", "uses tables downloaded from geonames.org")
        ]
    ) { arguments in
        let folder = arguments.string("from") ?? "."
        let output = arguments.string("output") ?? Settings.gazetteerPath(arguments)
        let inputs = try GazetteerInput.inputs(inFolder: folder)
        let line = ProgressLine(label: "Reading")
        let summary = try await onThread {
            // Bytes of the tables already read.
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
        if summary.countriesByZone > 0 {
            Output.note("\(summary.countriesByZone) countries have the borders of their time zones")
        }
        if !summary.misplaced.isEmpty {
            Output.note(
                "\(summary.misplaced.count) places were left out, because their time zone and all their neighbours say that "
                    + "they are somewhere else: \(summary.misplaced.joined(separator: "; "))")
        }
        if summary.mixedDivisionBorders > 0 {
            Output.note(
                "\(summary.mixedDivisionBorders) of \(summary.divisionBorders) polygons mix divisions: in these, the "
                    + "nearest place decides")
        }
        if !summary.unreachableDivisions.isEmpty {
            Output.note(
                "\(summary.unreachableDivisions.count) divisions have neither a place nor a polygon, so no point gets "
                    + "them: \(summary.unreachableDivisions.joined(separator: ", "))")
        }
    }

    private static let reverse = Command(
        "reverse", "Name the place at a coordinate.",
        discussion: """
            The country and the division are those whose polygon contains the point, or the nearest coast or border \
            within 12 km. The place is the nearest one within 100 km, in that division or else in that country. \
            "certainty" says how country and division were found: inside_border, near_border, nearest_place, or \
            remote if none was found. For a point at sea, prints the sea, if the index has seas, and the nearest \
            coast within 200 km.

            Without LAT and LON, reads lines of lat<TAB>lon from standard input and prints one JSON object per line, \
            in the same order. Further fields of a line are ignored. At the first invalid line it stops with a message \
            that names line and field, after it has printed the results of all earlier lines.

            "city" is the city that the place is part of, judged by size and distance, or the place itself; "locality" \
            is the part. --language adds names in a language, given by a tag such as de or pt-BR. It needs an index \
            built with alternateNamesV2.txt; places without a name in that language get none.
            """,
        options: [
            .value("language", "TAG", "add names in this language"), Settings.json, Settings.gazetteer,
        ],
        positionals: [
            .optional("LAT", "degrees north, -90 to 90"), .optional("LON", "degrees east, -180 to 180"),
        ],
        examples: [
            Example("darkroom gazetteer reverse -33.9175 18.4026", "prints Cape Town"),
            Example("darkroom gazetteer reverse --language de 45.46 9.19", "adds German names"),
            Example("darkroom gazetteer reverse < points.tsv", "looks up many points"),
            Example(
                "cut -f2,3 trips.tsv | darkroom gazetteer reverse | jq -r .country.code",
                "prints only countries"),
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
            throw UsageError("give both LAT and LON, or neither to read lines from standard input")
        }
    }

    private static let info = Command(
        "info", "Show what the index contains and whom to attribute.",
        discussion: """
            If you publish names from the index, you must show these attributions. --check also reads the whole file \
            and compares it with its checksums.
            """,
        options: [.flag("check", "compare the file with its checksums"), Settings.json, Settings.gazetteer],
        examples: [
            Example("darkroom gazetteer info", "shows counts, sources, dates and licences"),
            Example("darkroom gazetteer info --json | jq -r '.sources[].attribution'", "prints attributions"),
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

import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct WrittenCoordinatesTests {
    private static func point(_ text: String) -> Coordinate? {
        if case .point(let written) = WrittenCoordinates.read(text) { written.coordinate } else { nil }
    }

    private static func fault(_ text: String) -> WrittenCoordinates.Fault? {
        if case .fault(let fault) = WrittenCoordinates.read(text) { fault } else { nil }
    }

    /// An angle in degrees, minutes and seconds, with whole numbers only if they are exact.
    private static func parts(_ degrees: Double, _ count: Int) -> [String] {
        let size = abs(degrees)
        guard count > 1 else { return ["\(size)"] }
        let whole = size.rounded(.down)
        let minutes = (size - whole) * 60
        guard count > 2 else { return ["\(Int(whole))", "\(minutes)"] }
        let full = minutes.rounded(.down)
        return ["\(Int(whole))", "\(Int(full))", "\((minutes - full) * 60)"]
    }

    /// Every notation of a point with its largest error in degrees.
    private static func notations(_ latitude: Double, _ longitude: Double) -> [String] {
        let (north, east) = (latitude < 0 ? "S" : "N", longitude < 0 ? "W" : "E")
        let marks = [
            ["°", "'", "\""], ["º", "′", "″"], ["d", "m", "s"], [" deg ", " min ", " sec "],
            ["°", "’", "''"],
        ]
        var texts = ["\(latitude), \(longitude)", "\(latitude),\(longitude)", "\(latitude); \(longitude)"]
        texts += ["\(latitude) \(longitude)", "(\(latitude), \(longitude))", "geo:\(latitude),\(longitude)"]
        texts += ["geo:\(latitude),\(longitude),12;crs=wgs84;u=5", "lat: \(latitude), lon: \(longitude)"]
        texts += ["geo:\(latitude),\(longitude)?z=12", "geo:\(latitude),\(longitude);u=5?z=12&q=Pier"]
        texts += ["geo:0,0?q=\(latitude),\(longitude)(Pier 4)", "geo:0,0?z=2&q=\(latitude)%2C\(longitude)"]
        texts += ["geo:0,0?q=\(latitude),+\(longitude)+%28Pier%29", "geo:0,0?q=\(latitude),%20\(longitude)"]
        // With fewer decimals it may be anything.
        if [latitude, longitude].allSatisfy({ ($0 * 100).rounded() != $0 * 100 }) {
            texts += ["\(latitude) / \(longitude)", "\(latitude)/\(longitude)"]
        }
        for sign in ["−", "–", "- ", "− ", "– "] {
            for text in texts.prefix(3) + ["lat: \(latitude), lon: \(longitude)"] {
                texts.append(text.replacing("-", with: sign))
            }
        }
        func comma(_ value: Double) -> String { "\(value)".replacing(".", with: ",") }
        texts += ["\(comma(latitude)); \(comma(longitude))", "\(comma(latitude)) \(comma(longitude))"]
        func signed(_ value: Double) -> String { value < 0 ? "\(value)" : "+\(value)" }
        texts.append(signed(latitude) + signed(longitude) + "/")
        for count in 1...3 {
            let (one, two) = (parts(latitude, count), parts(longitude, count))
            let plain = (one.joined(separator: " "), two.joined(separator: " "))
            texts += ["\(plain.0) \(north) \(plain.1) \(east)", "\(north) \(plain.0) \(east) \(plain.1)"]
            texts += ["\(plain.0)\(north), \(plain.1)\(east)", "\(east)\(plain.1) \(north)\(plain.0)"]
            for mark in marks {
                let (a, b) = (
                    zip(one, mark).map { $0 + $1 }.joined(), zip(two, mark).map { $0 + $1 }.joined()
                )
                texts += [
                    "\(a) \(north) \(b) \(east)", "\(a)\(north) \(b)\(east)", "\(north) \(a), \(east) \(b)",
                ]
                texts += [
                    "\(latitude < 0 ? "-" : "")\(a), \(longitude < 0 ? "-" : "")\(b)",
                    "\(b) \(east), \(a) \(north)",
                ]
            }
        }
        return texts
    }

    @Test func `reads every notation in every hemisphere and at every limit`() throws {
        let limits = [(47.6062, 122.3321), (90, 180), (0.5, 0.25), (33.999_5, 151.000_5), (7.015, 9.125)]
        for (latitude, longitude) in limits {
            for (north, east) in [(1.0, 1.0), (1, -1), (-1, 1), (-1, -1)] {
                for text in Self.notations(latitude * north, longitude * east) {
                    let point = try #require(Self.point(text), "\(text)")
                    #expect(abs(point.latitude - latitude * north) < 1e-9, "\(text)")
                    #expect(abs(point.longitude - longitude * east) < 1e-9, "\(text)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("북위 37도 30분 동경 126도 15분", 37.5, 126.25), ("남위 37.5도 서경 126.25도", -37.5, -126.25),
            ("北緯37度30分東経126度15分", 37.5, 126.25), ("南緯37度30分0秒、西経126度15分0秒", -37.5, -126.25),
            ("北纬37.5度 东经126.25度", 37.5, 126.25), ("南纬37.5°,西经126.25°", -37.5, -126.25),
            ("Breite 37,5 Länge 126,25", 37.5, 126.25), ("Breite: 37,5; Länge: 126,25", 37.5, 126.25),
            ("latitud -37.5, longitud 126.25", -37.5, 126.25), ("широта 37.5 долгота 126.25", 37.5, 126.25),
            ("\u{200E}37.5, 126.25\u{200E}", 37.5, 126.25), ("\u{FEFF}37.5, 126.25", 37.5, 126.25),
            ("\"37.5, 126.25\"", 37.5, 126.25), ("“37.5, 126.25”", 37.5, 126.25),
            ("37.5, 126.25.", 37.5, 126.25),
            ("GPS: 37.5, 126.25", 37.5, 126.25), ("Coordinates: 37.5 N 126.25 E;", 37.5, 126.25),
            ("📍 37.5, 126.25", 37.5, 126.25), ("@37.5,126.25", 37.5, 126.25),
            ("Lat/Lon: 37.5, 126.25", 37.5, 126.25),
            ("37 30 S, 126 15 0 E", -37.5, 126.25), ("37 30.0 N, 126 E", 37.5, 126),
            ("N 37 30; W 126.25", 37.5, -126.25),
            ("0 N, 126 15 W", 0, -126.25), ("37.5, 126 15", 37.5, 126.25), ("37 30, -126.25", 37.5, -126.25),
            ("S33E151", -33, 151), ("S37 E126", -37, 126),
            ("37,5 126", 37.5, 126), ("37,5 9.1", 37.5, 9.1), ("37 30,5 126 15", 37 + 30.5 / 60, 126.25),
            ("37, 126", 37, 126), ("37,-126", 37, -126), ("+37,126", 37, 126), ("37;126", 37, 126),
        ] as [(String, Double, Double)])
    func `reads what people paste and say`(text: String, latitude: Double, longitude: Double) {
        #expect(Self.point(text) == Coordinate(latitude: latitude, longitude: longitude))
    }

    /// Everywhere but in English, this is one number.
    @Test(arguments: ["1,5", "37,126", "0,0", " 12,75 ", "1，5", "1、5"]) func `reads no point from one number`(
        text: String
    ) {
        #expect(WrittenCoordinates.read(text) == nil)
    }

    /// The words of English, French, Italian, Spanish, Portuguese, German and Dutch.
    private static let languages: [(north: String, south: String, east: String, west: String)] = [
        ("North", "South", "East", "West"), ("Nord", "Sud", "Est", "Ouest"), ("nord", "sud", "est", "ovest"),
        ("Norte", "Sur", "Este", "Oeste"), ("norte", "sul", "leste", "oeste"), ("Nord", "Süd", "Ost", "West"),
        ("Nord", "Su\u{308}d", "Ost", "West"), ("NOORD", "ZUID", "OOST", "WEST"),
    ]

    @Test(arguments: languages)
    func `reads the words of a language, and asks which O is meant`(
        language: (north: String, south: String, east: String, west: String)
    ) throws {
        for isNorthern in [true, false] {
            for isEastern in [true, false] {
                let north = isNorthern ? language.north : language.south
                let east = isEastern ? language.east : language.west
                let point = Coordinate(
                    latitude: isNorthern ? 48.5 : -48.5, longitude: isEastern ? 2.25 : -2.25)
                for (latitude, longitude) in [
                    ("48,5", "2,25"), ("48.5°", "2.25°"), ("48°30'", "2°15'"), ("48° 30' 0\"", "2° 15' 0\""),
                ] {
                    for gap in ["", " "] {
                        for (one, two) in [
                            ("\(latitude)\(gap)\(north)", "\(longitude)\(gap)\(east)"),
                            ("\(north)\(gap)\(latitude)", "\(east)\(gap)\(longitude)"),
                        ] {
                            for between in [" ", ", ", "; ", " - ", " – ", " — ", "—"] {
                                let texts = [one + between + two, two + between + one]
                                for text in texts { #expect(Self.point(text) == point, "\(text)") }
                            }
                        }
                        for open in ["O", "o"] {
                            let text = "\(latitude)\(gap)\(north) \(longitude)\(gap)\(open)"
                            #expect(Self.fault(text) == .openLongitude, "\(text)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: ["-", "–", "−", "—"])
    func `asks what a dash between two numbers is, and reads it between two hemispheres`(dash: String) {
        for (latitude, longitude) in [("48.8566", "2.3522"), ("48.5°", "2.25°"), ("48°30'", "2°15'")] {
            #expect(Self.fault("\(latitude) \(dash) \(longitude)") == .dash)
            #expect(Self.fault("\(latitude) N \(dash) \(longitude)") == .dash)
            #expect(Self.point("\(latitude) \(dash) -\(longitude)")?.longitude ?? 0 < 0)
            let west = Self.point("\(latitude) N \(dash) \(longitude) W")
            #expect(west?.longitude ?? 0 < 0 && west?.latitude ?? 0 > 0)
            #expect(west == Self.point("W \(longitude) \(dash) N \(latitude)"))
            #expect(west == Self.point("\(latitude)N\(dash)\(longitude)W"))
            #expect(west == Self.point("N\(latitude)\(dash)W\(longitude)"))
            #expect(west == Self.point("\(latitude) N\(dash)W \(longitude)"))
            #expect(Self.fault("\(latitude)N\(dash)\(longitude)") == .dash)
            #expect(Self.point("\(latitude)N \(dash == "—" ? "-" : dash)\(longitude)")?.longitude ?? 0 < 0)
        }
        for text in [
            "12\(dash)E34", "12\(dash)d34", "4\(dash)W", "45 \(dash) 9", "45.46 \(dash) 9.19",
            "80 Sur \(dash) 12 Este", "4.5 \(dash) 5", "\(dash) 5",
            "3.5 + 4.5", "3.5678 + 4.5678",
        ] {
            #expect(WrittenCoordinates.read(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("geo:0,0?q=Seattle", "Seattle"), ("GEO:0,0?z=9&q=Seattle%2C+WA", "Seattle, WA"),
        ("geo:0.0,-0?q=Seattle", "Seattle"), (" (geo:0,0;u=35?q=Seattle(Here)) ", "Seattle"),
        ("geo:0,0?q=47.6+-122.3", "47.6 -122.3"),
        ("geo:0,0,0?q=" + String(repeating: "%20", count: 90) + "Seattle", "Seattle"),
        ("geo:0,0?q=Z%C3%BCrich", "Zürich"), ("geo:0,0?q=", nil), ("geo:0,0?q=%ff", nil),
        ("geo:0,0?z=Seattle", nil),
        ("geo:47.6,-122.3?q=Zurich", nil), ("geo:0,0?q=geo:0,0?q=Seattle", "Seattle"),
    ])
    func `looks for what an address of Android's asks for by name`(text: String, name: String?) throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        if let name {
            #expect(gazetteer.forward(text) == gazetteer.forward(name))
            #expect(gazetteer.forward(text).match != nil)
        } else {
            #expect(gazetteer.forward(text).match?.place == nil)
        }
    }

    @Test func `refuses every notation of what is out of range`() throws {
        for (latitude, longitude) in [
            (90.5, 12.25), (12.25, 180.5), (-90.5, 12.25), (12.25, -180.5), (95.5, 190.5),
        ] {
            for text in Self.notations(latitude, longitude) {
                let fault = try #require(Self.fault(text), "\(text)")
                #expect([.latitude, .longitude, .longitudeFirst].contains(fault), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("+4736.372-12219.926/", 47.606_2, -122.332_1), ("+473622.32-1221955.56/", 47.606_2, -122.332_1),
            ("-33.8688+151.2093", -33.8688, 151.2093), ("+47.6-122.3+12CRSWGS_84/", 47.6, -122.3),
            ("47, 122", 47.0, 122.0),
            ("47 36, 122 19", 47.6, 122 + 19 / 60.0), ("-0°30', 12°", -0.5, 12),
            ("47 -122", 47, -122), ("0, 0", 0, 0),
            // The letter belongs to the number before it, or behind it if it comes first.
            ("48.85 N 2.35", 48.85, 2.35), ("2.35 E 48.85", 48.85, 2.35), ("N 48.85 2.35", 48.85, 2.35),
            ("E 2.35 48.85", 48.85, 2.35), ("33.9 S 18.4", -33.9, 18.4),
        ] as [(String, Double, Double)])
    func `reads what is written`(text: String, latitude: Double, longitude: Double) throws {
        let point = try #require(Self.point(text))
        #expect(abs(point.latitude - latitude) < 1e-9 && abs(point.longitude - longitude) < 1e-9, "\(point)")
    }

    @Test(
        arguments: [
            ("91, 120", .latitude), ("12, 181", .longitude), ("-122.3, 47.6", .longitudeFirst),
            ("91 N, 12 E", .latitude),
            ("47°60'N 12°E", .minutes), ("47°10'60\"N 12°E", .seconds), ("47 N, 12 S", .sameAxis),
            ("47 E 12 W", .sameAxis),
            ("-47 N, 12 E", .contradiction), ("N 47 S, E 12", .contradiction),
            ("47.5°30'N 12°E", .contradiction),
            ("lat 47 E, lon 12 N", .contradiction), ("geo:47", .uri), ("geo:47,12;crs=mars", .uri),
            ("geo:a,b", .uri),
            ("geo:91,0", .latitude), ("+47.6-182.3/", .longitude),
        ] as [(String, WrittenCoordinates.Fault)])
    func `says why something is no point`(text: String, fault: WrittenCoordinates.Fault) throws {
        #expect(Self.fault(text) == fault)
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).forward(text)
        #expect(answer == .badCoordinates(fault))
        #expect(answer.message(of: text)?.contains(fault.description) == true)
    }

    @Test(arguments: [
        "", "47.6", "24 12", "12345", "2024-05-12", "12-34", "+1-555-1234", "1.2.3, 4", "10115 Berlin",
        "IMG_1234",
        "47.6062, -122.3321 Seattle", "N", "° '", "1 2 3 4", "Paris", "47.6,", "1, 2, 3", "12:30",
        "5th Ave 350",
        "98101-1234", "N 5 N 5 N 5", "24/12", "24 / 12", "5.12.2024/6.12.2024", "12/5/2024", "5.5/10",
        "4.5/5.0", "12.05/24.03", "1/2",
        "/", "1.5/", "4 sur 5", "9,5 sur 10", "2 sul 5", "1 est 2", "7 Sur 12", "80 Sur 12 Este",
        "Norte 81, 12", "S01E02", "s1e2", "47.6,8 30",
        "https://example.com/about", "https://www.google.com/maps?q=5+Main+St+98101",
        "https://example.com/?q=1,5",
        "https://shop.example.com/?q=12.99,14.99", "https://medium.com/@1.5,2.5", "a://b?q=1.5,2.5",
        "https://example.com/maps/@1.5,2.5,9z", "https://www.google.com/search?q=3.11,3.12",
        "https://www.google.com/maps/dir/47.1,8.5/-26.8,-124.9/@47.3,8.6,10z", "https://maps.app.goo.gl/a1",
        "https://yandex.ru/maps/?ll=37.62%2C55.75&z=10",
        "https://www.openstreetmap.org/directions?a=b#map=6/43.7/10.8",
        "48.85 Nord, 2.35", "100 North 200 West", "O7, 5", "O 7, 5", "2°, 3° O", "12,5 O", "5 Norte 825",
    ])
    func `leaves other texts alone`(text: String) {
        #expect(WrittenCoordinates.read(text) == nil)
    }

    @Test func `takes the uncertainty of a URI`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        let match = try #require(gazetteer.forward("geo:47.6,-122.3;u=35.5").match)
        #expect(match.precision == .point)
        #expect(match.radiusMetres == 35.5)
        #expect(match.place == nil)
        #expect(gazetteer.forward("47.6, -122.3").match?.radiusMetres == nil)
    }

    @Test func `survives random bytes and random tokens`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        let tokens = [
            "47.6", "122", "-", "+", "−", "°", "'", "\"", "″", "N", "S", "E", "W", ",", ";", " ", "geo:",
            "lat", "lon", "d",
            "m", "s", "/", ".", "0", "999999999999999999999", "u=", "é", "\u{301}", "京", "\u{0}", "(", ")",
            "Seattle", "st",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                tokens.randomElement(using: &random) ?? ""
            }
            .joined()
            if case .point(let written) = WrittenCoordinates.read(text) {
                #expect(
                    abs(written.coordinate.latitude) <= 90 && abs(written.coordinate.longitude) <= 180,
                    "\(text)")
            }
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = WrittenCoordinates.read(String(decoding: bytes, as: UTF8.self))
        }
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                tokens.randomElement(using: &random) ?? ""
            }
            .joined(separator: " ")
            _ = gazetteer.forward(text)
        }
    }

    @Test(arguments: [
        "４７．６，　８．５", "٤٧٫٦، ٨٫٥", "४७.६, ८.५", "위도 47.6 경도 8.5", "緯度47.6 経度8.5", "纬度：47.6，经度：8.5",
        "47.6° с. ш., 8.5° в. д.", "47°36′ с.ш. 8°30′ в.д.", "47.6 с ш 8.5 в д", "POINT(8.5 47.6)",
        "point (8.5 47.6)", "POINT( 8.5 47.6 )", "POINT (  8.5   47.6  )", "POINTZ( 8.5 47.6 400)",
        "SRID=4326;POINT(8.5 47.6)", "WKT: POINT(8.5 47.6)", "\"POINT(8.5 47.6)\"",
        "https://www.google.com/maps/@47.6,8.5,15z", "https://www.google.com/maps/search/47.6,+8.5?entry=tts",
        "https://www.google.com/maps/place/Zoo/@1.5,2.5,17z/data=!3m1!4b1!4m6!3m5!1s0x0:0x0!8m2!3d47.6!4d8.5!16s",
        "https://maps.google.com/?q=47.6,8.5", "https://www.google.com/maps/search/?api=1&query=47.6%2C8.5",
        "https://www.openstreetmap.org/#map=15/47.6/8.5",
        "https://www.openstreetmap.org/?mlat=47.6&mlon=8.5#map=9/1.5/2.5",
        "https://maps.apple.com/?ll=47.6,8.5&q=Zoo", "maps.google.com/?q=47.6,8.5",
        "https://maps.google.de/maps?q=loc:47.6,8.5",
        "https://maps.google.com/maps?q=Pizza&sll=1.5,2.5&ll=47.6,8.5",
        "https://www.waze.com/ul?ll=47.6%2C8.5&navigate=yes",
        "https://www.google.com/maps/place/Caf%E9/@47.6,8.5,17z",
        "POINT Z (8.5 47.6 400)", "8.5° в. д. 47.6° с. ш.",
    ])
    func `digits and hemispheres may be those of another script`(text: String) {
        let point = Self.point(text)
        #expect(
            point.map { abs($0.latitude - 47.6) < 1e-9 && abs($0.longitude - 8.5) < 1e-9 } == true, "\(text)")
    }

    @Test(arguments: [("47.6° ю. ш., 8.5° з. д.", -47.6, -8.5)])
    func `south and west in Russian`(text: String, latitude: Double, longitude: Double) {
        #expect(Self.point(text)?.latitude == latitude && Self.point(text)?.longitude == longitude)
    }

    @Test(arguments: [
        ("POINT(8.5, 47.6)", true), ("POINT(8.5)", true), ("Point 5 6", false),
        ("SRID=3857;POINT(8.5 47.6)", true), ("POINT((8.5 47.6))", true), ("MULTIPOINT(8.5 47.6)", true),
        ("LINESTRING(8.5 47.6, 9 48)", true), ("ST_Point(8.5, 47.6)", true),
        ("ST_GeomFromText('POINT(8.5 47.6)')", true), ("POINT(.5 47.6)", true),
        ("POINT(1023026 5694555)", true),
        ("POINT(8.5 47.6 abc)", true), ("Dana Point (98281)", false),
        ("point 12 12 2019", false), ("points (8.5 47.6)", false), ("pointz 5 6", false),
        ("Point (TX)", false),
    ])
    func `nearly well-known text is no point`(text: String, isRefused: Bool) {
        #expect(Self.point(text) == nil && (Self.fault(text) != nil) == isRefused, "\(text)")
    }
}

import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct NameTests {
    /// Keys that share much, little or nothing with the previous ones, over many blocks.
    @Test func `finds each of many names, and no others`() throws {
        let letters = Array("abcdefghijklmnopqrstuvwxyz").map(String.init)
        var rows: [Fixture.Row] = []
        for index in 0..<600 {
            let stem = String(repeating: letters[index % 7], count: index % 40 + 1)
            rows.append(
                Fixture.Row(
                    id: index + 1, name: "\(stem)\(letters[index / 26 % 26])\(letters[index % 26])q\(index)x",
                    latitude: Double(index % 170) - 85, longitude: Double(index) / 2 - 170, country: "FR",
                    population: 10))
        }
        // Longer than one byte can count, and as long as the beginning of another.
        let long = String(repeating: "z", count: 300)
        rows.append(Fixture.Row(id: 900, name: long, latitude: 1, longitude: 1, country: "FR"))
        rows.append(Fixture.Row(id: 901, name: long + "a", latitude: 2, longitude: 9, country: "FR"))
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder, rows: rows)
        for row in rows {
            guard case .match(let match) = gazetteer.forward(row.name) else {
                Issue.record("\(row.name) is not found")
                continue
            }
            #expect(match.place?.geonameid == row.id)
            #expect(gazetteer.forward(row.name + "0").suggestions != nil)
            #expect(gazetteer.forward(String(row.name.dropLast()) + "w").suggestions != nil)
        }
        #expect(gazetteer.forward("0").suggestions != nil)
        try gazetteer.verify()
    }
}

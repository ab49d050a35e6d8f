/// Territories with a country code of their own, which people also write under the state that they belong to: "San Juan, Puerto
/// Rico, USA", "Hong Kong, China".
enum Territories {
    /// By code of ISO 3166-1, the code of the state.
    static let stateByCode: [String: String] = {
        let codes = [
            "AU": "CC CX HM NF", "CN": "HK MO", "DK": "FO GL", "FI": "AX",
            "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
            "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG", "NL": "AW BQ CW SX", "NO": "BV SJ",
            "NZ": "CK NU TK", "US": "AS GU MP PR UM VI",
        ]
        return Dictionary(
            uniqueKeysWithValues: codes.flatMap { state, territories in
                territories.split(separator: " ").map { (String($0), state) }
            })
    }()
}

extension Gazetteer {
    /// The number of the state that each country belongs to: itself, unless it is a territory.
    static func states(of codes: [String]) -> [UInt16] {
        let numbers = Dictionary(
            zip(codes, UInt16(0)...).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        return zip(codes, UInt16(0)...).map { code, number in
            Territories.stateByCode[code].flatMap { numbers[$0] } ?? number
        }
    }

    /// Whether one is the other, or, if that counts, one of its territories.
    func lies(country: UInt16, in other: UInt16, _ isWide: Bool) -> Bool {
        country == other || isWide && Int(country) < states.count && states[Int(country)] == other
    }
}

/// Names in common use that GeoNames' country table does not have.
enum CountryAliases {
    static let byCode: [String: [String]] = [
        "AE": ["UAE", "Emirates"], "BA": ["Bosnia"], "CD": ["DR Congo", "Congo-Kinshasa", "DRC"],
        "CG": ["Congo-Brazzaville", "Congo Republic"], "CI": ["Cote d'Ivoire", "Côte d'Ivoire"],
        "CV": ["Cape Verde"], "CZ": ["Czech Republic"], "FK": ["Falklands"],
        "GB": ["UK", "Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland"],
        "KR": ["Korea", "Republic of Korea"], "MK": ["Macedonia"], "MM": ["Burma"], "NL": ["Holland"],
        "PS": ["Palestine"], "RU": ["Russian Federation"], "SZ": ["Swaziland"], "TL": ["East Timor"],
        "TR": ["Türkiye"], "US": ["USA", "United States of America", "America"], "VA": ["Vatican City"],
        "VN": ["Viet Nam"],
    ]
}

extension CountryAliases {
    /// What Natural Earth draws apart from any country with an ISO code, and whose places GeoNames
    /// lists under a country. Claims without inhabitants are left out, as no one's.
    static let codeByBorderName: [String: String] = [
        "Akrotiri Sovereign Base Area": "CY", "Ashmore and Cartier Islands": "AU",
        "Baykonur Cosmodrome": "KZ",
        "Coral Sea Islands": "AU", "Cyprus No Mans Area": "CY", "Dhekelia Sovereign Base Area": "CY",
        "France": "FR", "Indian Ocean Territories": "AU", "Kosovo": "XK", "Northern Cyprus": "CY",
        "Norway": "NO",
        "Somaliland": "SO", "Taiwan": "TW", "US Naval Base Guantanamo Bay": "CU",
    ]
}

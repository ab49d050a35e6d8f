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

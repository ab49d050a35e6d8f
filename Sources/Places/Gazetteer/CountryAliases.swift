/// Common names that GeoNames' country table does not have, and the countries' names for themselves.
enum CountryAliases {
    static let byCode: [String: [String]] = [
        "AE": ["UAE", "Emirates"], "AL": ["Shqipëria"], "AM": ["Հայաստան"], "AX": ["Åland"],
        "AT": ["Österreich", "Oesterreich"],
        "BA": ["Bosnia"], "BE": ["België", "Belgique", "Belgien"], "BG": ["България"], "BR": ["Brasil"],
        "BY": ["Беларусь"],
        "CD": ["Congo", "DR Congo", "Congo-Kinshasa", "DRC"],
        "CG": ["Congo", "Congo-Brazzaville", "Congo Republic"],
        "CH": ["Schweiz", "Suisse", "Svizzera"], "CI": ["Cote d'Ivoire", "Ivory Coast"], "CM": ["Cameroun"],
        "CN": ["中国", "中國", "PRC"], "CV": ["Cape Verde"], "CZ": ["Czech Republic", "Česko"],
        "DE": ["Deutschland"], "DK": ["Danmark"], "DZ": ["Algérie", "الجزائر"], "EE": ["Eesti"],
        "EG": ["مصر"], "ES": ["España"], "FI": ["Suomi"], "FK": ["Falklands"],
        "GB": [
            "UK", "Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland",
            "Großbritannien", "Grande-Bretagne", "Gran Bretaña", "Gran Bretagna", "Grã-Bretanha",
            "Groot-Brittannië",
            "Wielka Brytania", "Великобритания", "英国", "英國", "イギリス", "영국",
        ], "GE": ["საქართველო"], "GR": ["Ελλάδα", "Hellas"], "HK": ["香港"], "HR": ["Hrvatska"],
        "HU": ["Magyarország"], "IE": ["Éire", "Republic of Ireland"], "IL": ["ישראל"],
        "IN": ["भारत", "Bharat"],
        "IS": ["Ísland"], "IT": ["Italia"], "JP": ["日本", "Nippon"],
        "KN": ["St Kitts", "Saint Kitts"],
        "KR": ["Korea", "Republic of Korea", "대한민국", "한국"], "KZ": ["Қазақстан", "Казахстан"],
        "LT": ["Lietuva"], "LV": ["Latvija"], "MA": ["Maroc", "المغرب"], "MK": ["Macedonia"],
        "MM": ["Burma"],
        "NL": ["Holland", "Nederland", "The Netherlands", "Netherlands"], "NO": ["Norge"],
        "PH": ["Pilipinas"],
        "PL": ["Polska"], "PS": ["Palestine"], "RO": ["România"], "RS": ["Srbija", "Србија"],
        "RU": ["Russian Federation", "Россия"], "SA": ["KSA"], "SE": ["Sverige"], "SI": ["Slovenija"],
        "SK": ["Slovensko"], "SZ": ["Swaziland"], "TH": ["ประเทศไทย"], "TL": ["East Timor"],
        "TR": ["Türkiye", "Turkey"], "TW": ["台灣", "臺灣", "台湾"], "UA": ["Україна"],
        "US": [
            "USA", "United States of America", "America", "Estados Unidos de América", "EE.UU.", "EEUU",
            "EUA", "États-Unis d'Amérique",
            "Stati Uniti d'America", "США", "Америка", "アメリカ", "米国", "美國", "미국",
        ], "VA": ["Vatican City"], "VC": ["St Vincent", "Saint Vincent"], "VN": ["Viet Nam"],
    ]
}

extension CountryAliases {
    /// Areas that Natural Earth draws separately from any country with an ISO code, although GeoNames lists their
    /// places under a country. Uninhabited claims are left out and belong to no country.
    static let codeByBorderName: [String: String] = [
        "Akrotiri Sovereign Base Area": "CY", "Ashmore and Cartier Islands": "AU",
        "Baykonur Cosmodrome": "KZ",
        "Coral Sea Islands": "AU", "Cyprus No Mans Area": "CY", "Dhekelia Sovereign Base Area": "CY",
        "France": "FR", "Indian Ocean Territories": "AU", "Kosovo": "XK", "Northern Cyprus": "CY",
        "Norway": "NO",
        "Somaliland": "SO", "Taiwan": "TW", "US Naval Base Guantanamo Bay": "CU",
    ]
}

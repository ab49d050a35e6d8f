/// Common names that GeoNames' country table does not have, and the countries' names for themselves.
enum CountryAliases {
    static let byCode: [String: [String]] = [
        "AE": [
            "Emirate", "Émirats", "Emiratos", "Emirados", "Emirati Arabi", "Эмираты", "الإمارات", "الامارات",
            "阿联酋", "阿聯酋", "UAE", "Emirates",
        ], "AL": ["Shqipëria"], "AM": ["Հայաստան"], "AX": ["Åland"],
        "AT": ["Österreich", "Oesterreich"],
        "BA": ["Bosnien", "Bosnie", "Bosnië", "Босния", "Боснія", "Bosna", "البوسنة", "Bosnia"],
        "BE": ["België", "Belgique", "Belgien"], "BG": ["България"], "BR": ["Brasil"],
        "BY": [
            "Weißrussland", "Biélorussie", "Bielorrusia", "Bielorussia", "Wit-Rusland", "Белоруссия",
            "Vitryssland", "Hviterussland", "Hviderusland", "Byelorussia", "Беларусь",
        ],
        "CD": ["Congo", "DR Congo", "Congo-Kinshasa", "DRC"],
        "CG": ["Congo", "Congo-Brazzaville", "Congo Republic"],
        "CH": ["Schweiz", "Suisse", "Svizzera"],
        "CI": [
            "Elfenbeinküste", "Wybrzeże Kości Słoniowej", "Берег Слоновой Кости", "Elfenbenskysten",
            "Cote d'Ivoire", "Ivory Coast",
        ], "CM": ["Cameroun"],
        "CN": ["КНР", "VR China", "中国", "中國", "PRC"], "CV": ["Kapverden", "Cap-Vert", "Cape Verde"],
        "CZ": [
            "Tschechei", "République tchèque", "República Checa", "República Tcheca", "Repubblica Ceca",
            "Чешская Республика", "Czech Republic", "Česko",
        ],
        "DE": ["Deutschland"], "DK": ["Danmark"], "DZ": ["Algérie", "الجزائر"], "EE": ["Eesti"],
        "EG": ["مصر"], "ES": ["España"], "FI": ["Suomi"], "FK": ["Falklands"],
        "GB": [
            "Британия", "بريطانيا", "בריטניה", "Büyük Britanya", "Velká Británie", "Storbritannien",
            "Storbritannia", "UK", "Great Britain", "Britain", "England", "Scotland", "Wales",
            "Northern Ireland",
            "Großbritannien", "Grande-Bretagne", "Gran Bretaña", "Gran Bretagna", "Grã-Bretanha",
            "Groot-Brittannië",
            "Wielka Brytania", "Великобритания", "英国", "英國", "イギリス", "영국",
        ], "GE": ["საქართველო"], "GR": ["Ελλάδα", "Hellas"], "HK": ["香港"], "HR": ["Hrvatska"],
        "HU": ["Magyarország"], "IE": ["Éire", "Republic of Ireland"], "IL": ["ישראל"],
        "IN": ["भारत", "Bharat"],
        "IS": ["Ísland"], "IT": ["Italia"], "JP": ["日本", "Nippon"],
        "KN": ["St Kitts", "Saint Kitts"],
        "KR": [
            "Südkorea", "Corée", "Corea", "Coreia", "Южная Корея", "Корея", "Корея Южная", "كوريا",
            "韓國", "남한", "דרום קוריאה", "קוריאה", "Korea", "Republic of Korea", "대한민국", "한국",
        ], "KZ": ["Қазақстан", "Казахстан"],
        "LT": ["Lietuva"], "LV": ["Latvija"], "MA": ["Maroc", "المغرب"],
        "MK": [
            "Mazedonien", "Macédoine", "Македония", "Македонія", "Makedonya", "Macedônia", "Macedónia",
            "Macedonië", "مقدونيا", "Macedonia",
        ],
        "MM": ["Бирма", "Birma", "Birmanie", "Birmania", "Burma"],
        "NL": [
            "Hollande", "Голландия", "Голландія", "Holland", "Nederland", "The Netherlands", "Netherlands",
        ], "NO": ["Norge"],
        "PH": ["Pilipinas"],
        "PL": ["Polska"], "PS": ["فلسطين", "Palestina", "Palästina", "巴勒斯坦", "Palestine"], "RO": ["România"],
        "RS": ["Srbija", "Србија"],
        "RU": ["РФ", "Российская Федерация", "Russian Federation", "Россия"],
        "SA": ["السعودية", "沙特", "沙烏地", "Саудия", "KSA"], "SE": ["Sverige"], "SI": ["Slovenija"],
        "SK": ["Slovensko"], "SZ": ["Swaziland"], "TH": ["ประเทศไทย"], "TL": ["East Timor"],
        "TR": ["Türkiye", "Turkey"], "TW": ["台灣", "臺灣", "台湾"], "UA": ["Україна"],
        "US": [
            "Amérique", "Ameryka", "Штаты", "أمريكا", "امريكا", "อเมริกา", "ארצות הברית", "ארה״ב", "USA",
            "United States of America", "America", "Estados Unidos de América", "EE.UU.", "EEUU",
            "EUA", "États-Unis d'Amérique",
            "Stati Uniti d'America", "США", "Америка", "アメリカ", "米国", "美國", "미국",
        ], "VA": ["Vatican City"], "VC": ["St Vincent", "Saint Vincent"], "VN": ["Viet Nam"],
        "CF": ["Centrafrique"], "DO": ["Доминикана"], "IR": ["Persien", "Persia"],
        "KG": ["Kirgisien", "Киргизия"], "KP": ["Северная Корея", "Corea del Norte", "Corée du Nord"],
        "LK": ["Ceylon"], "MD": ["Молдавия", "Moldawien", "Moldavie"], "TM": ["Туркмения"], "ZA": ["ЮАР"],
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

/// Common names of divisions that GeoNames' table of divisions may not have: English names, and newspaper
/// abbreviations for states of the US (AP style).
enum RegionAliases {
    static let byCode: [String: [String]] = [
        "US.AL": ["Ala"], "US.AZ": ["Ariz"], "US.AR": ["Ark"], "US.CA": ["Calif", "Cali"], "US.CO": ["Colo"],
        "US.CT": ["Conn"], "US.DC": ["Washington DC"], "US.FL": ["Fla"], "US.IL": ["Ill"], "US.IN": ["Ind"],
        "US.KS": ["Kan", "Kans"], "US.MA": ["Mass"], "US.MI": ["Mich"], "US.MN": ["Minn"], "US.MS": ["Miss"],
        "US.MT": ["Mont"], "US.NE": ["Neb", "Nebr"], "US.NV": ["Nev"], "US.NM": ["N Mex"],
        "US.ND": ["N Dak"],
        "US.OK": ["Okla"], "US.OR": ["Ore"], "US.PA": ["Penn", "Penna"], "US.SD": ["S Dak"],
        "US.TN": ["Tenn"],
        "US.TX": ["Tex"], "US.WA": ["Wash"], "US.WV": ["W Va"], "US.WI": ["Wis", "Wisc"], "US.WY": ["Wyo"],
        "CA.08": ["Ont"], "CA.10": ["Que", "PQ"], "CA.05": ["Newfoundland", "NF"],
        "CA.09": ["PEI"], "CA.11": ["Sask"], "CA.01": ["Alta"], "CA.03": ["Man"],
        "AU.04": ["Qld"], "AU.07": ["Vic"], "AU.06": ["Tas"], "MX.09": ["CDMX", "DF"],
        "US.HI": ["Hawaiian Islands"], "AR.07": ["CABA"], "EC.01": ["Galápagos Islands", "Islas Galápagos"],
        "GB.ENG": [
            "Angleterre", "Inglaterra", "Inghilterra", "İngiltere", "إنجلترا", "انجلترا", "英格兰", "英格蘭",
            "イングランド",
            "אנגליה", "잉글랜드", "อังกฤษ",
        ],
        "GB.SCT": [
            "Écosse", "Scozia", "İskoçya", "اسكتلندا", "苏格兰", "蘇格蘭", "スコットランド", "סקוטלנד", "스코틀랜드",
            "Skottland",
        ],
        "GB.WLS": ["Pays de Galles", "Galles", "Gales", "País de Gales", "Galler", "威尔士", "ウェールズ", "웨일스"],
        "GB.NIR": ["Irlande du Nord", "Irlanda del Norte", "Irlanda del Nord", "Irlanda do Norte"],
        "DE.01": ["Baden-Wuerttemberg", "BaWü"], "DE.02": ["Bavaria", "Bayern"],
        "DE.05": ["Hesse", "Hessen"],
        "DE.06": ["Lower Saxony", "Niedersachsen"],
        "DE.07": ["North Rhine-Westphalia", "Nordrhein-Westfalen", "NRW"],
        "DE.08": ["Rhineland-Palatinate", "Rheinland-Pfalz"], "DE.13": ["Saxony", "Sachsen"],
        "DE.14": ["Saxony-Anhalt"],
        "DE.15": ["Thuringia", "Thüringen"], "AT.02": ["Carinthia", "Kärnten"],
        "AT.03": ["Lower Austria", "Niederösterreich"], "AT.04": ["Upper Austria", "Oberösterreich"],
        "AT.06": ["Styria", "Steiermark"], "AT.07": ["Tyrol", "Tirol"],
        "IT.16": ["Tuscany", "Toscana"], "IT.09": ["Lombardy", "Lombardia"],
        "IT.12": ["Piedmont", "Piemonte"],
        "IT.15": ["Sicily", "Sicilia"], "IT.14": ["Sardinia", "Sardegna"], "IT.13": ["Apulia", "Puglia"],
        "ES.56": ["Catalonia", "Catalunya", "Cataluña"], "ES.51": ["Andalusia", "Andalucía"],
        "ES.59": ["Basque Country", "País Vasco", "Euskadi"], "ES.60": ["Valencian Community"],
        "FR.93": ["PACA"], "FR.53": ["Brittany", "Bretagne"], "FR.28": ["Normandy", "Normandie"],
        "FR.94": ["Corsica", "Corse", "Córcega", "Korsika"], "GR.ESYE43": ["Creta", "Crète"],
        "BE.VLG": ["Flanders", "Vlaanderen"], "BE.WAL": ["Wallonia"],
        "CH.GE": ["Genève", "Geneva"], "CH.LU": ["Lucerne", "Luzern"],
        "CH.VS": ["Valais", "Wallis"],
    ]

    /// Divisions that are an island, or the one on which nearly all of their people live: geonameids.
    static let islands: Set<Int> = [
        2_147_291,  // Tasmania
        6_354_959,  // Newfoundland and Labrador
        6_113_358,  // Prince Edward Island
        1_809_054,  // Hainan
        2_082_036,  // Kosrae
        3_023_519,  // Corsica
        6_697_802,  // Crete
        1_650_535,  // Bali
        2_523_228,  // Sardinia
        2_523_119,  // Sicily
        2_130_037,  // Hokkaido
        1_854_345,  // Okinawa
        1_846_265,  // Jeju
        1_547_449,  // Rodrigues
        1_733_047,  // Penang
        1_734_240,  // Labuan
        2_593_105,  // Madeira
        2_711_508,  // Gotland
        1_151_253,  // Phuket
        4_032_279,  // Tongatapu
        4_032_231,  // Vavaʻu
        3_573_606,  // Tobago
        2_108_831,  // Guadalcanal
        2_106_552,  // Malaita
    ]

    /// Countries and territories that are an island or several, by ISO 3166-1 code, but for those whose name is another island's, too
    /// (Guadeloupe is Guadalupe in Spanish), or that do not say which part of theirs they are (Ireland, Saint Martin).
    static let islandCountries = Set(
        """
        AG AI AW AX BB BH BL BM BQ BS CC CK CU CV CW CX CY DM FJ FK FM FO GD GG GL GU IM IS JE JM KI KM KN KY LC \
        LK MG MH MP MQ MS MT MU MV NC NF NR NU PF PH PN PR PW RE SB SC SG SJ ST SX TC TO TT TV TW VC VG VI VU WF \
        WS YT
        """.split(separator: " ").map(String.init))
}

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
        "FR.94": ["Corsica", "Corse"], "BE.VLG": ["Flanders", "Vlaanderen"], "BE.WAL": ["Wallonia"],
        "CH.GE": ["Genève", "Geneva"], "CH.LU": ["Lucerne", "Luzern"], "CH.VS": ["Valais", "Wallis"],
    ]
}

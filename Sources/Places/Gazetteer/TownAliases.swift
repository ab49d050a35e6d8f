/// Islands and a few sights that people name as a place, by the town that stands for them: the main one of the island, the one beside
/// the sight. GeoNames' tables of places have none of them. And names by which a town is known abroad, where GeoNames' own name for
/// it is the local one.
///
/// They count as the town's own names, so a smaller town of the same name does not hide it, and a text that may be either is asked
/// about.
struct TownAliases {
    var names: [String]
    /// Kilometres from the town to the farthest places of the island, for towns that are said with it ("Lindos, Rhodes"); nil for what
    /// is no island.
    var reach: Double?
    /// Whether the island has several first-level divisions. Otherwise what is in another one lies across the water.
    var hasDivisions: Bool

    private init(_ names: String..., reach: Double? = nil, hasDivisions: Bool = false) {
        (self.names, self.reach, self.hasDivisions) = (names, reach, hasDivisions)
    }

    /// Whether one of them is a name, folded.
    ///
    /// If it is the town's own name, all are names of the town itself, and what is unknown is in the town: "Terminal 5, London
    /// Heathrow", but not "Beach Hotel, Mallorca".
    func contain(_ key: [UInt8]) -> Bool { names.contains { NameFolding.key($0) == key } }

    /// By geonameid.
    static let byTown: [UInt32: TownAliases] = [
        // Spain and Portugal
        2_512_989: TownAliases(
            "Mallorca", "Majorca", "Majorque", "Maiorca", "Майорка", "マヨルカ", "马略卡", "馬略卡", reach: 75),
        2_514_301: TownAliases("Menorca", "Minorca", "Minorque", "Менорка", reach: 45),
        2_511_381: TownAliases("Formentera", reach: 20),
        2_515_270: TownAliases("Gran Canaria", "Grande Canarie", "Гран-Канария", reach: 50),
        2_512_186: TownAliases("Fuerteventura", reach: 53),
        2_521_570: TownAliases("Lanzarote", reach: 35),
        2_520_519: TownAliases("La Graciosa", "Isla Graciosa", "Isla La Graciosa", reach: 8),
        2_511_230: TownAliases("La Gomera", reach: 25),
        2_511_174: TownAliases("Tenerife", "Teneriffa", "Ténérife", "Тенерифе", reach: 65),
        2_516_479: TownAliases("Ibiza", "Eivissa", "Ибица", reach: 24),
        2_511_180: TownAliases("La Palma", "Isla de La Palma", reach: 32),
        2_509_841: TownAliases("El Hierro", reach: 25),
        6_941_014: TownAliases("São Miguel", "Ilha de São Miguel", reach: 55),
        3_373_348: TownAliases("Terceira", "Ilha Terceira", reach: 28),
        3_372_988: TownAliases("Faial", "Ilha do Faial", reach: 8),
        3_372_644: TownAliases("Graciosa", "Ilha Graciosa", reach: 10),
        // Greece
        2_463_679: TownAliases("Corfu", "Korfu", "Corfou", "Corfù", "Kerkyra", reach: 42),
        259_245: TownAliases("Kos", reach: 35),
        257_056: TownAliases("Mykonos", reach: 12),
        256_632: TownAliases("Naxos", reach: 24),
        255_721: TownAliases("Paros", reach: 20),
        251_280: TownAliases("Zakynthos", "Zante", reach: 22),
        252_920: TownAliases(
            "Santorini", "Santorin", "Santorino", "Thira", "Σαντορίνη", "Санторини", "サントリーニ", "圣托里尼", "聖托里尼",
            reach: 15),
        400_666: TownAliases("Rhodes", "Rhodos", "Rodos", "Rodi", "Rodas", "Ρόδος", "Родос", reach: 70),
        264_668: TownAliases("Kefalonia", "Cephalonia", "Kefallinia", "Céphalonie", "Cefalonia", reach: 33),
        254_115: TownAliases("Samos", reach: 36),
        259_973: TownAliases("Chios", reach: 35),
        253_643: TownAliases("Skiathos", reach: 10),
        253_581: TownAliases("Skopelos", reach: 17),
        255_688: TownAliases("Patmos", reach: 9),
        261_507: TownAliases("Kalymnos", reach: 15),
        253_858: TownAliases("Symi", reach: 10),
        252_854: TownAliases("Tinos", reach: 17),
        260_895: TownAliases("Karpathos", reach: 35),
        265_502: TownAliases("Aegina", reach: 12),
        261_601: TownAliases("Meteora"),
        262_603: TownAliases("Syros", reach: 14),
        256_866: TownAliases("Lesvos", reach: 65),
        264_221: TownAliases("Leros", reach: 10),
        256_930: TownAliases("Lemnos", "Limnos", reach: 25),
        255_654: TownAliases("Paxos", "Paxi", reach: 8),
        // Germany
        2_810_284: TownAliases("Sylt", reach: 25),
        8_051_091: TownAliases("Fehmarn", reach: 12),
        2_862_041: TownAliases("Norderney", reach: 8),
        2_946_206: TownAliases("Borkum", reach: 8),
        3_208_547: TownAliases("Helgoland", reach: 3),
        2_950_620: TownAliases("Rügen", reach: 32),
        2_805_396: TownAliases("Föhr", reach: 12),
        2_866_826: TownAliases("Amrum", reach: 8),
        2_835_255: TownAliases(
            "Neuschwanstein", "Schloss Neuschwanstein", "Neuschwanstein Castle"),
        // The Netherlands, Britain and Ireland
        2_757_244: TownAliases("Texel", reach: 13),
        2_640_006: TownAliases("Skye", "Isle of Skye", reach: 46),
        8_299_862: TownAliases("Islay", "Isle of Islay", reach: 35),
        2_964_738: TownAliases("Achill", "Achill Island", reach: 18),
        2_645_198: TownAliases("Orkney", reach: 45),
        2_644_605: TownAliases("Shetland", reach: 70),
        7_290_043: TownAliases("Mull", "Isle of Mull", reach: 40),
        2_657_355: TownAliases("Stonehenge"),
        2_646_517: TownAliases(
            "Heathrow", "Heathrow Airport", "London Heathrow", "London Heathrow Airport", "Hounslow"),
        // France, Italy, Malta and Croatia
        2_978_361: TownAliases("Île de Ré", reach: 16),
        3_003_045: TownAliases("Belle-Île", "Belle-Île-en-Mer", reach: 12),
        2_977_471: TownAliases("Île d'Oléron", "Oléron", reach: 14),
        2_990_205: TownAliases("Île de Noirmoutier", reach: 11),
        2_986_136: TownAliases("Mont Saint-Michel", "Le Mont-Saint-Michel"),
        3_170_094: TownAliases("Elba", "Isola d'Elba", "Île d'Elbe", reach: 18),
        3_164_535: TownAliases("Cinque Terre", reach: 7),
        2_562_619: TownAliases("Gozo", reach: 12, hasDivisions: true),
        3_180_630: TownAliases("Capri", reach: 5),
        3_175_458: TownAliases("Ischia", reach: 9),
        3_189_492: TownAliases("Brač", reach: 27),
        3_199_180: TownAliases("Hvar", reach: 25),
        3_197_208: TownAliases("Krk", reach: 23),
        3_197_710: TownAliases("Korčula", reach: 45),
        2_524_459: TownAliases("Lampedusa", reach: 8),
        3_195_674: TownAliases("Lošinj", reach: 25),
        // Scandinavia and Belgium
        2_614_553: TownAliases("Bornholm", reach: 45),
        2_615_876: TownAliases("Fyn", "Fünen", "Funen", reach: 50),
        2_617_030: TownAliases("Ærø", reach: 12),
        2_720_437: TownAliases("Öland", reach: 45),
        2_611_311: TownAliases("Samsø", "Samsoe", reach: 20),
        2_623_199: TownAliases("Læsø", "Laesoe", reach: 16),
        2_616_599: TownAliases("Lolland", reach: 47),
        2_615_961: TownAliases("Falster", reach: 22),
        2_614_432: TownAliases("Langeland", reach: 12),
        3_135_020: TownAliases("Lofoten", reach: 100),
        2_800_931: TownAliases("Bruges", "Brugge"),
        // Africa
        148_730: TownAliases("Zanzibar", "Sansibar", "Занзибар", reach: 55, hasDivisions: true),
        2_470_384: TownAliases("Djerba", reach: 30),
        157_429: TownAliases("Mafia Island", reach: 40),
        160_677: TownAliases("Pemba Island", reach: 45, hasDivisions: true),
        6_691_843: TownAliases("Praslin", "Praslin Island", reach: 7, hasDivisions: true),
        1_081_530: TownAliases("Île Sainte-Marie", "Nosy Boraha"),
        75_427: TownAliases("Socotra", "Sokotra", reach: 90),
        3_374_210: TownAliases("Fogo", "Ilha do Fogo", reach: 25, hasDivisions: true),
        241_131: TownAliases("Mahé", "Mahé Island", reach: 20, hasDivisions: true),
        // Asia
        1_222_396: TownAliases("Langkawi", reach: 25),
        8_531_735: TownAliases("Phú Quốc", reach: 45),
        1_154_689: TownAliases("Koh Samui", reach: 20),
        313_947: TownAliases(
            "Cappadocia", "Kapadokya", "Kappadokien", "Cappadoce", "Capadocia", "Каппадокия", reach: 40),
        246_008: TownAliases("Petra"),
        1_635_882: TownAliases("Lombok", reach: 80),
        1_728_659: TownAliases("Boracay", reach: 8),
        1_715_617: TownAliases("Siargao", reach: 35),
        6_698_658: TownAliases("Koh Phangan", reach: 15),
        1_152_670: TownAliases("Koh Lanta", reach: 25),
        13_590_588: TownAliases("Koh Chang", reach: 12),
        7_280_467: TownAliases("Phi Phi", "Koh Phi Phi", "Ko Phi Phi", "Phi Phi Islands"),
        1_734_949: TownAliases("Tioman", "Pulau Tioman", reach: 15),
        1_628_903: TownAliases("Nusa Penida", reach: 14),
        1_624_877: TownAliases("Belitung", reach: 90),
        1_624_863: TownAliases("Bintan", "Pulau Bintan", reach: 38),
        1_622_318: TownAliases("Sumba", reach: 97),
        11_101_593: TownAliases("Lantau", "Lantau Island", reach: 9),
        1_818_211: TownAliases("Lamma", "Lamma Island", reach: 5),
        1_580_410: TownAliases("Ha Long Bay", "Halong Bay", "Vịnh Hạ Long"),
        1_822_214: TownAliases("Angkor", "Angkor Wat"),
        1_279_259: TownAliases("Taj Mahal"),
        // America
        5_856_195: TownAliases("Oahu", "Oʻahu", reach: 60),
        5_847_411: TownAliases("Maui Island", reach: 48),
        5_850_248: TownAliases("Kauai Island", reach: 45),
        5_848_652: TownAliases("Molokai", reach: 36),
        5_850_059: TownAliases("Lanai", reach: 20),
        5_855_927: TownAliases(
            "Big Island", "Big Island of Hawaii", "Hawaii Island", "Island of Hawaii", "Isle of Hawaii",
            reach: 130),
        4_935_645: TownAliases("Martha's Vineyard", reach: 28),
        5_325_305: TownAliases("Catalina Island", "Santa Catalina Island", reach: 35),
        5_795_104: TownAliases("San Juan Island", "San Juan Islands", reach: 25),
        4_957_320: TownAliases("Mount Desert Island", reach: 20),
        5_805_441: TownAliases("Whidbey Island", reach: 42),
        5_959_360: TownAliases("Salt Spring Island", reach: 10),
        5_397_664: TownAliases("Lake Tahoe", "Tahoe"),
        7_262_635: TownAliases("Tahoe City"),
        3_580_661: TownAliases("Grand Cayman", reach: 40, hasDivisions: true),
        3_577_430: TownAliases("Tortola", reach: 15),
        3_577_369: TownAliases("Virgin Gorda", reach: 10),
        3_577_844: TownAliases("Bequia", reach: 6),
        3_571_913: TownAliases("Abaco", "Great Abaco", reach: 90, hasDivisions: true),
        3_572_375: TownAliases("Grand Bahama", reach: 70, hasDivisions: true),
        3_530_103: TownAliases("Cozumel", "Isla Cozumel", reach: 15),
        3_629_965: TownAliases("Isla Margarita", "Isla de Margarita", "Margarita Island", reach: 35),
        6_115_065: TownAliases("Haida Gwaii", reach: 110),
        6_354_908: TownAliases("Cape Breton", "Cape Breton Island", reach: 109),
        3_575_479: TownAliases("Nevis", reach: 9, hasDivisions: true),
        3_581_164: TownAliases("Ambergris Caye", reach: 30),
        3_429_777: TownAliases("Iguazu Falls", "Cataratas del Iguazú"),
        3_463_030: TownAliases("Iguaçu Falls", "Cataratas do Iguaçu"),
        // The Pacific
        4_033_936: TownAliases("Tahiti", "Таити", "タヒチ", reach: 50),
        4_034_741: TownAliases("Moorea", reach: 15),
        4_033_205: TownAliases("Raiatea", reach: 16),
        6_233_785: TownAliases("Waiheke", "Waiheke Island", reach: 10),
        2_135_171: TownAliases("Efate", reach: 30),
        4_035_413: TownAliases("Upolu", reach: 45, hasDivisions: true),
        6_355_222: TownAliases("Uluru", "Ayers Rock"),
        4_030_754: TownAliases(
            "Easter Island", "Rapa Nui", "Osterinsel", "Île de Pâques", "Isola di Pasqua", reach: 25),
    ]
}

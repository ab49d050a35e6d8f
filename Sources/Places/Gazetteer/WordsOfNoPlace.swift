/// What people type that is no place, or far more than one, although a small place has the name. With a region it is a place:
/// "Church, England".
enum WordsOfNoPlace {
    enum Kind {
        case word
        /// A sea, an island or mountains, for example.
        case area
    }

    /// What a text is, without words before it and numbers: "at the beach", "Church 2". Nil if it may be a place.
    ///
    /// - Parameters:
    ///   - words: folded.
    ///   - typed: the text as it was written: "Łuck" is not luck.
    ///   - isASCII: it has no other letters than those of English.
    static func kind(of words: [ForwardQuery.Word], typed: String, isASCII: Bool) -> Kind? {
        let rest = words.drop { leading.contains($0) }.filter {
            !$0.allSatisfy { (0x30...0x39).contains($0) }
        }
        let words = rest.isEmpty ? words : Array(rest)
        if areas.contains(SpellingVariants.joined(words[...])) { return .area }
        if words.count == 1, isEveryday(typed) { return .word }
        let areAnywhere = words.allSatisfy { anywhere.contains($0) || ForwardAddress.words.contains($0) }
        return isASCII && areAnywhere ? .word : nil
    }

    /// Whether the last word is everyday, also in quotation marks, behind an article without its vowel or with an ending: "'beer'",
    /// "l'aria", "apple's". "Farg'ona" is no "ona".
    private static func isEveryday(_ typed: String) -> Bool {
        let pieces = pieces(ofLastWord: typed)
        switch pieces.count {
        case 1: return everyday.contains(Substring(pieces[0].lowercased())) || smallOnly.contains(pieces[0])
        case 2 where endings.contains(pieces[1]) && contracted.contains(pieces[0].lowercased()): return true
        default:
            return isJoined(typed) && pieces.contains { everyday.contains(Substring($0.lowercased())) }
        }
    }

    /// Whether the last word begins with an article or ends with an "s" that an apostrophe parts from it: such a word is not thought to
    /// be misspelt.
    static func isJoined(_ typed: String) -> Bool {
        let pieces = pieces(ofLastWord: typed)
        return pieces.count == 2 && (pieces[1] == "s" || elided.contains(pieces[0].lowercased()))
    }

    /// A word without its "'s".
    static func stem(ofLastWord typed: String) -> String? {
        let pieces = pieces(ofLastWord: typed)
        return pieces.count == 2 && pieces[1] == "s" ? pieces[0] : nil
    }

    /// Between apostrophes.
    private static func pieces(ofLastWord typed: String) -> [String] {
        func isApostrophe(_ character: Character) -> Bool {
            character.unicodeScalars.allSatisfy { NameFolding.apostrophes.contains($0.value) }
        }
        let words = typed.split { !$0.isLetter && !isApostrophe($0) }
        let last = words.last { $0.contains(where: \.isLetter) } ?? ""
        return last.split(whereSeparator: isApostrophe).map(String.init)
    }

    /// Articles and the like before a vowel: "l'été", "un'ora", "qu'il".
    private static let elided: Set = [
        "l", "d", "un", "all", "dall", "dell", "nell", "sull", "quest", "c", "j", "qu",
    ]
    /// What is left of an English verb or of "not", and what stands before it.
    private static let endings: Set = ["ll", "re", "ve", "d", "m", "t"]
    private static let contracted = Set(
        """
        i you he she it we they that there what who don can won isn aren didn doesn couldn wouldn shouldn wasn weren \
        haven hasn hadn
        """.split(separator: " ").map(String.init))
    /// Togo and Var have a capital.
    private static let smallOnly: Set = ["того", "var"]

    private static let leading = folded(
        "the a an my our your his her some this that in at near from on by to of with", separator: " ")

    /// What people type who do not say where they are.
    static let anywhere = folded(
        """
        home work house office here there nowhere somewhere anywhere everywhere outside inside indoors outdoors wedding \
        party birthday holiday holidays vacation trip picnic beach lake river sea ocean mountain mountains forest island \
        city town village center centre downtown \
        zuhause daheim hochzeit urlaub strand maison mariage plage casa boda playa matrimonio spiaggia
        """, separator: " ")

    /// Words among the 600 to 6,000 most frequent ones of 22 languages (wordfreq 3.1, by Robyn Speer, CC BY-SA 4.0) that a gazetteer
    /// gives to a small place, a place with another name or one that is spelt nearly so; without those that are better known as
    /// places.
    private static let everyday = Set(
        """
        aanval aber abertura accord acerca acht act adı aeropuerto af afuera agli ago ah aici aika aikaa aime aimé ajan alan \
        alanı alguna alkaa all alla allah allein allora allá almeno alt alta altă aman amica amor ana ancien and andar anden \
        anders andra andy angle annen anno antara antigo ap apple aprilie ar arab are area arm armen arra arrest arsenal arten \
        articolo ask askeri asta at ataque atatürk atención au auge august aus aussen av avril avrà ay aynı ayo ayrıca ação \
        aşk ať baan baca backing badan bahan bairro baisse baixa baj baju bakanı bakom ball ban banca banco bang bangun bantu \
        barang barat barbara bare barrier barrio barış basic basso basta basura batalla battle bauen bawa baño başlayan beaux \
        bebek bed beer beh behind bei bel belang bella belleza belo belt belum ben bene benim benne bent berani berbeda \
        berliner bernama beroep bersama besar betala bey beş bianco biar bid big bil bile bine binnen bintang bir bist blanca \
        ble boldog bonita bonne bonnes boot bottle bottom boundary boy boże bra branch brasileira bravo brengt bridge bringen \
        british britse bro broke brush bu budapesten budapesti budu buenos bullet bulunan bulundu bundan burden buried burst \
        buruk business busy but buy buď byla była bâtiment bäst bästa böse bărbat będzie będą cabo cada caer cage calcio cam \
        came camera camp campaign campi can canale cancel cane cannot capaz capire capital capito capitán car cargo carreira \
        carrière carros cars cartes cas casal casas cash casi casino cast casă cave cd celebration celý cents century cerca \
        certeza ces ceva chair chamber changed chaque charge charging chargé charles charm chaîne che chefe cheval chi chiede \
        chier choix christians christmas christopher church chão ci ciel cinta circa circle clair claire clara claro classe \
        clever cloud cnn co coast coba coeur col cole college collège colonel colpo colère com combine come comer comfort \
        commissioner common compagnia companhia compania compañía competition complexe compound compétition concrete congress \
        connect consejo conservation consumo conta contain contas contest contudo conversion cool cor corazón corn corporation \
        corriente cosa costa costi council court coś creato creek cricket crimen crimes cross cu culture cura cuts cuyo często \
        cámara cárcel câmara côtés cœur daarna dabei dacă dado daerah dagar dagli dakika dalle dame dan dando daniel dare das \
        dass dave davor dawn day daya dazu de dear debajo deep defensa defesa deg dein deja deje del delen delle dello \
        democracia democratic dengan deposit der deras dessa dessas desse deste destek deu devi devo dewasa dez deși dick die \
        dieci diep dieren diez difícil digo dingen dining diri dis divide do doc doe dolar dolce dollar dom domingo dopo dort \
        dostat dra dragon drew driver drug drum du dual dubbio duce dulce duże dwa déjà dê dö dört dû dün dürfen dış ea ear \
        earth ebene echt economia economy economía een effort egna egy eh eher eigene eikö eine ej ek electric ello ellos em \
        emas emily emme encanta energy engage engineer english ens ensino entanto enter envers envie equality eraan eran erau \
        eri ernst erre erről es espera espère espírito espíritu essay esse esso est estación estação estrada et eten età eu \
        euroa ever ex example exchange exhibition există experiment export extreme extrême ezer eén fa fahren failing fais \
        faith falan falling fan far fare favorite fc fe feira feliz fell fi figures fille fin finale finché fines fiscal flesh \
        fora foro foto four fourth fra francis francisco frans franse fratello freiheit freitag friend friendly from front \
        fråga fu fue fully fun få får fé fête före fő gambar gaming gana ganhou ganz gara garde gardens gaz gelen gender gene \
        general genes geniet gente gerne give givet gjorde glad globe gm go gobernador going gol gold golf google got \
        governador gra grace gracias grad grain grande grandma grass gratis grave grazie graças grey grund grâce guerra guerre \
        gulf gunung guru guy général ha hablar habría hagan hago haha hallo han handel handen handy hang hanging happy harbor \
        hard hardware haus haza healing heel heissen heitä hel hele helen helsingin her heritage hermanos herzen heure hey \
        hidden hit hiv hoch hoek hoi holder hole holz hommes honey hoofdstad hoor hoort hopen horses hospital hou hour hrát \
        human hun hunting hur hurt há hän hör hört hørt høyt ia iar ich id idioma ido idő if ifrån ig iglesia igreja ihan ii \
        ilan ill in ind inden indians ingen ini ins insel institut io ios iphone ir iria irmã irá isim islands israeli isso \
        især it jaar jack jak jako jam jammer jan jangan januari jaren jaringan jasa jawa je jej jer ji jiné jo joita jonka \
        joseph jossa joue joué joão juan juist julia junior jury justin juta jános jár jättää jí jít jó kadang kaki kali \
        kallar kan kann kans kanske kanssa kantor karar karl karya karşı kata katanya kaum kaç ke kell kello keluar ken kender \
        kendi kennen kepala kere kereta kerran keys kez kg khan kill killer kitchen kiva kjenner klaar klanten klar klarar \
        klaus kleinen km knees knock kolay kolik kom kommen konusu kopen korban kosten kovin kr kracht kritik książki kterou \
        kukaan kultur kunden kurang kurwa kuva kwamen kämpfen kände känna käy köpte kör küche kültür küçük kısa lack lagi laki \
        lancer land lande landen landing langsam langsung lato laurent lavora lavori lavoro law laws lead leader learning \
        leche lees legacy legen leger leider lenne lepší ler lese lety leuk level lever liber libertà liberté libros lie lien \
        lieux liga lige liggen light lilla limit limite lindo linken lion lip lire list liten lives ll loan loans log logo \
        lokasi longa loop loose lor loss loving luar lubię luchar luck lucky lundi luni luta lány längst läsa længe lære læs \
        maaf mac machen made mag magam magazine maggio main maire maj makan make malah malo mana mandato manger mano manos \
        mantan map mar maradt marca marcha mardi mare mari marito mart marts mas materia matéria maximum may maç mañana mało \
        mec mede medidas medios meget mei meidän meillä meine meines melden mely membri meme men menores mens mental mentre \
        mer mese mesure metros mets metà mexicana mi mic midden midi miguel mikä mil mill millet mills mina minded mindent \
        minder mining minor minta minuto minä mir mirada mis misin miss missão mittel mitten mitä mm mne mną mně mobil modello \
        modelo modern monta monte montre montón morti most mostrar motor moyen mr mud muerto muiden mujeres multe multă mund \
        mungkin musica muun muži my már más máš märz määrä måde mår médecin même mí música müssen mı naam naast nacional \
        nación nagyon nahe nail nam name nanti nao nase nasional natale nathan nation nature naval naše nearest nen není ner \
        nero nessa net neu nic nich nicolas nilai nim nimi nin nine ninguno niveau nivel nix niż noemen none nor normale nos \
        nou nouvel nouvelle nový nowe noël np nutzen nyaman nám não nähe när nära når ním nível nós nötig něco occasion och of \
        og ogni oh ohne ojos ok okay ol oldum oleh oli olla olmalı oltre olur om oma omaa on ona one oo opp ora orada oraș ord \
        orden ore oro osten ottaa outer outubro oy oyun pablo pack padrão paese pagine pago paint pak palestinian pan panic \
        panjang pantai pantalla paper paras pareja parent parish parking part partea partido parties partij partis pas passa \
        passaggio passar passes passo pat patria patrick patrol patří paura pay paz pd pedro penal pendant penge pensa pensée \
        penting peníze per permet pero perto però peste pet pete peça philip pierre pink pintu pire piste piu più pl plaats \
        planos plats plein pleine plenty poca poco poderia poeng point pointe pole polis poll pomocą ponto pontos pope \
        possession posso post potom potter potuto poté pound povo powers praca praça pre prepare presentación presidente \
        presión presto prezzo pria price primera principal principe printing project protección provas provide pré prý ps pt \
        puente puertas puerto pulang pun purchase put puta putain päivä päivää päällä päästä pós pół pět při quarter que queda \
        queen quel quem quer questa qui quindi quinta qué race racing rail raised ran rangers rapid rasa rata rate rato raum \
        receiving recht recibe recipe recovery recuerda red reform regen regio reglas reich reine reino reis reisen rennen \
        repubblica republican research resist rest rester reverse revolution reward rid riding rifle ring rip rivers robi rod \
        rode roja roles rolle română ronde root ropa rozdíl rp rua rule rum run russe ráda rámci række réseau révolution sa \
        saa saada saat saattaa sacco sache sachen sainte saison saja sak sakit salle salud samen samma samo sampai sang sangue \
        sanoa sapere sarà sat sau save scena schaffen scholen schuld schulen schwarzen schwere schöner science sec secara \
        secretary section sector seem seen sees segera segura seja sejam sekarang selam selon sem sembra sembrano sempurna sen \
        send sene senhora sent seorang serem series sering serta serving serán sesso settle setzen severe señor señora she \
        shine shipping shooting shore shot shut siang siano sido sieben sieci siendo silly simile simon simple since sind \
        sindaco sinn sinne sinon sinä sir sisters situé siyasi ski skit skolan skole slaap slå smart smiling smith snow \
        sociedad sol sola soli soll som some song sonntag sonra sorgen sos soul south soy sp spanish spoken spy sta staat \
        staaten stad stampa standing starke starken start stat staten stelle stemmen stephen stia still stock stod stop store \
        street string stronie stronę stuk stunning stát stå stöd suatu subito success suchen sud sudah suele suerte sui suis \
        sulit sunshine supporto supreme surprised sus suurin své světa sweet swift swiss switch szabad számára sábado så sånn \
        sæson sætter século séries sólo sürekli să său są taas tai tais takana talent tales tall tamanho tampoco tan tandis \
        tane tanpa tantas tanya tape tard tarde tat tato te tea tell tempi temu ten tenga tenido tenu termini terres terzo \
        testo th thai than them thousand thread thrown thunder thursday tiba tien til till times timur ting tipo titel tiver \
        toca toda todo toen tok toki toll tolong tom tomado tomu ton tongue tool tor tosi tosin tour tourist tower town tra \
        train trainer transporte tratta travers traz treffen tres trial triste trochu trochę trovo très três tua tube tuer \
        tugas tuhan tuin tulla tullut tun tunggu tur turn tuskin twist ty tão tänka tänne tänä tänään täytyy tää tænke tæt té \
        této tól történt túl tüm tür tę tě től tři um uma umani unde unidad uno up ur urma urmă us used usko utara ute uten uw \
        už vader vai valle valor valore valori vamos vann vara varias varsa vart vary vastaa ve vecinos vedi vejen vele \
        velho ven venta venture ver veranderen verano verdi vereniging verloren vert vez vice victor vid vide viejo vieles \
        viendo viens vieux vill village vinden vine vir virgin vis visita viu voilà voltam vom von vor vore voters vu vue vár \
        várias vão vägen vähän vänta väntar värt vår våra vårt vær vérité vê víc více vítima waarde wahl walls wanna wanting \
        war warna warning warrior warten wave weed weer wees weinig well welsh were werken west wilayah wilden will winnen \
        winner winning wise wissen wo woning woods woorden working workshop written wy wählen wär xi ya yalnız yap yapan \
        yardımcı yaş yea yeni yer yg yol youth za zag zahlen zamanı zaś zeiten země zentrum zetten zeven zi zingen zonder zone \
        zoo zu zwart září áll április área át äiti är åh år års åt çok élet és étape één îi îmi în óra ön öt čas často či část \
        ın ışık ők őt říká žena августа без боль вас ваш вид выбор глаз года дает дали дел деньги до дом ей ему же жена игра \
        институт кого конце кофе ли мама метро мир мира мире могу мои мой начало ним но новый об оба ой они папа перед план по \
        поле полиция равно роли роман рост русский сами света свободы серия стран суда так такой тех том тут утро час шаг \
        آل أم أن أنا أنه إن إنه ال الاتحاد البلاد الثورة الجديد الجديدة الجمعة الحكومة الداخلية الصور الصورة العاصمة الغربية \
        المدينة ان انا انه بأنه بي بين جامعة جمال دون سوف سي صاحب عين فإن فلسطين كنت له لو لي منا منه نادي نفس هو واحد يوما マン \
        中央 中心 发展 合作 土地 希望 建立 成功 文化 民主 资源 구나 구성 라고 머리 아서 위해 하나
        """.split(separator: " "))

    /// Seas, islands, deserts, mountains, lakes and rivers, and regions that are no divisions.
    private static let areas = folded(
        """
        aconcagua; adriatic; adriatic sea; adriatico; aegean; aegean sea; alpen; alpes; alpi; alps; amalfi coast; amazon; \
        amazon river; amazonia; amur; anatolia; andes; antarctic; antilles; apennines; appalachian mountains; \
        appalachians; appennini; arabian gulf; arabian sea; aral sea; arctic; arctic ocean; atacama desert; \
        atlantic; atlantic ocean; atlantik; atlantique; atlas mountains; baffin island; baikal; balkans; \
        baltic; baltic sea; barents sea; bay area; bay of bengal; bay of biscay; bayerischer wald; benelux; bengal; \
        bering sea; bering strait; black forest; black sea; bodensee; borneo; brahmaputra; \
        caribbean sea; caribe; carpathians; caspian sea; caucasus; celebes; celtic sea; central asia; channel islands; \
        colorado river; columbia river; congo river; coral sea; costa brava; costa del sol; cote d azur; \
        crater lake; cyclades; danube; danube river; darling river; dead sea; death valley; deep south; denali; dnieper; \
        dodecanese; dolomites; dolomiti; don river; donau; douro; drakensberg; east china sea; eastern europe; ebro; \
        eifel; elbe; elbrus; english channel; etna; euphrates; everest; everglades; far east; french alps; \
        french riviera; fuji; ganges; ganges river; gardasee; garonne; genfersee; gobi; gobi desert; golden gate; \
        great barrier reef; great lakes; great smoky mountains; gulf of aden; gulf of alaska; \
        gulf of california; gulf of guinea; gulf of mexico; gulf of oman; gulf of thailand; harz; hebrides; himalaya; \
        himalayas; hindu kush; honshu; hudson bay; hudson river; indian ocean; indochina; indus; ionian sea; irish sea; \
        irrawaddy; isar; java; jordan river; jura mountains; k2; kalahari; kalimantan; karakoram; karibik; \
        karpaten; kruger; kyushu; la manche; la seine; lac leman; lago di como; lago di garda; lago maggiore; \
        lake atitlan; lake baikal; lake balaton; lake biwa; lake champlain; lake como; lake constance; lake erie; \
        lake garda; lake geneva; lake huron; lake ladoga; lake lucerne; lake maggiore; lake malawi; lake mead; \
        lake michigan; lake nicaragua; lake ontario; lake powell; lake superior; lake tanganyika; \
        lake titicaca; lake toba; lake victoria; lake zurich; latin america; le rhin; leman; lena river; levant; \
        ligurian sea; loch ness; long island; los alpes; luneburger heide; manchuria; mar baltico; \
        mar do norte; mar mediterraneo; mar negro; mar rojo; mare adriatico; masai mara; massif central; matterhorn; \
        mediterranean; mediterranean sea; mediterranee; mediterraneo; mekong; mekong river; mer du nord; \
        mer mediterranee; mer noire; mer rouge; mesopotamia; middellandse zee; middle east; midwest; \
        mississippi river; missouri river; mittelmeer; mojave; mojave desert; mont blanc; monument valley; mosel; \
        mount ararat; mount etna; mount everest; mount fuji; mount hood; mount kenya; mount kilimanjaro; mount olympus; \
        mount rainier; mount rushmore; mount shasta; mount vesuvius; mt rainier; murray river; namib; napa valley; negev; \
        new england; new guinea; niger river; nile; noordzee; nordsee; north sea; norwegian sea; ob river; \
        ocean atlantique; oceano atlantico; oceano indiano; oceano pacifico; oder; ohio river; oostzee; orange river; \
        orinoco; ostsee; outback; outer hebrides; pacific; pacific ocean; pacifique; pampas; panama canal; parana river; \
        patagonia; pazifik; persian gulf; pikes peak; pirineos; po river; pyrenaen; pyrenees; red sea; rhein; rhine; \
        rhine river; rio grande river; river thames; rockies; rocky mountains; rotes meer; sahara; sakhalin; salton sea; \
        scandinavia; schwarzes meer; schwarzwald; sea of azov; sea of cortez; sea of japan; sea of marmara; \
        sea of okhotsk; seine; serengeti; shikoku; siberia; sibirien; silicon valley; sinai; snowdon; sonoran desert; \
        south china sea; southeast asia; southern ocean; strait of gibraltar; strait of malacca; suez canal; sulawesi; \
        sumatra; swiss alps; table mountain; tagus; tasman sea; tatra; tejo; tevere; thames; thar desert; tiber; \
        tigris; totes meer; transylvania; tyrrhenian sea; urals; vancouver island; veluwe; vesuvius; visayas; \
        vistula; volga; weser; west indies; western europe; white sea; yangtze; yangtze river; yellow river; yellow sea; \
        yellowstone; yenisei; yosemite; yucatan peninsula; yukon river; zurichsee
        """, separator: ";")

    private static func folded(_ text: String, separator: Character) -> Set<[UInt8]> {
        Set(text.split(separator: separator).map { NameFolding.key(String($0)) })
    }
}

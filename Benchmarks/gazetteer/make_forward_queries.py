#!/usr/bin/env python3
"""Write the table of texts that `darkroom-dev gazetteer verify --forward` scores.

usage: make_forward_queries.py FOLDER > forward.tsv

FOLDER is the output of demo/fetch-gazetteer. The rules below derive the right answers from the data alone: the
look-up is never used. The same tables give the same lines. Facts: GeoNames, CC BY 4.0.

class         how a line is made, and which answer is right
big           the most populous places, at most four per country
plain         large places whose names have marks, typed without marks and capitals
country       a place of 200 000 or more and its country, by name or code, if no namesake in the country
              has a tenth of its inhabitants
division      places of countries whose divisions people abbreviate, with the division in several forms
second        the second of two namesakes, with its division and country
script        a large place in another script: an alternate name that no other place a tenth its size has
region        a division of a million or more; no place elsewhere with a twentieth of its people has its name
nation        a country by name, or by its three-letter code
typo          a place of 300 000 or more with one wrong letter, from 10 letters on sometimes two; never the first
              letter, never an existing name, and no name of a place a fifth its size is as close
ambiguous     a name whose two largest places lie at least 100 km apart and differ by less than a factor of two in
              population; neither is a capital, and no region or larger place has the name
typed         written by hand, the way people type into a photo app
nothing       written by hand: not a place, or a place with a region that it is not in
wide          written by hand: a country or a division
coordinates   written by hand: the same few points in many notations, and notations that are wrong
address       written by hand: a street address, which is read as its city
landmark      written by hand: a campus or sight with its city, which is read as that city
open          written by hand: what several towns, divisions or countries are called, and codes
hint          written by hand: what is clear from where the person is, or from the person's country
astray        written by hand: looks like an address or landmark, but no city of it is known for sure
"""

import random
import sys
import unicodedata
from collections import defaultdict
from math import asin, cos, radians, sin, sqrt

SEED = 20260301


def fold(text):
    text = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    text = "".join(c for c in text if not unicodedata.combining(c))
    text = text.replace("'", "").replace("’", "").replace(".", "")
    return " ".join("".join(c if c.isalnum() else " " for c in text).split())


def kilometres(a, b):
    (p, l), (q, m) = [(radians(x["lat"]), radians(x["lon"])) for x in (a, b)]
    return 12742 * asin(sqrt(sin((q - p) / 2) ** 2 + cos(p) * cos(q) * sin((m - l) / 2) ** 2))


def edits(a, b, limit):
    """Return the edit distance (a swap of neighbours is one edit), or more than limit."""
    if abs(len(a) - len(b)) > limit or len(set(a) - set(b)) > limit:
        return limit + 1
    older, old = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(old[j] + 1, row[-1] + 1, old[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[-1] = min(row[-1], older[j - 2] + 1)
        if min(row) > limit:
            return limit + 1
        older, old = old, row
    return old[-1]


class Tables:
    def __init__(self, folder):
        self.countries, self.divisions, self.iso = {}, {}, {}
        for f in self.rows(folder, "countryInfo.txt"):
            self.countries[f[0]] = {"iso3": f[1], "name": f[4], "capital": fold(f[5])}
        for f in self.rows(folder, "admin1CodesASCII.txt"):
            self.divisions[f[0]] = f[1]
        for f in self.rows(folder, "subdivisions.tsv"):
            if len(f) > 2 and "-" in f[2]:
                self.iso[f[0]] = f[2].split("-")[1]
        self.places = []
        for f in self.rows(folder, "cities500.txt"):
            self.places.append(
                {
                    "id": f[0], "name": f[1], "others": f[3].split(","), "lat": float(f[4]),
                    "lon": float(f[5]), "country": f[8], "division": f"{f[8]}.{f[10]}",
                    "population": int(f[14]),
                }
            )
        self.places.sort(key=lambda p: (-p["population"], int(p["id"])))
        self.bearers, self.claims = defaultdict(list), defaultdict(list)
        self.people = defaultdict(int)
        for place in self.places:
            self.bearers[fold(place["name"])].append(place)
            for key in {fold(place["name"]), *map(fold, place["others"])}:
                self.claims[key].append(place)
            self.people[place["division"]] += place["population"]
        self.regions = {fold(c["name"]) for c in self.countries.values()} | {
            fold(name) for name in self.divisions.values()
        }

    @staticmethod
    def rows(folder, name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]

    def leads(self, place, among, share):
        """Whether no other place in the list, elsewhere, has at least this share of the place's people."""
        return all(
            other is place or other["population"] < place["population"] * share or kilometres(other, place) < 25
            for other in among
        )

    def find(self, name, country, division=None):
        for place in self.places:
            if name in (place["name"], *place["others"]) and place["country"] == country:
                if division in (None, place["division"].split(".")[1]):
                    return place
        raise SystemExit(f"no place {name}, {division}, {country}")


def marked(text):
    return any(ord(c) > 127 for c in text)


def script(text):
    names = {unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha()}
    return names.pop() if len(names) == 1 else None


def misspell(name, count, rng):
    letters = list(name)
    for _ in range(count):
        kind = rng.choice(["drop", "swap", "other", "double"])
        spots = [i for i in range(1, len(letters) - 1) if letters[i].isalpha() and letters[i + 1].isalpha()]
        spot = rng.choice(spots)
        if kind == "drop":
            del letters[spot]
        elif kind == "swap":
            letters[spot], letters[spot + 1] = letters[spot + 1], letters[spot]
        elif kind == "other":
            letters[spot] = rng.choice("abcdefghijklmnopqrstuvwxyz")
        else:
            letters.insert(spot, letters[spot])
    return "".join(letters)


def made(t):
    rng = random.Random(SEED)
    count = defaultdict(int)
    for place in t.places[:400]:
        if count[place["country"]] < 4 and sum(count.values()) < 50 and place["population"] > 0:
            if t.leads(place, t.bearers[fold(place["name"])], 0.1):
                count[place["country"]] += 1
                yield "big", place["name"], "place", place["id"]

    names = [p for p in t.places[:1500] if marked(p["name"]) and all(ord(c) < 0x250 for c in p["name"])]
    for place in rng.sample([p for p in names if t.leads(p, t.claims[fold(p["name"])], 0.1)], 20):
        yield "plain", fold(place["name"]), "place", place["id"]

    large = [p for p in t.places if p["population"] >= 200_000]
    alone = [
        p for p in large
        if t.leads(p, [o for o in t.claims[fold(p["name"])] if o["country"] == p["country"]], 0.1)
    ]
    for index, place in enumerate(rng.sample(alone, 40)):
        country = t.countries[place["country"]]
        form = ["{n}, {c}", "{n} {c}", "{c}, {n}", "{n}, {i}"][index % 4]
        text = form.format(n=place["name"], c=country["name"], i=place["country"])
        yield "country", text, "place", place["id"]

    forms = [
        "{n}, {a}", "{n} {a}", "{n}, {d}", "{n}, {a}, {c}", "{c}, {a}, {n}", "{n} {d}", "{n}, {a} {z}",
        "{l}, {m}",
    ]
    for code, number in [("US", 32), ("CA", 8), ("AU", 6), ("BR", 4), ("IN", 4), ("DE", 4), ("IT", 4), ("MX", 4)]:
        usable = [
            p for p in t.places
            if p["country"] == code and p["population"] >= 50_000 and p["division"] in t.iso
            and not t.iso[p["division"]].isdigit()
            and t.leads(p, [o for o in t.claims[fold(p["name"])] if o["division"] == p["division"]], 0.1)
        ]
        for index, place in enumerate(rng.sample(usable, min(number, len(usable)))):
            short = t.iso[place["division"]]
            zone = str(rng.randrange(10000, 99999))
            text = forms[index % len(forms)].format(
                n=place["name"], a=short, d=t.divisions[place["division"]], z=zone, l=place["name"].lower(),
                m=short.lower(), c="USA" if code == "US" else t.countries[code]["name"],
            )
            yield "division", text, "place", place["id"]

    doubles = []
    for key, bearers in t.bearers.items():
        best = [p for p in bearers if p["population"] >= 20_000 and p["division"] in t.divisions]
        if len(best) > 1 and best[0]["population"] >= 5 * best[1]["population"] and best[1]["country"] in t.countries:
            near = [o for o in t.claims[key] if o["division"] == best[1]["division"]]
            if t.leads(best[1], near, 0.1):
                doubles.append(best[1])
    for index, place in enumerate(rng.sample(sorted(doubles, key=lambda p: int(p["id"])), 24)):
        division, country = t.divisions[place["division"]], t.countries[place["country"]]["name"]
        form = ["{n}, {d}", "{n}, {d}, {c}", "{d}, {n}"][index % 3]
        yield "second", form.format(n=place["name"], d=division, c=country), "place", place["id"]

    wanted = ["CJK", "HIRAGANA", "KATAKANA", "CYRILLIC", "ARABIC", "HANGUL", "GREEK", "DEVANAGARI", "HEBREW", "THAI"]
    for index, place in enumerate(rng.sample(t.places[:150], 60)):
        kind = wanted[index % len(wanted)]
        options = [o for o in place["others"] if script(o) == kind and t.leads(place, t.claims[fold(o)], 0.1)]
        if options:
            yield "script", rng.choice(options), "place", place["id"]

    regions = []
    for code, name in t.divisions.items():
        rivals = [o for o in t.claims[fold(name)] if o["division"] != code and o["population"] * 20 > t.people[code]]
        same = [c for c, n in t.divisions.items() if fold(n) == fold(name) and c != code]
        nation = fold(name) in {fold(c["name"]) for c in t.countries.values()}
        if t.people[code] >= 1_000_000 and not rivals and not same and not nation:
            capital = [o for o in t.claims[fold(name)] if o["division"] == code]
            regions.append((code, name, capital[0]["id"] if capital else ""))
    for code, name, namesake in rng.sample(regions, 30):
        yield "region", name, "admin1", code, namesake

    for index, code in enumerate(rng.sample(sorted(t.countries), 30)):
        country = t.countries[code]
        capital = next((p["id"] for p in t.places if p["country"] == code and fold(p["name"]) == fold(country["name"])), "")
        if any(p["country"] == code for p in t.places):
            yield "nation", country["iso3"] if index % 5 == 4 else country["name"], "country", code, capital

    known = [(fold(p["name"]), p) for p in t.places if p["population"] >= 20_000]
    million = [p for p in t.places if p["population"] >= 300_000 and p["name"].isascii() and len(p["name"]) >= 5]
    million = [p for p in million if t.leads(p, t.bearers[fold(p["name"])], 0.1)]
    number = 0
    for place in rng.sample(million, 120):
        wrong = 2 if len(place["name"]) >= 10 and rng.random() < 0.4 else 1
        text = misspell(place["name"], wrong, rng)
        key = fold(text)
        if key in t.claims or key in t.regions or not 1 <= edits(key, fold(place["name"]), wrong) <= wrong:
            continue
        near = [p for name, p in known if p["population"] * 5 > place["population"] and edits(key, name, wrong) <= wrong]
        if t.leads(place, near, 0) and number < 45:
            number += 1
            yield "typo", text, "place", place["id"]

    unclear = []
    for key, bearers in t.bearers.items():
        best = bearers[:2]
        if len(best) < 2 or best[0]["population"] < 100_000 or best[1]["population"] * 2 < best[0]["population"]:
            continue
        capitals = [p for p in best if t.countries[p["country"]]["capital"] == key]
        others = [p for p in t.claims[key] if p not in best and p["population"] * 2 > best[0]["population"]]
        if kilometres(*best) >= 100 and not capitals and not others and key not in t.regions:
            unclear.append(best[0])
    for place in rng.sample(sorted(unclear, key=lambda p: int(p["id"])), min(25, len(unclear))):
        yield "ambiguous", place["name"], "ambiguous", ""


# Texts for one place, then its name in the table, country and division.
TYPED = [
    (["Seattle, WA", "seattle wa", "Seattle Washington", "Seattle, WA 98101", "downtown Seattle", "#seattle",
      "Seattle, Washington, United States", "Seattle/WA", "Seattle (WA)"], "Seattle", "US", "WA"),
    (["Zürich", "zurich", "Zuerich", "ZÜRICH", "Zürich, Schweiz", "8001 Zürich", "CH-8001 Zürich"], "Zürich", "CH", None),
    (["東京", "Tokyo, Japan", "tokio", "東京, 日本"], "Tokyo", "JP", None),
    (["Springfield, IL, USA", "USA, IL, Springfield", "Springfield Illinois", "Springfield, IL 62701"], "Springfield", "US", "IL"),
    (["SF", "San Francisco, CA", "San Fran, California", "San Francisco, Calif."], "San Francisco", "US", "CA"),
    (["NYC", "New York, NY", "New York", "new york city", "New York, NY 10001", "Big Apple"], "New York City", "US", "NY"),
    (["LA", "L.A.", "Los Angeles", "los angeles ca"], "Los Angeles", "US", "CA"),
    (["St. Louis", "Saint Louis", "St Louis, MO", "Saint Louis, Missouri"], "St. Louis", "US", "MO"),
    (["Paris, TX", "Paris Texas"], "Paris", "US", "TX"),
    (["Paris", "Paris, France", "paris france", "75001 Paris", "Paris 🇫🇷"], "Paris", "FR", None),
    (["London, Ontario", "London, ON", "London ON Canada"], "London", "CA", "08"),
    (["London", "London, UK", "London, England", "london united kingdom", "Londres"], "London", "GB", None),
    (["Cambridge MA", "Cambridge, Mass.", "Cambridge, Massachusetts, USA"], "Cambridge", "US", "MA"),
    (["Cambridge, UK", "Cambridge, England"], "Cambridge", "GB", None),
    (["Frankfurt am Main", "Frankfurt/Main", "Frankfurt a.M.", "Frankfurt", "Frankfurt, Hessen"], "Frankfurt am Main", "DE", None),
    (["München", "Muenchen", "munich", "München, Bayern", "Munich, Bavaria", "80331 München"], "Munich", "DE", None),
    (["Sao Paulo", "São Paulo", "são paulo, brasil"], "São Paulo", "BR", None),
    (["10115 Berlin", "Berlin, Deutschland", "D-10115 Berlin", "berlin germany", "Берлин"], "Berlin", "DE", None),
    (["Washington, D.C.", "Washington DC", "washington d.c., usa"], "Washington", "US", "DC"),
    (["Köln", "Koeln", "Cologne"], "Köln", "DE", None),
    (["Firenze", "Florence, Italy", "Florence, Tuscany"], "Florence", "IT", None),
    (["Roma", "Rome, Italy"], "Rome", "IT", None),
    (["Lisboa", "Lisbon, Portugal"], "Lisbon", "PT", None),
    (["København", "Copenhagen", "Kopenhagen"], "Copenhagen", "DK", None),
    (["Goteborg", "Göteborg", "Gothenburg, Sweden"], "Göteborg", "SE", None),
    (["Москва", "moskva", "Moscow, Russia"], "Moscow", "RU", None),
    (["Beijing", "北京", "Peking"], "Beijing", "CN", None),
    (["Mumbai", "Bombay", "Mumbai, India"], "Mumbai", "IN", None),
    (["Bangalore", "Bengaluru, India"], "Bengaluru", "IN", None),
    (["Saigon", "Ho Chi Minh City", "Ho Chi Minh, Vietnam"], "Ho Chi Minh City", "VN", None),
    (["Wien", "Vienna, Austria", "1010 Wien"], "Vienna", "AT", None),
    (["Den Haag", "The Hague"], "The Hague", "NL", None),
    (["Fort Worth", "Ft. Worth, TX"], "Fort Worth", "US", "TX"),
    (["Vegas", "Las Vegas, NV"], "Las Vegas", "US", "NV"),
    (["Philly", "Philadelphia, PA"], "Philadelphia", "US", "PA"),
    (["Portland, Maine", "portland me"], "Portland", "US", "ME"),
    (["Portland, OR", "Portland, Oregon"], "Portland", "US", "OR"),
    (["Newcastle upon Tyne", "Newcastle, England"], "Newcastle upon Tyne", "GB", None),
    (["Sydney", "Sydney NSW", "Sydney, Australia", "Sydney NSW 2000"], "Sydney", "AU", None),
    (["Cape Town", "Kapstadt", "Cape Town, South Africa"], "Cape Town", "ZA", None),
    (["1012 AB Amsterdam", "Amsterdam, NL"], "Amsterdam", "NL", None),
    (["Toronto ON M5V 2T6", "Toronto, Canada"], "Toronto", "CA", None),
    (["Brooklyn", "Brooklyn, NY", "Brooklyn, NYC"], "Brooklyn", "US", "NY"),
    (["Kreuzberg", "Kreuzberg, Berlin", "Berlin-Kreuzberg"], "Kreuzberg", "DE", "16"),
    (["Harlem, New York", "Harlem, NYC"], "Harlem", "US", "NY"),
    (["Hollywood, Los Angeles"], "Hollywood", "US", "CA"),
    (["Seatle", "Seattel, WA", "Saettle"], "Seattle", "US", "WA"),
    (["Barcelona, Catalonia", "Barcalona", "barcelona, españa"], "Barcelona", "ES", None),
    (["Phnom Pehn", "Phnom Penh, Cambodia"], "Phnom Penh", "KH", None),
    (["Kyoto, Japan", "京都市"], "Kyoto", "JP", None),
    # Islands and sights by their town, and towns by their island.
    (["Mallorca", "majorca", "Майорка", "Mallorca, Spain", "Palma, Mallorca"], "Palma", "ES", "07"),
    (["Alcúdia, Mallorca", "Alcudia, Majorca, Spain"], "Alcúdia", "ES", "07"), (["Menorca", "Minorca"], "Maó", "ES", "07"),
    (["Ciutadella, Menorca"], "Ciutadella", "ES", "07"), (["Gran Canaria"], "Las Palmas de Gran Canaria", "ES", "53"),
    (["Lanzarote"], "Arrecife", "ES", "53"), (["Adeje, Tenerife"], "Adeje", "ES", "53"),
    (["Santorini", "Santorin", "サントリーニ", "Santorini, Greece"], "Firá", "GR", None), (["Oia, Santorini"], "Oía", "GR", None),
    (["Rhodes, Greece", "Rhodos"], "Ródos", "GR", None), (["Rhodes, Sydney", "Rhodes, Australia"], "Rhodes", "AU", "02"),
    (["Lindos, Rhodes", "Lindos, Rhodes, Greece"], "Líndos", "GR", None), (["Sylt"], "Westerland", "DE", None),
    (["Isle of Skye", "Skye, Scotland", "Portree, Isle of Skye"], "Portree", "GB", "SCT"), (["Gozo"], "Victoria", "MT", None),
    (["Ürgüp, Cappadocia"], "Ürgüp", "TR", None), (["Petra, Jordan"], "Wādī Mūsá", "JO", None), (["Lombok"], "Mataram", "ID", None),
    (["Boracay"], "Balabag", "PH", "06"), (["Oahu"], "Honolulu", "US", "HI"), (["Waikiki, Oahu"], "Waikīkī", "US", "HI"),
    (["Tahiti"], "Papeete", "PF", None), (["Easter Island"], "Hanga Roa", "CL", None),
    (["La Palma, Spain"], "Santa Cruz de la Palma", "ES", "53"), (["El Hierro"], "Valverde", "ES", "53"),
    (["São Miguel, Azores"], "Ponta Delgada", "PT", None), (["Molyvos, Lesvos"], "Míthymna", "GR", None),
    (["Amrum"], "Nebel", "DE", "10"), (["Neuschwanstein Castle"], "Schwangau", "DE", None),
    (["Stromness, Orkney"], "Stromness", "GB", "SCT"), (["Shetland"], "Lerwick", "GB", "SCT"),
    (["Tobermory, Mull"], "Tobermory", "GB", "SCT"), (["Stonehenge"], "Amesbury", "GB", "ENG"),
    (["Mont Saint-Michel"], "Pontorson", "FR", None), (["Svendborg, Fyn"], "Svendborg", "DK", None),
    (["Koh Phi Phi"], "Phi Phi Don", "TH", None), (["Angkor Wat"], "Siem Reap", "KH", None), (["Taj Mahal"], "Agra", "IN", "36"),
    (["Langley, Whidbey Island"], "Langley", "US", "WA"), (["Lake Tahoe"], "South Lake Tahoe", "US", "CA"),
    (["Iguazu Falls"], "Puerto Iguazú", "AR", None), (["Waiheke Island"], "Oneroa", "NZ", None),
    (["Uluru", "Ayers Rock"], "Yulara", "AU", None), (["Tortola"], "Road Town", "VG", None),
    (["London Heathrow", "Heathrow Airport"], "Hounslow", "GB", None), (["Heathrow, Florida", "Heathrow, FL"], "Heathrow", "US", "FL"),
    (["Texel", "Insel Texel"], "Den Burg", "NL", None), (["Isola di Capri"], "Capri", "IT", "04"), (["Isla de Cozumel"], "Cozumel", "MX", "23"),
    (["Isla de Mallorca", "Ile de Majorque"], "Palma", "ES", "07"), (["Pulau Langkawi"], "Kuah", "MY", None),
    (["Isola d'Elba"], "Portoferraio", "IT", "16"), (["Naxos Island, Greece"], "Náxos", "GR", None), (["Samsø"], "Tranebjerg", "DK", None),
    (["Big Island", "Hawaii Island"], "Hilo", "US", "HI"), (["Ha Long Bay, Vietnam"], "Hạ Long", "VN", None),
    (["Ubud, Bali Island"], "Ubud", "ID", "02"),
]
TYPED_REGIONS = [
    (["Costa Rica", "costarica"], "country", "CR"), (["USA", "U.S.A.", "United States"], "country", "US"),
    (["Deutschland"], "country", "DE"), (["日本"], "country", "JP"), (["UK"], "country", "GB"),
    (["Holland"], "country", "NL"), (["España"], "country", "ES"), (["Brasil"], "country", "BR"),
    (["California", "california, usa", "Californa"], "admin1", "US.CA"), (["Bavaria", "Bayern"], "admin1", "DE.02"),
    (["Scotland"], "admin1", "GB.SCT"), (["Texas"], "admin1", "US.TX"), (["Tuscany, Italy"], "admin1", "IT.16"),
    (["Южная Корея", "Корея", "Corée", "Südkorea", "韓國"], "country", "KR"), (["Северная Корея"], "country", "KP"),
    (["Elfenbeinküste"], "country", "CI"), (["Weißrussland", "Biélorussie", "Белоруссия"], "country", "BY"),
    (["Tschechei", "République tchèque", "República Checa"], "country", "CZ"), (["الإمارات", "Эмираты", "阿联酋"],
    "country", "AE"), (["السعودية"], "country", "SA"), (["Македония", "Mazedonien", "Macédoine"], "country", "MK"),
    (["Bosnien", "Босния"], "country", "BA"), (["أمريكا", "Штаты"], "country", "US"), (["ЮАР"], "country", "ZA"),
    (["КНР"], "country", "CN"), (["РФ"], "country", "RU"), (["Hollande", "Голландия"], "country", "NL"), (["Birma",
    "Birmanie"], "country", "MM"),    (["Inghilterra", "Inglaterra", "Angleterre"], "admin1", "GB.ENG"), (["Écosse",
    "Scozia"], "admin1", "GB.SCT"),
    (["New South Wales"], "admin1", "AU.02"), (["Washington State"], "admin1", "US.WA"),
    (["Bali Island", "バリ島", "остров Бали"], "admin1", "ID.02"), (["Insel Kreta"], "admin1", "GR.ESYE43"), (["Île Maurice"], "country", "MU"),
    (["Isola di Malta"], "country", "MT"), (["Ilha da Madeira"], "admin1", "PT.10"),
]
TYPED_AMBIGUOUS = ["Springfield", "Georgia", "Columbia"]
NOTHING = [
    "asdfgh", "qwertzuiop", "Hogwarts", "Mordor", "Narnia", "my kitchen", "IMG_1234", "xxxxxxxx", "???", "12345",
    "home sweet home", "holiday pictures", "Westeros", "Seattle, France", "Tokyo, Brazil", "Paris, Japan",
    "Berlin, Peru", "Xyzzyville", "zzz", "lorem ipsum dolor", "untitled", "https://example.com/x", "Springfield, Japan",
    "best day ever", "грпшщзх", "nowhereville, usa", "Seattle, Atlantis Republic", "-", "the moon", "no idea",
    # Islands that are none of the towns.
    "Roosevelt Island", "Long Beach Island", "Vancouver Island", "Beach Hotel, Insel Mallorca",
]


WIDE = [
    ("country", "US", ["US", "usa", "the United States", "America", "United States of America"]),
    ("country", "DE", ["Germany", "GERMANY", "Allemagne", "DE"]), ("country", "GB", ["GB", "United Kingdom", "Great Britain"]),
    ("country", "FR", ["France", "FRA"]), ("country", "IT", ["Italy", "Italia"]), ("country", "JP", ["Japan", "JPN"]),
    ("country", "KR", ["South Korea"]), ("country", "NZ", ["New Zealand", "NZ"]), ("country", "TR", ["Turkey"]),
    ("country", "CZ", ["Czech Republic"]), ("country", "MX", ["Mexico"]), ("country", "BR", ["Brazil", "BR"]),
    ("country", "ZA", ["South Africa"]), ("country", "IS", ["Iceland"]), ("country", "PT", ["Portugal"]),
    ("country", "CI", ["Ivory Coast"]), ("country", "NE", ["Niger"]), ("country", "TD", ["Chad"]),
    ("admin1", "US.TX", ["Texas, USA", "TX, USA", "State of Texas"]), ("admin1", "US.FL", ["Florida"]),
    ("admin1", "US.AK", ["Alaska"]), ("admin1", "US.HI", ["Hawaii"]), ("admin1", "US.CO", ["Colorado"]),
    ("admin1", "US.WA", ["WA, USA"]), ("admin1", "US.NY", ["New York State"]),
    ("admin1", "CA.02", ["British Columbia", "BC, Canada"]), ("admin1", "CA.10", ["Quebec, Canada", "QC, Canada"]),
    ("admin1", "AU.04", ["Queensland", "QLD, Australia"]), ("admin1", "AU.08", ["Western Australia"]),
    ("admin1", "DE.02", ["Bavaria, Germany", "Bayern, DE"]), ("admin1", "DE.07", ["North Rhine-Westphalia", "NRW"]),
    ("admin1", "IT.16", ["Tuscany", "Toscana"]), ("admin1", "IT.15", ["Sicily"]), ("admin1", "ES.51", ["Andalusia"]),
    ("admin1", "ES.56", ["Catalonia"]), ("admin1", "FR.53", ["Brittany, France"]), ("admin1", "IN.13", ["Kerala"]),
    ("admin1", "IN.36", ["Uttar Pradesh"]), ("admin1", "BR.05", ["Bahia, Brazil"]), ("admin1", "GB.WLS", ["Wales"]),
    ("admin1", "GB.NIR", ["Northern Ireland"]), ("admin1", "AT.07", ["Tirol", "Tyrol, Austria"]),
]

SEATTLE, SYDNEY, RIO = "47.6062,-122.3321", "-33.8688,151.2093", "-22.9068,-43.1729"
COORDINATES = [
    (SEATTLE, ["47.6062, -122.3321", "47.6062,-122.3321", "47.6062; -122.3321", "47.6062 -122.3321", "(47.6062, -122.3321)",
               "N 47.6062 W 122.3321", "N47.6062 W122.3321", "47.6062 N 122.3321 W", "47.6062N, 122.3321W", "47.6062° N, 122.3321° W",
               "47.6062°, -122.3321°", "+47.6062, -122.3321", "47,6062; -122,3321", "47,6062 -122,3321", "47,6062° N, 122,3321° W",
               "geo:47.6062,-122.3321", "GEO:47.6062,-122.3321;u=35", "geo:47.6062,-122.3321,50;crs=wgs84", "+47.6062-122.3321/",
               "lat 47.6062, lon -122.3321", "Latitude: 47.6062, Longitude: -122.3321", "W 122.3321, N 47.6062",
               "122.3321° W, 47.6062° N", "47.6062, −122.3321", "47°36.372'N 122°19.926'W", "47° 36.372′ N, 122° 19.926′ W",
               "N 47° 36.372' W 122° 19.926'", "47 36.372 N 122 19.926 W", "47°36'22.32\"N 122°19'55.56\"W",
               "47° 36′ 22.32″ N 122° 19′ 55.56″ W", "47º36'22.32''N, 122º19'55.56''W", "47d36m22.32s N 122d19m55.56s W",
               "47 deg 36 min 22.32 sec N, 122 deg 19 min 55.56 sec W", "+473622.32-1221955.56/"]),
    (SYDNEY, ["-33.8688, 151.2093", "33.8688 S 151.2093 E", "S33.8688 E151.2093", "33°52'7.68\"S 151°12'33.48\"E",
              "-33.8688+151.2093/", "-33° 52' 7.68\", 151° 12' 33.48\"", "geo:-33.8688,151.2093"]),
    (RIO, ["-22.9068, -43.1729", "22.9068 S, 43.1729 W", "22°54.408'S 43°10.374'W", "-22.9068-043.1729/"]),
]
BAD_COORDINATES = [
    "97.6062, -122.3321", "47.6062, -182.3321", "-122.3321, 47.6062", "47.6062 N, 122.3321 N", "47°72'N 122°19'W",
    "47°36'72\"N 122°19'56\"W", "-47.6062 N, 122.3321 W", "47.6062 N, 200 W", "geo:91,0", "+97.6-122.3/", "91 N 12 E",
    "N 47.6062 S, W 122.3321",
]

ADDRESS = [
    ("Seattle", "US", "WA", ["4000 15th Ave NE, Seattle, WA", "4000 15th Ave NE, Seattle, WA 98105", "4000 15th Ave NE, Seattle, WA 98105, USA",
                             "400 Broad St, Seattle", "1912 Pike Pl, Seattle, WA 98101", "4000 15th Ave NE Seattle WA"]),
    ("New York City", "US", "NY", ["350 5th Ave, New York, NY 10118", "20 W 34th St., New York, NY 10001, United States"]),
    ("London", "GB", None, ["10 Downing Street, London", "221B Baker St, London NW1 6XE, UK", "221b Baker Street, London, England"]),
    ("Paris", "FR", None, ["5 Avenue Anatole France, 75007 Paris, France", "12 rue de Rivoli, Paris"]),
    ("Munich", "DE", None, ["Marienplatz 1, 80331 München", "Leopoldstraße 15, München, Deutschland", "Leopoldstr. 15, 80802 Munich"]),
    ("Berlin", "DE", None, ["Alexanderplatz 3, 10178 Berlin", "Unter den Linden 77, Berlin, Germany", "Berlin, Friedrichstr. 101"]),
    ("Vienna", "AT", None, ["Stephansplatz 3, 1010 Wien", "Kärntner Straße 5, Vienna, Austria"]),
    ("Rome", "IT", None, ["Via del Corso 12, 00186 Roma", "Piazza Navona 5, Rome, Italy"]),
    ("Madrid", "ES", None, ["Calle de Alcalá 45, Madrid", "Gran Vía 28, 28013 Madrid, España"]),
    ("Toronto", "CA", None, ["290 Bremner Blvd, Toronto, ON M5V 3L9", "1 Yonge Street, Toronto, Canada"]),
    ("Sydney", "AU", None, ["1 Macquarie St, Sydney NSW 2000", "48 Pirrama Road, Sydney, Australia"]),
    ("San Francisco", "US", "CA", ["1 Ferry Building, San Francisco, CA", "900 North Point St, San Francisco, California"]),
    ("Mountain View", "US", "CA", ["1600 Amphitheatre Parkway, Mountain View, CA 94043"]),
    ("Portland", "US", "OR", ["1005 W Burnside St, Portland, OR 97209"]), ("Portland", "US", "ME", ["7 Congress Square, Portland, ME"]),
    ("São Paulo", "BR", None, ["Av. Paulista 1578, São Paulo"]), ("Amsterdam", "NL", None, ["Museumstraat 1, 1071 XX Amsterdam"]),
    ("Zürich", "CH", None, ["Bahnhofstrasse 1, 8001 Zürich"]), ("Springfield", "US", "IL", ["413 S 8th St, Springfield, IL 62701"]),
]

LANDMARK = [
    ("Seattle", "US", "WA", ["Space Needle, Seattle", "University of Washington, Seattle, WA 98105", "Gas Works Park, Seattle, WA",
                             "Suzzallo Library, University of Washington, Seattle", "Seattle, Space Needle Park"]),
    ("Paris", "FR", None, ["Eiffel Tower, Paris", "Musée du Louvre, Paris, France", "Notre-Dame Cathedral, Paris"]),
    ("London", "GB", None, ["Tower Bridge, London", "British Museum, London, UK", "Imperial College, London"]),
    ("Berlin", "DE", None, ["Brandenburger Tor, Berlin", "Humboldt-Universität, Berlin", "Tiergarten Park, Berlin, Germany"]),
    ("Rome", "IT", None, ["Colosseum, Rome", "Fontana di Trevi, Roma, Italia"]), ("Cambridge", "US", "MA", ["MIT, Cambridge, MA", "Harvard University, Cambridge, Massachusetts"]),
    ("Cambridge", "GB", None, ["King's College, Cambridge, England"]), ("Oxford", "GB", None, ["Bodleian Library, Oxford, UK"]),
    ("San Francisco", "US", "CA", ["Golden Gate Bridge, San Francisco", "Fisherman's Wharf, San Francisco, CA"]),
    ("Barcelona", "ES", None, ["Casa Milà, Barcelona, Spain", "Park Güell, Barcelona, Catalonia"]),
    ("Zürich", "CH", None, ["ETH, Zürich", "Universität Zürich, Zürich"]), ("Munich", "DE", None, ["Allianz Arena, München"]),
    ("Tokyo", "JP", None, ["Senso-ji Temple, Tokyo", "Tokyo Skytree, Tokyo, Japan"]), ("Kyoto", "JP", None, ["Fushimi Inari Shrine, Kyoto, Japan"]),
    ("Sydney", "AU", None, ["Opera House, Sydney, NSW"]), ("Los Angeles", "US", "CA", ["Griffith Observatory, Los Angeles, CA", "UCLA campus, Los Angeles"]),
    ("Berkeley", "US", "CA", ["Sather Tower, Berkeley, CA"]), ("Chicago", "US", "IL", ["Millennium Park, Chicago, IL"]),
    ("New York City", "US", "NY", ["Central Park Zoo, New York City", "Columbia University, New York, NY"]),
]

OPEN = [
    "Washington", "Washington, USA", "Victoria", "Springfield, USA", "Portland", "Cambridge", "WA", "CA", "MA", "Richmond", "Córdoba",
    "Valencia", "Columbus", "Newcastle", "Hamilton", "Kingston", "Aurora", "Aurora, USA", "Glendale",
    "Peoria, USA", "Columbia, USA", "Santiago", "San Jose", "Trinidad", "Granada", "León", "Mérida", "Suzhou, China", "Rochester",
    "Fayetteville", "Kansas City", "Jackson", "Salem", "Concord", "Bristol", "Worcester", "Limburg", "Taizhou, China", "Punjab", "Rhodes", "Skye", "Petra", "Bruges", "La Gomera", "Heathrow",
]

HINT = [
    # Text, name, country and division of the right place; where the person is, or the person's country.
    ("Springfield", "Springfield", "US", "IL", "39.9,-89"), ("Springfield", "Springfield", "US", "MO", "37.1,-93.5"),
    ("Springfield", "Springfield", "US", "MA", "42.2,-72.6"), ("Portland", "Portland", "US", "ME", "43.6,-70.3"),
    ("Portland", "Portland", "US", "OR", "45.6,-122.5"), ("Cambridge", "Cambridge", "GB", None, "GB"),
    ("Cambridge", "Cambridge", "US", "MA", "42.36,-71.06"), ("Richmond", "Richmond", "US", "VA", "37.5,-77.4"),
    ("Columbus", "Columbus", "US", "GA", "32.5,-85"), ("Columbia", "Columbia", "US", "MO", "38.9,-92.3"),
    ("Newcastle", "Newcastle", "AU", None, "AU"), ("Newcastle", "Newcastle upon Tyne", "GB", None, "GB"),
    ("Hamilton", "Hamilton", "NZ", None, "NZ"), ("Hamilton", "Hamilton", "CA", None, "CA"), ("Kingston", "Kingston", "JM", None, "JM"),
    ("Kingston", "Kingston", "CA", None, "44.3,-76.4"), ("Córdoba", "Córdoba", "ES", None, "ES"), ("Valencia", "Valencia", "ES", None, "ES"),
    ("Valencia", "Valencia", "VE", None, "VE"), ("León", "León", "ES", None, "ES"), ("Mérida", "Mérida", "MX", None, "MX"),
    ("Granada", "Granada", "ES", None, "ES"), ("Victoria", "Victoria", "CA", None, "48.5,-123.3"), ("Washington", "admin1", "US", "US.WA", "47.6,-122.3"),
    ("Washington", "Washington", "US", "DC", "38.9,-77.0"), ("Georgia", "country", "GE", None, "GE"), ("Georgia", "admin1", "US", "US.GA", "US"),
    ("Georgia", "admin1", "US", "US.GA", "33.7,-84.4"), ("Victoria", "admin1", "AU", "AU.07", "AU"), ("Aurora", "Aurora", "US", "IL", "41.8,-88.3"),
    # The text says more than the hint.
    ("Paris, TX", "Paris", "US", "TX", "FR"), ("Paris, TX", "Paris", "US", "TX", "48.9,2.3"), ("Paris", "Paris", "FR", None, "US"),
    ("Paris", "Paris", "FR", None, "32.8,-96.8"), ("London, Ontario", "London", "CA", "08", "GB"), ("Seattle", "Seattle", "US", "WA", "FR"),
    ("Springfield, IL", "Springfield", "US", "IL", "37.1,-93.5"), ("Birmingham, AL", "Birmingham", "US", "AL", "GB"),
]

ASTRAY = [
    "Bxllvxux, Washington", "Bxxlvxux, New York", "12 Main Street, Qqqqville", "MIT", "SEA", "Museum", "University of Nowhere",
    "Central Station", "4000 15th Ave NE", "Main Street, USA", "Mount Rainier National Park, WA", "Seattle, Paris", "Sxxttle, Tokyo Prefecture",
    "Eiffel Tower", "Cafeteria, 2nd floor", "Room 101", "Park, Texas", "Airport, Germany", "10 Downing Street", "Grandma's kitchen, Georgia",
    "Berlin, Tokyo", "London, Moscow", "Madrid, Rome, Oslo", "university campus", "Xqzville, Victoria", "Street 5, Bavaria", "Rx77, Ontario",
    "Museum of Modern Art", "my house, our street", "home, sweet home", "Foobarton, Florida", "Chikagoo Town, Peru",
]


def written(tables):
    """Lines written by hand with kinds of their own: (class, text, kind, answer, also_ok, latitude, longitude, country)."""
    for kind, code, texts in WIDE:
        for text in texts:
            yield "wide", text, kind, code, "", "", "", ""
    for point, texts in COORDINATES:
        for text in texts:
            yield "coordinates", text, "point", point, "", "", "", ""
    for text in BAD_COORDINATES:
        yield "coordinates", text, "invalid", "", "", "", "", ""
    for group, rows in ("address", ADDRESS), ("landmark", LANDMARK):
        for name, country, division, texts in rows:
            for text in texts:
                yield group, text, "read_as", tables.find(name, country, division)["id"], "", "", "", ""
    for text in OPEN:
        yield "open", text, "ambiguous", "", "", "", "", ""
    for text, name, country, division, hint in HINT:
        north, east = hint.split(",") if "," in hint else ("", "")
        code = "" if north else hint
        if name == "admin1":
            yield "hint", text, name, division, "", north, east, code
        elif name == "country":
            yield "hint", text, name, country, "", north, east, code
        else:
            yield "hint", text, "place", tables.find(name, country, division)["id"], "", north, east, code
    for text in ASTRAY:
        yield "astray", text, "none", "", "", "", "", ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    tables = Tables(sys.argv[1])
    lines, seen = [], set()

    def add(group, text, kind, answer="", also="", north="", east="", country=""):
        if (text, north, country) not in seen:
            seen.add((text, north, country))
            lines.append((group, text, kind, answer, also, north, east, country))

    for line in made(tables):
        add(*line)
    for texts, name, country, division in TYPED:
        for text in texts:
            add("typed", text, "place", tables.find(name, country, division)["id"])
    for texts, kind, answer in TYPED_REGIONS:
        for text in texts:
            add("typed", text, kind, answer)
    for text in TYPED_AMBIGUOUS:
        add("typed", text, "ambiguous")
    for text in NOTHING:
        add("nothing", text, "none")
    for line in written(tables):
        add(*line)
    print("class\ttext\tkind\tanswer\talso_ok\tlat\tlon\tcountry")
    for line in lines:
        print("\t".join(line))


main()

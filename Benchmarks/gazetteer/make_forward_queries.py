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
]
TYPED_REGIONS = [
    (["Costa Rica", "costarica"], "country", "CR"), (["USA", "U.S.A.", "United States"], "country", "US"),
    (["Deutschland"], "country", "DE"), (["日本"], "country", "JP"), (["UK"], "country", "GB"),
    (["Holland"], "country", "NL"), (["España"], "country", "ES"), (["Brasil"], "country", "BR"),
    (["California", "california, usa", "Californa"], "admin1", "US.CA"), (["Bavaria", "Bayern"], "admin1", "DE.02"),
    (["Scotland"], "admin1", "GB.SCT"), (["Texas"], "admin1", "US.TX"), (["Tuscany, Italy"], "admin1", "IT.16"),
    (["New South Wales"], "admin1", "AU.02"), (["Washington State"], "admin1", "US.WA"),
]
TYPED_AMBIGUOUS = ["Springfield", "Georgia", "Columbia"]
NOTHING = [
    "asdfgh", "qwertzuiop", "Hogwarts", "Mordor", "Narnia", "my kitchen", "IMG_1234", "xxxxxxxx", "???", "12345",
    "home sweet home", "holiday pictures", "Westeros", "Seattle, France", "Tokyo, Brazil", "Paris, Japan",
    "Berlin, Peru", "Xyzzyville", "zzz", "lorem ipsum dolor", "untitled", "https://example.com/x", "Springfield, Japan",
    "best day ever", "грпшщзх", "nowhereville, usa", "Seattle, Atlantis Republic", "-", "the moon", "no idea",
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    tables = Tables(sys.argv[1])
    lines, seen = [], set()

    def add(group, text, kind, answer="", also=""):
        if text not in seen:
            seen.add(text)
            lines.append((group, text, kind, answer, also))

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
    print("class\ttext\tkind\tanswer\talso_ok")
    for line in lines:
        print("\t".join(line))


main()

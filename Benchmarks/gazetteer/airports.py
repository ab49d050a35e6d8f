#!/usr/bin/env python3
"""Score an index on the country and time zone of every airport in the world.

usage: airports.py DARKROOM INDEX

Looks up the 28 000 airports of PyPI's airportsdata (MIT licence) with `DARKROOM gazetteer reverse`, and prints how many
get another country, another time zone offset, or none. Two time zones are the same if their offsets from UTC are, in
January and in July of 2026. Every miss follows, one per line.

airportsdata files some territories under the country that governs them: TERRITORIES. It also has airports at wrong
coordinates, because it takes minutes for hundredths of a degree: Ostend's is in France. MISPLACED are counted apart.
"""

import collections
import datetime
import json
import subprocess
import sys
import zoneinfo

import airportsdata

# GeoNames' country, by airportsdata's: ISO 3166-1 codes of their own.
TERRITORIES = {
    "US": {"AS", "GU", "MP", "PR", "UM", "VI"},
    "NO": {"SJ", "BV"},
    "FI": {"AX"},
    "FR": {"GF", "GP", "MQ", "RE", "YT", "BL", "MF", "PM", "WF", "PF", "NC", "TF"},
    "GB": {"GG", "JE", "IM", "GI", "FK", "GS", "IO", "SH", "AI", "BM", "KY", "MS", "TC", "VG", "PN"},
    "NL": {"AW", "CW", "SX", "BQ"},
    "CN": {"HK", "MO"},
    "AU": {"CX", "CC", "NF", "HM"},
    "DK": {"FO", "GL"},
}
MISPLACED = {"EBBX", "EBCV", "EBFN", "EBKT", "EBOS", "ELLX"}

SEASONS = [datetime.datetime(2026, month, 15, 12) for month in (1, 7)]


def offsets(name):
    try:
        return [zoneinfo.ZoneInfo(name).utcoffset(time) for time in SEASONS]
    except (zoneinfo.ZoneInfoNotFoundError, TypeError, ValueError):
        return None


def main():
    darkroom, index = sys.argv[1:]
    airports = list(airportsdata.load("ICAO").values())
    lines = "".join(f"{airport['lat']}\t{airport['lon']}\n" for airport in airports)
    command = [darkroom, "gazetteer", "reverse", "--gazetteer", index, "--json"]
    run = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
    counts = collections.Counter()
    misses = []
    for airport, line in zip(airports, run.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        country = (answer["country"] or {}).get("code")
        wanted = airport["country"]
        if country != wanted and country not in TERRITORIES.get(wanted, ()):
            kind = "misplaced" if airport["icao"] in MISPLACED else "country"
            counts[kind] += 1
            misses.append((kind, airport, f"{wanted}, gets {country}"))
        zone = answer["time_zone"]
        if zone is None:
            counts["no zone"] += 1
            misses.append(("no zone", airport, airport["tz"]))
        elif offsets(zone) != offsets(airport["tz"]):
            counts["offset"] += 1
            misses.append(("offset", airport, f"{airport['tz']}, gets {zone}"))
    print(f"{len(airports)} airports")
    for kind in ("country", "misplaced", "offset", "no zone"):
        share = 100 * (1 - counts[kind] / len(airports))
        print(f"{kind:10} {counts[kind]:5} wrong, {share:.2f} % right")
    for kind, airport, what in misses:
        print(kind, airport["icao"], airport["lat"], airport["lon"], what, airport["name"], sep="\t")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How many cells a feed asks if the world is divided into cells with a database each.

People live in the places of a GeoNames table (cities500.txt or the like), as many as its column of populations says, around the
centre (a normal distribution, --spread km in each direction). The world is halved again and again, across the longer side, so that as many
people live on both sides. A feed within a radius asks every cell that the circle touches, on a flat map around the reader.

Prints a line for each number of cells and radius: the share of feeds that ask more than one cell, and how many cells they ask.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
from bisect import bisect_left
from itertools import accumulate

DEGREE = 111.195  # km


def read(path: str) -> list[tuple[float, float, int]]:
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as table:
        rows = (line.rstrip("\n").split("\t") for line in table)
        return [(float(row[4]), float(row[5]), int(row[14])) for row in rows if int(row[14]) > 0]


def divide(places, cells, box=(-90.0, -180.0, 90.0, 180.0)):
    """A tree of boxes (south, west, north, east); a leaf is a cell."""
    if cells == 1 or len({place[:2] for place in places}) < 2:
        return box, ()
    lows = [min(place[axis] for place in places) for axis in (0, 1)]
    highs = [max(place[axis] for place in places) for axis in (0, 1)]
    wide = (highs[1] - lows[1]) * math.cos(math.radians((lows[0] + highs[0]) / 2))
    axis = 1 if wide > highs[0] - lows[0] else 0
    places = sorted(places, key=lambda place: place[axis])
    sums = list(accumulate(place[2] for place in places))
    # The border is midway between the two places at the median.
    at = min(max(1, bisect_left(sums, sums[-1] / 2) + 1), len(places) - 1)
    while at > 1 and places[at - 1][axis] == places[at][axis]:
        at -= 1
    border = (places[at - 1][axis] + places[at][axis]) / 2
    first, second = list(box), list(box)
    first[axis + 2] = second[axis] = border
    return box, (divide(places[:at], cells // 2, tuple(first)), divide(places[at:], cells // 2, tuple(second)))


def asked(tree, latitude, longitude, radius):
    """How many cells a circle touches."""
    (south, west, north, east), halves = tree
    up = max(0.0, south - latitude, latitude - north)
    aside = 0.0
    if not west <= longitude <= east:
        aside = min((west - longitude) % 360, (longitude - east) % 360) * math.cos(math.radians(latitude))
    if math.hypot(up, aside) * DEGREE > radius:
        return 0
    return sum(asked(half, latitude, longitude, radius) for half in halves) if halves else 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", help="cities500.txt of GeoNames, or the same compressed by gzip")
    parser.add_argument("--cells", type=int, nargs="+", default=[4, 16, 64], help="powers of 2")
    parser.add_argument("--radius", type=float, nargs="+", default=[1, 5, 50, 500], help="km")
    parser.add_argument("--feeds", type=int, default=20_000)
    parser.add_argument("--spread", type=float, default=3, help="km")
    options = parser.parse_args()
    places = read(options.table)
    draw = random.Random(1)
    homes = draw.choices(places, [place[2] for place in places], k=options.feeds)
    spread = options.spread / DEGREE
    readers = [
        (max(-90, min(90, latitude + draw.gauss(0, spread))),
         (longitude + draw.gauss(0, spread) / max(0.01, math.cos(math.radians(latitude))) + 180) % 360 - 180)
        for latitude, longitude, _ in homes]
    for cells in options.cells:
        tree = divide(places, cells)
        for radius in options.radius:
            counts = [asked(tree, *reader, radius) for reader in readers]
            several = sum(count > 1 for count in counts) / len(counts)
            print(f"{cells} cells, {radius:g} km: {several:.2%} ask several; mean {sum(counts) / len(counts):.4f},"
                  f" most {max(counts)}")


if __name__ == "__main__":
    main()

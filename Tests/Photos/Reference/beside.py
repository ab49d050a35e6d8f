"""Shows every shared photo as Darkroom renders it beside how Chromium shows it, and compares the two.

  beside.py DARKROOM PHOTO-DIRECTORY PAGE

The page has all pairs, the most different first. Exits with 1 if a pair differs by more than `MOST`, or in its shape, and is no known
exception; and if an exception differs no more.
"""

from __future__ import annotations

import html
import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

# Mean difference by CIEDE2000. It is what scaling and JPEG make of the finest textures.
MOST = 2.6
RENDERING = {"recipe": {"name": "beside", "version": 1, "renditions": [{"name": "beside", "fit": 400, "format": "jpeg", "quality": 97}]}}
REJECTED = {
    "gps_ne_pixel6_ultrahdr_mpf.jpg": "its end is missing",
    "tiff_ycbcr_subsampled.tif": "such TIFFs are not supported",
}
# What Chromium shows otherwise, and why ours is right.
EXCEPTIONS = {
    "apng_delay.png": "Chromium shows the animation, and its pixels behind the first delay",
    "avif_10bit_hdr_p3_20mp.avif": "each maps light of high dynamic range in its own way",
    "avif_kimono_imir_irot_clap.avif": "Chromium does not crop by the box clap",
    "avif_sequence_star.avifs": "its header says full range, as libavif reads it; Chromium shows the animation in limited range",
    "cmyk_no_profile.jpg": "nothing says which inks are meant: Chromium inverts them, and we take SWOP",
    "icc_cmyk_swop.jpg": "Chromium converts without compensation of the black point",
    "webp_iphonex_gps_orient6.webp": "Chromium does not turn WebP by EXIF",
}


def main(darkroom: str, folder: Path, page: Path) -> int:
    renditions = page.parent / "renditions"
    renditions.mkdir(parents=True, exist_ok=True)
    recipe = page.parent / "rendering.json"
    recipe.write_text(json.dumps(RENDERING))
    photos = sorted(path for path in folder.iterdir() if path.is_file())
    # Exits with 1, since some photos are rejected.
    output = subprocess.run(
        [darkroom, "inspect", "--json", "--rendering", recipe, "--render", renditions, *photos],
        stdout=subprocess.PIPE, text=True, check=False).stdout
    accepted = [Path(row["file"]) for row in map(json.loads, output.splitlines()) if row["verdict"] == "accepted"]
    print(f"{len(accepted)} of {len(photos)} photos are accepted", flush=True)
    pairs: list[tuple[float, float, Path, Path]] = []
    unseen: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--allow-file-access-from-files"])
        view = browser.new_page()
        page.write_text("<!doctype html>")
        view.goto(page.as_uri())
        view.add_script_tag(path=Path(__file__).with_suffix(".js"))
        for photo in accepted:
            rendition = renditions / f"{photo.stem}.beside.jpg"
            found = view.evaluate("compare", [photo.as_uri(), rendition.as_uri()])
            if found is None:
                unseen.append(photo.name)
            else:
                pairs.append((found["mean"], found["shape"], photo, rendition))
        browser.close()
    pairs.sort(reverse=True)
    different = {photo.name for mean, shape, photo, _ in pairs if not (mean <= MOST and abs(shape - 1) <= 0.02)}
    page.write_text(written(pairs, different))
    for mean, shape, photo, _ in pairs:
        if photo.name in different:
            print(f"{photo.name}: {mean:.1f}, shape {shape:.2f}: {EXCEPTIONS.get(photo.name, 'WRONG')}")
    rejected = {path.name for path in photos} - {path.name for path in accepted}
    wrong = sorted((different - EXCEPTIONS.keys()) | (rejected ^ REJECTED.keys()))
    if rejected != REJECTED.keys():
        print(f"Not rejected as they should be: {', '.join(sorted(rejected ^ REJECTED.keys()))}")
    equal = sorted(photo.name for *_, photo, _ in pairs if photo.name in EXCEPTIONS.keys() - different)
    if equal:
        print(f"No exceptions any more: {', '.join(equal)}")
    print(f"Chromium shows none of these: {', '.join(unseen)}")
    print(f"{len(pairs) - len(different)} of {len(pairs)} photos as Chromium shows them, {len(different) - len(wrong)} known exceptions, "
          f"{len(wrong)} wrong: {page}")
    return 1 if wrong or equal or not pairs else 0


def written(pairs: list[tuple[float, float, Path, Path]], different: set[str]) -> str:
    figures = "".join(
        f'<figure><img src="{html.escape(photo.as_uri())}" alt="by Chromium"><img src="{html.escape(rendition.as_uri())}" alt="by Darkroom">'
        f"<figcaption>{html.escape(photo.name)}: {mean:.2f}"
        f"{' – ' + html.escape(EXCEPTIONS.get(photo.name, 'wrong')) if photo.name in different else ''}</figcaption></figure>"
        for mean, _, photo, rendition in pairs)
    return (
        "<!doctype html><meta charset=utf-8><title>Photos beside their references</title>"
        "<style>body{font:16px system-ui;display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;width:26rem}"
        "img{width:50%;height:12rem;object-fit:contain;background:#888}</style>"
        f"<h1 style='width:100%'>By Chromium, and by Darkroom; mean ΔE2000</h1>{figures}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()))

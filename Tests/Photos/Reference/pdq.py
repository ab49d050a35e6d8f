"""Prints the PDQ hash and quality of each photo that is named, by the reference implementation.

Of the whole photo, upright, in sRGB and on white. Prints a dash for what Pillow cannot read.
"""

import io
import sys

import numpy
import pdqhash
from PIL import Image, ImageCms, ImageOps

Image.MAX_IMAGE_PIXELS = None
SRGB = ImageCms.createProfile("sRGB")


def upright(path: str) -> Image.Image:
    image = Image.open(path)
    image.load()
    profile = image.info.get("icc_profile")
    image = ImageOps.exif_transpose(image)
    if image.mode in ("P", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
    if image.mode == "RGBA":
        white = Image.new("RGBA", image.size, "white")
        alpha = image
        image = Image.alpha_composite(white, alpha).convert("RGB")
    if profile and image.mode in ("RGB", "CMYK", "L"):
        try:
            image = ImageCms.profileToProfile(
                image,
                ImageCms.ImageCmsProfile(io.BytesIO(profile)),
                SRGB,
                renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
                outputMode="RGB",
            )
        except ImageCms.PyCMSError:
            pass
    return image.convert("RGB")


for path in sys.argv[1:]:
    try:
        pixels = numpy.ascontiguousarray(numpy.asarray(upright(path)))
    except Exception as error:  # whatever a decoder raises
        print("-", 0, str(error).replace("\n", " ")[:80], sep="\t", flush=True)
        continue
    bits, quality = pdqhash.compute(pixels)
    print("%064x" % int("".join(map(str, bits)), 2), quality, path, sep="\t", flush=True)

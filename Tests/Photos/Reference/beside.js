// Compares photos as Darkroom renders them with how the browser shows them. Each is drawn on white in the size of the rendition.

async function loaded(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

/** The colours of an image in CIELAB, D65, row by row. */
function lab(image, width, height) {
  // Halved until it is less than twice as large: drawn at once in small, a browser leaves out pixels.
  let [source, w, h] = [image, image.naturalWidth, image.naturalHeight];
  for (;;) {
    const isLast = w < 2 * width || h < 2 * height;
    [w, h] = isLast ? [width, height] : [Math.ceil(w / 2), Math.ceil(h / 2)];
    const canvas = new OffscreenCanvas(w, h);
    const pen = canvas.getContext("2d", { willReadFrequently: isLast });
    pen.fillStyle = "white";
    pen.fillRect(0, 0, w, h);
    pen.imageSmoothingQuality = "high";
    pen.drawImage(source, 0, 0, w, h);
    source = canvas;
    if (isLast) break;
  }
  const { data } = source.getContext("2d").getImageData(0, 0, width, height);
  const linear = (byte) => { const v = byte / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const root = (t) => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;
  const colours = [];
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [linear(data[i]), linear(data[i + 1]), linear(data[i + 2])];
    const x = root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const y = root(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const z = root((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    colours.push([116 * y - 16, 500 * (x - y), 200 * (y - z)]);
  }
  return colours;
}

/** CIEDE2000 (Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Research & Application 30, 2005). */
function difference([l1, a1, b1], [l2, a2, b2]) {
  const degrees = 180 / Math.PI;
  const power = ((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) ** 7;
  const g = 1.5 - 0.5 * Math.sqrt(power / (power + 25 ** 7));
  const [c1, c2] = [Math.hypot(g * a1, b1), Math.hypot(g * a2, b2)];
  const hue = (a, b) => (Math.atan2(b, g * a) * degrees + 360) % 360;
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  const isGrey = c1 * c2 === 0;
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const h = isGrey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const cos = (angle) => Math.cos(angle / degrees);
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const dl = (l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / Math.sqrt(20 + (l - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * c);
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin(turn / 2 / degrees) / (1 + 0.015 * c * t);
  const rt = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) / degrees);
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rt * dc * dh);
}

/** Whether both have one shape, and the mean difference of their colours; nil if the browser does not show the photo. */
async function compare([photo, rendition]) {
  const ours = await loaded(rendition);
  const theirs = await loaded(photo).catch(() => null);
  if (!theirs) return null;
  const [width, height] = [ours.naturalWidth, ours.naturalHeight];
  const shape = (theirs.naturalWidth / theirs.naturalHeight) / (width / height);
  const [one, other] = [lab(theirs, width, height), lab(ours, width, height)];
  const mean = one.reduce((sum, colour, i) => sum + difference(colour, other[i]), 0) / one.length;
  return { shape, mean };
}

// The base map: the land of each country, drawn from the gazetteer's own borders. It needs no other server.

const side = 1024;

/** A layer of tiles for Leaflet. */
export function baseMap() {
  const Tiles = L.GridLayer.extend({
    createTile(at, done) {
      const canvas = document.createElement("canvas");
      const scale = Math.min(window.devicePixelRatio || 1, 2);
      canvas.width = canvas.height = side * scale;
      // A tile of this layer is as large as four of the usual 256 pixels.
      draw(canvas, at.z - 2, at.x, at.y, scale).then(() => done(null, canvas), (error) => done(error, canvas));
      return canvas;
    },
  });
  const layer = new Tiles({ tileSize: side, minZoom: 2, updateWhenZooming: false, attribution: "GeoNames, Natural Earth" });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => layer.redraw());
  return layer;
}

async function draw(canvas, zoom, x, y, scale) {
  const response = await fetch(`/v1/places/borders/${zoom}/${x}/${y}`);
  if (!response.ok) throw new Error(`no borders: ${response.status}`);
  const { items } = await response.json();
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.getPropertyValue("--land");
  pen.strokeStyle = style.getPropertyValue("--border");
  pen.lineWidth = scale;
  pen.lineJoin = "round";
  const world = side * scale * 2 ** zoom;
  const [left, top] = [x * side * scale, y * side * scale];
  for (const { rings } of items) {
    pen.beginPath();
    for (const ring of rings) {
      for (let i = 0; i < ring.length; i += 2) {
        const latitude = ring[i + 1] * Math.PI / 180;
        const right = (ring[i] + 180) / 360 * world - left;
        const down = (1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2 * world - top;
        if (i) pen.lineTo(right, down);
        else pen.moveTo(right, down);
      }
      pen.closePath();
    }
    pen.fill("evenodd");
    pen.stroke();
  }
}

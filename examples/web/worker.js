// Keeps the app's own files and the base map, so that the app opens without a connection. The network comes first.

const name = "around-1";

const scripts = ["api", "app", "basemap", "cards", "dom", "lists", "map", "me", "outbox", "post", "rules", "upload"].map((part) => `js/${part}.js`);
const files = ["./", "app.css", "app.webmanifest", "icon.svg", "leaflet/leaflet.css", "leaflet/leaflet.min.js", ...scripts];

self.addEventListener("install", (event) => event.waitUntil(
  caches.open(name).then((cache) => cache.addAll(files)).then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const isKept = pathname.startsWith("/demo/") || pathname.startsWith("/v1/places/borders/");
  if (event.request.method === "GET" && origin === location.origin && isKept) event.respondWith(fresh(event.request));
});

async function fresh(request) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

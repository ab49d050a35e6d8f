// The map: clusters with their best photos, and the photos of the part that is seen as a list.

import { get, picture } from "./api.js";
import { baseMap } from "./basemap.js";
import { count, h, message } from "./dom.js";
import { card, title } from "./cards.js";

const remembered = { center: [25, 10], zoom: 2 };

export function mapScreen(place, signal, latitude, longitude) {
  if (longitude) Object.assign(remembered, { center: [Number(latitude), Number(longitude)], zoom: 15 });
  const box = h("div", { class: "map", id: "map" });
  const note = h("p", { class: "visually-hidden", role: "status" });
  const list = h("section", { class: "list", "aria-label": "Photos in this part of the map" }, message("loading", "Loading…"));
  place.replaceChildren(
    h("h1", { class: "visually-hidden" }, "Map"),
    h("div", { class: "split" }, h("div", { class: "stage" }, box, h("button", { type: "button", class: "locate", onclick: locate }, "Where I am")), list), note);

  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = L.map(box, {
    minZoom: 2, maxZoom: 18, zoomSnap: 1, worldCopyJump: true, zoomAnimation: !isCalm, fadeAnimation: !isCalm,
    markerZoomAnimation: !isCalm, maxBounds: [[-85, -Infinity], [85, Infinity]], ...remembered,
  });
  map.attributionControl.setPrefix("");
  baseMap().addTo(map);
  L.control.scale().addTo(map);
  const markers = L.layerGroup().addTo(map);
  let reading = null;
  let shown = null;

  async function refresh() {
    Object.assign(remembered, { center: map.getCenter(), zoom: map.getZoom() });
    reading?.abort();
    reading = new AbortController();
    const seen = bounds(map);
    try {
      const [clusters, photos] = await Promise.all([
        get("map/clusters", seen, reading.signal), get("map/photos", { ...seen, at_most: 60 }, reading.signal)]);
      if (signal.aborted) return;
      // What is the same keeps its focus.
      const answer = JSON.stringify([seen, clusters.items, photos.items]);
      if (answer !== shown) show(clusters.items, photos.items);
      shown = answer;
    } catch (error) {
      if (error.name === "AbortError") return;
      shown = null;
      list.replaceChildren(message("error", error.message));
    }
  }

  function show(clusters, photos) {
    markers.clearLayers();
    for (const cluster of clusters) markers.addLayer(marker(cluster, photoOf(cluster, photos, map), map));
    const posts = clusters.reduce((sum, cluster) => sum + cluster.posts, 0);
    note.textContent = `${count(posts, "post", "posts")} in this part of the map`;
    list.replaceChildren(
      h("h2", {}, count(posts, "post", "posts"), " here"),
      photos.length ? h("ul", { class: "cards small" }, photos.map((post) => card(post)))
        : message("empty", posts ? "Only texts here: open the points on the map." : "Nobody has posted here yet. Move the map, or post the first photo."));
  }

  function locate() {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => map.setView([coords.latitude, coords.longitude], 14),
      () => { note.textContent = "Your position is not known."; });
  }

  map.on("moveend", refresh);
  refresh();
  // Whoever comes from a new post finds it: the map counts it a second or two after it is published.
  const again = longitude ? [2, 5, 15].map((seconds) => setTimeout(refresh, seconds * 1000)) : [];
  signal.addEventListener("abort", () => {
    again.forEach(clearTimeout);
    reading?.abort();
    map.remove();
  });
}

/** What the map shows, as the API wants it: a box beyond 180 degrees has its west east of its east. */
function bounds(map) {
  const seen = map.getBounds();
  const turned = (degrees) => ((degrees + 180) % 360 + 360) % 360 - 180;
  const isWhole = seen.getEast() - seen.getWest() >= 360;
  return {
    south: Math.max(seen.getSouth(), -85), north: Math.min(seen.getNorth(), 85),
    west: isWhole ? -180 : turned(seen.getWest()), east: isWhole ? 180 : turned(seen.getEast()), zoom: map.getZoom(),
  };
}

/** The best post of a cluster, or another one of it that has a photo. */
function photoOf(cluster, photos, map) {
  const best = photos.find((post) => post.post_id === cluster.best_post_id);
  const place = map.latLngToLayerPoint([cluster.latitude, cluster.longitude]);
  const isClose = (post) => cluster.posts > 1 && place.distanceTo(map.latLngToLayerPoint([post.latitude, post.longitude])) < 40;
  return best ?? photos.find(isClose);
}

function marker(cluster, post, map) {
  const shown = post && picture(post, 96);
  const name = cluster.posts > 1 ? `${count(cluster.posts, "post", "posts")}: show` : post ? `Post: ${title(post)}` : "Post";
  const icon = h("span", { class: shown ? "pin" : "pin dot" },
    shown && h("img", { src: shown.src, alt: "", loading: "lazy" }), cluster.posts > 1 && h("b", {}, String(cluster.posts)));
  const point = L.marker([cluster.latitude, cluster.longitude], {
    icon: L.divIcon({ html: icon, className: "", iconSize: [52, 52] }), keyboard: true,
  });
  point.on("add", () => {
    point.getElement().setAttribute("role", "button");
    point.getElement().setAttribute("aria-label", name);
    // Leaflet lets the keyboard get here and does nothing then.
    point.getElement().addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      // The marker goes when the map comes nearer.
      map.getContainer().focus();
      open();
    });
  });
  point.on("click", open);
  function open() {
    if (cluster.posts === 1) location.hash = `#/post/${cluster.best_post_id}`;
    else if (map.getZoom() < 16) map.setView(point.getLatLng(), map.getZoom() + 3);
    else location.hash = `#/cluster/${cluster.cluster_id}`;
  }
  return point;
}

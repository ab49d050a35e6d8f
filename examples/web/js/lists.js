// Near me, boards, albums of places, and the posts of one point of the map.

import { get, post as create, remove } from "./api.js";
import { card, pages } from "./cards.js";
import { h, message } from "./dom.js";

export function nearScreen(place) {
  const list = h("div", {});
  const radius = h("select", { id: "radius", onchange: look },
    [[100, "100 m"], [1000, "1 km"], [10000, "10 km"], [100000, "100 km"]].map(([metres, text]) =>
      h("option", { value: metres, selected: metres === 10000 }, text)));
  place.replaceChildren(
    h("h1", {}, "Near me"),
    h("p", { class: "tools" }, h("label", { for: "radius" }, "Within "), radius,
      h("button", { type: "button", onclick: look }, "Look again")), list);
  function look() {
    list.replaceChildren(message("loading", "Finding where you are…"));
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => pages(
        list, "posts/nearest", { latitude: coords.latitude, longitude: coords.longitude, radius_m: radius.value }, card,
        "Nobody has posted near you yet. Try a larger circle, or post the first photo."),
      () => list.replaceChildren(message("error", "Your position is not known: allow it in the browser, or use the map.")),
      { timeout: 15000 });
  }
  look();
}

const boards = [["hot", "Rising"], ["wilson", "Best"], ["likes", "Most liked"], ["weighted", "Best rated"], ["newest", "Newest"]];

/** A board of everything, or of a place such as `city:5809844`. */
function board(list, chosen, query) {
  if (chosen === "followed") return pages(list, "me/followed-posts", {}, card, "Follow the album of a place, and what is posted there is here.");
  return chosen === "newest" ? pages(list, "posts", query, card, "There are no posts yet.")
    : pages(list, "posts/top", { board: chosen, ...query }, card, "There are no posts yet.", "cards ranked");
}

function tabs(address, chosen, names = boards) {
  return h("nav", { class: "tabs", "aria-label": "Orders" }, names.map(([name, text]) =>
    h("a", { href: `${address}/${name}`, "aria-current": name === chosen && "page" }, text)));
}

export function boardsScreen(place, signal, chosen = "hot") {
  const list = h("div", {});
  place.replaceChildren(h("h1", {}, "Boards"), tabs("#/boards", chosen, [...boards, ["followed", "Followed"]]), placeSearch(), list);
  board(list, chosen, {});
}

export function albumScreen(place, signal, level, number, name, chosen = "newest") {
  const list = h("div", {});
  place.replaceChildren(
    h("h1", {}, name), h("p", { class: "soft" }, `The album of this ${level} `, followButton(level, number)),
    tabs(`#/album/${level}/${number}/${encodeURIComponent(name)}`, chosen), list);
  board(list, chosen, { in_place: `${level}:${number}` });
}

/** Whether the visitor follows a place, and a way to change that. */
function followButton(level, number) {
  const button = h("button", { type: "button", class: "quiet", onclick: toggle }, "Follow");
  let follow = null;
  function show(id) {
    follow = id;
    button.textContent = follow ? "Unfollow" : "Follow";
  }
  async function toggle() {
    try {
      const done = follow ? await remove(`me/follows/${follow}`) : await create("me/follows", { in_place: `${level}:${number}` });
      show(follow ? null : (await done.json()).follow_id);
    } catch (error) {
      button.after(message("error", error.message));
    }
  }
  get("me/follows", { at_most: 100 }).then(({ items }) =>
    show(items.find((one) => one.level === level && String(one.geonameid) === number)?.follow_id), () => {});
  return button;
}

export function clusterScreen(place, signal, cluster) {
  const list = h("div", {});
  place.replaceChildren(h("h1", {}, "Here"), list);
  pages(list, `map/clusters/${cluster}/posts`, {}, card, "The posts are gone.");
}

/** Albums of places by name. */
function placeSearch() {
  const found = h("ul", { class: "found" });
  const status = h("p", { class: "visually-hidden", role: "status" });
  let reading = null;
  async function search({ target }) {
    reading?.abort();
    reading = new AbortController();
    const text = target.value.trim();
    if (!text) return found.replaceChildren();
    try {
      const { items } = await get("places", { q: text, at_most: 6 }, reading.signal);
      found.replaceChildren(...items.filter((item) => item.geonameid).map((item) =>
        h("li", {}, h("a", { href: `#/album/${item.level}/${item.geonameid}/${encodeURIComponent(item.name)}` }, item.label))));
      status.textContent = `${found.children.length} places`;
    } catch (error) {
      if (error.name !== "AbortError") found.replaceChildren(h("li", {}, message("error", error.message)));
    }
  }
  return h("div", { class: "search" },
    h("label", { for: "place" }, "Album of a place"),
    h("input", { id: "place", type: "search", autocomplete: "off", placeholder: "Seattle", oninput: search }), found, status);
}

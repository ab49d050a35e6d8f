// A post in a list, and lists that go on.

import { get, picture } from "./api.js";
import { count, distance, fill, h, message, time } from "./dom.js";

export const title = (post) => post.headline || post.caption || `${post.width ? "Photo" : "A link"} from ${placeName(post) || "somewhere"}`;

export const author = (post) => post.display_name || (post.anonymous ? "Somebody" : `Visitor ${post.author_handle.slice(0, 6)}`);

export function placeName(post) {
  const names = [post.place_name, post.city_name, post.division_name, post.country_name].filter(Boolean);
  return names.filter((name, index) => names.indexOf(name) === index).slice(0, 2).join(", ");
}

export function photo(post, width, properties) {
  const found = picture(post, width);
  if (!found) return h("div", { class: "words", "aria-hidden": "true" }, (post.headline && post.caption) || "“ ”");
  return h("img", { alt: title(post), loading: "lazy", decoding: "async", ...found, ...properties });
}

export function card(post) {
  return h("li", { class: "card" },
    h("a", { href: `#/post/${post.post_id}` }, photo(post, 300, { alt: "" }), h("strong", {}, title(post))),
    h("p", { class: "soft" }, [placeName(post), distance(post.distance_m)].filter(Boolean).join(" · ") || "At sea"),
    h("p", { class: "soft numbers" }, time(post.published_at), ` · ${count(post.likes, "like", "likes")} · ${count(post.comments, "comment", "comments")}`));
}

/** A list that reads its next page when a button is pressed. */
export function pages(place, path, query, row, empty, className = "cards") {
  const list = h("ul", { class: className });
  const more = h("div", { class: "more" });
  // A short page is not always the last one: the next one says so by being empty.
  const read = async (after) => {
    const page = await get(path, { at_most: 24, ...query, after });
    if (!page.next || page.items.length === 0 || page.items.length >= 24) return page;
    const rest = await read(page.next);
    return { items: [...page.items, ...rest.items], next: rest.next };
  };
  const add = ({ items, next }) => {
    list.append(...items.map(row));
    more.replaceChildren(...(next && items.length ? [h("button", { type: "button", onclick: () => goOn(next) }, "Show more")] : []));
  };
  const goOn = async (next) => {
    const last = list.children.length;
    const page = await read(next).catch((error) => more.prepend(message("error", error.message)));
    if (!page) return;
    add(page);
    list.children[last]?.querySelector("a")?.focus();
  };
  return fill(place, () => read(), (page) => {
    add(page);
    return list.children.length ? [list, more] : message("empty", empty);
  });
}

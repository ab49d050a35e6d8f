// Elements, times and numbers. Texts of people only ever become text nodes and attributes, so none of them can be markup.

/** h("a", { href: "#/map", class: "big", onclick: f }, "text", element, [more]) */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const number = new Intl.NumberFormat();
export const count = (value, one, many) => `${number.format(value)} ${value === 1 ? one : many}`;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const steps = [["day", 86400], ["hour", 3600], ["minute", 60]];

/** A moment in the reader's own zone; the tooltip has it in UTC. */
export function time(text) {
  if (!text) return null;
  const then = new Date(text);
  const seconds = (then - Date.now()) / 1000;
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const shown = Math.abs(seconds) > 7 * 86400 ? absolute.format(then)
    : Math.abs(seconds) < 60 ? "just now" : relative.format(Math.round(seconds / length), unit);
  return h("time", { datetime: then.toISOString(), title: then.toISOString().replace("T", " ").slice(0, 19) + " UTC" }, shown);
}

export function distance(metres) {
  if (metres === null || metres === undefined) return null;
  return metres < 1000 ? `${number.format(Math.round(metres / 10) * 10)} m` : `${number.format(Math.round(metres / 100) / 10)} km`;
}

export function size(bytes) {
  return bytes < 1e6 ? `${number.format(Math.ceil(bytes / 1000))} kB` : `${number.format(Math.round(bytes / 1e5) / 10)} MB`;
}

/** A link that a person gave: only to the web, and to nothing that runs here. */
export function link(text) {
  if (!/^https?:\/\//i.test(text ?? "")) return text;
  return h("a", { href: text, rel: "noopener noreferrer nofollow ugc", target: "_blank" }, text);
}

export const message = (kind, ...content) => h("p", { class: kind, role: kind === "error" ? "alert" : "status" }, ...content);

/** Reads an answer and shows it; meanwhile, and when it cannot be had, it says so. */
export async function fill(place, read, show) {
  place.replaceChildren(message("loading", "Loading…"));
  try {
    place.replaceChildren(...[await show(await read())].flat());
  } catch (error) {
    if (error.name === "AbortError") return;
    place.replaceChildren(
      ...(place.matches(".screen") ? [h("h1", {}, "This cannot be shown")] : []), message("error", error.message),
      h("p", {}, h("button", { type: "button", onclick: () => fill(place, read, show) }, "Try again")));
  }
}

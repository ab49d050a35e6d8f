// A new photo: what is said of it, its way to the server, and what the server makes of it.

import { events, get, post as create } from "./api.js";
import { placeName } from "./cards.js";
import { count, h, message, size, time } from "./dom.js";
import { addToOutbox, stateOf, watchOutbox } from "./outbox.js";
import { rules } from "./rules.js";

const privacies = [
  ["", "To 10 m"], ["grid_100m", "To 100 m"], ["grid_1km", "To 1 km"], ["place", "Only the name of the place"],
];

export function newScreen(place) {
  const preview = h("div", { class: "preview" });
  const file = h("input", { id: "photo", type: "file", accept: "image/*", required: true, onchange: show });
  const camera = h("input", { id: "camera", type: "file", accept: "image/*", capture: "environment", onchange: show });
  const problem = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, "Post it");
  const typed = h("input", { id: "where-text", name: "place_text", maxlength: 200, placeholder: "Pike Place Market, Seattle", "aria-label": "The place" });
  let photo = null;
  function show({ target }) {
    photo = target.files[0] ?? photo;
    file.required = !photo;
    if (!photo) return;
    const address = URL.createObjectURL(photo);
    // Some kinds of photos are for the server alone to read.
    preview.replaceChildren(
      h("img", { src: address, alt: "", onerror: (event) => event.target.remove(), onload: () => URL.revokeObjectURL(address) }),
      h("p", { class: "soft" }, `${photo.name}, ${size(photo.size)}`));
  }
  const option = (value, text, checked) => h("label", {}, h("input", { type: "radio", name: "where", value, checked }), " ", text);
  place.replaceChildren(h("h1", {}, "New photo"), h("form", {
    class: "new-photo",
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        const most = (await rules()).photo_bytes_at_most;
        if (photo.size > (most ?? Infinity)) throw new Error(`This photo has ${size(photo.size)}, and at most ${size(most)} are taken. Please choose a smaller one.`);
        const details = await detailsOf(new FormData(event.target));
        await create("uploads/check", { ...details, has_photo: true });
        location.hash = `#/sending/${await addToOutbox(photo, details)}`;
      } catch (error) {
        problem.replaceChildren(message("error", error.message));
        button.disabled = false;
      }
    },
  },
  h("p", { class: "choose" }, h("label", { for: "camera", class: "button" }, "Take a photo"), camera, h("label", { for: "photo", class: "button" }, "Choose a photo"), file),
  preview,
  h("label", { for: "headline" }, "Headline"), h("input", { id: "headline", name: "headline", maxlength: 200 }),
  h("label", { for: "caption" }, "Caption"), h("textarea", { id: "caption", name: "caption", rows: 3, maxlength: 2000 }),
  h("label", { for: "category" }, "Category"), h("input", { id: "category", name: "category", maxlength: 50 }),
  h("label", { for: "link" }, "Link"), h("input", { id: "link", name: "link", type: "url", placeholder: "https://" }),
  h("details", {}, h("summary", {}, "Venue, credit and licence"),
    [["venue_name", "Venue, such as a restaurant"], ["credit", "Who made the photo"], ["licence", "What others may do with it"]].flatMap(([name, text]) =>
      [h("label", { for: name }, text), h("input", { id: name, name, maxlength: 200 })])),
  h("fieldset", {}, h("legend", {}, "Where was it taken?"),
    option("photo", "Where the photo says", true), option("here", "Where I am now"), option("text", "At a place that I type:"), typed),
  h("label", { for: "privacy" }, "How exactly may readers know it?"),
  h("select", { id: "privacy", name: "location_privacy" }, privacies.map(([value, text]) => h("option", { value }, text))),
  h("p", {}, h("label", {}, h("input", { type: "checkbox", name: "anonymous", value: "true" }), " Without my name")),
  problem, h("p", {}, button)));
}

async function detailsOf(form) {
  const details = {};
  for (const name of ["headline", "caption", "category", "link", "location_privacy", "venue_name", "credit", "licence"]) {
    const text = form.get(name).trim();
    if (text) details[name] = text;
  }
  if (form.get("anonymous")) details.anonymous = true;
  if (form.get("where") === "text") details.place_text = form.get("place_text").trim();
  if (form.get("where") === "here") {
    const { coords } = await new Promise((done) => {
      navigator.geolocation.getCurrentPosition(done, () => done({ coords: null }), { timeout: 15000, enableHighAccuracy: true });
    });
    if (!coords) throw new Error("Your position is not known: allow it in the browser, or type the place.");
    Object.assign(details, { latitude: coords.latitude, longitude: coords.longitude, accuracy_m: Math.max(1, coords.accuracy) });
  }
  return details;
}

/** A photo on its way from this browser. */
export function sendingScreen(place, signal, id) {
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Sent" });
  const line = h("p", { class: "numbers", role: "status" }, "Preparing…");
  place.replaceChildren(h("h1", {}, "Sending your photo"), bar, line,
    h("p", { class: "soft" }, "You can close this page or lose the connection. It goes on when you are back."));
  function show(state) {
    if (state?.id !== id) return;
    if (state.job) return location.replace(`#/upload/${state.job}`);
    if (state.error) return place.replaceChildren(h("h1", {}, "Not accepted"), message("error", state.error), h("p", {}, h("a", { href: "#/new" }, "Try another photo")));
    bar.value = state.size ? state.sent / state.size : 0;
    line.textContent = `${size(state.sent)} of ${size(state.size)}${state.isWaiting ? ": waiting for the connection" : ""}`;
  }
  signal.addEventListener("abort", watchOutbox(show));
  const now = stateOf(id);
  if (now) show(now);
  else line.textContent = "This photo is not in this browser any more. See “Me”.";
}

const steps = [
  ["received", "Received"], ["checked", "Checked"], ["stripped", "Stripped"], ["rendered", "Rendered"], ["placed", "Placed"], ["post", "A post"],
];

/** What the server makes of a photo, as it happens. */
export async function uploadScreen(place, signal, job) {
  const rows = Object.fromEntries(steps.map(([name, text]) =>
    [name, h("li", {}, h("strong", {}, text), " ", h("span", { class: "soft" }))]));
  const status = h("div", { role: "status" }, message("loading", "Loading…"));
  place.replaceChildren(h("h1", {}, "Your photo"), h("ol", { class: "steps" }, Object.values(rows)), status);
  const mark = (name, state, fact) => {
    rows[name].className = state;
    if (fact) rows[name].lastChild.textContent = fact;
  };
  const between = ["checked", "stripped", "rendered", "placed"];
  for (;;) {
    try {
      for await (const upload of events(`uploads/${job}`, signal)) {
        mark("received", "finished", "all bytes are on the server");
        if (upload.state === "running") between.forEach((name) => mark(name, "busy"));
        status.replaceChildren(message("soft", sentence(upload), " ", time(upload.run_at)));
        if (upload.finished_at) return await finished(upload, mark, status);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      status.replaceChildren(message("error", error.message));
      if (error.status) return;
    }
    await new Promise((again) => setTimeout(again, 1000));
    if (signal.aborted) return;
  }
}

function sentence(upload) {
  if (upload.state === "running") return "The photo is in the darkroom.";
  if (upload.state === "snoozed" || upload.attempts > 0) return "Something is not available now. It is tried again";
  return "Waiting for its turn.";
}

async function finished(upload, mark, status) {
  if (upload.state !== "succeeded") {
    mark("checked", "refused", upload.message);
    const again = h("p", {}, h("a", { href: "#/new" }, "Post another photo"));
    return status.replaceChildren(message("error", upload.message ?? "The photo could not be posted."), again);
  }
  mark("checked", "finished", "it is a photo, and all of it is there");
  mark("stripped", "finished", stripped(upload));
  if (upload.post_state !== "published") {
    mark("post", "busy", "it waits for a person to look at it");
    return status.replaceChildren(message("done", "You are told in the inbox when it is published."));
  }
  const post = await get(`posts/${upload.post_id}`);
  const pictures = post.pictures ?? [];
  mark("rendered", "finished", `${count(pictures.length, "picture", "pictures")}, ${size(pictures.reduce((sum, one) => sum + one.bytes, 0))}`);
  mark("placed", "finished", placeName(post) || "at sea, or far from any place");
  mark("post", "finished");
  status.replaceChildren(message("done", "It is a post. ", h("a", { href: `#/post/${post.post_id}` }, "See it"), " or ", h("a", { href: `#/map/${post.latitude}/${post.longitude}` }, "see it on the map"), "."));
}

/** What readers cannot find out from the pictures. */
function stripped(upload) {
  const parts = [];
  if (upload.exif_fields) parts.push(count(upload.exif_fields, "EXIF field", "EXIF fields"));
  parts.push(...(upload.stripped ?? []).filter((kind) => kind !== "EXIF" || !upload.exif_fields));
  const grid = { grid_10m: "to 10 m", grid_100m: "to 100 m", grid_1km: "to 1 km", place: "to the name of the place" }[upload.location_privacy];
  if (grid) parts.push(`your position ${grid}`);
  return parts.join(", ") || "there was nothing to strip";
}

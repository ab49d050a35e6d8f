// The frame: which screen is shown, and what is told on all of them.

import { boardsScreen, albumScreen, clusterScreen, nearScreen } from "./lists.js";
import { inboxScreen, meScreen, watchUnread } from "./me.js";
import { mapScreen } from "./map.js";
import { newScreen, sendingScreen, uploadScreen } from "./upload.js";
import { postScreen } from "./post.js";
import { resumeOutbox, watchOutbox } from "./outbox.js";
import { h } from "./dom.js";
import { rules } from "./rules.js";

const screens = {
  map: mapScreen, near: nearScreen, boards: boardsScreen, album: albumScreen, cluster: clusterScreen, post: postScreen, new: newScreen,
  sending: sendingScreen, upload: uploadScreen, me: meScreen, inbox: inboxScreen,
};
const main = document.getElementById("main");
let leaving = null;

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function show() {
  leaving?.abort();
  leaving = new AbortController();
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const screen = Object.hasOwn(screens, name) ? name : "map";
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash.split("/")[1] === screen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.body.dataset.screen = screen;
  // A screen fills an element of its own: one that is left late writes into nothing.
  const place = h("div", { class: "screen" });
  main.replaceChildren(place);
  screens[screen](place, leaving.signal, ...rest);
  document.title = `${place.querySelector("h1")?.textContent ?? "Post"} – Around`;
  if (rest.length || name) main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

const offline = document.getElementById("offline");
const tellConnection = () => { offline.hidden = navigator.onLine; };
addEventListener("online", tellConnection);
addEventListener("offline", tellConnection);
tellConnection();

rules().then(({ attributions }) => {
  if (attributions) document.getElementById("attributions").textContent = attributions.join(" ");
}, () => {});

const sending = document.getElementById("sending");
watchOutbox(({ id, job, error, name, sent, size }) => {
  const isHere = location.hash === `#/sending/${id}`;
  sending.hidden = Boolean(job || error || isHere);
  if (!sending.hidden) sending.replaceChildren(h("a", { href: `#/sending/${id}` }, `Sending ${name}: ${Math.floor(100 * sent / size)} %`));
});

// The address says which screen is shown, so the link does not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

addEventListener("hashchange", show);
show();
resumeOutbox();
watchUnread(document.getElementById("unread"));
// Lets the app open without a connection.
navigator.serviceWorker?.register("worker.js").catch(() => {});

// Works without: times stay in UTC, figures do not move, and there are no keys.
"use strict";

// Times in the reader's own zone; UTC stays as the title.
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.valueOf())) time.textContent = zoned.format(date);
  }
}
showTimes(document);

// Live figures. The browser connects again by itself.
const live = document.getElementById("live");
if (live) {
  const stale = document.getElementById("stale");
  const say = (text) => { stale.hidden = !text; stale.textContent = text; };
  const events = new EventSource(live.dataset.source);
  let lost;
  events.addEventListener("figures", (event) => {
    clearTimeout(lost);
    say("");
    // Keeps the place of someone who reads or copies.
    if (live.contains(document.activeElement) || !getSelection().isCollapsed) return;
    live.innerHTML = event.data;
    showTimes(live);
  });
  events.addEventListener("fault", (event) => say(event.data));
  events.addEventListener("error", () => {
    clearTimeout(lost);
    lost = setTimeout(() => say("The figures are not up to date: the console does not respond."), 5000);
  });
}

// Keys of moderators: they press what is on the screen, on the chosen post or else on the whole page.
const cards = [...document.querySelectorAll(".cards > .card")];
let chosen = -1;
function choose(index) {
  if (!cards.length) return;
  cards[chosen]?.classList.remove("is-chosen");
  chosen = Math.min(Math.max(index, 0), cards.length - 1);
  cards[chosen].classList.add("is-chosen");
  cards[chosen].focus({ preventScroll: true });
  cards[chosen].scrollIntoView({ block: "nearest" });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const isList = cards.length > 0 && document.querySelector(".card [data-key]");
  const place = isList ? cards[Math.max(chosen, 0)] : document;
  const press = (element) => { if (element) { event.preventDefault(); element.click(); } };
  switch (event.key) {
    case "a": case "r": return press(place.querySelector(`[data-key="${event.key}"]`));
    case "u": return press(document.querySelector('[data-key="u"]'));
    case "s": return press(place.querySelector(".reveal"));
    case "h": return isList ? choose(chosen < 0 ? 1 : chosen + 1) : press(document.querySelector('[data-key="h"]'));
  }
});

// One's own posts with their states, one's name, and the inbox.

import { events, get, post as create, put, remove } from "./api.js";
import { pages, photo } from "./cards.js";
import { count, fill, h, message, time } from "./dom.js";

const states = {
  draft: "A draft", waiting: "Waiting", published: "Published", held: "Waits for a person to look at it", hidden: "Hidden", removed: "Removed",
  rejected: "Rejected", failed: "Not possible now", cancelled: "Withdrawn", expired: "Expired",
};

export async function meScreen(place) {
  const list = h("div", {});
  const numbers = h("p", { class: "soft numbers" });
  const name = h("input", { id: "name", maxlength: 100, autocomplete: "nickname" });
  const problem = h("div", {});
  place.replaceChildren(
    h("h1", {}, "Me"), numbers,
    h("form", {
      class: "row",
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          await put("me/name", { name: name.value.trim() || null });
          problem.replaceChildren(message("done", "Readers see this name from now on."));
        } catch (error) {
          problem.replaceChildren(message("error", error.message));
        }
      },
    }, h("label", { for: "name" }, "Your name"), name, h("button", { type: "submit" }, "Save")), problem,
    h("h2", {}, "My photos"), list);
  get("me/statistics").then((own) => {
    numbers.textContent = `${count(own.posts, "post", "posts")} · ${count(own.likes, "like", "likes")} · ${count(own.comments, "comment", "comments")} · ${count(own.views, "view", "views")}`;
  }, () => {});
  await pages(list, "me/posts", {}, ownPost, "You have not posted yet.", "own");
}

function ownPost(own) {
  const name = own.headline || own.caption || "A photo";
  const row = h("li", { class: "own-post" },
    own.pictures?.length ? photo(own, 160, { alt: "" }) : h("div", { class: "words" }, "…"),
    h("div", {},
      h("strong", {}, own.state === "published" ? h("a", { href: `#/post/${own.post_id}` }, name)
        : own.post_id ? name : h("a", { href: `#/upload/${own.job_id}` }, name)),
      h("p", {}, h("span", { class: `state ${own.state}` }, states[own.state] ?? own.state), " ", time(own.uploaded_at)),
      own.message && h("p", { class: "soft" }, own.message),
      own.post_id && own.state !== "expired" && h("p", { class: "tools" },
        own.state === "removed" && action("Appeal", async () => {
          await create(`posts/${own.post_id}/appeals`, { text: "Please look again." });
          return "You have appealed.";
        }),
        action("Delete", async () => {
          if (!confirm("Delete this post for ever?")) return "Not deleted.";
          await remove(`posts/${own.post_id}`);
          return "Deleted.";
        }))));
  function action(text, run) {
    return h("button", {
      type: "button", class: "quiet", "aria-label": `${text}: ${name}`,
      onclick: (event) => run().then((done) => event.target.replaceWith(message("done", done)), (error) => event.target.replaceWith(message("error", error.message))),
    }, text);
  }
  return row;
}

const told = {
  published: "Your photo was published", liked: "Your post was liked", commented: "There are comments on your post",
  held: "Your post waits for a person to look at it", hidden: "Your post was hidden", restored: "Your post is visible again",
  removed: "Your post was removed", rejected: "Your photo was rejected", expired: "Your post has expired",
};

export async function inboxScreen(place) {
  const list = h("div", {});
  place.replaceChildren(h("h1", {}, "Inbox"), list);
  let newest = null;
  await pages(list, "me/inbox", {}, (entry) => {
    newest ??= entry.number;
    const address = entry.post_id ? `#/post/${entry.post_id}` : `#/upload/${entry.job_id}`;
    return h("li", { class: entry.is_read ? "entry" : "entry unread" },
      h("a", { href: address }, told[entry.event] ?? entry.event, entry.times > 1 && ` (${entry.times} times)`),
      entry.reason && h("span", { class: "soft" }, ` ${entry.reason.replaceAll("_", " ")}`), " ", time(entry.occurred_at));
  }, "Nothing has happened yet. Post a photo, and you are told here what becomes of it.", "entries");
  if (newest) await put("me/inbox/read", { up_to: newest }).catch(() => {});
}

/** Shows how much is unread, as it changes. */
export async function watchUnread(badge) {
  for (;;) {
    try {
      for await (const { unread } of events("me/inbox/live")) {
        badge.hidden = unread === 0;
        badge.textContent = unread;
        badge.setAttribute("aria-label", `${unread} unread`);
      }
    } catch {
      // Again below.
    }
    await new Promise((again) => setTimeout(again, 5000));
  }
}

// One post: its picture, place and time; votes, comments and reports.

import { get, post as create, put, remove } from "./api.js";
import { author, pages, photo, placeName, title } from "./cards.js";
import { count, fill, h, link, message, time } from "./dom.js";

export function postScreen(place, signal, number) {
  return fill(place, () => get(`posts/${number}`), (post) => {
    create("views", { post_ids: [post.post_id] }).catch(() => {});
    const comments = h("div", {});
    document.title = `${title(post)} – Around`;
    return h("article", { class: "post" },
      h("h1", {}, title(post)),
      h("figure", {}, post.pictures?.length > 0 && photo(post, 1080, { loading: null, class: "large" }), post.caption && post.headline && h("figcaption", {}, post.caption)),
      h("div", { class: "facts" },
        h("p", {}, author(post), " · ", time(post.published_at), post.category && ` · ${post.category}`),
        h("p", {}, albums(post)), post.venue_name && h("p", {}, `At ${post.venue_name}`), post.link && h("p", {}, link(post.link)),
        (post.credit || post.licence) && h("p", { class: "soft" }, [post.credit && `Photo: ${post.credit}`, post.licence].filter(Boolean).join(" · ")),
        h("p", { class: "soft numbers" }, precision(post), " · ", count(post.views, "view", "views")),
        h("div", { class: "tools" }, votes(post, `posts/${number}/vote`), reportButton(`posts/${number}/reports`, "Report this post"),
          h("a", { href: `/p/${number}` }, "A page to share"))),
      h("section", { "aria-labelledby": "comments" }, h("h2", { id: "comments" }, "Comments"), commentForm(number, comments), showComments(number, comments)));
  });
}

/** The places of a post, each with its album. */
function albums(post) {
  const levels = ["place", "city", "division", "country"].filter((level) => post[`${level}_geonameid`] && post[`${level}_name`]);
  const seen = new Set();
  const links = levels.filter((level) => !seen.has(post[`${level}_name`]) && seen.add(post[`${level}_name`])).map((level) =>
    h("a", { href: `#/album/${level}/${post[`${level}_geonameid`]}/${encodeURIComponent(post[`${level}_name`])}` }, post[`${level}_name`]));
  return links.length ? links.flatMap((one, index) => index ? [", ", one] : [one]) : "At sea, or far from any place";
}

function precision(post) {
  if (post.location_precision !== "point") return `Only the ${post.location_precision} is known`;
  return `${post.latitude.toFixed(4)}, ${post.longitude.toFixed(4)}`;
}

/** Like and dislike, with what the visitor chose. */
function votes(of, path) {
  let [mine, likes, dislikes] = [of.my_vote, of.likes, of.dislikes];
  const status = h("span", { class: "visually-hidden", role: "status" });
  const button = (vote, text) => h("button", { type: "button", onclick: () => choose(vote) }, text, " ", h("span", { class: "numbers" }));
  const buttons = { like: button("like", "▲ Like"), dislike: button("dislike", "▼ Dislike") };
  function show() {
    for (const [vote, element] of Object.entries(buttons)) {
      element.setAttribute("aria-pressed", String(mine === vote));
      element.lastChild.textContent = vote === "like" ? likes : dislikes;
    }
  }
  async function choose(vote) {
    const next = mine === vote ? "none" : vote;
    const before = [mine, likes, dislikes];
    likes += (next === "like") - (mine === "like");
    dislikes += (next === "dislike") - (mine === "dislike");
    mine = next;
    show();
    try {
      await put(path, { vote: next });
      status.textContent = next === "none" ? "Your vote was taken back." : "Your vote was counted.";
    } catch (error) {
      [mine, likes, dislikes] = before;
      show();
      status.replaceWith(message("error", error.message));
    }
  }
  show();
  return h("span", { class: "votes", role: "group", "aria-label": "Your vote" }, buttons.like, buttons.dislike, status);
}

function showComments(number, list) {
  pages(list, `posts/${number}/comments`, {}, (comment) => h("li", { class: "comment" },
    h("p", { class: "body" }, comment.body),
    h("p", { class: "soft" }, author(comment), " · ", time(comment.created_at)),
    h("div", { class: "tools" }, votes(comment, `comments/${comment.comment_id}/vote`),
      reportButton(`comments/${comment.comment_id}/reports`, "Report this comment"))), "No comments yet.", "comments");
  return list;
}

function commentForm(number, list) {
  const text = h("textarea", { id: "comment", rows: 2, maxlength: 2000, required: true });
  const problem = h("div", {});
  return h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await create(`posts/${number}/comments`, { body: text.value });
        text.value = "";
        problem.replaceChildren();
        showComments(number, list);
      } catch (error) {
        problem.replaceChildren(message("error", error.message));
      }
    },
  }, h("label", { for: "comment" }, "Your comment"), text, problem, h("button", { type: "submit" }, "Comment"));
}

const reasons = {
  spam: "Spam", harassment: "Harassment", violence: "Violence", explicit: "Nudity or sex", minors: "A danger to children",
  private_information: "Private information", illegal: "Against the law", other: "Something else",
};

/** A button that opens a dialog. */
function reportButton(path, name) {
  const outcome = h("span", { role: "status", class: "soft" });
  function open() {
    const details = h("textarea", { id: "details", rows: 2, maxlength: 1000 });
    const problem = h("div", {});
    const dialog = h("dialog", { "aria-labelledby": "report-title", onclose: () => dialog.remove() },
      h("form", {
        onsubmit: async (event) => {
          event.preventDefault();
          const reason = new FormData(event.target).get("reason");
          try {
            await create(path, { reason, ...(details.value.trim() ? { details: details.value } : {}) });
            dialog.close();
            outcome.textContent = "Reported. Thank you.";
          } catch (error) {
            problem.replaceChildren(message("error", error.message));
          }
        },
      },
      h("h2", { id: "report-title" }, name),
      h("fieldset", {}, h("legend", {}, "What is wrong?"), Object.entries(reasons).map(([value, text]) =>
        h("label", {}, h("input", { type: "radio", name: "reason", value, required: true }), " ", text))),
      h("label", { for: "details" }, "More, if you want"), details, problem,
      h("p", { class: "tools" }, h("button", { type: "submit", class: "primary" }, "Report"),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"))));
    document.body.append(dialog);
    dialog.showModal();
  }
  return h("span", {}, h("button", { type: "button", class: "quiet", "aria-label": name, onclick: open }, "Report"), " ", outcome);
}

// The HTTP API, which docs/http-api.md describes. Everything that this app knows, it has from here.

export class Refusal extends Error {
  constructor(status, problem, retryAfter) {
    const of = problem.rejections?.map((one) => one.message).join(" ");
    super(of || problem.detail || `The server has refused this (${status}).`);
    this.status = status;
    this.code = problem.code;
    this.retryAfter = retryAfter;
  }
}

export class Unreachable extends Error {
  constructor() { super("The server cannot be reached. Are you offline?"); }
}

// A sign-in of yours would give this token. The demo makes each visitor a person, who is kept in this browser.
let identity = JSON.parse(localStorage.getItem("identity") ?? "null");
let asking = null;

async function signIn() {
  const headers = identity ? { Authorization: `Bearer ${identity.token}` } : {};
  const response = await reach("token", { method: "POST", headers });
  if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => ({})));
  identity = await response.json();
  localStorage.setItem("identity", JSON.stringify(identity));
}

export async function person() {
  const remaining = identity ? identity.expires - Date.now() / 1000 : 0;
  if (remaining < 6 * 3600) await (asking ??= signIn().finally(() => { asking = null; }));
  return identity;
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
}

/** A request as the visitor. Returns the response; throws a Refusal or Unreachable. */
export async function send(method, path, { query, body, headers, signal } = {}) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const address = path + (given.length ? "?" + new URLSearchParams(given) : "");
  const isBytes = body instanceof Blob;
  for (let isFirst = true; ; isFirst = false) {
    const { token } = await person();
    const response = await reach(address.startsWith("/") ? address : `/v1/${address}`, {
      method, signal, body: isBytes || body === undefined ? body : JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${token}`, ...(body !== undefined && !isBytes ? { "Content-Type": "application/json" } : {}), ...headers,
      },
    });
    if (response.ok) return response;
    if (response.status === 401 && isFirst) {
      identity = null;
      continue;
    }
    throw new Refusal(response.status, await response.json().catch(() => ({})), Number(response.headers.get("Retry-After")));
  }
}

export const get = async (path, query, signal) => (await send("GET", path, { query, signal })).json();
export const post = (path, body) => send("POST", path, { body });
export const put = (path, body) => send("PUT", path, { body });
export const remove = (path) => send("DELETE", path);

/** Server-sent events, each as its JSON. EventSource cannot send a token, so the stream is read by hand. Ends with the stream. */
export async function* events(path, signal) {
  const response = await send("GET", path, { headers: { Accept: "text/event-stream" }, signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + value).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const data = part.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data) yield JSON.parse(data);
      }
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The address of the smallest picture of a post that is wide enough. */
export function picture(of, width) {
  const usable = (of.pictures ?? []).filter((one) => one.format !== "avif").sort((one, other) => one.width - other.width);
  const best = usable.find((one) => one.width >= width) ?? usable.at(-1);
  return best && { src: `/v1/pictures/${best.media_key}`, width: best.width, height: best.height };
}

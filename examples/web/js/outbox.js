// Photos on their way to the server, by the tus protocol. They are kept in this browser until the server has all of them, so a lost
// connection or a closed page costs nothing.

import { Refusal, Unreachable, send } from "./api.js";

const chunk = 512 * 1024;
const tus = { "Tus-Resumable": "1.0.0" };
const listeners = new Set();
const running = new Map();

/** Calls back with each change of an upload: { id, name, sent, size, job, error, isWaiting }. Returns what ends it. */
export function watchOutbox(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(upload, change) {
  const state = { id: upload.id, name: upload.name, size: upload.photo.size, sent: 0, ...running.get(upload.id), isWaiting: false, ...change };
  running.set(upload.id, state);
  for (const listener of listeners) listener(state);
}

export const stateOf = (id) => running.get(id);

// MARK: The browser's database

function database() {
  return new Promise((done, failed) => {
    const opening = indexedDB.open("outbox", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("uploads", { keyPath: "id" });
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
}

async function stored(mode, work) {
  const open = await database();
  try {
    return await new Promise((done, failed) => {
      const transaction = open.transaction("uploads", mode);
      const asked = work(transaction.objectStore("uploads"));
      transaction.oncomplete = () => done(asked.result);
      transaction.onerror = transaction.onabort = () => failed(transaction.error);
    });
  } finally {
    open.close();
  }
}

const keep = (upload) => stored("readwrite", (uploads) => uploads.put(upload));
const forget = (id) => stored("readwrite", (uploads) => uploads.delete(id));

// MARK: Sending

/** Keeps a photo and begins to send it. Returns its number in this browser. */
export async function addToOutbox(photo, details) {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  // A copy: the file itself may change or go while it is sent.
  const upload = { id, name: photo.name, photo: new Blob([await photo.arrayBuffer()], { type: photo.type }), details, address: null };
  await keep(upload);
  transfer(upload);
  return id;
}

/** Goes on with what an earlier page has begun. */
export async function resumeOutbox() {
  for (const upload of await stored("readonly", (uploads) => uploads.getAll())) transfer(upload);
}

async function transfer(upload) {
  if (running.has(upload.id)) return;
  tell(upload, {});
  // Two tabs have one outbox. (Browsers have no locks on pages without HTTPS: there, the server refuses the second one for a while.)
  if (navigator.locks) await navigator.locks.request(upload.id, () => transferAlone(upload));
  else await transferAlone(upload);
}

async function transferAlone(upload) {
  for (let failures = 0; ;) {
    try {
      const job = await attempt(upload, () => { failures = 0; });
      await forget(upload.id);
      return tell(upload, { sent: upload.photo.size, job });
    } catch (error) {
      if (error instanceof Refusal && [404, 410].includes(error.status) && upload.address) {
        upload.address = null;
      } else if (error instanceof Refusal && ![409, 423, 429, 503].includes(error.status)) {
        await forget(upload.id);
        return tell(upload, { error: error.message });
      } else {
        if (error instanceof Unreachable) tell(upload, { isWaiting: true });
        await pause(error.retryAfter || Math.min(2 ** failures++, 30));
      }
    }
  }
}

/** Waits for some seconds, or until the browser says that it is back. */
function pause(seconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, seconds * 1000);
    addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

/** What is said of a photo, as tus has it: each value in base64. */
function metadata(details) {
  const coded = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(value)));
  return Object.entries(details).map(([name, value]) => `${name} ${coded(String(value))}`).join(",");
}

/** Sends what the server does not have. Returns the number of the job. */
async function attempt(upload, onProgress) {
  const { photo } = upload;
  let response;
  if (upload.address) {
    response = await send("HEAD", upload.address, { headers: tus });
  } else {
    response = await send("POST", "files", {
      headers: { ...tus, "Upload-Length": photo.size, "Upload-Metadata": metadata(upload.details), "Idempotency-Key": upload.id },
    });
    upload.address = response.headers.get("Location");
    await keep(upload);
  }
  let offset = Number(response.headers.get("Upload-Offset") ?? 0);
  while (offset < photo.size) {
    tell(upload, { sent: offset });
    response = await send("PATCH", upload.address, {
      body: photo.slice(offset, offset + chunk), headers: { ...tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": offset },
    });
    offset = Number(response.headers.get("Upload-Offset"));
    onProgress();
  }
  return Number(response.headers.get("Darkroom-Upload").split("/").at(-1));
}

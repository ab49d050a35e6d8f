// What may be posted, and whom the names of places are credited to. Read once.

import { get } from "./api.js";

let reading = null;

export function rules() {
  reading ??= get("posting-rules");
  reading.catch(() => { reading = null; });
  return reading;
}

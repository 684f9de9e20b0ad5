// A request as `web/engine/src/words.rs` reads it: words, each behind its length in bytes. Numbers are written so that
// they are read back to the last bit.
const encoder = new TextEncoder();

/** @param {(string | number)[]} all */
export function words(all) {
  return encoder.encode(all.map((word) => `${encoder.encode(String(word)).length}:${word}`).join(""));
}

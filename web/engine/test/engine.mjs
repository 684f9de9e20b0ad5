// The engine's module for tests: from a `.wasm` file, or out of a built page.
import { readFileSync } from "node:fs";
import { unpack } from "../../src/engine/lzma.js";
import { words } from "../../src/engine/words.js";

export function moduleBytes(path) {
  const bytes = readFileSync(path);
  if (!path.endsWith(".html")) return bytes;
  const packed = /id="engine-wasm">([^<]*)</.exec(bytes.toString("utf8"))?.[1].trim();
  if (!packed) throw new Error(`${path} holds no engine: build it with \`cargo xtask web\``);
  return unpack(Buffer.from(packed, "base64"));
}

/** As in `web/engine/src/calls.rs`. */
const OPERATIONS = ["scenarios", "load", "fromLagrangian", "open", "seek", "setDirection", "swarm", "swarmPoints", "certificate", "describe", "hash", "pull"];

export async function start(path) {
  const { instance } = await WebAssembly.instantiate(moduleBytes(path));
  const engine = instance.exports;
  engine.start();
  const call = (operation, ...request) => {
    const bytes = words(request);
    const place = engine.input(bytes.length);
    new Uint8Array(engine.memory.buffer, place, bytes.length).set(bytes);
    const length = engine.call(OPERATIONS.indexOf(operation));
    return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.output(), length)));
  };
  return { engine, call };
}

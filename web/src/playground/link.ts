// The fragment of the address, which holds all of a setup:
//
//   #scenario=NAME or #model=TEXT, then any of &method=M &step=H &b=M &bstep=H &set=PATH%3DVALUE … &speed=S &goon=1 &nudge=1
//
// TEXT is the model, compressed (raw deflate) and in base64url.
import type { Setup, Side } from "./setup";

/** What a fragment says; the text of a scenario is not in it. */
export type Linked = Omit<Setup, "text"> & { text?: string };

export async function toFragment(setup: Setup): Promise<string> {
  const pairs: [string, string][] = [];
  if (setup.scenario !== undefined) pairs.push(["scenario", setup.scenario]);
  else pairs.push(["model", await pack(setup.text)]);
  const [a, b] = setup.sides;
  if (a?.method !== undefined) pairs.push(["method", a.method]);
  if (a?.step !== undefined) pairs.push(["step", String(a.step)]);
  if (b !== undefined) pairs.push(["b", b.method ?? ""]);
  if (b?.step !== undefined) pairs.push(["bstep", String(b.step)]);
  for (const { path, value } of setup.settings) pairs.push(["set", `${path}=${value}`]);
  if (setup.speed !== undefined) pairs.push(["speed", String(setup.speed)]);
  if (setup.goOn) pairs.push(["goon", "1"]);
  if (setup.nudge) pairs.push(["nudge", "1"]);
  return pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** `undefined` if the fragment names no model; throws if it is damaged. */
export async function fromFragment(fragment: string): Promise<Linked | undefined> {
  const pairs = fragment
    .replace(/^#/, "")
    .split("&")
    .map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return at < 0 ? [pair, ""] : [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    });
  const first = (key: string) => pairs.find(([name]) => name === key)?.[1];
  const number = (key: string) => {
    const value = Number(first(key) || NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const [scenario, model] = [first("scenario"), first("model")];
  if (scenario === undefined && model === undefined) return undefined;
  const sides: Side[] = [{ method: first("method") || undefined, step: number("step") }];
  if (first("b") !== undefined) sides.push({ method: first("b") || undefined, step: number("bstep") });
  const settings = pairs.flatMap(([key, value]) => {
    const at = value.indexOf("=");
    return key === "set" && at > 0 ? [{ path: value.slice(0, at), value: value.slice(at + 1) }] : [];
  });
  return {
    scenario,
    text: model === undefined ? undefined : await unpack(model),
    settings,
    sides,
    speed: number("speed"),
    goOn: first("goon") === "1",
    nudge: first("nudge") === "1",
  };
}

export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function unpack(code: string): Promise<string> {
  const bytes = fromBase64(code.replace(/-/g, "+").replace(/_/g, "/"));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

export function fromBase64(code: string): Uint8Array<ArrayBuffer> {
  const letters = atob(code);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

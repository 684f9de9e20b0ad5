// The engine's worker: WebAssembly on one side, messages on the other. Made into one string by the bundler and started
// from a Blob, so that it works from a file. It answers calls in their order.
import { unpack } from "./lzma";
import { words } from "./words";
import type { Advanced, LagrangianParts, RunSpec, Sample, Setting, Swarm, Vec3 } from "./types";

/** What `web/engine/src/exports.rs` exports. */
interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  /** Has a panic leave its message. */
  start(): void;
  call(operation: number): number;
  output(): number;
  /** Sets the time to reach. */
  begin(seconds: number): void;
  /** Goes on by at most so many of the shortest steps; 1 when it is reached. */
  slice(most: number): number;
  /** Fills the buffers with a frame of a run: gives the number of rows of its trace. */
  frame(run: number): number;
  /** Where the message of a panic is, and its length. */
  panic_message(): number;
  panic_length(): number;
  floats(): number;
  doubles(): number;
}

/** Operations of `call`, as in `exports.rs`. */
const OPERATIONS = ["scenarios", "load", "fromLagrangian", "open", "seek", "setDirection", "swarm", "swarmPoints", "certificate", "describe", "hash", "pull"] as const;
type Operation = (typeof OPERATIONS)[number];

/** How many numbers a frame of a run has: counted once, when runs are opened. */
interface Sizes { points: number; frames: number; heat: number; q: number; v: number; momenta: number; columns: number }

let engine: Exports;
let sizes: Sizes[] = [];
const decoder = new TextDecoder();

/** A call that the engine does not understand: a fault of the page. */
class Refused extends Error {}

function call(operation: Operation, ...request: (string | number)[]): any {
  const bytes = words(request);
  // First the place: making room may move the memory.
  const place = engine.input(bytes.length);
  new Uint8Array(engine.memory.buffer, place, bytes.length).set(bytes);
  const length = engine.call(OPERATIONS.indexOf(operation));
  const answer = JSON.parse(decoder.decode(new Uint8Array(engine.memory.buffer, engine.output(), length)));
  if (answer?.error !== undefined) throw new Refused(answer.error);
  return answer;
}

/** Numbers of a buffer of the engine, one part after the other, copied. */
class Reader {
  private at = 0;
  constructor(private readonly all: Float32Array | Float64Array) {}
  take<A extends Float32Array | Float64Array>(count: number): A {
    const part = this.all.slice(this.at, this.at + count);
    this.at += count;
    return part as A;
  }
}

const finite = (x: number | undefined) => (x === undefined || Number.isNaN(x) ? undefined : x);

function sample(run: number): Sample {
  const { points, frames, heat, q, v, momenta, columns } = sizes[run]!;
  const rows = engine.frame(run);
  const floats = new Reader(new Float32Array(engine.memory.buffer, engine.floats(), 3 * points + 7 * frames + heat));
  const doubles = new Reader(new Float64Array(engine.memory.buffer, engine.doubles(), 8 + q + v + momenta + rows * columns));
  const [k, t, energy, kinetic, energyAtStart, length, constraint, failed] = doubles.take<Float64Array>(8);
  const out: Sample = {
    run, k: k!, t: t!, energy: energy!, kinetic: kinetic!, energyAtStart: energyAtStart!,
    points: floats.take(3 * points), framePositions: floats.take(3 * frames), frameRotations: floats.take(4 * frames),
    q: doubles.take(q), v: doubles.take(v), momenta: doubles.take(momenta), trace: doubles.take(rows * columns),
  };
  if (heat > 0) out.heat = floats.take(heat);
  if (finite(length) !== undefined) out.length = length!;
  if (finite(constraint) !== undefined) out.constraint = constraint!;
  if (failed) out.failed = call("describe", run).failed;
  return out;
}

const samples = () => sizes.map((_, run) => sample(run));

/** Steps of a slice: as many as take about a millisecond. */
let pace = 8;

function advance(seconds: number, budget: number): Advanced {
  const start = performance.now();
  engine.begin(seconds);
  let complete = false;
  for (let now = start; !complete && now - start < budget; ) {
    complete = engine.slice(pace) === 1;
    const spent = -now + (now = performance.now());
    if (spent < 0.5 && !complete) pace *= 2;
    else if (spent > 1) pace = Math.max(1, pace / 2);
  }
  return { samples: samples(), complete, spent: performance.now() - start };
}

function swarmPoints(): Swarm {
  const { count, shown, q, v } = call("swarmPoints") as { count: number; shown: number[]; q: number; v: number };
  const reader = new Reader(new Float32Array(engine.memory.buffer, engine.floats(), count * (3 * shown.length + q + v) + 1));
  const [points, places, speeds] = [3 * count * shown.length, count * q, count * v].map((size) => reader.take<Float32Array>(size));
  return { count, shown, points: points!, q: places!, v: speeds!, spread: reader.take<Float32Array>(1)[0]! };
}

const calls: Record<string, (...args: any[]) => unknown> = {
  /** With the module as the page holds it. */
  start: async (packed: string) => {
    // For `Begun.awake`: an answer that nobody has asked for.
    scope.postMessage({ id: -1 });
    const letters = atob(packed);
    const bytes = new Uint8Array(letters.length);
    // A loop: `Uint8Array.from` takes ten times as long.
    for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
    const { instance } = await WebAssembly.instantiate(unpack(bytes));
    engine = instance.exports as unknown as Exports;
    engine.start();
  },
  scenarios: () => call("scenarios"),
  load: (text: string, settings: Setting[]) => call("load", text, ...settings.flatMap(({ path, value }) => [path, value])),
  fromLagrangian: ({ formula, step, duration, params, start, velocity = {} }: LagrangianParts) => {
    const named = (table: Record<string, string>, sign: string) => Object.entries(table).flatMap(([name, value]) => [name + sign, value]);
    return call("fromLagrangian", formula, step, duration, ...named(params, ""), ...named(start, "="), ...named(velocity, "'"));
  },
  open: (runs: RunSpec[], carryOver: boolean) => {
    const result = call("open", carryOver ? 1 : 0, ...runs.flatMap(({ method, step }) => [method ?? "", step ?? ""]));
    if (!result.ok) return result;
    const { sizes: opened, restarted } = result.opened;
    sizes = opened;
    return { ok: true, samples: samples(), ...(restarted ? { restarted } : {}) };
  },
  advance,
  seek: (t: number) => {
    call("seek", t);
    return samples();
  },
  setDirection: (body: string, direction: Vec3) => call("setDirection", body, ...direction),
  pull: (body: string, origin: Vec3, direction: Vec3) => call("pull", body, ...origin, ...direction),
  swarm: (count: number, spread: number) => void call("swarm", count, spread),
  swarmPoints,
  certificate: (run: number) => call("certificate", run),
  describe: (run: number) => call("describe", run),
  hash: (run: number) => call("hash", run),
};

/** The buffers of an answer: all typed arrays in it were copied out of the engine's memory and may be given away. */
function buffers(answer: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(answer)) found.push(answer.buffer as ArrayBuffer);
  else if (answer !== null && typeof answer === "object") {
    if (Array.isArray(answer) && typeof answer[0] !== "object") return found;
    for (const part of Object.values(answer)) buffers(part, found);
  }
  return found;
}

function panicMessage(): string {
  try {
    return decoder.decode(new Uint8Array(engine.memory.buffer, engine.panic_message(), engine.panic_length()));
  } catch {
    return "";
  }
}

const scope = self as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: unknown };
let before: Promise<void> = Promise.resolve();
scope.onmessage = ({ data: { id, name, args } }: MessageEvent) => {
  before = before.then(async () => {
    try {
      const answer = await calls[name]!(...args);
      const moving = name === "advance" || name === "open" || name === "seek" || name === "swarmPoints";
      scope.postMessage({ id, answer }, moving ? buffers(answer) : []);
    } catch (error) {
      if (error instanceof Refused) return scope.postMessage({ id, refused: error.message });
      // A trap: the memory of the engine is in no known state.
      scope.postMessage({ id, stopped: panicMessage() || String(error) });
    }
  });
};

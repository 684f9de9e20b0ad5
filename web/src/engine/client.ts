// The page's side of the engine: calls become messages to a worker, answers become promises.
import { type Advanced, type Engine, EngineStopped } from "./types";

export interface EngineParts {
  /** The WebAssembly module; it is kept, to start again. */
  wasm: ArrayBuffer;
  /** `worker.ts` as one classic script. */
  worker: string;
}

interface Waiting { resolve(answer: unknown): void; reject(error: Error): void }

/** Starts the engine that the page holds: its worker and, packed, its module (see `build.mjs`). */
export async function createEngine(): Promise<Engine> {
  const text = (id: string) => document.getElementById(id)?.textContent ?? "";
  const packed = text("engine-wasm").trim();
  if (packed === "") throw new Error("this page was built without the engine");
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  // A loop: `Uint8Array.from` takes ten times as long.
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return startEngine({ wasm: await new Response(unpacked).arrayBuffer(), worker: text("worker-source") });
}

/** Starts the engine in a worker of its own. A module that cannot be started makes the first call fail. */
export function startEngine(parts: EngineParts): Engine {
  const address = URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" }));
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let worker: Worker;
  let closed = false;

  const stop = (why: string) => {
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new EngineStopped(`the engine stopped: ${why}`));
    waiting.clear();
    if (!closed) start();
  };
  function start() {
    worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer?: unknown; stopped?: string; refused?: string }>) => {
      if (data.stopped !== undefined) return stop(data.stopped);
      if (data.refused !== undefined) waiting.get(data.id)?.reject(new Error(data.refused));
      else waiting.get(data.id)?.resolve(data.answer);
      waiting.delete(data.id);
    };
    worker.onerror = (event) => stop(event.message);
    // Rejected with all others where it fails.
    post("start", parts.wasm.slice(0)).catch(() => {});
  }
  function post<T>(name: string, ...args: unknown[]): Promise<T> {
    last += 1;
    const id = last;
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      worker.postMessage({ id, name, args });
    });
  }
  start();

  let advancing: Promise<unknown> = Promise.resolve();
  return {
    scenarios: () => post("scenarios"),
    load: (text, settings) => post("load", text, settings),
    fromLagrangian: (lagrangian) => post("fromLagrangian", lagrangian),
    open: (runs, carryOver) => post("open", runs, carryOver),
    advance: (seconds, budgetMs) => {
      const next = advancing.then(() => post<Advanced>("advance", seconds, budgetMs));
      advancing = next.catch(() => {});
      return next;
    },
    seek: (t) => post("seek", t),
    setDirection: (body, direction) => post("setDirection", body, direction),
    swarm: (count, spread) => post("swarm", count, spread),
    swarmPoints: () => post("swarmPoints"),
    certificate: (run) => post("certificate", run),
    describe: (run) => post("describe", run),
    hash: (run) => post("hash", run),
    close: () => {
      closed = true;
      stop("it was closed");
      URL.revokeObjectURL(address);
    },
  };
}

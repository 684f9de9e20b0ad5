// The page's side of the engine: calls become messages to a worker, answers become promises.
import { begin, page, type Begun } from "./begin";
import { type Advanced, type Engine, EngineStopped } from "./types";

interface Waiting { resolve(answer: unknown): void; reject(error: Error): void }

/** The engine that the page holds, if it does: `early.ts` has started it. */
export function createEngine(): Engine | undefined {
  return page.begun && engineOf(page.begun);
}

/** The engine in a worker of its own. A module that cannot be started makes the first call fail. */
function engineOf({ worker: first, address, wasm }: Begun): Engine {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let worker: Worker;
  let closed = false;

  const stop = (why: string) => {
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new EngineStopped(`the engine stopped: ${why}`));
    waiting.clear();
    if (!closed) start(begin(wasm, address));
  };
  function start(begun: Worker) {
    worker = begun;
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer?: unknown; stopped?: string; refused?: string }>) => {
      if (data.stopped !== undefined) return stop(data.stopped);
      if (data.refused !== undefined) waiting.get(data.id)?.reject(new Error(data.refused));
      else waiting.get(data.id)?.resolve(data.answer);
      waiting.delete(data.id);
    };
    worker.onerror = (event) => stop(event.message);
  }
  function post<T>(name: string, ...args: unknown[]): Promise<T> {
    last += 1;
    const id = last;
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      worker.postMessage({ id, name, args });
    });
  }
  start(first);

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
    pull: (body, origin, direction) => post("pull", body, origin, direction),
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

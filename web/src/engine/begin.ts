// A worker that has been given the engine's module.

/** One, and what it takes to start another. */
export interface Begun {
  worker: Worker;
  /** It has the module. No worker starts while the page's thread is busy: what takes long waits for this. */
  awake: Promise<unknown>;
  /** Of `worker.ts` as one classic script. */
  address: string;
  /** The WebAssembly module by LZMA in base64. */
  wasm: string;
}

/** Where `early.ts` leaves it for `client.ts`. */
export const page = globalThis as { begun?: Begun };

export function begin(wasm: string, address: string): Worker {
  const worker = new Worker(address);
  worker.postMessage({ id: 0, name: "start", args: [wasm] });
  return worker;
}

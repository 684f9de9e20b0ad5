// Starts the engine that the page holds, if it does, before the page's script is read: they go on at the same time.
import { begin, page } from "./begin";

const text = (id: string) => document.getElementById(id)?.textContent ?? "";
const wasm = text("engine-wasm").trim();
if (wasm !== "") {
  const address = URL.createObjectURL(new Blob([text("worker-source")], { type: "text/javascript" }));
  const worker = begin(wasm, address);
  page.begun = { worker, awake: new Promise((resolve) => worker.addEventListener("message", resolve, { once: true })), address, wasm };
}

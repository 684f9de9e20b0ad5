// Nanoseconds of a step in WebAssembly beside those of the native program, and how long models take to load:
//   node speed.mjs FILE.wasm|PAGE.html [NATIVE]      NATIVE: target/release/holonomy-web
import { execFileSync } from "node:child_process";
import { start } from "./engine.mjs";

/** As in `web/engine/src/main.rs`. */
const ROWS = [
  ["pendulum", "spherical-pendulum", ["method.name", "sphere-explicit"], 200_000],
  ["double pendulum", "double-spherical-pendulum", [], 50_000],
  ["chain 128", "pendulum-chain", ["chain.links", "128"], 2_000],
  ["scissor lift", "scissor-lift", [], 500],
  ["kepler", "kepler", [], 2_000],
  ["molecules", "molecules-on-a-sphere", [], 20],
];
const REPEATS = 15;

const [file, native] = process.argv.slice(2);
const { engine, call } = await start(file);
const texts = new Map(call("scenarios").map(({ name, text }) => [name, text]));
const measured = () => (native ? execFileSync(native, ["speed"], { encoding: "utf8" }).trim().split("\n").map((line) => line.split("\t")) : []);
// Before and after, so that what else the machine does shows.
const before = new Map(measured());
const least = (times) => Math.min(...times);
const rows = ROWS.map(([name, scenario, settings, steps]) => {
  const loads = [];
  const times = [];
  for (let k = 0; k < REPEATS; k += 1) {
    let now = performance.now();
    if (!call("load", texts.get(scenario), ...settings).ok) throw new Error(scenario);
    if (!call("open", 0, "", "").ok) throw new Error(scenario);
    loads.push(performance.now() - now);
    engine.steps(steps);
    now = performance.now();
    engine.steps(steps);
    times.push(((performance.now() - now) * 1e6) / steps);
  }
  return [name, least(times), least(loads)];
});
const after = new Map(measured());
for (const [name, wasm, load] of rows) {
  const ours = native ? Math.min(Number(before.get(name)), Number(after.get(name))) : NaN;
  const ratio = native ? `  native ${ours.toFixed(1)} ns  ratio ${(wasm / ours).toFixed(2)}` : "";
  console.log(`${name.padEnd(16)} wasm ${wasm.toFixed(1)} ns${ratio}  load and open ${load.toFixed(2)} ms`);
}

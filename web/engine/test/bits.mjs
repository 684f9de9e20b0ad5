// Hashes of all scenarios by all methods in node, one a line: node bits.mjs FILE.wasm|PAGE.html STEPS WORK
import { start } from "./engine.mjs";

const [file, steps, work] = process.argv.slice(2);
const { engine } = await start(file);
for (let k = 0; k < engine.bits_count(); k += 1) {
  console.log(BigInt.asUintN(64, engine.bits_run(k, Number(steps), Number(work))).toString(16).padStart(16, "0"));
}

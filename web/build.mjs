// Builds the two bundles that the crates embed. `cargo xtask web` calls this; see README.md.
//
//   node build.mjs [player] [playground] [--wasm FILE]      both, if none is named
//
// Without a WebAssembly file the playground is built with no engine in it, which is enough to work on its looks.
import { build } from "esbuild";
import { compress } from "lzma1";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const PLAYER = join(root, "crates/holonomy-report/assets/player.js");
const PLAYGROUND = join(root, "crates/holonomy-host/assets/playground.html");

/** Style sheets are imported as text, without comments and blanks. */
const minifiedCss = {
  name: "minified-css",
  setup(context) {
    context.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], bundle: true, minify: true, write: false });
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

const words = process.argv.slice(2);
const flag = words.indexOf("--wasm");
const wasm = flag < 0 ? undefined : words.splice(flag, 2)[1];
const wanted = words.length > 0 ? words : ["player", "playground"];
for (const word of wanted) {
  if (word === "player") await player();
  else if (word === "playground") await playground();
  else throw new Error(`there is no bundle \`${word}\`: they are player and playground`);
}

/** One classic script, which needs nothing but the page that it is in. */
async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "eof",
    loader: { ".css": "text" },
    plugins: [minifiedCss],
    banner: { js: "/* Built by `cargo xtask web`: do not edit. */" },
  });
  return result.outputFiles[0].text;
}

async function player() {
  store(PLAYER, await bundle("src/player/main.ts"));
}

/** A page in one file: `<!-- worker -->` and so on of its source are replaced. */
async function playground() {
  const page = readFileSync(join(here, "src/playground/index.html"), "utf8");
  const script = await bundle("src/playground/main.ts");
  const worker = await bundle("src/engine/worker.ts");
  const early = await bundle("src/engine/early.ts");
  const engine = wasm === undefined ? "" : packed(readFileSync(wasm));
  const parts = {
    worker: `<script type="text/plain" id="worker-source">${inline(worker)}</script>`,
    wasm: `<script type="text/plain" id="engine-wasm">${engine}</script>`,
    early: `<script>${inline(early)}</script>`,
    script: `<script>${inline(script)}</script>`,
  };
  store(PLAYGROUND, page.replace(/<!-- (worker|wasm|early|script) -->/g, (_, name) => parts[name]));
}

/** The engine as `src/engine/worker.ts` unpacks it. */
function packed(module) {
  const bytes = compress(module, 9);
  console.log(`the engine: ${kilo(module.length)}, ${kilo(brotliCompressSync(module).length)} brotli, ${kilo(bytes.length)} packed`);
  return Buffer.from(bytes).toString("base64");
}

/** What ends a script element may not stand in it. In strings, patterns and templates these mean the same. */
function inline(script) {
  return script.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\x21--");
}

function store(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const same = existsSync(path) && readFileSync(path, "utf8") === text;
  if (!same) writeFileSync(path, text);
  const bytes = Buffer.byteLength(text);
  console.log(`${path.slice(root.length + 1)}: ${kilo(bytes)}, ${kilo(gzipSync(text, { level: 9 }).length)} gzip`);
}

function kilo(bytes) {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

// What people load is not larger than it may be: `npm test`, on the built page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { moduleBytes } from "../engine/test/engine.mjs";

const PAGE = new URL("../../crates/holonomy-host/assets/playground.html", import.meta.url).pathname;
const kilo = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;

test("the engine has at most 765 kB by brotli", () => {
  const size = brotliCompressSync(moduleBytes(PAGE)).length;
  assert.ok(size <= 765_000, `it has ${kilo(size)}: see "Sizes" in README.md`);
});

test("the playground has at most 1065 kB by gzip", () => {
  const size = gzipSync(readFileSync(PAGE), { level: 9 }).length;
  assert.ok(size <= 1_065_000, `it has ${kilo(size)}: see "Sizes" in README.md`);
});

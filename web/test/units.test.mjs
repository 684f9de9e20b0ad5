// Parts that need no browser: `npm test`. Expected values are worked out here in another way.
import assert from "node:assert/strict";
import test from "node:test";
import { build } from "esbuild";
import { compress } from "lzma1";
import { unpack } from "../src/engine/lzma.js";

async function load(entry) {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm", loader: { ".css": "text" } });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

const place = await load("src/scene/place.ts");
const { directionOnSphere, nearest } = await load("src/scene/pick.ts");
const { Film } = await load("src/player/film.ts");
const format = await load("src/player/format.ts");
const { PerspectiveCamera } = await load("three");
const { fitting, floorTo125 } = await load("src/playground/number.ts");
const { problemText } = await load("src/playground/problem.ts");

const near = (found, expected, within = 1e-6) => found.forEach((x, k) => assert.ok(Math.abs(x - expected[k]) <= within, `${found} is not ${expected}`));
const apply = (m, [x, y, z]) => [0, 1, 2].map((c) => m[c] * x + m[4 + c] * y + m[8 + c] * z + m[12 + c]);

test("a stick goes from one place to the other, and is round", () => {
  for (const [a, b] of [[[0, 0, 0], [1, 2, 3]], [[1, 1, 1], [1, 1, -4]], [[2, 0, 0], [-1, 0, 0]], [[0, 1, 0], [0, 3, 0]]]) {
    const m = new Float32Array(16);
    place.stick(m, 0, ...a, ...b, 0.25);
    near(apply(m, [0, -0.5, 0]), a);
    near(apply(m, [0, 0.5, 0]), b);
    const along = b.map((x, c) => x - a[c]);
    for (const [column, other] of [[0, 8], [8, 0]]) {
      const across = m.slice(column, column + 3);
      assert.ok(Math.abs(Math.hypot(...across) - 0.25) < 1e-6);
      assert.ok(Math.abs(across[0] * along[0] + across[1] * along[1] + across[2] * along[2]) < 1e-6);
      assert.ok(Math.abs(across[0] * m[other] + across[1] * m[other + 1] + across[2] * m[other + 2]) < 1e-6);
    }
  }
});

test("vectors and boxes are turned alike, as by hand about z", () => {
  const angle = 0.7, q = [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
  place.turn(q, 0, 1, 2, 3);
  const expected = [Math.cos(angle) - 2 * Math.sin(angle), Math.sin(angle) + 2 * Math.cos(angle), 3];
  near([...place.turned], expected);
  const m = new Float32Array(16);
  place.box(m, 0, 0, 0, 0, ...q, 1, 1, 1);
  near(apply(m, [1, 2, 3]), expected);
});

test("a ray meets a sphere in front, or comes nearest to it", () => {
  const ray = { view: 0, origin: [0, -10, 0], direction: [0, 1, 0] };
  near(directionOnSphere(ray, [0, 0, 0], 2), [0, -1, 0]);
  near(directionOnSphere(ray, [0, 0, 0], 2, true), [0, 1, 0]);
  // Through (1.2, ·, 0) on a sphere of 2: the other coordinate is 1.6.
  near(directionOnSphere({ ...ray, origin: [1.2, -10, 0] }, [0, 0, 0], 2), [0.6, -0.8, 0]);
  near(directionOnSphere({ ...ray, origin: [5, -10, 0] }, [0, 0, 0], 2), [1, 0, 0]);
});

test("the pointer finds masses before rods, and nothing far away", () => {
  const camera = new PerspectiveCamera(90, 1, 0.1, 100);
  camera.position.set(0, 0, 10);
  camera.updateMatrixWorld();
  const scene = { shapes: [{ kind: "rod", body: 0, from: 0, to: 1 }, { kind: "mass", body: 1, at: 1 }] };
  // At distance 10 with 90° the picture of 200 pixels is 20 wide: ten pixels for one.
  const poses = { points: new Float32Array([0, 0, 0, 5, 0, 0]), framePositions: new Float32Array() };
  const at = (x, y) => nearest(scene, poses, camera, 200, 200, x, y, 12);
  assert.deepEqual(at(151, 102), { body: 1, point: 1 });
  assert.deepEqual(at(120, 97), { body: 0, point: 1 });
  assert.equal(at(120, 60), null);
});

const base64 = (numbers) => Buffer.from(numbers.buffer).toString("base64");
function filmOf(times, places, rotations) {
  const scale = 1e-4;
  const scene = { frames: [], points: ["a"], shapes: [{ kind: "mass", body: 0, at: 0, radius: 1 }], down: null, size: 1 };
  const points = { data: base64(Int16Array.from(places.flat(), (x) => Math.round((x - 1) / scale))), origin: [1, 1, 1], scale };
  const frames = rotations && { positions: points, rotations: base64(Int16Array.from(rotations.flat(), (x) => Math.round(32767 * x))) };
  return new Film({ version: 1, clips: [{ name: "x", scene, times: base64(Float32Array.from(times)), points, frames, ended: null }] });
}

test("between frames a parabola is followed, frames themselves are met, and the ends stay", () => {
  const times = [0, 1, 2, 3, 4], of = (t) => [0.1 * t * t, 2 - 0.2 * t, 0.5];
  const clip = filmOf(times, times.map(of)).clips[0];
  // Rounded to 1e-4.
  for (const t of times) near(clip.at(t).points, of(t), 1e-4);
  for (const t of [1.25, 2.5, 2.9]) near(clip.at(t).points, of(t), 2e-4);
  near(clip.at(-1).points, of(0), 1e-4);
  near(clip.at(9).points, of(4), 1e-4);
});

test("a place without a value is none, and takes no room", () => {
  const times = [0, 1, 2, 3, 4], hole = 1 - 32768e-4;
  const clip = filmOf(times, times.map((t) => (t === 2 ? [hole, hole, hole] : [0.1 * t, 0, 0]))).clips[0];
  assert.ok(Number.isNaN(clip.at(1.5).points[0]) && Number.isNaN(clip.at(2).points[0]));
  near(clip.at(3).points, [0.3, 0, 0], 1e-4);
  near(clip.at(0.5).points, [0.05, 0, 0], 0.01);
  near(clip.bounds().low, [0, 0, 0], 1e-4);
});

test("a quaternion that changes its sign turns on", () => {
  const times = [0, 1, 2, 3], turn = (t) => [Math.cos(0.1 * t), 0, 0, Math.sin(0.1 * t)];
  const flipped = times.map((t) => turn(t).map((x) => (t >= 2 ? -x : x)));
  const [clip] = filmOf(times, times.map(() => [0, 0, 0]), flipped).clips;
  // Cubic between angles of 0.2: less than 1e-4 off.
  near(clip.at(1.5).frameRotations, turn(1.5), 1e-4);
});

test("a number fits its field, with as many digits as that leaves", () => {
  for (const [value, text] of [[0, "0"], [1.73205081, "1.73205"], [-9.81, "-9.81"], [0.00225898, "0.002259"], [-0.000981234, "-9.812e-4"], [123456.7, "123457"], [-1.23456e-12, "-1.23e-12"], [1e21, "1e+21"]]) {
    assert.equal(fitting(value), text);
    assert.ok(text.length <= 9);
    assert.ok(Math.abs(Number(text) - value) <= 5e-3 * Math.abs(value));
  }
});

test("numbers are said plainly", () => {
  assert.equal(format.rate(12), "12 s of motion per second");
  assert.equal(format.rate(0.0015), "1.5 ms of motion per second");
  assert.equal(format.rate(5000), "5000 s of motion per second");
  assert.equal(format.metres(0.5), "0.5 m");
  assert.equal(format.metres(0.02), "20 mm");
});

test("what LZMA packed is unpacked to the same bytes", () => {
  // Noise takes literals, repeated parts all kinds of matches, far and near, and a long run the longest.
  let seed = 1;
  const noise = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 24;
  const random = Uint8Array.from({ length: 20_000 }, noise);
  const words = new TextEncoder().encode(Array.from({ length: 3000 }, () => ["q", "momentum", "λ", "0.25", " = "][noise() % 5]).join(" "));
  const mixed = Uint8Array.from([...random.subarray(0, 3000), ...words, ...random.subarray(1000, 3000), ...words.subarray(7), ...new Uint8Array(5000), ...random]);
  for (const bytes of [Uint8Array.of(7), words, random, mixed]) {
    assert.deepEqual(unpack(Uint8Array.from(compress(bytes, 9))), bytes);
  }
});

test("a problem is shown with its place underlined", () => {
  const place = { line: 2, column: 5, endLine: 2, endColumn: 8 };
  const shown = problemText({ severity: "error", message: "no", help: "yes", place }, "a = 1\nbc = def\n");
  assert.deepEqual(shown.split("\n"), ["error: no", " --> line 2, column 5", "  |", "2 | bc = def", "  |     ^^^", "  = help: yes"]);
  assert.equal(problemText({ severity: "note", message: "so", setting: "--set a=1" }, ""), "note: so\n--> --set a=1");
});

test("a speed that is possible is one of 1, 2, 5, and not more", () => {
  for (const [value, expected] of [[0.33, 0.2], [0.108, 0.1], [0.99, 0.5], [6, 5], [0.02, 0.02]]) near([floorTo125(value)], [expected], 1e-12);
});

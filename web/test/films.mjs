// Films to try the player with: `node films.mjs FOLDER`. Made without the engine, as small as they can be.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? "build/films";
mkdirSync(folder, { recursive: true });

const base64 = (numbers) => Buffer.from(numbers.buffer).toString("base64");

/** A clip from functions of time: points and frames in metres, quaternions, heat, coordinates. */
function clip(name, scene, times, { points, positions, rotations, heat, coordinates, ended = null, note }) {
  const rows = (of) => times.map((t) => of(t).flat());
  const made = { name, scene, times: base64(Float32Array.from(times)), ended };
  if (note) made.note = note;
  if (points) made.points = quantised(rows(points));
  if (positions) {
    const turns = Int16Array.from(rows(rotations).flat().map((x) => Math.round(32767 * x)));
    made.frames = { positions: quantised(rows(positions)), rotations: base64(turns) };
  }
  if (heat) made.heat = base64(Uint8Array.from(rows(heat).flat().map((x) => Math.round(255 * x))));
  if (coordinates) {
    const { names, angles, q, v } = coordinates;
    made.coordinates = { names, angles, q: base64(Float32Array.from(rows(q).flat())) };
    if (v) made.coordinates.v = base64(Float32Array.from(rows(v).flat()));
  }
  return made;
}

function quantised(rows) {
  const all = rows.flat();
  const low = [0, 1, 2].map((c) => all.reduce((m, x, k) => (k % 3 === c ? Math.min(m, x) : m), Infinity));
  const high = [0, 1, 2].map((c) => all.reduce((m, x, k) => (k % 3 === c ? Math.max(m, x) : m), -Infinity));
  const origin = low.map((x, c) => (x + high[c]) / 2);
  const scale = Math.max(1e-9, ...low.map((x, c) => high[c] - x)) / 2 / 32767;
  return { data: base64(Int16Array.from(all.map((x, k) => Math.round((x - origin[k % 3]) / scale)))), origin, scale };
}

const even = (count, end) => Array.from({ length: count }, (_, k) => (k * end) / (count - 1));
const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((x) => x * Math.sin(angle / 2))];
const film = (name, clips, note) => writeFileSync(join(folder, `${name}.json`), JSON.stringify({ version: 1, clips, note }));

/** θ₁, θ₂ and their rates of a double pendulum (unit masses and lengths), by RK4 with small steps. */
function doublePendulum(times, start) {
  const g = 9.81;
  const rate = ([a, b, u, w]) => {
    const d = a - b, c = Math.cos(d), s = Math.sin(d), m = 2 - c * c;
    return [
      u, w,
      (-s * (w * w + u * u * c) - g * (2 * Math.sin(a) - Math.sin(b) * c)) / m,
      (s * (2 * u * u + w * w * c) - 2 * g * (Math.sin(b) - Math.sin(a) * c)) / m,
    ];
  };
  const states = [];
  let y = start, t = 0;
  for (const end of times) {
    for (const h = 1e-3; t < end - 1e-9; t += h) {
      const add = (x, k, f) => x.map((v, i) => v + f * k[i]);
      const k1 = rate(y), k2 = rate(add(y, k1, h / 2)), k3 = rate(add(y, k2, h / 2)), k4 = rate(add(y, k3, h));
      y = y.map((v, i) => v + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
    }
    states.push(y);
  }
  return (time) => states[times.indexOf(time)];
}

const chain = {
  frames: [],
  points: ["upper", "lower", "pivot"],
  shapes: [
    { kind: "pivot", at: 2 },
    { kind: "rod", body: 0, from: 2, to: 0, radius: 0.02 },
    { kind: "mass", body: 0, at: 0, radius: 0.06 },
    { kind: "rod", body: 1, from: 0, to: 1, radius: 0.02 },
    { kind: "mass", body: 1, at: 1, radius: 0.06 },
  ],
  down: [0, 0, -1],
  size: 1,
};
const places = (state) => (t) => {
  const [a, b] = state(t), x = Math.sin(a), z = -Math.cos(a);
  return [[x, 0, z], [x + Math.sin(b), 0, z - Math.cos(b)], [0, 0, 0]];
};
const times = even(401, 10);
const one = doublePendulum(times, [2, 2.5, 0, 0]);
film("double-pendulum", [clip("midpoint", chain, times, { points: places(one) })], "Every 25th sample is shown.");

const short = times.slice(0, 161);
const other = doublePendulum(times, [2.001, 2.5, 0, 0]);
film("compare", [
  clip("midpoint", chain, times, { points: places(one), note: "energy error 2.1e-6" }),
  // The same scene as the first.
  clip("rk4", null, short, { points: places(other), note: "energy error 3.0e-2", ended: "the step did not converge" }),
]);

// Without places: dials and portraits.
const angles = { names: ["theta", "phi"], angles: [true, false], q: (t) => one(t).slice(0, 2), v: (t) => one(t).slice(2) };
const nothing = { frames: [], points: [], shapes: [], down: null, size: 0 };
const slow = { names: ["psi"], angles: [true], q: (t) => [3 * t] };
film("coordinates", [clip("midpoint", nothing, times, { coordinates: angles }), clip("rk4", nothing, times, { coordinates: slow })]);

// Each kind of shape once.
const every = {
  frames: ["crank", "slider"],
  points: ["a", "b", "c", "d", "e", "f"],
  shapes: [
    { kind: "pivot", at: 0 },
    { kind: "rod", body: 0, from: 0, to: 1, radius: 0.03 },
    { kind: "inertia", body: 0, centre: [0.5, 0, 0], rotation: [1, 0, 0, 0], edges: [1, 0.2, 0.1] },
    { kind: "inertia", body: 1, centre: [0, 0, 0], rotation: [1, 0, 0, 0], edges: [0.3, 0.3, 0.3] },
    ...["fixed", "revolute", "prismatic", "screw", "universal", "spherical", "free"].map((joint, k) => ({
      kind: "joint", body: k % 2, joint, from: k % 6, to: k % 6, driven: k === 1,
      axes: joint === "universal" ? [{ frame: 0, direction: [0, 1, 0] }, { frame: null, direction: [1, 0, 0] }] : [{ frame: 0, direction: [0, 1, 0] }],
    })),
    { kind: "mass", body: 1, at: 1, radius: 0.08 },
    { kind: "cable", name: "string", through: [1, 2, 3] },
    { kind: "pin", name: "pin", between: [2, 2] },
    { kind: "plane", name: "plane", at: 2, on: 3, normal: { frame: null, direction: [0, 0, 1] } },
    { kind: "spring", between: [1, 4] },
    { kind: "damper", between: [4, 5] },
    { kind: "beam", between: [0, 5], axes: [{ frame: 0, direction: [1, 0, 0] }, { frame: 1, direction: [1, 0, 0] }], length: 1.5 },
    { kind: "sphere", centre: 0, radius: 1 },
    { kind: "line", through: [0, 4, 5] },
    { kind: "point", at: 4 },
    { kind: "of-a-later-version", at: 4 },
  ],
  down: [0, 0, -1],
  size: 1,
};
film("every-shape", [clip("midpoint", every, even(200, 6), {
  points: (t) => [
    [0, 0, 0], [Math.cos(t), 0, Math.sin(t)], [Math.cos(t) + Math.sqrt(4 - Math.sin(t) ** 2), 0, 0], [2, 0, 0], [0.5, 0.8, 0.7 * Math.cos(2 * t)], [1.5, 0.8, 0.2],
  ],
  positions: (t) => [[0, 0, 0], [Math.cos(t) + Math.sqrt(4 - Math.sin(t) ** 2), 0, 0]],
  rotations: (t) => [about([0, 1, 0], -t), about([1, 0, 0], t)],
})]);

// Many equal bodies on a sphere.
const count = 642, golden = Math.PI * (3 - Math.sqrt(5));
const molecules = {
  frames: [],
  points: Array.from({ length: count + 1 }, (_, k) => `molecule-${k + 1}`),
  shapes: [
    { kind: "sphere", centre: count, radius: 1 },
    ...Array.from({ length: count }, (_, k) => ({ kind: "mass", body: k, at: k, radius: 0.035 })),
  ],
  down: null,
  size: 1,
};
film("molecules", [clip("sphere-explicit", molecules, even(40, 5), {
  points: (t) => [...Array.from({ length: count }, (_, k) => {
    const z = 1 - (2 * k + 1) / count, r = Math.sqrt(1 - z * z), a = golden * k + 0.4 * t * Math.sin(k);
    return [r * Math.cos(a), r * Math.sin(a), z];
  }), [0, 0, 0]],
  heat: () => Array.from({ length: count }, (_, k) => Math.sin(k) ** 2),
})]);

// A thousand bodies of a tree: rod, box and joint each.
const many = 1000;
const link = (k, t) => [0.1 * (k % 100), 0.6 * Math.floor(k / 100), 0.3 * Math.sin(0.07 * k + t)];
const tree = {
  frames: Array.from({ length: many }, (_, k) => `body-${k + 1}`),
  points: Array.from({ length: many + 1 }, (_, k) => `point-${k + 1}`),
  shapes: Array.from({ length: many }, (_, k) => [
    { kind: "rod", body: k, from: k, to: k + 1, radius: 0.02 },
    { kind: "inertia", body: k, centre: [0.05, 0, 0], rotation: [1, 0, 0, 0], edges: [0.1, 0.05, 0.05] },
    { kind: "joint", body: k, joint: "revolute", from: k, to: k, axes: [{ frame: k, direction: [0, 1, 0] }], driven: false },
    { kind: "mass", body: k, at: k, radius: 0.02 },
  ]).flat(),
  down: [0, 0, -1],
  size: 0.5,
};
film("thousand", [clip("dop853", tree, even(12, 3), {
  points: (t) => Array.from({ length: many + 1 }, (_, k) => link(k, t)),
  positions: (t) => Array.from({ length: many }, (_, k) => link(k, t)),
  rotations: (t) => Array.from({ length: many }, (_, k) => about([0, 1, 0], 0.3 * Math.sin(k + t))),
})]);

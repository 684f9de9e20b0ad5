// An engine for building and testing the page without WebAssembly: a plane pendulum by two methods, in TypeScript.
import type { Engine, Loaded, RunSpec, Sample, Setting } from "./types";

const TEXT = `title = "Plane pendulum"
coordinates = ["theta"]
lagrangian = "m*l^2*theta'^2/2 + m*g*l*cos(theta)"
[parameters]
m = 1
l = 1
g = 9.81
[start]
theta = 2
[method]
name = "midpoint"
[run]
step = 0.01
duration = 20
`;
const COLUMNS = ["t", "energy", "kinetic", "momentum", "length", "constraint", "q theta", "v theta'"];

interface Run { k: number; q: number; v: number; h: number; method: string; rows: number[] }

export function fakeEngine(): Engine {
  const value = { "parameters.m": 1, "parameters.l": 1, "parameters.g": 9.81, "start.theta": 2 };
  let runs: Run[] = [];
  let copies: { q: number; v: number }[] = [];
  const place = (q: number) => [value["parameters.l"] * Math.sin(q), 0, -value["parameters.l"] * Math.cos(q)];
  const energies = (r: { q: number; v: number }) => {
    const { "parameters.m": m, "parameters.l": l, "parameters.g": g } = value;
    const kinetic = 0.5 * m * l * l * r.v * r.v;
    return { kinetic, energy: kinetic - m * g * l * Math.cos(r.q) };
  };
  const row = (r: Run) => {
    const { kinetic, energy } = energies(r);
    r.rows.push(r.k * r.h, energy, kinetic, NaN, NaN, NaN, r.q, r.v);
  };
  const step = (r: { q: number; v: number }, h: number, method: string) => {
    const w = value["parameters.g"] / value["parameters.l"];
    if (method === "explicit-euler") {
      const v = r.v - h * w * Math.sin(r.q);
      r.q += h * r.v;
      r.v = v;
    } else {
      r.v -= 0.5 * h * w * Math.sin(r.q);
      r.q += h * r.v;
      r.v -= 0.5 * h * w * Math.sin(r.q);
    }
  };
  const sample = (r: Run, run: number): Sample => {
    const trace = Float64Array.from(r.rows);
    r.rows = [];
    return {
      run, k: r.k, t: r.k * r.h, points: Float32Array.from([...place(r.q), 0, 0, 0]),
      framePositions: new Float32Array(0), frameRotations: new Float32Array(0),
      q: Float64Array.of(r.q), v: Float64Array.of(r.v), ...energies(r),
      energyAtStart: energies({ q: value["start.theta"], v: 0 }).energy, momenta: new Float64Array(0), trace,
    };
  };
  const loaded = (): Loaded => ({
    title: "Plane pendulum", scenario: "plane-pendulum", family: "lagrangian",
    scene: {
      frames: [], points: ["bob", "pivot"], down: [0, 0, -1], size: value["parameters.l"],
      shapes: [{ kind: "line", through: [1, 0] }, { kind: "point", at: 0 }, { kind: "pivot", at: 1 }],
    },
    bodies: [],
    knobs: Object.entries(value).map(([path, x]) => ({
      path, label: `\`${path.split(".")[1]}\``, value: x, unit: "", low: path.startsWith("start") ? -3.2 : 0,
      high: path.startsWith("start") ? 3.2 : 4 * x, above: false, whole: false,
      group: path.startsWith("start") ? "start" : "model",
    })),
    methods: [
      { name: "midpoint", summary: "midpoint rule", order: 2, geometric: true, adaptive: false },
      { name: "explicit-euler", summary: "explicit Euler", order: 1, geometric: false, adaptive: false },
      { name: "sphere-implicit", summary: "for spheres", order: 2, geometric: true, adaptive: false, unsupported: "it needs bodies on spheres" },
    ],
    method: "midpoint", step: 0.01, duration: 20,
    coordinates: { names: ["theta"], angles: [true] }, velocities: { names: ["theta'"] }, conserved: [],
    driven: false, hasConstraint: false, hasUnitLength: false, traceColumns: COLUMNS, draggable: [],
    notDraggable: "this model has coordinates of its own: move its sliders instead", fingerprint: "00", text: TEXT,
    command: "holonomy run plane-pendulum", notes: [],
  });
  return {
    scenarios: async () => [{ name: "plane-pendulum", title: "Plane pendulum", family: "lagrangian", text: TEXT, about: "A fake." }],
    load: async (text: string, settings: Setting[]) => {
      if (text.includes("wrong")) {
        const place = { line: 1, column: 1, endLine: 1, endColumn: 6 };
        return { ok: false, problems: [{ severity: "error", message: "this is wrong", help: "make it right", place }] };
      }
      for (const { path, value: x } of settings) if (path in value) value[path as keyof typeof value] = Number(x);
      return { ok: true, model: loaded() };
    },
    fromLagrangian: async () => TEXT,
    open: async (specs: RunSpec[], carryOver: boolean) => {
      const old = runs;
      runs = specs.map((spec, i) => {
        const from = carryOver ? (old[i] ?? old[0]) : undefined;
        const h = spec.step ?? 0.01;
        return { k: from ? Math.round((from.k * from.h) / h) : 0, q: from?.q ?? value["start.theta"], v: from?.v ?? 0, h, method: spec.method ?? "midpoint", rows: [] };
      });
      copies = [];
      runs.forEach(row);
      return { ok: true, samples: runs.map(sample) };
    },
    advance: async (seconds: number) => {
      const until = Math.max(0, ...runs.map((r) => r.k * r.h)) + seconds;
      runs.forEach((r, i) => {
        while ((r.k + 1) * r.h <= until + 1e-9) {
          step(r, r.h, r.method);
          if (i === 0) copies.forEach((c) => step(c, r.h, r.method));
          r.k += 1;
          if (r.rows.length < 64 * COLUMNS.length) row(r);
        }
      });
      return { samples: runs.map(sample), complete: true, spent: 0.1 };
    },
    seek: async (t: number) => {
      for (const r of runs) {
        Object.assign(r, { k: 0, q: value["start.theta"], v: 0, rows: [] });
        while ((r.k + 1) * r.h <= t + 1e-9) { step(r, r.h, r.method); r.k += 1; }
        row(r);
      }
      return runs.map(sample);
    },
    setDirection: async () => ({ ok: false, reason: loaded().notDraggable ?? "" }),
    pull: async () => ({ ok: false, reason: loaded().notDraggable ?? "" }),
    swarm: async (count: number, spread: number) => {
      copies = Array.from({ length: count }, (_, i) => ({ q: (runs[0]?.q ?? 0) + spread * (i / count - 0.5), v: runs[0]?.v ?? 0 }));
    },
    swarmPoints: async () => ({
      count: copies.length, shown: [0], points: Float32Array.from(copies.flatMap((c) => place(c.q))),
      q: Float32Array.from(copies, (c) => c.q), v: Float32Array.from(copies, (c) => c.v), spread: 0,
    }),
    certificate: async (run: number) => ({
      word: "structure right", tone: "good", answers: [{ question: "structure", tone: "good", text: `Conserved: \`${runs[run]?.method}\` does what it promises (energy).` }],
      rows: [{ what: "energy", promised: "bounded, no drift", measured: "largest error 0.001 J", verdict: "bounded", tone: "good" }],
    }),
    describe: async () => ({ text: TEXT, command: "holonomy run plane-pendulum", fingerprint: "00" }),
    hash: async () => "0123456789abcdef",
    close: () => {},
  };
}

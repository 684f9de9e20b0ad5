// What the page and the engine say to each other. The engine (`web/engine`, Rust) runs in a worker; `client.ts` is the
// page's side of it. Units are SI everywhere; quaternions are [w, x, y, z].

import type { Scene, Vec3 } from "../scene/types";
export type { Scene, Vec3 };

/** A range of the model's text. Lines and columns count from 1; columns count UTF-16 units, as editors do. */
export interface Place { line: number; column: number; endLine: number; endColumn: number }

/** Something the author of a model should know. */
export interface Problem {
  severity: "error" | "note";
  message: string;
  help?: string;
  /** The key it is about, such as `body.upper.mass`. */
  path?: string;
  /** Where that is in the text; absent for what is about the model as a whole or comes from a setting. */
  place?: Place;
  /** The setting it comes from, as `--set body.upper.mass=-1`, if it does. */
  setting?: string;
}

// ---- models --------------------------------------------------------------------------------------------------------

/** A number of the model that a slider can move. */
export interface Knob {
  path: string;
  /** For people: "`mass` of body `upper`". */
  label: string;
  value: number;
  /** Symbol of its SI unit; "" for a plain number. */
  unit: string;
  /** A range for a slider, from the unit and the magnitude; typed values may lie outside of it. */
  low: number;
  high: number;
  /** Hard bounds, where there are any; `above`: `least` itself is not allowed. */
  least?: number;
  most?: number;
  above: boolean;
  /** A whole number. */
  whole: boolean;
  group: "model" | "start" | "method" | "run";
}

export interface MethodInfo {
  name: string;
  summary: string;
  order: number;
  /** Preserves structure: symplectic, or bounds the energy error. */
  geometric: boolean;
  adaptive: boolean;
  /** Why it cannot be used for this model, if it cannot. */
  unsupported?: string;
}

export interface Loaded {
  title: string;
  /** The scenario whose text it is, unchanged; settings do not count. */
  scenario?: string;
  family: "spheres" | "lagrangian" | "tree";
  scene: Scene;
  bodies: string[];
  knobs: Knob[];
  methods: MethodInfo[];
  method: string;
  step: number;
  duration: number;
  /** Of `Sample.q`, in its order; `angles`: to be shown within ±π. */
  coordinates: { names: string[]; angles: boolean[] };
  /** Of `Sample.v`. */
  velocities: { names: string[] };
  /** Of `Sample.momenta`. */
  conserved: string[];
  /** Whether the motion itself changes the energy: then its change is no error. */
  driven: boolean;
  hasConstraint: boolean;
  hasUnitLength: boolean;
  /** What the columns of `Sample.trace` hold: see there. */
  traceColumns: string[];
  /**
   * Bodies that can be dragged to set the start, with the point of the scene to take hold of (or else their box) and
   * the one they turn about, if they do, and how far they are from it.
   */
  draggable: { body: string; point?: number; pivot?: number; radius: number }[];
  /** Why nothing can be dragged, if nothing can. */
  notDraggable?: string;
  fingerprint: string;
  /** The model written back as TOML with all settings in it. */
  text: string;
  /** The command line that repeats it. */
  command: string;
  notes: Problem[];
}
export type LoadResult = { ok: true; model: Loaded } | { ok: false; problems: Problem[] };
export interface Scenario { name: string; title: string; family: "spheres" | "lagrangian" | "tree"; text: string; about: string }

/** As `--set path=value`; an empty value takes the key away. Later ones win. */
export interface Setting { path: string; value: string }

export interface LagrangianParts {
  formula: string;
  params: Record<string, string>;
  start: Record<string, string>;
  velocity?: Record<string, string>;
  step: string;
  duration: string;
}

// ---- runs ----------------------------------------------------------------------------------------------------------

/** A run of the loaded model, by another method or step if said. */
export interface RunSpec { method?: string; step?: number }

/** Where one run is. Its arrays belong to the receiver. */
export interface Sample {
  run: number;
  /** Steps since the origin of time. */
  k: number;
  t: number;
  /** [points of the scene][3], m. */
  points: Float32Array;
  /** [frames of the scene][3], m. */
  framePositions: Float32Array;
  /** [frames of the scene][4]. */
  frameRotations: Float32Array;
  /** [bodies]: kinetic energy of each over the largest so far, where there are many bodies on spheres. */
  heat?: Float32Array;
  /** Of large systems the first 512 numbers, as of their names. */
  q: Float64Array;
  v: Float64Array;
  energy: number;
  kinetic: number;
  /** Energy of the first sample of the run. */
  energyAtStart: number;
  momenta: Float64Array;
  /** Largest |1 − q·q|. */
  length?: number;
  /** Largest constraint violation. */
  constraint?: number;
  /**
   * Rows for plots since the last sample of this run, the present one included, row after row, at most about 64. Columns
   * as `Loaded.traceColumns` names them: "t", "energy", "kinetic", "momentum" (largest change of a conserved momentum
   * since the start), "length", "constraint" (not a number where there is none), then up to 8 coordinates "q NAME" and
   * up to 8 velocities "v NAME". After `open` and `seek` it is one row.
   */
  trace: Float64Array;
  /** Why this run cannot go on, as a sentence; it stays at its last good state. */
  failed?: string;
}

export interface Opened {
  samples: Sample[];
  /** Why the runs started afresh although they were to go on. */
  restarted?: string;
}
export type OpenResult = ({ ok: true } & Opened) | { ok: false; problems: Problem[] };

export interface Advanced {
  samples: Sample[];
  /** Whether the time asked for was reached; otherwise the budget was used up. */
  complete: boolean;
  /** Time that the engine took, ms. */
  spent: number;
}

/** Copies of run 0 that started a little apart from where it was. */
export interface Swarm {
  count: number;
  /** Points of the scene that `points` has of every copy. */
  shown: number[];
  /** [count][shown][3], m. */
  points: Float32Array;
  /** [count][columns "q …" of the trace]. */
  q: Float32Array;
  /** [count][columns "v …" of the trace]. */
  v: Float32Array;
  /** Root mean square distance of the first of the shown points, or else of q, to its mean over the copies. */
  spread: number;
}

export interface CertificateRow { what: string; promised: string; measured: string; verdict: string; tone: "good" | "doubtful" | "bad" | "neutral" }
export interface Certificate {
  /** "structure right", "with care", … */
  word: string;
  tone: CertificateRow["tone"];
  /** The three questions: structure, path, prediction. */
  answers: { question: string; tone: CertificateRow["tone"]; text: string }[];
  rows: CertificateRow[];
}

export type Direction = { ok: true; settings: Setting[] } | { ok: false; reason: string };

/** A model as a run has it: with its settings, method and step. */
export interface Described { text: string; command: string; fingerprint: string }

/** The engine stopped: a fault of the program, not of the model. Its worker was started again; load and open once more. */
export class EngineStopped extends Error {}

/** All calls are answered in order. One `advance` is in flight at a time: another one waits for it. */
export interface Engine {
  scenarios(): Promise<Scenario[]>;
  load(text: string, settings: Setting[]): Promise<LoadResult>;
  /** The text of a model. */
  fromLagrangian(parts: LagrangianParts): Promise<string>;
  /** Runs of the loaded model from its start, or (carryOver) from where the present runs are. */
  open(runs: RunSpec[], carryOver: boolean): Promise<OpenResult>;
  /** All runs, and the swarm, on by so many seconds of their time, or until the budget is used up. */
  advance(seconds: number, budgetMs: number): Promise<Advanced>;
  /** To a time between the start and the latest that was reached, exactly as it was then. The swarm is given up. */
  seek(t: number): Promise<Sample[]>;
  /** Dragging: the settings that make a body start in this direction from its pivot. Then load and open. */
  setDirection(body: string, direction: Vec3): Promise<Direction>;
  /** The same for what has no pivot: as near as it can be to a ray, whose direction is a unit vector. */
  pull(body: string, origin: Vec3, direction: Vec3): Promise<Direction>;
  /** Starts a swarm around where run 0 is; 0 ends it. */
  swarm(count: number, spread: number): Promise<void>;
  swarmPoints(): Promise<Swarm>;
  /** What can be said of a run so far. Costs some steps; not more often than every half second. */
  certificate(run: number): Promise<Certificate>;
  describe(run: number): Promise<Described>;
  /** FNV-1a of t, q, p, λ, as `cargo xtask bits` has it. */
  hash(run: number): Promise<string>;
  close(): void;
}

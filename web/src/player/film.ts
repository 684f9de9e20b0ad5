// A motion for display, written by `crates/holonomy-report/src/film.rs`: thinned, and rounded to 16 bits.
import { diagonal, emptyBox, includeSolids, type Box, type Poses, type Scene, type Vec3 } from "../scene";

/** The JSON of `#film`. */
export interface FilmText {
  version: 1;
  clips: ClipText[];
  /** What one should know about how it was thinned. */
  note?: string | null;
}

export interface ClipText {
  name: string;
  /** Beside the name, such as the energy error. */
  note?: string | null;
  /** None: that of the first clip. */
  scene: Scene | null;
  times: string;
  points?: Places | null;
  frames?: { positions: Places; rotations: string } | null;
  heat?: string | null;
  coordinates?: { names: string[]; angles: boolean[]; q: string; v?: string | null } | null;
  ended?: string | null;
}

/** Three numbers for each place: metres = origin + scale · number, or no value. */
interface Places {
  data: string;
  origin: Vec3;
  scale: number;
}

export class Film {
  readonly clips: Clip[];
  readonly note: string;
  readonly begin: number;
  readonly end: number;

  constructor(text: FilmText) {
    if (text.version !== 1) throw new Error(`this player reads films of version 1, not ${text.version}`);
    this.clips = text.clips.map((clip) => new Clip(clip, clip.scene ?? text.clips[0].scene ?? NOTHING));
    this.note = text.note ?? "";
    this.begin = Math.min(...this.clips.map((clip) => clip.times[0] ?? 0));
    this.end = Math.max(...this.clips.map((clip) => clip.times[clip.times.length - 1] ?? 0));
  }

  get duration(): number {
    return this.end - this.begin;
  }

  /** The room that the motion takes; a clip that goes astray does not count. */
  bounds(): Box {
    const boxes = this.clips.map((clip) => clip.bounds()).filter((box) => diagonal(box) > 0);
    const usual = 5 * Math.min(...boxes.map(diagonal));
    const all = emptyBox();
    for (const box of boxes.filter((one) => diagonal(one) <= usual)) {
      for (let c = 0; c < 3; c++) {
        all.low[c] = Math.min(all.low[c], box.low[c]);
        all.high[c] = Math.max(all.high[c], box.high[c]);
      }
    }
    return all;
  }
}

const NOTHING: Scene = { frames: [], points: [], shapes: [], down: null, size: 0 };

/** The motion by one method. */
export class Clip {
  readonly name: string;
  readonly note: string;
  readonly ended: string;
  readonly times: Float32Array;
  readonly coordinates: { names: string[]; angles: boolean[]; q: Float32Array; v: Float32Array | null } | null;
  private readonly points: Quantised;
  private readonly positions: Quantised;
  private readonly rotations: Int16Array;
  private readonly heat: Uint8Array | null;
  private readonly poses: Poses;

  constructor({ name, note, ended, times, points, frames, heat, coordinates }: ClipText, readonly scene: Scene) {
    this.name = name;
    this.note = note ?? "";
    this.ended = ended ?? "";
    this.times = new Float32Array(bytes(times));
    const count = this.times.length;
    this.points = new Quantised(points ?? null, count);
    this.positions = new Quantised(frames?.positions ?? null, count);
    this.rotations = new Int16Array(bytes(frames?.rotations ?? ""));
    this.heat = heat ? new Uint8Array(bytes(heat)) : null;
    this.coordinates = coordinates
      ? {
          ...coordinates,
          q: new Float32Array(bytes(coordinates.q)),
          v: coordinates.v ? new Float32Array(bytes(coordinates.v)) : null,
        }
      : null;
    this.poses = {
      points: new Float32Array(this.points.row),
      framePositions: new Float32Array(this.positions.row),
      frameRotations: new Float32Array(count > 0 ? this.rotations.length / count : 0),
      heat: this.heat ? new Float32Array(this.heat.length / count) : undefined,
    };
  }

  get visible(): boolean {
    return this.scene.shapes.length > 0 && this.points.row + this.positions.row > 0;
  }

  get last(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  /** The last frame that is not after a time. */
  frame(t: number): number {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Between which frames a time is, and how far. */
  between(t: number): Between {
    const last = this.times.length - 1;
    const k = this.frame(t), next = Math.min(k + 1, last);
    const step = this.times[next] - this.times[k];
    return {
      k,
      next,
      before: Math.max(k - 1, 0),
      after: Math.min(next + 1, last),
      part: step > 0 ? Math.min(1, Math.max(0, (t - this.times[k]) / step)) : 0,
    };
  }

  /** Where everything is. The same arrays every time. */
  at(t: number): Poses {
    const at = this.between(t), { k, next, part } = at;
    weigh(part);
    this.points.read(at, this.poses.points);
    this.positions.read(at, this.poses.framePositions);
    this.turn(at);
    if (this.heat && this.poses.heat) {
      const n = this.poses.heat.length;
      for (let i = 0; i < n; i++) {
        this.poses.heat[i] = ((1 - part) * this.heat[k * n + i] + part * this.heat[next * n + i]) / 255;
      }
    }
    return this.poses;
  }

  bounds(): Box {
    const box = emptyBox();
    if (this.times.length === 0) return box;
    this.points.include(box);
    this.positions.include(box);
    const apart = Math.ceil(this.times.length / 60);
    for (let k = 0; k < this.times.length; k += apart) includeSolids(box, this.scene, this.at(this.times[k]));
    return box;
  }

  /** Both signs of a quaternion are one rotation: that of the frame before is taken. */
  private turn({ before, k, next, after }: Between): void {
    const out = this.poses.frameRotations, q = this.rotations, n = out.length;
    for (let i = 0; i < n; i += 4) {
      const b = k * n + i;
      const sign = (o: number) => (q[o] * q[b] + q[o + 1] * q[b + 1] + q[o + 2] * q[b + 2] + q[o + 3] * q[b + 3] < 0 ? -1 : 1);
      const a = before * n + i, c = next * n + i, d = after * n + i;
      const wa = sign(a) * weights[0], wc = sign(c) * weights[2], wd = sign(d) * weights[3];
      let length = 0;
      for (let j = 0; j < 4; j++) {
        out[i + j] = wa * q[a + j] + weights[1] * q[b + j] + wc * q[c + j] + wd * q[d + j];
        length += out[i + j] * out[i + j];
      }
      const scale = length > 0 ? 1 / Math.sqrt(length) : 0;
      for (let j = 0; j < 4; j++) out[i + j] *= scale;
    }
  }
}

/** Two frames, their neighbours, and how far a moment is from the first to the second. */
interface Between {
  before: number;
  k: number;
  next: number;
  after: number;
  part: number;
}

/** Those of the four frames: the cubic curve through the middle two, with slopes by their neighbours (Catmull and Rom). */
const weights = new Float64Array(4);

function weigh(s: number): void {
  const u = 1 - s;
  weights[0] = -0.5 * s * u * u;
  weights[1] = 1 + s * s * (1.5 * s - 2.5);
  weights[2] = s * (0.5 + s * (2 - 1.5 * s));
  weights[3] = -0.5 * s * s * u;
}

/** The number of a coordinate that has no value. */
const UNKNOWN = -32768;

/** Places as whole numbers. */
class Quantised {
  readonly row: number;
  private readonly numbers: Int16Array;
  private readonly origin: Vec3;
  private readonly scale: number;

  constructor(places: Places | null, frames: number) {
    this.numbers = new Int16Array(bytes(places?.data ?? ""));
    this.origin = places?.origin ?? [0, 0, 0];
    this.scale = places?.scale ?? 0;
    this.row = frames > 0 ? Math.floor(this.numbers.length / frames) : 0;
  }

  read({ before, k, next, after }: Between, out: Float32Array): void {
    const n = this.row, a = before * n, b = k * n, c = next * n, d = after * n, i = this.numbers;
    const [wa, wb, wc, wd] = weights;
    for (let j = 0; j < n; j++) {
      if (i[b + j] === UNKNOWN || i[c + j] === UNKNOWN) {
        out[j] = NaN;
        continue;
      }
      out[j] = this.origin[j % 3] + this.scale * (wa * known(i[a + j], i[b + j]) + wb * i[b + j] + wc * i[c + j] + wd * known(i[d + j], i[c + j]));
    }
  }

  include(box: Box): void {
    for (let j = 0; j < this.numbers.length; j++) {
      if (this.numbers[j] === UNKNOWN) continue;
      const c = j % 3, x = this.origin[c] + this.scale * this.numbers[j];
      if (x < box.low[c]) box.low[c] = x;
      if (x > box.high[c]) box.high[c] = x;
    }
  }
}

function known(number: number, other: number): number {
  return number === UNKNOWN ? other : number;
}

/** Little-endian numbers, as all browsers have them. */
function bytes(base64: string): ArrayBuffer {
  const text = atob(base64);
  const all = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) all[k] = text.charCodeAt(k);
  return all.buffer;
}

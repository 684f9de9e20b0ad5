// Where points were: each leaves a trace that gets thinner until it ends.
import { CylinderGeometry, DynamicDrawUsage, InstancedMesh, MeshBasicMaterial, type Color } from "three";
import { stick } from "./place";
import type { Scene, Vec3 } from "./types";

/** Pieces of one trace. */
const PIECES = 180;
/** More traces than these would hide the motion. */
const MOST = 6;

/** What leaves a trace: a point, or a place in a frame. */
export interface Tip {
  body: number | null;
  point: number | null;
  frame: number;
  offset: Vec3;
}

/** Masses and rods on which nothing hangs, else points, else centres of mass; none if there are many. */
export function tracked(scene: Scene): Tip[] {
  const held = new Set<number>();
  for (const shape of scene.shapes) {
    if (shape.kind === "rod") held.add(shape.from);
    if (shape.kind === "line") shape.through.slice(0, -1).forEach((point) => held.add(point));
  }
  const at = (body: number | null, point: number): Tip => ({ body, point, frame: 0, offset: [0, 0, 0] });
  const masses: Tip[] = [], rods: Tip[] = [], points: Tip[] = [], centres: Tip[] = [];
  for (const shape of scene.shapes) {
    if (shape.kind === "mass" && !held.has(shape.at)) masses.push(at(shape.body, shape.at));
    if (shape.kind === "rod" && !held.has(shape.to)) rods.push(at(shape.body, shape.to));
    if (shape.kind === "point") points.push(at(null, shape.at));
    if (shape.kind === "inertia") centres.push({ body: shape.body, point: null, frame: shape.body, offset: shape.centre });
  }
  const free = points.filter((tip) => !held.has(tip.point ?? -1));
  const groups = [masses, free, rods, centres];
  return groups.find((tips) => tips.length > 0 && tips.length <= MOST) ?? [];
}

export class Traces {
  readonly mesh: InstancedMesh;
  /** Places of all points, the newest at `head`: PIECES + 1 for each. */
  private readonly places: Float32Array;
  private head = 0;
  private filled = 0;

  constructor(private readonly count: number) {
    this.places = new Float32Array(count * (PIECES + 1) * 3);
    const solid = new CylinderGeometry(1, 1, 1, 5, 1, true);
    this.mesh = new InstancedMesh(solid, new MeshBasicMaterial({ transparent: true, opacity: 0.55 }), count * PIECES);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.clear();
  }

  colour(colours: Color[]): void {
    for (let k = 0; k < this.count * PIECES; k++) this.mesh.setColorAt(k, colours[k % this.count]);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  clear(): void {
    this.filled = 0;
    this.mesh.count = 0;
  }

  /** A new place of every point (three numbers each), if one has moved by `least` since the last. */
  push(now: Float32Array, least: number): void {
    const row = 3 * this.count;
    if (this.filled > 0) {
      let far = 0;
      for (let k = 0; k < this.count; k++) {
        const a = 3 * k, b = this.head * row + a;
        const x = now[a] - this.places[b], y = now[a + 1] - this.places[b + 1], z = now[a + 2] - this.places[b + 2];
        far = Math.max(far, x * x + y * y + z * z);
      }
      if (!(far > least * least)) return;
    }
    this.head = (this.head + 1) % (PIECES + 1);
    this.places.set(now, this.head * row);
    this.filled = Math.min(this.filled + 1, PIECES + 1);
  }

  /** From the present places, which need not be pushed yet. */
  draw(now: Float32Array, radius: number): void {
    const n = this.count, m = this.mesh.instanceMatrix.array as Float32Array, p = this.places;
    const pieces = Math.min(this.filled, PIECES);
    for (let i = 0; i < pieces; i++) {
      const row = ((this.head - i + PIECES + 1) % (PIECES + 1)) * 3 * n;
      const before = ((this.head - i + PIECES + 2) % (PIECES + 1)) * 3 * n;
      const r = radius * (1 - i / PIECES);
      for (let k = 0; k < n; k++) {
        const from = i === 0 ? now : p;
        const a = (i === 0 ? 0 : before) + 3 * k, b = row + 3 * k;
        stick(m, 16 * (i * n + k), from[a], from[a + 1], from[a + 2], p[b], p[b + 1], p[b + 2], r);
      }
    }
    this.mesh.count = n * pieces;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshBasicMaterial).dispose();
    this.mesh.dispose();
  }
}

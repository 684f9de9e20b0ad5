// Many equal solids in one draw call.
import { Color, DynamicDrawUsage, InstancedMesh, type BufferGeometry, type Material } from "three";
import type { Poses } from "./types";

/** Writes the matrix of one instance. */
export type Draw = (poses: Poses, matrices: Float32Array, offset: number) => void;
/** What decides the colour of an instance: a body, or a part of the theme. */
export type Paint = number | "fixed" | "joint" | "driven" | "cable" | "spring" | "plane";

export class Pool {
  private readonly draws: Draw[] = [];
  readonly paints: Paint[] = [];
  mesh: InstancedMesh | null = null;
  private colours: Float32Array = new Float32Array(0);

  add(paint: Paint, draw: Draw): void {
    this.paints.push(paint);
    this.draws.push(draw);
  }

  get count(): number {
    return this.draws.length;
  }

  /** The mesh, once all is added; none if nothing was. */
  build(geometry: (count: number) => BufferGeometry, material: Material): InstancedMesh | null {
    if (this.count === 0) return null;
    this.mesh = new InstancedMesh(geometry(this.count), material, this.count);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    // Its bounds would be measured again with every motion.
    this.mesh.frustumCulled = false;
    for (let k = 0; k < this.count; k++) this.mesh.setColorAt(k, new Color(1, 1, 1));
    if (this.mesh.instanceColor) this.colours = this.mesh.instanceColor.array as Float32Array;
    return this.mesh;
  }

  update(poses: Poses): void {
    if (!this.mesh) return;
    const matrices = this.mesh.instanceMatrix.array as Float32Array;
    const draws = this.draws;
    for (let k = 0; k < draws.length; k++) draws[k](poses, matrices, 16 * k);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  colour(of: (paint: Paint) => Color): void {
    for (let k = 0; k < this.count; k++) of(this.paints[k]).toArray(this.colours, 3 * k);
    this.coloured();
  }

  /** Bodies by their heat. */
  heat(heat: Float32Array, colours: Float32Array): void {
    for (let k = 0; k < this.paints.length; k++) {
      const paint = this.paints[k];
      if (typeof paint !== "number") continue;
      const at = 3 * Math.max(0, Math.min(255, Math.round(255 * heat[paint]) || 0));
      this.colours[3 * k] = colours[at];
      this.colours[3 * k + 1] = colours[at + 1];
      this.colours[3 * k + 2] = colours[at + 2];
    }
    this.coloured();
  }

  private coloured(): void {
    if (this.mesh?.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
